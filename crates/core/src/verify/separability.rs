//! Re-checking separability: both kinds of certificate, in rational numbers, row by row.

use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::{Finding, Verdict};
use crate::halfspace::Separability;
use crate::{Dataset, Error, Scalar};

/// Re-checks the certificate of a decision about separability against the data.
///
/// A separator must have y_t u·(x_t, 1) ≥ 1 on every row of positive weight, and be B² times a convex
/// combination of rows, which makes it the shortest. Gordan weights must be positive and add the rows up
/// to zero. An undecided outcome claims nothing.
///
/// It needs no budget: it searches for nothing, every number of the data and of the certificate is multiplied once.
pub fn separability<T: Scalar>(
    data: &Dataset<'_, T>,
    intercept: bool,
    outcome: &Separability<T>,
) -> Result<Verdict, Error> {
    let rows = Rows::new(data, intercept);
    let findings = match outcome {
        Separability::Separable(separator) => {
            rows.check_width(separator.weights.len())?;
            let u = &separator.weights;
            let counted = (0..data.rows()).filter(|&t| rows.counts(t));
            let below = counted.filter(|&t| product(u, &rows.row(t)) < BigRational::one()).count();
            let scaled: Vec<BigRational> = rows
                .combination(&separator.support, &separator.multipliers)
                .iter()
                .map(|v| v * &separator.b_squared)
                .collect();
            vec![
                finding(below == 0, format!("{below} rows are below the unit margin")),
                finding(product(u, u) == separator.b_squared, "B² is the square of ‖u‖".into()),
                finding(
                    are_weights(&separator.multipliers) && &scaled == u,
                    "u is B² times a convex combination of its support".into(),
                ),
            ]
        }
        Separability::NotSeparable(gordan) => {
            let sum = rows.combination(&gordan.rows, &gordan.weights);
            vec![finding(
                are_weights(&gordan.weights) && sum.iter().all(Zero::is_zero),
                format!("weights of {} rows add up to zero", gordan.rows.len()),
            )]
        }
        Separability::Undecided { .. } => {
            vec![finding(true, "nothing is claimed, so there is nothing to check".into())]
        }
    };
    Ok(Verdict::of(findings, 0.0))
}

fn finding(holds: bool, text: String) -> Finding {
    Finding { holds, text }
}

fn product(a: &[BigRational], b: &[BigRational]) -> BigRational {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn are_weights(weights: &[BigRational]) -> bool {
    weights.iter().all(Signed::is_positive) && weights.iter().sum::<BigRational>().is_one()
}

/// The rows y_t (x_t, 1), without rounding.
struct Rows<'d, 'a, T> {
    data: &'d Dataset<'a, T>,
    intercept: bool,
}

impl<'d, 'a, T: Scalar> Rows<'d, 'a, T> {
    fn new(data: &'d Dataset<'a, T>, intercept: bool) -> Self {
        Self { data, intercept }
    }

    fn check_width(&self, found: usize) -> Result<(), Error> {
        let expected = self.data.cols() + usize::from(self.intercept);
        if found == expected {
            return Ok(());
        }
        let (what, per) = ("the weights of the separator", "feature, and the intercept");
        Err(Error::LengthMismatch { what, per, expected, found })
    }

    fn counts(&self, t: usize) -> bool {
        self.data.weights().is_none_or(|weights| weights[(t, 0)] > T::zero())
    }

    fn row(&self, t: usize) -> Vec<BigRational> {
        let crate::Design::Dense(x) = self.data.design();
        let exact = |v: f64| BigRational::from_float(v).unwrap_or_else(BigRational::zero);
        let y = exact(self.data.target_view()[(t, 0)].to_double());
        let features = (0..x.cols()).map(|j| &y * exact(x[(t, j)].to_double()));
        features.chain(self.intercept.then(|| y.clone())).collect()
    }

    /// Σ weight·row; rows that do not exist or do not count spoil it.
    fn combination(&self, chosen: &[usize], weights: &[BigRational]) -> Vec<BigRational> {
        let width = self.data.cols() + usize::from(self.intercept);
        let mut sum = vec![BigRational::zero(); width];
        for (&t, weight) in chosen.iter().zip(weights) {
            if t >= self.data.rows() || !self.counts(t) {
                return vec![BigRational::one(); width];
            }
            sum.iter_mut().zip(self.row(t)).for_each(|(sum, z)| *sum += weight * z);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::halfspace::Separation;
    use crate::halfspace::plain::Plain;
    use crate::{Matrix, View};

    #[test]
    fn certificates_are_confirmed_and_tampering_is_found() {
        let x = Matrix::from_fn(6, 2, |i, j| (i * i + 3 * j) as f64 / 7.0);
        for y in [[-1.0, -1.0, -1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0, 1.0, -1.0]] {
            let data = Dataset::new(x.view(), View::column_vector(&y)).unwrap();
            let mut outcome = Separation::new().decide_on(&Plain, &data).unwrap();
            assert!(separability(&data, true, &outcome).unwrap().holds);
            match &mut outcome {
                Separability::Separable(separator) => separator.weights[0] += BigRational::one(),
                Separability::NotSeparable(gordan) => gordan.rows[0] = gordan.rows[1],
                Separability::Undecided { .. } => panic!("undecided"),
            }
            assert!(!separability(&data, true, &outcome).unwrap().holds);
        }
    }
}
