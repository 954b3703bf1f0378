//! Re-checking the fewest mistakes: every step of the proof, in exact arithmetic.
//!
//! The points are built anew from the data (decimals from their printed digits, costs and directions in
//! rational numbers), the mistakes of the model are counted in rational numbers, and the proof is walked
//! again: every box of the tree, every subsystem, every enumeration, by code of its own that knows
//! nothing of how the solver found it. Slow on purpose.

mod cells;
mod points;
mod subsystems;
mod tree;

use num_rational::BigRational;
use num_traits::{Signed, Zero};

use super::{Finding, Verdict};
use crate::halfspace::zero_one::Proof;
use crate::halfspace::{Budget, ZeroOneFit};
use crate::{Dataset, Error, Scalar};
use points::Points;

/// Re-checks the mistakes and the lower bound of a fit against the data it was trained on, however long
/// that takes.
pub fn zero_one<T: Scalar>(data: &Dataset<'_, T>, fit: &ZeroOneFit<T>) -> Result<Verdict, Error> {
    zero_one_within(data, fit, &Budget::unlimited())
}

/// The same within the time of a budget, or until its switch ends it: what could not be checked by then
/// does not hold.
pub fn zero_one_within<T: Scalar>(
    data: &Dataset<'_, T>,
    fit: &ZeroOneFit<T>,
    budget: &Budget,
) -> Result<Verdict, Error> {
    let clock = budget.start();
    fit.model.check_design(data.cols(), data.names())?;
    let certificate = &fit.certificate;
    let mut findings = vec![mistakes(data, fit)];
    let bound = points::exact(certificate.lower_bound);
    let points = Points::new(data, certificate.intercept, certificate.reading);
    let proven = match &certificate.proof {
        Proof::Unavoidable => points.base >= bound,
        Proof::Enumeration => &points.base + cells::cheapest(&points.arranged(), &clock) >= bound,
        Proof::Boxes(tree) => tree::proves(&points, tree, &bound, &clock),
        Proof::Subsystems(tree) => subsystems::proves(&points, tree, &bound, &clock),
    };
    let claim = format!("no halfspace has mistakes of weight below {}", certificate.lower_bound);
    let text = match !proven && clock.is_over() {
        true => format!("{claim}: the budget of the check was spent before it was seen"),
        false => claim,
    };
    findings.push(Finding { holds: proven, text });
    if fit.optimal {
        let holds = fit.mistakes.weight <= certificate.lower_bound;
        let text = format!("mistakes of weight {} are the fewest", fit.mistakes.weight);
        findings.push(Finding { holds, text });
    }
    Ok(Verdict::of(findings, 0.0))
}

/// Counts the mistakes of the model in rational numbers.
fn mistakes<T: Scalar>(data: &Dataset<'_, T>, fit: &ZeroOneFit<T>) -> Finding {
    let crate::Design::Dense(x) = data.design();
    let number = |v: T| points::exact(v.to_double());
    let w: Vec<BigRational> = fit.model.coefficients().iter().map(|&w| number(w)).collect();
    let b = fit.model.intercept().map_or_else(BigRational::zero, number);
    let weight =
        |t: usize| data.weights().map_or_else(|| points::exact(1.0), |c| number(c[(t, 0)]));
    let right = |t: usize| {
        let sum = w.iter().enumerate().map(|(j, w)| w * number(x[(t, j)])).sum::<BigRational>();
        ((sum + &b) * number(data.target_view()[(t, 0)])).is_positive()
    };
    let wrong: Vec<usize> = (0..x.rows()).filter(|&t| !weight(t).is_zero() && !right(t)).collect();
    let total: BigRational = wrong.iter().map(|&t| weight(t)).sum();
    let holds = wrong == fit.mistakes.rows && total == points::exact(fit.mistakes.weight);
    let claimed = fit.mistakes.rows.len();
    Finding { holds, text: format!("{claimed} mistakes are claimed, {} are made", wrong.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::halfspace::plain::Plain;
    use crate::halfspace::zero_one::{Branch, Given, Method};
    use crate::halfspace::{MinDisOpt, Stop};
    use crate::random::Random;
    use crate::{Matrix, View};

    fn problem(m: usize, d: usize, seed: u64, whole: bool) -> (Matrix<f64>, Vec<f64>) {
        let mut random = Random::new(seed);
        let y: Vec<f64> = (0..m).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let x = Matrix::from_fn(m, d, |i, j| {
            let value = random.signed() + if j == 0 { 0.4 * y[i] } else { 0.0 };
            if whole { (3.0 * value).round() / 10.0 } else { value }
        });
        (x, y)
    }

    #[test]
    fn proofs_are_confirmed() {
        for (m, d, whole) in [(40, 1, false), (60, 1, true), (60, 2, false), (30, 3, true)] {
            for method in [Method::Enumeration, Method::Boxes, Method::Subsystems] {
                // Subsystems are for few mistakes.
                let m = if method == Method::Subsystems { m / 2 } else { m };
                let (x, y) = problem(m, d, 7, whole);
                let data = Dataset::new(x.view(), View::column_vector(&y)).unwrap();
                let fit = MinDisOpt::new().with_method(method).fit_on(&Plain, &data).unwrap();
                let verdict = zero_one(&data, &fit).unwrap();
                assert!(fit.optimal && verdict.holds, "{m} × {d}, {method:?}: {verdict:?}");
            }
        }
    }

    #[test]
    fn checks_end_with_their_budget() {
        let (x, y) = problem(60, 2, 7, false);
        let data = Dataset::new(x.view(), View::column_vector(&y)).unwrap();
        let stop = Stop::new();
        stop.request();
        let budget = Budget::unlimited().with_stop(&stop);
        for method in [Method::Enumeration, Method::Boxes] {
            let fit = MinDisOpt::new().with_method(method).fit_on(&Plain, &data).unwrap();
            let verdict = zero_one_within(&data, &fit, &budget).unwrap();
            assert!(!verdict.holds && verdict.findings[1].text.contains("budget"), "{verdict:?}");
        }
    }

    #[test]
    fn tampered_proofs_are_refused() {
        let (x, y) = problem(50, 2, 8, false);
        let data = Dataset::new(x.view(), View::column_vector(&y)).unwrap();
        for method in [Method::Enumeration, Method::Boxes] {
            let fit = MinDisOpt::new().with_method(method).fit_on(&Plain, &data).unwrap();
            let mut higher = fit.clone();
            higher.certificate.lower_bound += 1.0;
            assert!(!zero_one(&data, &higher).unwrap().holds, "{method:?}");
            let mut fewer = fit.clone();
            fewer.mistakes.rows.pop();
            assert!(!zero_one(&data, &fewer).unwrap().holds, "{method:?}");
            if let Proof::Boxes(tree) = &fit.certificate.proof {
                let mut tree = tree.clone();
                tree.branches[1] = Branch::Halved { axis: 1, low: 1 };
                let mut looped = fit.clone();
                looped.certificate.proof = Proof::Boxes(tree);
                assert!(!zero_one(&data, &looped).unwrap().holds);
            }
        }
        let (x, y) = problem(20, 2, 8, false);
        let data = Dataset::new(x.view(), View::column_vector(&y)).unwrap();
        let search = MinDisOpt::new().with_method(Method::Subsystems);
        let mut fit = search.fit_on(&Plain, &data).unwrap();
        fit.certificate.proof = Proof::Subsystems(vec![Given::Open]);
        assert!(!zero_one(&data, &fit).unwrap().holds);
    }
}
