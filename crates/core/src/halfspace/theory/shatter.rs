//! Which points halfspaces shatter, exactly.
//!
//! Affine halfspaces realise all 2ⁿ labellings of n points iff the vectors (x_i, 1) are linearly
//! independent; homogeneous ones iff the x_i are. Independent: the system w·(x_i, 1) = y_i has a
//! solution for every labelling y. Dependent: Σ v_i (x_i, 1) = 0 for some v ≠ 0, and then the labelling
//! +1 where v_i > 0, −1 where v_i < 0 cannot be realised, since Σ v_i (w·x_i + b) would be positive. The
//! convex hulls of the two parts meet: a Radon partition. So the VC dimension is d for homogeneous
//! halfspaces and d + 1 for affine ones (Cover 1965; Vapnik, Chervonenkis 1971).

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

use super::super::Budget;
use super::super::exact::{
    Solved, approximate, dot, integer, last_bit, null_vector, scaled, solve,
};
use crate::{Error, LinearModel, Scalar, View};

/// The VC dimension of halfspaces in R^d: d, and one more with an intercept.
pub fn vc_dimension(features: usize, intercept: bool) -> usize {
    features + usize::from(intercept)
}

/// The most points of a set that halfspaces shatter: the rank of the x_i, or of the (x_i, 1).
pub fn vc_dimension_on<T: Scalar>(points: View<'_, T>, intercept: bool) -> Result<usize, Error> {
    let (rows, _) = exact_rows(points, intercept)?;
    let width = points.cols() + usize::from(intercept);
    // A largest independent set, one row at a time.
    let mut basis: Vec<Vec<BigInt>> = Vec::new();
    for row in rows {
        if basis.len() == width {
            break;
        }
        basis.push(row);
        if null_vector(transpose(&basis), basis.len()).is_some() {
            basis.pop();
        }
    }
    Ok(basis.len())
}

/// Whether halfspaces shatter all of the points, with a proof either way.
///
/// ```
/// use minrisk_core::View;
/// use minrisk_core::halfspace::theory::{Shattering, shatters};
/// let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
/// match shatters(View::from_arrays(&corners), true)? {
///     // Neither diagonal can be told from the other.
///     Shattering::No(radon) => assert_eq!(radon.labels, [1, -1, -1, 1]),
///     Shattering::Yes(_) => unreachable!(),
/// }
/// match shatters(View::from_arrays(&corners[..3]), true)? {
///     Shattering::Yes(map) => {
///         let model = map.separator(&[1, -1, -1])?;
///         assert!(model.predict(View::from_arrays(&corners[..3]))?[(0, 0)] > 0.0);
///     }
///     Shattering::No(_) => unreachable!(),
/// }
/// # Ok::<(), minrisk_core::Error>(())
/// ```
pub fn shatters<T: Scalar>(points: View<'_, T>, intercept: bool) -> Result<Shattering, Error> {
    let (rows, exponent) = exact_rows(points, intercept)?;
    Ok(match null_vector(transpose(&rows), rows.len()) {
        Some(relation) => Shattering::No(RadonPartition::new(relation)),
        None => Shattering::Yes(Shattered { rows, exponent, intercept }),
    })
}

/// The answer of [`shatters`].
#[derive(Clone, Debug, PartialEq)]
pub enum Shattering {
    /// Every labelling is realised: the map from labellings to halfspaces.
    Yes(Shattered),
    /// This labelling is not.
    No(RadonPartition),
}

/// A labelling that no halfspace realises.
#[derive(Clone, Debug, PartialEq)]
pub struct RadonPartition {
    /// +1 or −1; 0 for points that do not matter.
    pub labels: Vec<i8>,
    /// Σ relation_i (x_i, 1) = 0, with the signs of the labels and Σ|relation_i| over the positive
    /// ones 1: for affine halfspaces the weights of a point in both hulls.
    pub relation: Vec<BigRational>,
}

impl RadonPartition {
    fn new(relation: Vec<BigInt>) -> Self {
        // The first point of the relation gets +1.
        let flip = relation.iter().find(|v| !v.is_zero()).is_some_and(Signed::is_negative);
        let relation: Vec<BigInt> =
            relation.into_iter().map(|v| if flip { -v } else { v }).collect();
        let total: BigInt = relation.iter().filter(|v| v.is_positive()).sum();
        let label = |v: &BigInt| match v {
            v if v.is_positive() => 1,
            v if v.is_negative() => -1,
            _ => 0,
        };
        Self {
            labels: relation.iter().map(label).collect(),
            relation: relation.into_iter().map(|v| BigRational::new(v, total.clone())).collect(),
        }
    }
}

/// The map from labellings to halfspaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Shattered {
    rows: Vec<Vec<BigInt>>,
    exponent: i32,
    intercept: bool,
}

impl Shattered {
    /// The halfspace of least norm with w·x_i + b = y_i, exactly, the intercept last.
    pub fn exact_separator(&self, labels: &[i8]) -> Result<Vec<BigRational>, Error> {
        if labels.len() != self.rows.len() {
            return Err(Error::LengthMismatch {
                what: "the labelling",
                per: "point",
                expected: self.rows.len(),
                found: labels.len(),
            });
        }
        if let Some(row) = labels.iter().position(|y| y.abs() != 1) {
            return Err(Error::TargetOutsideDomain {
                row,
                value: labels[row].to_string(),
                loss: "zero-one",
                domain: "−1 or +1",
            });
        }
        // w = Zᵀ(ZZᵀ)⁻¹y, in units of 2^−exponent.
        let gram = self.rows.iter().map(|p| self.rows.iter().map(|q| dot(p, q)).collect());
        let right = labels.iter().map(|&y| BigInt::from(y)).collect();
        let solved = solve(gram.collect(), right, &Budget::unlimited().start());
        let Solved::Unique { numerators: multipliers, denominator } = solved else {
            unreachable!("the Gram matrix of independent rows is regular");
        };
        let width = self.rows.first().map_or(0, Vec::len);
        let coordinate = |j: usize| {
            let terms = self.rows.iter().zip(&multipliers);
            let sum: BigInt = terms.map(|(row, a)| &row[j] * a).sum();
            scaled(sum, denominator.clone(), -self.exponent)
        };
        Ok((0..width).map(coordinate).collect())
    }

    /// As [`Shattered::exact_separator`], rounded.
    pub fn separator<T: Scalar>(&self, labels: &[i8]) -> Result<LinearModel<T>, Error> {
        let exact = self.exact_separator(labels)?;
        let mut weights: Vec<T> = exact.iter().map(|w| T::from_double(approximate(w))).collect();
        let b = if self.intercept { weights.pop() } else { None };
        LinearModel::from_coefficients(weights, b)
    }
}

/// The points as integers in units of 2^exponent.
fn exact_rows<T: Scalar>(
    points: View<'_, T>,
    intercept: bool,
) -> Result<(Vec<Vec<BigInt>>, i32), Error> {
    if points.rows() == 0 {
        return Err(Error::NoRows);
    }
    let mut exponent = 0;
    for i in 0..points.rows() {
        for j in 0..points.cols() {
            let value = points[(i, j)];
            if !value.is_finite() {
                let (column, value) = (j.to_string(), value.to_string());
                return Err(Error::NotFinite { row: i, column, value });
            }
            exponent = last_bit(value.to_double()).map_or(exponent, |e| e.min(exponent));
        }
    }
    let row = |i: usize| {
        let features = (0..points.cols()).map(|j| integer(points[(i, j)].to_double(), exponent));
        features.chain(intercept.then(|| integer(1.0, exponent))).collect()
    };
    Ok(((0..points.rows()).map(row).collect(), exponent))
}

fn transpose(rows: &[Vec<BigInt>]) -> Vec<Vec<BigInt>> {
    let width = rows.first().map_or(0, Vec::len);
    (0..width).map(|j| rows.iter().map(|row| row[j].clone()).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::mistakes::is_positive;
    use super::*;
    use crate::Matrix;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_answer_has_its_proof(
            entries in prop::collection::vec(-2..3_i32, 2..12), intercept in prop::bool::ANY,
        ) {
            let n = entries.len() / 2;
            let x = Matrix::from_fn(n, 2, |i, j| f64::from(entries[2 * i + j]) / 3.0);
            let rank = vc_dimension_on(x.view(), intercept).unwrap();
            prop_assert!(rank <= vc_dimension(2, intercept));
            let row = |i: usize| [x[(i, 0)], x[(i, 1)]];
            match shatters(x.view(), intercept).unwrap() {
                Shattering::Yes(map) => {
                    prop_assert_eq!(rank, n);
                    for code in 0..1 << n {
                        let labels: Vec<i8> =
                            (0..n).map(|i| if code >> i & 1 == 1 { 1 } else { -1 }).collect();
                        let model = map.separator::<f64>(&labels).unwrap();
                        let b = model.intercept().unwrap_or(0.0);
                        for (i, &y) in labels.iter().enumerate() {
                            let w = model.coefficients();
                            prop_assert!(is_positive(w, &row(i), b, f64::from(y)));
                        }
                    }
                }
                Shattering::No(radon) => {
                    prop_assert!(rank < n);
                    prop_assert!(radon.labels.contains(&1));
                    let relation = &radon.relation;
                    let sum = |value: &dyn Fn(usize) -> f64| -> BigRational {
                        let exact = |i: usize| BigRational::from_float(value(i)).unwrap();
                        (0..n).map(|i| &relation[i] * exact(i)).sum()
                    };
                    prop_assert!(sum(&|i| x[(i, 0)]).is_zero() && sum(&|i| x[(i, 1)]).is_zero());
                    prop_assert!(!intercept || sum(&|_| 1.0).is_zero());
                }
            }
        }
    }

    #[test]
    fn simplices_are_shattered_and_no_more_points_are() {
        for d in 1..6 {
            let corner = |i: usize, j: usize| if i == j + 1 { 1.0 } else { 0.0 };
            let simplex = Matrix::from_fn(d + 1, d, corner);
            assert!(matches!(shatters(simplex.view(), true), Ok(Shattering::Yes(_))));
            assert!(matches!(shatters(simplex.view(), false), Ok(Shattering::No(_))));
            let more = Matrix::from_fn(d + 2, d, |i, j| ((i + 1) as f64).powi(j as i32 + 1));
            assert!(matches!(shatters(more.view(), true), Ok(Shattering::No(_))));
            assert_eq!(vc_dimension_on(more.view(), true), Ok(vc_dimension(d, true)));
        }
    }
}
