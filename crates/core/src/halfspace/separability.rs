//! Separability with a certificate either way (Gordan 1873).
//!
//! With z_t = y_t (x_t, 1), exactly one of these holds:
//! - a halfspace w has w·z_t > 0 on every row;
//! - weights a ≥ 0, not all zero, have Σ a_t z_t = 0.
//!
//! The point of least norm in conv{z_t} decides: if it is not zero it is such a w, its length is 1/B,
//! B = min{‖u‖ : u·z_t ≥ 1}, and the rows of its corral are the support rows; if it is zero the weights
//! of the corral are such an a. It is proposed in doubles, finished in integers and checked exactly on
//! every row as given.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use super::Budget;
use super::exact::{self, approximate, scaled};
use super::exact_min_norm::ExactCorral;
use super::examples::Examples;
use super::hull::{Hull, Vertex};
use super::least_norm::{End, least_norm};
use crate::{Backend, Dataset, Error, LinearModel, Names, Scalar};

/// The question whether a halfspace can be right on every row.
///
/// Rows of weight zero do not count; other weights make no difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Separation {
    /// Whether halfspaces may have an intercept.
    pub intercept: bool,
    /// Limits: steps are major cycles of Wolfe's method.
    pub budget: Budget,
}

/// The answer, with its certificate.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Separability<T> {
    /// A halfspace is right on every row.
    Separable(Box<Separator<T>>),
    /// No halfspace is.
    NotSeparable(GordanWeights),
    /// The budget was spent before either was proven.
    Undecided {
        /// The length of the shortest convex combination of the z_t found so far: 1/B is at most this.
        shortest: f64,
    },
}

/// A halfspace that is right on every row, the one of least norm at unit margin: exact.
#[derive(Clone, Debug, PartialEq)]
pub struct Separator<T> {
    /// The halfspace, rounded: coefficients in proportion to the exact ones, the largest about 1.
    pub model: LinearModel<T>,
    /// The exact weights u with min_t y_t u·(x_t, 1) = 1 and ‖u‖ = B, the intercept last.
    pub weights: Vec<BigRational>,
    /// B², exactly.
    pub b_squared: BigRational,
    /// The rows with y_t u·(x_t, 1) = 1 that u is a combination of, u = B² Σ a_t z_t.
    pub support: Vec<usize>,
    /// The weights a_t > 0 of the support rows, of sum 1.
    pub multipliers: Vec<BigRational>,
}

/// Weights a_t > 0 of sum 1 with Σ a_t y_t (x_t, 1) = 0 exactly: no halfspace is right on every row.
#[derive(Clone, Debug, PartialEq)]
pub struct GordanWeights {
    /// The rows, in increasing order.
    pub rows: Vec<usize>,
    /// Their weights.
    pub weights: Vec<BigRational>,
}

/// The halfspace of greatest geometric margin.
#[derive(Clone, Debug, PartialEq)]
pub struct WidestMargin<T> {
    /// The halfspace, rounded: weights in proportion to the exact ones, the largest about 1.
    pub model: LinearModel<T>,
    /// The exact weights, at which the rows of `support` have y_t (w·x_t + b) = 1.
    pub weights: Vec<BigRational>,
    /// The exact intercept.
    pub intercept: BigRational,
    /// The margin min_t y_t (w·x_t + b)/‖w‖: half the distance between the two class hulls.
    pub margin: f64,
    /// The margin squared, exactly.
    pub margin_squared: BigRational,
    /// The rows that the normal is a combination of.
    pub support: Vec<usize>,
}

impl Separation {
    /// With an intercept, for at most 100,000 cycles.
    pub fn new() -> Self {
        Self { intercept: true, budget: Budget::steps(100_000) }
    }

    /// For halfspaces through the origin.
    pub fn without_intercept(self) -> Self {
        Self { intercept: false, ..self }
    }

    /// With limits: major cycles, and time.
    pub fn with_budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// Decides, with a certificate.
    pub fn decide_on<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
    ) -> Result<Separability<T>, Error> {
        let examples = Examples::new(data, self.intercept)?;
        let hull = Hull::new(backend, data, examples, false);
        let end = least_norm(&hull, &self.budget.start())?;
        Ok(match end {
            End::Short(shortest) => Separability::Undecided { shortest },
            End::Exact(corral, _) if corral.is_zero() => {
                Separability::NotSeparable(GordanWeights::of(&corral))
            }
            End::Exact(corral, exponent) => {
                let separator = Separator::of(&corral, exponent, &examples, data.names())?;
                Separability::Separable(Box::new(separator))
            }
        })
    }

    /// The halfspace of greatest geometric margin, always with an intercept; `None` if the data is
    /// not separable, has one class only, or the budget was spent.
    pub fn widest_margin_on<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
    ) -> Result<Option<WidestMargin<T>>, Error> {
        let examples = Examples::new(data, true)?;
        let counts = |t: usize| data.weights().is_none_or(|weights| weights[(t, 0)] > T::zero());
        let has = |sign: f64| (0..data.rows()).any(|t| examples.sign(t) == sign && counts(t));
        if examples.x.cols() == 0 || !(has(1.0) && has(-1.0)) {
            return Ok(None);
        }
        let hull = Hull::new(backend, data, examples, true);
        match least_norm(&hull, &self.budget.start())? {
            End::Exact(corral, exponent) if !corral.is_zero() => {
                Ok(Some(WidestMargin::of(&hull, &corral, exponent)?))
            }
            _ => Ok(None),
        }
    }
}

impl Default for Separation {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Separability<T> {
    /// The separator, if there is one.
    pub fn separator(&self) -> Option<&Separator<T>> {
        match self {
            Separability::Separable(separator) => Some(separator),
            _ => None,
        }
    }

    /// True or false where that is proven.
    pub fn is_separable(&self) -> Option<bool> {
        match self {
            Separability::Separable(_) => Some(true),
            Separability::NotSeparable(_) => Some(false),
            Separability::Undecided { .. } => None,
        }
    }
}

impl<T: Scalar> Separator<T> {
    fn of(
        corral: &ExactCorral<Vertex>,
        exponent: i32,
        examples: &Examples<'_, T>,
        names: Option<&Names>,
    ) -> Result<Self, Error> {
        // x = X/S·2^e; ‖x‖² = X·X/S²·4^e; u = x/‖x‖² = X·S/(X·X)·2^−e.
        let (total, square) = (corral.total(), exact::dot(&corral.x, &corral.x));
        let weight = |v: &BigInt| scaled(v * &total, square.clone(), -exponent);
        let model = rounded(&corral.x, examples.intercept, names)?;
        let (support, multipliers) = sorted_weights(corral);
        Ok(Self {
            model,
            weights: corral.x.iter().map(weight).collect(),
            b_squared: scaled(&total * &total, square.clone(), -2 * exponent),
            support,
            multipliers,
        })
    }

    /// B = min{‖u‖ : y_t u·(x_t, 1) ≥ 1}, rounded.
    pub fn b(&self) -> f64 {
        root(&self.b_squared)
    }

    /// 1/B: the largest scaled margin γ(u)/‖u‖ of any halfspace.
    pub fn scaled_margin(&self) -> f64 {
        root(&self.b_squared.recip())
    }

    /// u rounded, pulled up where rounding might have cost the unit margin.
    pub(crate) fn unit_margin(&self) -> Vec<f64> {
        self.weights.iter().map(approximate).collect()
    }
}

impl GordanWeights {
    fn of(corral: &ExactCorral<Vertex>) -> Self {
        let (rows, weights) = sorted_weights(corral);
        Self { rows, weights }
    }
}

impl<T: Scalar> WidestMargin<T> {
    fn of(hull: &Hull<'_, T>, corral: &ExactCorral<Vertex>, exponent: i32) -> Result<Self, Error> {
        // p − q = X/S·2^e is the difference of the nearest points; w = 2(p − q)/‖p − q‖² has margin 1,
        // and b = 1 − w·x_i for any support row i of the positive class.
        let (total, square) = (corral.total(), exact::dot(&corral.x, &corral.x));
        let two = BigInt::from(2);
        let weight = |v: &BigInt| scaled(v * &total * &two, square.clone(), -exponent);
        let first = corral.keys[0].0;
        let row = hull.exact_point((first, None), exponent);
        let value = scaled(exact::dot(&row, &corral.x) * &total * &two, square.clone(), 0);
        let intercept = BigRational::one() - value;
        let margin_squared = scaled(square.clone(), total.pow(2) * BigInt::from(4), 2 * exponent);
        let weights: Vec<BigRational> = corral.x.iter().map(weight).collect();
        let mut support: Vec<usize> =
            corral.keys.iter().flat_map(|&(i, j)| [Some(i), j]).flatten().collect();
        support.sort_unstable();
        support.dedup();
        let homogeneous = integers(weights.iter().chain([&intercept]));
        Ok(Self {
            model: rounded(&homogeneous, true, hull.data.names())?,
            weights,
            intercept,
            margin: root(&margin_squared),
            margin_squared,
            support,
        })
    }
}

/// Rational numbers in proportion, as integers.
fn integers<'a>(values: impl Iterator<Item = &'a BigRational> + Clone) -> Vec<BigInt> {
    let common = values.clone().fold(BigInt::one(), |d, v| num_integer::lcm(d, v.denom().clone()));
    exact::primitive(values.map(|v| v.numer() * (&common / v.denom())).collect())
}

/// A model in proportion to integers, the intercept last.
fn rounded<T: Scalar>(
    homogeneous: &[BigInt],
    intercept: bool,
    names: Option<&Names>,
) -> Result<LinearModel<T>, Error> {
    let doubles = exact::proportional(&exact::primitive(homogeneous.to_vec()));
    let mut weights: Vec<T> = doubles.into_iter().map(T::from_double).collect();
    let b = if intercept { weights.pop() } else { None };
    LinearModel::new(vec![weights], b.map(|b| vec![b]), names.cloned())
}

/// The rows of a corral in increasing order with their weights of sum 1.
fn sorted_weights(corral: &ExactCorral<Vertex>) -> (Vec<usize>, Vec<BigRational>) {
    let total = corral.total();
    let mut order: Vec<usize> = (0..corral.keys.len()).collect();
    order.sort_unstable_by_key(|&i| corral.keys[i].0);
    let weight = |&i: &usize| BigRational::new(corral.weights[i].clone(), total.clone());
    (order.iter().map(|&i| corral.keys[i].0).collect(), order.iter().map(weight).collect())
}

/// √q, for numbers whose square is out of the range of doubles too.
fn root(q: &BigRational) -> f64 {
    // In units of 4^k that make the number about 2^100.
    let bits = q.numer().bits() as i64 - q.denom().bits() as i64;
    let half = (100 - bits).div_euclid(2) as i32;
    let scaled = q * scaled(BigInt::one(), BigInt::one(), 2 * half);
    approximate(&scaled).sqrt() * f64::powi(2.0, -half)
}

#[cfg(test)]
mod tests {
    use super::super::plain::Plain;
    use super::*;
    use crate::{Matrix, View};
    use num_traits::{Signed, Zero};
    use proptest::prelude::*;

    fn rational_row(x: View<'_, f64>, t: usize, sign: f64, intercept: bool) -> Vec<BigRational> {
        let mut z: Vec<BigRational> =
            (0..x.cols()).map(|j| exact::rational(sign * x[(t, j)])).collect();
        z.extend(intercept.then(|| exact::rational(sign)));
        z
    }

    /// Checks a certificate by plain rational arithmetic; the decision.
    fn check(x: &Matrix<f64>, y: &[f64], intercept: bool) -> bool {
        let data = Dataset::new(x.view(), View::column_vector(y)).unwrap();
        let separation = Separation { intercept, ..Separation::new() };
        let rows: Vec<_> =
            (0..y.len()).map(|t| rational_row(x.view(), t, y[t], intercept)).collect();
        let product = |a: &[BigRational], b: &[BigRational]| -> BigRational {
            a.iter().zip(b).map(|(a, b)| a * b).sum()
        };
        match separation.decide_on(&Plain, &data).unwrap() {
            Separability::Separable(separator) => {
                let u = &separator.weights;
                assert_eq!(product(u, u), separator.b_squared);
                assert!(rows.iter().all(|z| product(u, z) >= BigRational::one()));
                assert!(
                    separator.support.iter().all(|&t| product(u, &rows[t]) == BigRational::one())
                );
                for j in 0..u.len() {
                    let terms = separator.support.iter().zip(&separator.multipliers);
                    let sum: BigRational = terms.map(|(&t, a)| a * &rows[t][j]).sum();
                    assert_eq!(&sum * &separator.b_squared, u[j]);
                }
                assert!(separator.multipliers.iter().all(Signed::is_positive));
                true
            }
            Separability::NotSeparable(gordan) => {
                assert!(gordan.weights.iter().all(Signed::is_positive));
                assert_eq!(gordan.weights.iter().sum::<BigRational>(), BigRational::one());
                let coordinate = |j: usize| -> BigRational {
                    gordan.rows.iter().zip(&gordan.weights).map(|(&t, a)| a * &rows[t][j]).sum()
                };
                assert!((0..rows[0].len()).all(|j| coordinate(j).is_zero()));
                false
            }
            Separability::Undecided { .. } => panic!("undecided"),
        }
    }

    fn nested(d: usize) -> Matrix<f64> {
        Matrix::from_fn(d, d, |i, j| if i == j { 1.0 } else { -f64::from(u8::from(i > j)) })
    }

    #[test]
    fn margins_far_below_rounding_are_certified() {
        for d in [1, 2, 10, 30, 60] {
            let (x, y) = (nested(d), vec![1.0; d]);
            assert!(check(&x, &y, false), "d = {d}");
            let data = Dataset::new(x.view(), View::column_vector(&y)).unwrap();
            let outcome = Separation::new().without_intercept().decide_on(&Plain, &data).unwrap();
            let separator = outcome.separator().unwrap();
            let expected = (BigInt::from(4).pow(d as u32) - 1) / 3;
            assert_eq!(separator.b_squared, BigRational::from_integer(expected));
            assert!((separator.scaled_margin() * separator.b() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn one_class_and_opposite_twins() {
        let x = Matrix::from_fn(3, 2, |i, j| (i + j) as f64);
        assert!(check(&x, &[1.0; 3], true));
        let same = Matrix::from_fn(2, 2, |_, j| j as f64 + 0.1);
        assert!(!check(&same, &[1.0, -1.0], true));
        let zero = Matrix::from_fn(2, 2, |i, _| i as f64);
        assert!(!check(&zero, &[1.0, 1.0], false));
        assert!(check(&zero, &[1.0, -1.0], true));
    }

    #[test]
    fn the_widest_margin_is_half_the_distance_of_the_hulls() {
        let x = [[0.0, 0.0], [0.0, 1.0], [3.0, 0.0], [4.0, 4.0]];
        let y = [-1.0, -1.0, 1.0, 1.0];
        let data = Dataset::new(View::from_arrays(&x), View::column_vector(&y)).unwrap();
        let widest = Separation::new().widest_margin_on(&Plain, &data).unwrap().unwrap();
        // The nearest points are (3, 0) and (0, 0).
        let found = super::super::Margin::of(&widest.model, &data).unwrap().geometric.unwrap();
        assert!((found - widest.margin).abs() < 1e-12);
        assert!((widest.margin - 1.5).abs() < 1e-12);
    }

    #[test]
    fn budgets_are_kept() {
        let (x, y) = (nested(30), vec![1.0; 30]);
        let data = Dataset::new(x.view(), View::column_vector(&y)).unwrap();
        let separation = Separation::new().without_intercept().with_budget(Budget::steps(3));
        let outcome = separation.decide_on(&Plain, &data).unwrap();
        assert!(matches!(outcome, Separability::Undecided { .. }), "{outcome:?}");
    }

    /// Whether some w with small whole weights has w·z > 0 on every row: enough for tiny rows.
    fn separable_by_force(rows: &[Vec<i64>]) -> bool {
        let d = rows[0].len() as u32;
        (0..9_i64.pow(d)).any(|code| {
            let w: Vec<i64> = (0..d).map(|j| code / 9_i64.pow(j) % 9 - 4).collect();
            rows.iter().all(|z| z.iter().zip(&w).map(|(z, w)| z * w).sum::<i64>() > 0)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn whole_numbers_are_decided_as_by_force(
            entries in prop::collection::vec(-1..2_i64, 2..18),
            signs in prop::collection::vec(prop::bool::ANY, 9),
            intercept in prop::bool::ANY,
        ) {
            let m = entries.len() / 2;
            let x = Matrix::from_fn(m, 2, |i, j| entries[2 * i + j] as f64);
            let y: Vec<f64> = signs[..m].iter().map(|&s| if s { 1.0 } else { -1.0 }).collect();
            let rows: Vec<Vec<i64>> = (0..m)
                .map(|i| {
                    let s = y[i] as i64;
                    let mut z = vec![s * entries[2 * i], s * entries[2 * i + 1]];
                    z.extend(intercept.then_some(s));
                    z
                })
                .collect();
            prop_assert_eq!(check(&x, &y, intercept), separable_by_force(&rows));
        }

        #[test]
        fn doubles_of_any_kind_have_certificates(
            entries in prop::collection::vec(-1.0..1.0_f64, 3..60), shift in -0.5..1.0_f64,
            intercept in prop::bool::ANY,
        ) {
            let m = entries.len() / 3;
            let y: Vec<f64> = (0..m).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
            let x = Matrix::from_fn(m, 3, |i, j| entries[3 * i + j] + y[i] * shift);
            check(&x, &y, intercept);
        }
    }
}
