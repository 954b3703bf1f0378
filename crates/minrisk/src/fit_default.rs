//! Fitting and summarising without naming a backend.

use minrisk_core::convex::{Auto, Estimator};
use minrisk_core::inference::{Covariance, Summary};
use minrisk_core::least_squares::{Regression, summarise};
use minrisk_core::loss::Loss;
use minrisk_core::penalty::{Penalty, PerFeature, Quadratic};
use minrisk_core::{Dataset, Error, Fit, Names, Solver, Stream};

use crate::{Element, default_backend};

/// `.fit(&data)`: an estimator on the [default backend](crate::backends).
///
/// ```
/// use minrisk::prelude::*;
/// let (x, y) = ([0.0, 1.0, 2.0], [1.0, 3.0, 5.0]);
/// let fit = LeastSquares::new().fit(&dataset(&x, &y)?)?;
/// assert_eq!((fit.model.intercept(), fit.model.coefficients()), (Some(1.0), &[2.0][..]));
/// # Ok::<(), minrisk::Error>(())
/// ```
///
/// Every estimator has it: lasso, logistic regression, support vector machines, quantiles, …
///
/// ```
/// use minrisk::prelude::*;
/// use minrisk::convex::Lasso;
/// let (x, y) = ([[1.0, 0.1], [2.0, -0.2], [3.0, 0.1], [4.0, 0.0]], [1.1, 1.9, 3.2, 3.9]);
/// let fit = Lasso::total(1.0).fit(&dataset(&x, &y)?)?;
/// assert_eq!(fit.model.coefficients()[1], 0.0);
/// assert!(fit.certificate.convex().unwrap().relative_gap < 1e-12);
/// # Ok::<(), minrisk::Error>(())
/// ```
pub trait FitDefault<T: Element> {
    /// Fits to data in memory.
    fn fit(&self, data: &Dataset<'_, T>) -> Result<Fit<T>, Error>;
}

/// `.fit_stream(&mut stream, names)`: rows that need not fit into memory, on the
/// [default backend](crate::backends).
pub trait FitStreamDefault<T: Element> {
    /// Fits to a stream of rows, which may be larger than memory.
    ///
    /// ```
    /// use minrisk::prelude::*;
    /// use minrisk::{RowBuffer, Stream};
    ///
    /// /// The points (i, 2i + 1) up to i = 50,000, never all in memory at once.
    /// struct Line(u32);
    ///
    /// impl Stream<f64> for Line {
    ///     fn cols(&self) -> usize { 1 }
    ///     fn targets(&self) -> usize { 1 }
    ///     fn can_rewind(&self) -> bool { true }
    ///     fn rewind(&mut self) -> Result<(), Error> { self.0 = 0; Ok(()) }
    ///     fn read(&mut self, buffer: &mut RowBuffer<f64>) -> Result<(), Error> {
    ///         while self.0 < 50_000 && !buffer.is_full() {
    ///             self.0 += 1;
    ///             let i = f64::from(self.0);
    ///             buffer.push(&[i], &[2.0 * i + 1.0], None)?;
    ///         }
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let fit = LeastSquares::new().fit_stream(&mut Line(0), None)?;
    /// assert_eq!((fit.model.intercept(), fit.model.coefficients()), (Some(1.0), &[2.0][..]));
    /// # Ok::<(), minrisk::Error>(())
    /// ```
    fn fit_stream(
        &self,
        stream: &mut dyn Stream<T>,
        names: Option<&Names>,
    ) -> Result<Fit<T>, Error>;
}

impl<T: Element, P: Quadratic> FitDefault<T> for Regression<P> {
    fn fit(&self, data: &Dataset<'_, T>) -> Result<Fit<T>, Error> {
        self.fit_on(default_backend(), data)
    }
}

impl<T: Element, L: Loss, P: Penalty> FitDefault<T> for Estimator<L, P>
where
    Auto: Solver<T, L, P> + Solver<T, L, PerFeature<P>>,
{
    fn fit(&self, data: &Dataset<'_, T>) -> Result<Fit<T>, Error> {
        self.fit_on(default_backend(), data)
    }
}

impl<T: Element, P: Quadratic> FitStreamDefault<T> for Regression<P> {
    fn fit_stream(
        &self,
        stream: &mut dyn Stream<T>,
        names: Option<&Names>,
    ) -> Result<Fit<T>, Error> {
        self.fit_stream_on(default_backend(), stream, names)
    }
}

/// Standard errors, t, p, confidence intervals, R² and the rest, printed as a table.
///
/// For the only target, or the first of several, with the classical standard errors; see [`summarise`]
/// for the others and for robust ones. The data must be the data of the fit.
///
/// ```
/// use minrisk::prelude::*;
/// let (advertising, sales) =
///     ([1.7, 1.5, 2.8, 5.0, 1.3, 2.2, 1.3], [368., 340., 665., 954., 331., 556., 376.]);
/// let data = dataset(&advertising, &sales)?.with_names(["advertising"])?;
/// let fit = LeastSquares::new().fit(&data)?;
/// let summary = summary(&data, &fit)?;
/// println!("{summary}");
/// assert!(summary.statistics.r_squared.unwrap() > 0.96);
/// # Ok::<(), minrisk::Error>(())
/// ```
pub fn summary<T: Element>(data: &Dataset<'_, T>, fit: &Fit<T>) -> Result<Summary, Error> {
    let mut summaries = summarise(default_backend(), data, fit, Covariance::Classical)?;
    Ok(summaries.swap_remove(0))
}
