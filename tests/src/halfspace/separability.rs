//! Separability: certified decisions, and certificates that hold.

use minrisk_core::halfspace::{Separability, Separation};
use minrisk_core::{Backend, Dataset, Matrix, Scalar, View};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::perceptron::nested;
use super::sets::{Labelled, results, text, texts};
use crate::check::ensure;
use crate::exact::rational;
use crate::random::Random;
use crate::{Failure, Outcome, Tally};

/// z_t = y_t (x_t, 1) without rounding.
pub(super) fn signed_rows<T: Scalar>(
    x: &Matrix<T>,
    y: &[T],
    intercept: bool,
) -> Vec<Vec<BigRational>> {
    let row = |t: usize| {
        let features = (0..x.cols()).map(|j| rational(y[t] * x[(t, j)]));
        features.chain(intercept.then(|| rational(y[t]))).collect()
    };
    (0..x.rows()).map(row).collect()
}

fn product(a: &[BigRational], b: &[BigRational]) -> BigRational {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Re-checks a certificate; the decision.
pub(super) fn decision<T: Scalar>(
    outcome: &Separability<T>,
    rows: &[Vec<BigRational>],
) -> Result<bool, Failure> {
    let combination = |chosen: &[usize], weights: &[BigRational]| -> Vec<BigRational> {
        let coordinate = |j: usize| chosen.iter().zip(weights).map(|(&t, a)| a * &rows[t][j]).sum();
        (0..rows[0].len()).map(coordinate).collect()
    };
    match outcome {
        Separability::Separable(separator) => {
            let u = &separator.weights;
            ensure!(
                rows.iter().all(|z| product(u, z) >= BigRational::one()),
                "a row is below the unit margin"
            );
            ensure!(product(u, u) == separator.b_squared, "B² is not ‖u‖²");
            // u is B² times a convex combination of rows, so no u of unit margin is shorter.
            ensure!(
                separator.multipliers.iter().all(Signed::is_positive)
                    && separator.multipliers.iter().sum::<BigRational>().is_one(),
                "the multipliers are no weights"
            );
            let sum = combination(&separator.support, &separator.multipliers);
            let scaled: Vec<BigRational> = sum.iter().map(|v| v * &separator.b_squared).collect();
            ensure!(&scaled == u, "u is not the combination of its support");
            Ok(true)
        }
        Separability::NotSeparable(gordan) => {
            ensure!(
                gordan.weights.iter().all(Signed::is_positive)
                    && gordan.weights.iter().sum::<BigRational>().is_one(),
                "the Gordan weights are no weights"
            );
            let sum = combination(&gordan.rows, &gordan.weights);
            ensure!(sum.iter().all(Zero::is_zero), "the Gordan weights do not add up to zero");
            Ok(false)
        }
        other => Err(Failure::new(format!("no decision: {other:?}"))),
    }
}

/// The pairs of classes of iris, wine and penguins: every decision, every certificate.
pub fn certified_sets_are_decided<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let iris = Labelled::<T>::read(include_str!("../../data/separability/iris.csv"));
    let wine = Labelled::<T>::read(include_str!("../../data/separability/wine.csv"));
    let penguins = Labelled::<T>::read(include_str!("../../data/separability/penguins.csv"));
    let mut tally = Tally::default();
    for entry in results(include_str!("../../data/separability/separability.json")) {
        tally.add(|| {
            let set = match text(&entry, "dataset") {
                "iris" => &iris,
                "wine" => &wine,
                _ => &penguins,
            };
            let (positive, negative) = (text(&entry, "positive"), text(&entry, "negative"));
            let features = texts(&entry, "features");
            let case = format!("{positive}/{negative} on {features:?}");
            let (x, y) = set.pair(positive, negative, &features);
            let data = Dataset::new(x.view(), View::column_vector(&y))?;
            let outcome = Separation::new().decide_on(backend, &data)?;
            let found = decision(&outcome, &signed_rows(&x, &y, true));
            let found = found.map_err(|failure| failure.within(&case))?;
            let expected = entry["separable"].as_bool().expect("a truth value");
            ensure!(found == expected, "{case}: separable = {found}, certified is {expected}");
            Ok(())
        });
    }
    tally.outcome()
}

/// Nested rows in up to 60 dimensions, where the margin is 1.5·10⁻¹⁸: B² = (4^d − 1)/3 exactly.
pub fn tiny_margins_are_certified<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    for d in [1, 2, 5, 20, 40, 60] {
        let (x, y) = (nested::<T>(d), vec![T::one(); d]);
        let data = Dataset::new(x.view(), View::column_vector(&y))?;
        let outcome = Separation::new().without_intercept().decide_on(backend, &data)?;
        ensure!(decision(&outcome, &signed_rows(&x, &y, false))?, "d = {d}: not separable");
        let expected: BigRational = (BigRational::from_integer(4.into()).pow(d as i32)
            - BigRational::one())
            / BigRational::from_integer(3.into());
        let found = outcome.separator().map(|separator| separator.b_squared.clone());
        ensure!(found == Some(expected), "d = {d}: B² = {found:?}");
    }
    Ok(())
}

/// Random data on both sides of separability, with ties and without, in both precisions.
pub fn certificates_hold_on_random_data<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(61);
    let mut tally = Tally::default();
    let mut separable = 0;
    for round in 0..600 {
        let (m, d) = (1 + random.below(24), 1 + random.below(5));
        let (whole, intercept) = (round % 3 == 0, round % 2 == 0);
        let y: Vec<T> =
            (0..m).map(|_| if random.below(2) == 0 { T::one() } else { -T::one() }).collect();
        let shift = random.unit();
        let x = Matrix::from_fn(m, d, |i, _| match whole {
            true => T::from_double(random.below(5) as f64 - 2.0),
            false => T::from_double(random.signed() + shift * y[i].to_double()),
        });
        tally.add(|| {
            let data = Dataset::new(x.view(), View::column_vector(&y))?;
            let separation = Separation { intercept, ..Separation::new() };
            let outcome = separation.decide_on(backend, &data)?;
            let found = decision(&outcome, &signed_rows(&x, &y, intercept));
            separable += usize::from(found.map_err(|failure| failure.within(round))?);
            Ok(())
        });
    }
    tally.outcome()?;
    ensure!((60..540).contains(&separable), "{separable} of 600 separable: nothing was asked");
    Ok(())
}

/// The widest margin: every row at it or beyond, and no wider one, since the normal is a difference
/// of points of the two class hulls.
pub fn margins_are_the_widest<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let iris = Labelled::<T>::read(include_str!("../../data/separability/iris.csv"));
    let features = ["sepal_length", "sepal_width", "petal_length", "petal_width"];
    let (x, y) = iris.pair("setosa", "versicolor", &features);
    let data = Dataset::new(x.view(), View::column_vector(&y))?;
    let widest = Separation::new().widest_margin_on(backend, &data)?;
    let Some(widest) = widest else { return Err(Failure::new("no separator found")) };
    let exact: Vec<BigRational> =
        widest.weights.iter().cloned().chain([widest.intercept.clone()]).collect();
    let rows = signed_rows(&x, &y, true);
    ensure!(
        rows.iter().all(|z| product(&exact, z) >= BigRational::one()),
        "a row is within the margin"
    );
    for &t in &widest.support {
        ensure!(product(&exact, &rows[t]).is_one(), "support row {t} is not at the margin");
    }
    let square = product(&widest.weights, &widest.weights);
    ensure!((square * &widest.margin_squared).is_one(), "the margin is not 1/‖w‖");
    // The scaled margin of the homogeneous routine is never wider.
    let outcome = Separation::new().decide_on(backend, &data)?;
    let scaled = outcome.separator().map_or(0.0, |separator| separator.scaled_margin());
    ensure!(scaled <= widest.margin, "{scaled} is wider than {}", widest.margin);
    let (x, y) = iris.pair("versicolor", "virginica", &features);
    let data = Dataset::new(x.view(), View::column_vector(&y))?;
    ensure!(
        Separation::new().widest_margin_on(backend, &data)?.is_none(),
        "a margin where there is none"
    );
    Ok(())
}
