//! Monomials as the columns of a design, counted and weighed before they are made.

use super::Monomials;
use crate::wide::Number;
use crate::{Error, Matrix, Names, Scalar, View};

/// All monomials of the columns of a design up to a total degree.
///
/// ```
/// use minrisk_core::View;
/// use minrisk_core::polynomial::PolynomialFeatures;
/// let x = [[2.0, 3.0]];
/// let design = PolynomialFeatures::new(2).transform(View::from_arrays(&x))?;
/// assert_eq!(design.as_slice(), [2.0, 3.0, 4.0, 6.0, 9.0]);
/// let with_ones = PolynomialFeatures::new(2).with_constant().transform(View::from_arrays(&x))?;
/// assert_eq!(with_ones.as_slice(), [1.0, 2.0, 3.0, 4.0, 6.0, 9.0]);
/// # Ok::<(), minrisk_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PolynomialFeatures {
    degree: usize,
    constant: bool,
    budget: u64,
}

/// A design with its entries in two words: high is what rounding to `T` gives.
pub(super) struct Extended<T> {
    pub(super) high: Matrix<T>,
    pub(super) low: Matrix<T>,
    /// A bound for the relative error of high + low.
    pub(super) relative_error: f64,
}

impl PolynomialFeatures {
    /// Bytes that a design may take unless another budget is set: 4 GiB.
    pub const DEFAULT_BUDGET: u64 = 4 << 30;

    /// The monomials of degree 1 to `degree`, without the constant, which is the intercept's.
    pub fn new(degree: usize) -> Self {
        Self { degree, constant: false, budget: Self::DEFAULT_BUDGET }
    }

    /// The same with a column of ones in front.
    pub fn with_constant(self) -> Self {
        Self { constant: true, ..self }
    }

    /// The same with another limit for the bytes of a design.
    pub fn with_budget(self, bytes: u64) -> Self {
        Self { budget: bytes, ..self }
    }

    /// The total degree.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Whether a column of ones leads.
    pub fn has_constant(&self) -> bool {
        self.constant
    }

    /// Number of columns for designs of `variables` columns; `None` where it exceeds 128 bits.
    pub fn count(&self, variables: usize) -> Option<u128> {
        Monomials::count(variables, self.degree).map(|all| all - u128::from(!self.constant))
    }

    /// The monomials for a design of some size, or an error with the memory that it would take.
    pub fn monomials<T: Scalar>(&self, rows: usize, variables: usize) -> Result<Monomials, Error> {
        let count = self.count(variables).unwrap_or(u128::MAX);
        let bytes = count.saturating_mul(rows as u128 * size_of::<T>() as u128);
        if bytes > u128::from(self.budget) {
            return Err(Error::OverBudget {
                what: "the polynomial design",
                columns: count,
                rows,
                bytes,
                budget: self.budget,
            });
        }
        Monomials::new(variables, self.degree, count)
    }

    /// The names of the columns, from those of the variables or from `x1`, `x2`, …
    pub fn names(&self, variables: usize, names: Option<&Names>) -> Result<Names, Error> {
        let monomials = self.monomials::<f64>(1, variables)?.names(names)?;
        let constant = self.constant.then(|| "1".to_string());
        Names::new(constant.into_iter().chain(Vec::from(monomials)).collect())
    }

    /// The design of the monomials, each rounded once as a rule.
    pub fn transform<T: Scalar>(&self, x: View<'_, T>) -> Result<Matrix<T>, Error> {
        Ok(self.extend(x, self.constant)?.high)
    }

    /// The design of the monomials, without the constant, in two words.
    pub(super) fn transform_extended<T: Scalar>(
        &self,
        x: View<'_, T>,
    ) -> Result<Extended<T>, Error> {
        self.extend(x, false)
    }

    fn extend<T: Scalar>(&self, x: View<'_, T>, constant: bool) -> Result<Extended<T>, Error> {
        let monomials = self.monomials::<T>(x.rows(), x.cols())?;
        let offset = usize::from(constant);
        let cols = monomials.len() + offset;
        let mut high = Matrix::try_filled(x.rows(), cols, T::one())?;
        let mut low = Matrix::try_filled(x.rows(), cols, T::zero())?;
        for (k, &(parent, variable)) in monomials.steps().iter().enumerate() {
            for (i, &factor) in x.col_iter(variable).enumerate() {
                let base: T::Wide = match parent {
                    None => T::Wide::ONE,
                    Some(parent) => {
                        T::Wide::from(high[(i, parent + offset)]) + low[(i, parent + offset)].into()
                    }
                };
                let value = base * factor.into();
                let rounded = T::from_wide(value);
                if !rounded.is_finite() && factor.is_finite() {
                    return Err(Error::Overflow {
                        what: "a power of a feature",
                        remedy: "the features, for example to [−1, 1]",
                    });
                }
                high[(i, k + offset)] = rounded;
                low[(i, k + offset)] = T::from_wide(value - rounded.into());
            }
        }
        // One multiplication in the wide precision and one splitting into words for each degree.
        let step = 2.0 * T::Wide::UNIT + T::unit_roundoff().powi(2);
        Ok(Extended { high, low, relative_error: self.degree as f64 * step })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_rational::BigRational;
    use num_traits::{Signed, ToPrimitive};
    use proptest::prelude::*;

    #[test]
    fn a_design_beyond_the_budget_is_refused_with_its_size() {
        let pixels = vec![0.0; 784];
        let x = View::row_major(&pixels, 1, 784).unwrap();
        let small = PolynomialFeatures::new(3).with_constant().with_budget(1 << 20);
        let refused = Error::OverBudget {
            what: "the polynomial design",
            columns: 80_931_145,
            rows: 1,
            bytes: 647_449_160,
            budget: 1 << 20,
        };
        assert_eq!(small.transform(x), Err(refused.clone()));
        let text = refused.to_string();
        assert!(text.contains("80931145") && text.contains("647449160"), "{text}");
        assert_eq!(
            PolynomialFeatures::new(2).with_constant().transform(x).unwrap().cols(),
            308_505
        );
    }

    #[test]
    fn overflow_is_an_error_and_missing_values_pass_to_the_door() {
        let features = PolynomialFeatures::new(40);
        let huge = features.transform(View::column_vector(&[1e10]));
        assert!(matches!(huge, Err(Error::Overflow { .. })));
        assert!(features.transform(View::column_vector(&[f64::NAN])).unwrap()[(0, 3)].is_nan());
    }

    proptest! {
        #[test]
        fn two_words_hold_the_exact_powers(x in -50.0..50.0_f64, y in -2.0..2.0_f64) {
            let features = PolynomialFeatures::new(7);
            let point = [[x, y]];
            let extended = features.transform_extended(View::from_arrays(&point)).unwrap();
            let monomials = Monomials::new(2, 7, u128::MAX).unwrap();
            let rational = |v: f64| BigRational::from_float(v).unwrap();
            for k in 0..monomials.len() {
                let exponents = monomials.exponents(k);
                let exact = rational(x).pow(exponents[0] as i32) * rational(y).pow(exponents[1] as i32);
                let found = rational(extended.high[(0, k)]) + rational(extended.low[(0, k)]);
                let error = (found - &exact).abs() / exact.abs();
                prop_assert!(error.to_f64().unwrap() <= extended.relative_error);
            }
        }
    }
}
