//! A fitted polynomial: coefficients of monomials, and the map of the variables that came before.

use super::{Monomials, PolynomialFeatures, Rescale};
use crate::wide::Number;
use crate::{Error, LinearModel, Matrix, Scalar, View};

/// A polynomial in one or several variables, for one or several targets.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PolynomialModel<T> {
    features: PolynomialFeatures,
    rescale: Rescale<T>,
    linear: LinearModel<T>,
}

impl<T: Scalar> PolynomialModel<T> {
    /// A polynomial from the coefficients of its monomials, in the order of [`Monomials`], the
    /// constant being the intercept of `linear`.
    pub fn new(
        features: PolynomialFeatures,
        rescale: Rescale<T>,
        linear: LinearModel<T>,
    ) -> Result<Self, Error> {
        let count = Monomials::count(rescale.centres().len(), features.degree());
        let expected = usize::try_from(count.unwrap_or(u128::MAX) - 1).unwrap_or(usize::MAX);
        if linear.features() != expected {
            return Err(Error::LengthMismatch {
                what: "the list of coefficients",
                per: "monomial",
                expected,
                found: linear.features(),
            });
        }
        Ok(Self { features, rescale, linear })
    }

    /// The coefficients of the monomials of the rescaled variables; the intercept is the constant.
    pub fn linear(&self) -> &LinearModel<T> {
        &self.linear
    }

    /// The map that the variables go through first.
    pub fn rescale(&self) -> &Rescale<T> {
        &self.rescale
    }

    /// The total degree.
    pub fn degree(&self) -> usize {
        self.features.degree()
    }

    /// Number of variables.
    pub fn variables(&self) -> usize {
        self.rescale.centres().len()
    }

    /// Predictions for the rows of a design of variables, one column for each target: powers and sums
    /// in the wide precision, rounded once.
    pub fn predict(&self, x: View<'_, T>) -> Result<Matrix<T>, Error> {
        let mapped = self.rescale.apply(x)?;
        let monomials = self.monomials()?;
        let mut predictions = Matrix::try_filled(x.rows(), self.linear.targets(), T::zero())?;
        let (mut point, mut values) = (Vec::new(), Vec::new());
        for i in 0..x.rows() {
            point.clear();
            point.extend((0..x.cols()).map(|j| T::Wide::from(mapped[(i, j)])));
            monomials.values(&point, &mut values);
            for target in 0..self.linear.targets() {
                let constant = self.linear.intercept_of(target).unwrap_or(T::zero()).into();
                let weights = self.linear.coefficients_of(target).iter().zip(&values);
                let sum = weights.fold(constant, |sum: T::Wide, (&w, &v)| sum + v * w.into());
                predictions[(i, target)] = T::from_wide(sum);
            }
        }
        Ok(predictions)
    }

    /// The same polynomial in the variables as they were given, with the map multiplied out.
    ///
    /// One Taylor shift for each variable, in the wide precision. High degrees lose digits here, as
    /// the monomials of unscaled variables do everywhere.
    pub fn in_original_units(&self) -> Result<Self, Error> {
        let monomials = self.monomials()?;
        let index = monomials.by_exponents();
        let (mut coefficients, mut intercepts) = (Vec::new(), Vec::new());
        for target in 0..self.linear.targets() {
            let constant = self.linear.intercept_of(target).unwrap_or(T::zero());
            let mut terms: Vec<T::Wide> = vec![constant.into()];
            terms.extend(self.linear.coefficients_of(target).iter().map(|&w| T::Wide::from(w)));
            for variable in 0..self.variables() {
                for line in lines(&monomials, &index, variable) {
                    self.shift_line(&mut terms, &line, variable);
                }
            }
            intercepts.push(T::from_wide(terms[0]));
            coefficients.push(terms[1..].iter().map(|&a| T::from_wide(a)).collect());
        }
        let kept = self.linear.intercept().is_some() || !self.rescale.is_identity();
        let names = self.linear.names().cloned();
        let linear = LinearModel::new(coefficients, kept.then_some(intercepts), names)?;
        let none = Rescale::identity(self.variables());
        Self::new(self.features, none, linear)
    }

    /// Rewrites Σ_k a_k t^k along a line of terms as a polynomial in x, t = (x − c)/s.
    fn shift_line(&self, terms: &mut [T::Wide], line: &[usize], variable: usize) {
        let scale: T::Wide = self.rescale.scales()[variable].into();
        let centre: T::Wide = self.rescale.centres()[variable].into();
        let mut divisor = T::Wide::ONE;
        for &k in line {
            let scaled = terms[k] / divisor;
            terms[k] = scaled;
            divisor = divisor * scale;
        }
        // Synthetic division by x − c, once for every power.
        for first in 0..line.len() {
            for k in (first..line.len() - 1).rev() {
                let carried = centre * terms[line[k + 1]];
                terms[line[k]] -= carried;
            }
        }
    }

    fn monomials(&self) -> Result<Monomials, Error> {
        Monomials::new(self.variables(), self.features.degree(), u128::MAX)
    }
}

/// The terms that differ in the power of one variable only, lowest power first; term 0 is the
/// constant and monomial k is term k + 1.
fn lines(
    monomials: &Monomials,
    index: &std::collections::HashMap<Vec<usize>, usize>,
    variable: usize,
) -> Vec<Vec<usize>> {
    let starts = std::iter::once(vec![0; monomials.variables()]);
    let others = (0..monomials.len()).map(|k| monomials.exponents(k));
    let starts = starts.chain(others).filter(|exponents| exponents[variable] == 0);
    let line = |mut exponents: Vec<usize>| {
        let used: usize = exponents.iter().sum();
        let term = |power: usize| {
            exponents[variable] = power;
            index.get(&exponents).map_or(0, |k| k + 1)
        };
        (0..=monomials.degree() - used).map(term).collect()
    };
    starts.map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::polynomial::Rescaling;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn multiplied_out_it_predicts_the_same(
            weights in prop::collection::vec(-2.0..2.0_f64, 9),
            constant in -2.0..2.0_f64,
            (x, y) in (-1.0..5.0_f64, 10.0..20.0_f64),
        ) {
            let training = [[0.0, 11.0], [3.5, 19.0], [1.0, 12.5]];
            for kind in [Rescaling::None, Rescaling::Standard, Rescaling::UnitInterval] {
                let rescale = Rescale::fit(kind, View::from_arrays(&training)).unwrap();
                let linear = LinearModel::from_coefficients(weights.clone(), Some(constant)).unwrap();
                let model = PolynomialModel::new(PolynomialFeatures::new(3), rescale, linear).unwrap();
                let original = model.in_original_units().unwrap();
                let point = [[x, y]];
                let one = model.predict(View::from_arrays(&point)).unwrap()[(0, 0)];
                let other = original.predict(View::from_arrays(&point)).unwrap()[(0, 0)];
                prop_assert!((one - other).abs() <= 1e-9 * (1.0 + one.abs()), "{} {}", one, other);
            }
        }
    }
}
