//! Polynomial regression: least squares and ridge over all monomials, refined on exact powers.

use super::{PolynomialFeatures, PolynomialModel, Rescale, Rescaling};
use crate::least_squares::{LeastSquares, LowWords, Regression};
use crate::penalty::{Quadratic, Unpenalised};
use crate::{Backend, Certificate, Dataset, Design, Error, Fit, Matrix, Report, Scalar, View};

/// Regression on the monomials of the features up to a total degree.
///
/// ```
/// use minrisk_core::Ridge;
/// use minrisk_core::polynomial::{PolynomialRegression, Rescaling};
/// # use minrisk_core::{Backend, Dataset, Error};
/// # fn example(backend: &dyn Backend<f64>, data: &Dataset<'_, f64>) -> Result<(), Error> {
/// let fit = PolynomialRegression::new(3).fit_on(backend, data)?;
/// let damped = PolynomialRegression::of(15, Ridge::total(0.1))
///     .rescaled(Rescaling::UnitInterval)
///     .fit_on(backend, data)?;
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolynomialRegression<P> {
    features: PolynomialFeatures,
    rescaling: Rescaling,
    regression: Regression<P>,
}

/// A fitted polynomial with its report and its certificate.
///
/// The certificate speaks of the coefficients of the (rescaled) monomials, and "exact" means for the
/// exact powers of the variables, not for rounded ones. Where there are fewer rows than monomials it
/// means the rounded ones.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PolynomialFit<T> {
    /// The polynomial.
    pub model: PolynomialModel<T>,
    /// How the solver got there.
    pub report: Report,
    /// What is proven about the coefficients.
    pub certificate: Certificate,
}

impl PolynomialRegression<Unpenalised> {
    /// Least squares with a constant, on the variables as they are.
    pub fn new(degree: usize) -> Self {
        Self::of(degree, LeastSquares::new())
    }
}

impl<P: Quadratic> PolynomialRegression<P> {
    /// Any least squares or ridge over the monomials.
    pub fn of(degree: usize, regression: Regression<P>) -> Self {
        let features = PolynomialFeatures::new(degree);
        Self { features, rescaling: Rescaling::None, regression }
    }

    /// The same on rescaled variables, which the model carries and can multiply out.
    pub fn rescaled(self, rescaling: Rescaling) -> Self {
        Self { rescaling, ..self }
    }

    /// The same with another limit for the bytes of the design.
    pub fn with_budget(self, bytes: u64) -> Self {
        Self { features: self.features.with_budget(bytes), ..self }
    }

    /// Fits on a backend.
    pub fn fit_on<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
    ) -> Result<PolynomialFit<T>, Error> {
        let (rescale, mapped) = self.map(data)?;
        let x = mapped.as_ref().map_or_else(|| dense(data), Matrix::view);
        let extended = self.features.transform_extended(x)?;
        let design = self.dataset(data, extended.high.view())?;
        let low = LowWords { words: extended.low.view(), relative_error: extended.relative_error };
        let solver = self.regression.solver();
        let fit = solver.solve_extended(backend, self.regression.problem(), &design, low)?;
        self.finish(rescale, fit)
    }

    /// Fits with any other estimator: `fit` gets the monomials as an ordinary dataset, rounded once.
    ///
    /// This is how lasso and other losses are fitted; the regression of this value is not used.
    pub fn fit_with<T: Scalar>(
        &self,
        data: &Dataset<'_, T>,
        fit: impl FnOnce(&Dataset<'_, T>) -> Result<Fit<T>, Error>,
    ) -> Result<PolynomialFit<T>, Error> {
        let (rescale, mapped) = self.map(data)?;
        let x = mapped.as_ref().map_or_else(|| dense(data), Matrix::view);
        let high = self.features.transform(x)?;
        let design = self.dataset(data, high.view())?;
        self.finish(rescale, fit(&design)?)
    }

    /// The fitted map, and the mapped variables where the map is not the identity.
    fn map<T: Scalar>(
        &self,
        data: &Dataset<'_, T>,
    ) -> Result<(Rescale<T>, Option<Matrix<T>>), Error> {
        let x = dense(data);
        let rescale = Rescale::fit(self.rescaling, x)?;
        let mapped = if rescale.is_identity() { None } else { Some(rescale.apply(x)?) };
        Ok((rescale, mapped))
    }

    fn dataset<'b, T: Scalar>(
        &self,
        data: &Dataset<'b, T>,
        design: View<'b, T>,
    ) -> Result<Dataset<'b, T>, Error> {
        let names = self.features.names(data.cols(), data.names())?;
        let dataset = Dataset::new(design, data.target_view())?;
        data.weigh_like(dataset)?.with_names(Vec::from(names))
    }

    fn finish<T: Scalar>(
        &self,
        rescale: Rescale<T>,
        fit: Fit<T>,
    ) -> Result<PolynomialFit<T>, Error> {
        let Fit { model, report, certificate } = fit;
        let model = PolynomialModel::new(self.features, rescale, model)?;
        Ok(PolynomialFit { model, report, certificate })
    }
}

fn dense<'a, T: Scalar>(data: &Dataset<'a, T>) -> View<'a, T> {
    let Design::Dense(x) = data.design();
    x
}
