//! Named presets: least squares and ridge as everyone calls them.

use super::{ClosedForm, Method};
use crate::loss::Squared;
use crate::penalty::{L2, PerSample, Quadratic, Scale, Total, Unpenalised};
use crate::{Backend, Dataset, Erm, Error, Fit, Names, Scalar, Solver, Stream};

/// A squared-loss problem with a quadratic penalty, and how to solve it.
///
/// Use it through its two names, [`LeastSquares`] and [`Ridge`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Regression<P> {
    problem: Erm<Squared, P>,
    solver: ClosedForm,
}

/// Least squares: minimise Σ c_t (y_t − w·x_t − b)².
///
/// ```
/// use minrisk_core::least_squares::LeastSquares;
/// let through_origin = LeastSquares::new().without_intercept();
/// assert!(!through_origin.problem().intercept);
/// ```
pub type LeastSquares = Regression<Unpenalised>;

/// Ridge regression: minimise Σ c_t (y_t − w·x_t − b)² + α‖w‖² (total scale), or the same with the
/// mean of the squares (per-sample scale).
///
/// ```
/// use minrisk_core::least_squares::Ridge;
/// let by_sum = Ridge::total(10.0);
/// let by_mean = Ridge::per_sample(0.1);
/// ```
pub type Ridge<S> = Regression<L2<S>>;

impl LeastSquares {
    /// With an intercept, by the cheapest method that is good enough.
    pub fn new() -> Self {
        Self::from_penalty(Unpenalised)
    }
}

impl Default for LeastSquares {
    fn default() -> Self {
        Self::new()
    }
}

impl Ridge<Total> {
    /// Σ c_t (y_t − z_t)² + α‖w‖².
    pub fn total(alpha: f64) -> Self {
        Self::from_penalty(L2::total(alpha))
    }
}

impl Ridge<PerSample> {
    /// Σ c_t (y_t − z_t)² / Σ c_t + α‖w‖².
    pub fn per_sample(alpha: f64) -> Self {
        Self::from_penalty(L2::per_sample(alpha))
    }
}

impl<S: Scale> Ridge<S> {
    /// The penalty.
    pub fn alpha(&self) -> f64 {
        self.problem.penalty.ridge()
    }
}

impl<S: Scale> Ridge<S> {
    /// Fits for many penalties at once, in the order given; cheaper than one by one, with the same
    /// certificates.
    pub fn path_on<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
        alphas: &[f64],
    ) -> Result<Vec<Fit<T>>, Error> {
        let problem = |&alpha: &f64| Erm { penalty: L2::new(alpha), ..self.problem };
        let problems: Vec<_> = alphas.iter().map(problem).collect();
        self.solver.solve_path(backend, &problems, data)
    }
}

impl<P: Quadratic> Regression<P> {
    fn from_penalty(penalty: P) -> Self {
        Self { problem: Erm::new(Squared, penalty), solver: ClosedForm::default() }
    }

    /// The same through the origin.
    pub fn without_intercept(self) -> Self {
        Self { problem: self.problem.without_intercept(), ..self }
    }

    /// The same, started from a factorisation of the caller's choice.
    pub fn method(self, method: Method) -> Self {
        Self { solver: ClosedForm { method }, ..self }
    }

    /// The problem that is solved.
    pub fn problem(&self) -> &Erm<Squared, P> {
        &self.problem
    }

    /// How it is solved.
    pub(crate) fn solver(&self) -> ClosedForm {
        self.solver
    }

    /// Fits on a backend.
    pub fn fit_on<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error> {
        self.solver.solve(backend, &self.problem, data)
    }

    /// Fits from a stream of rows, which may be larger than memory. A stream that can be read again
    /// is refined like data in memory; one that cannot gets its moments in the wide precision.
    pub fn fit_stream_on<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        stream: &mut dyn Stream<T>,
        names: Option<&Names>,
    ) -> Result<Fit<T>, Error> {
        self.solver.solve_stream(backend, &self.problem, stream, names)
    }
}
