//! Every example runs, and its numbers are those of the notes it comes from.

#[path = "../examples/bell.rs"]
mod bell;
#[path = "../examples/breast_cancer.rs"]
mod breast_cancer;
#[path = "../examples/cars.rs"]
mod cars;
#[path = "../examples/degree_by_cross_validation.rs"]
mod degree_by_cross_validation;
#[path = "../examples/gaussian_mle.rs"]
mod gaussian_mle;
#[path = "../examples/newton_least_squares.rs"]
mod newton_least_squares;
#[path = "../examples/perceptron.rs"]
mod perceptron;
#[path = "../examples/sales.rs"]
mod sales;

use minrisk::halfspace::Ending;
use minrisk::likelihood::Gaussian;

#[track_caller]
fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
    }
}

#[test]
fn cars() {
    let fit = cars::fit().unwrap();
    assert_eq!(fit.model.intercept(), Some(7836.258660508083));
    assert_eq!(fit.model.coefficients(), [-502.42494226327943]);
    cars::main().unwrap();
}

#[test]
fn sales() {
    let slopes = sales::slopes(&[0.0, 1.0, 1e9]).unwrap();
    // Σ(x − x̄)(y − ȳ)/Σ(x − x̄)², by hand: 1806.7571…/10.5371….
    close(&slopes[..1], &[171.46556399132322], 1e-9);
    assert!(slopes[1] < slopes[0] && slopes[2].abs() < 1e-5);
    sales::main().unwrap();
}

#[test]
fn perceptron() {
    let fit = perceptron::fit().unwrap();
    assert_eq!((fit.updates, fit.ending), (3, Ending::Clean));
    let expected = [[-0.2, 0.6, 0.9], [0.0, 0.2, 1.1], [0.2, 0.5, 1.0]];
    for (update, [b, v, w]) in fit.trace.iter().zip(expected) {
        close(&[update.intercept, update.weights[0], update.weights[1]], &[b, v, w], 1e-12);
    }
    perceptron::main().unwrap();
}

#[test]
fn newton_needs_one_step() {
    let (newton, closed_form) = newton_least_squares::fits().unwrap();
    close(newton.model.coefficients(), closed_form.model.coefficients(), 1e-10);
    // After the first step nothing is gained any more.
    let trace = &newton.report.trace;
    let first = trace[1].objective;
    assert!(trace[0].objective > 2.0 * first);
    assert!((first - closed_form.report.objective[0]).abs() <= 1e-12 * first);
    newton_least_squares::main().unwrap();
}

#[test]
fn the_true_degree_is_found() {
    let grid = degree_by_cross_validation::degrees().unwrap();
    assert_eq!(*grid.best_candidate(), 3);
    let damped = |alpha| degree_by_cross_validation::damped(alpha).unwrap();
    assert!(damped(1e-2) > damped(0.0));
    degree_by_cross_validation::main().unwrap();
}

#[test]
fn the_bell_is_found() {
    let (descent, fit) = bell::fits().unwrap();
    close(&fit.parameters, &bell::TRUTH, 0.03);
    close(&descent.parameters, &fit.parameters, 1e-3);
    bell::main().unwrap();
}

#[test]
fn the_most_likely_gaussian() {
    let candidates = gaussian_mle::candidates().unwrap();
    let (best, _) = Gaussian::most_likely(&candidates, &gaussian_mle::SAMPLE).unwrap();
    assert_eq!(best, 0);
    let fitted = Gaussian::maximum_likelihood(&gaussian_mle::SAMPLE).unwrap();
    close(&[fitted.mean(), fitted.variance()], &[29.5 / 3.0, 13.0 / 18.0], 1e-14);
    gaussian_mle::main().unwrap();
}

#[test]
fn breast_cancer_has_no_separating_halfspace() {
    let (x, y) = breast_cancer::rows();
    assert_eq!((x.len(), y.iter().filter(|y| **y > 0.0).count()), (569, 212));
    let (separable, fit) = breast_cancer::fewest_mistakes().unwrap();
    assert!(!separable && fit.optimal);
    assert_eq!(fit.mistakes.rows.len(), 43);
    // The convex stand-in cannot do better.
    assert!(breast_cancer::logistic_mistakes().unwrap() >= 43);
    breast_cancer::main().unwrap();
}
