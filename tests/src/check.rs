//! What a check is: a name, what it asks, and a function that passes or says what went wrong.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use minrisk_core::least_squares::ClosedForm;
use minrisk_core::loss::Squared;
use minrisk_core::penalty::Unpenalised;
use minrisk_core::{Backend, Scalar, Solver};

use crate::solvers::{LeastSquaresSolver, RidgeSolver};

/// Why a subject does not conform, with the figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    message: String,
}

impl Failure {
    /// A failure that says what was found.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// The same failure, with the case in which it was found in front.
    pub fn within(self, case: impl fmt::Display) -> Self {
        Self { message: format!("{case}: {}", self.message) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<minrisk_core::Error> for Failure {
    fn from(error: minrisk_core::Error) -> Self {
        Self::new(format!("an error where a result was due: {error}"))
    }
}

impl From<minrisk_core::KernelError> for Failure {
    fn from(error: minrisk_core::KernelError) -> Self {
        Self::new(format!("an error where a result was due: {error}"))
    }
}

/// A backend that the suite can be run on: in single and in double precision.
pub trait Subject: Backend<f32> + Backend<f64> {}

impl<B: Backend<f32> + Backend<f64>> Subject for B {}

/// A least-squares solver that the suite can be run with, in single and in double precision.
pub trait SolverSubject:
    Solver<f32, Squared, Unpenalised> + Solver<f64, Squared, Unpenalised> + Sync
{
}

impl<S> SolverSubject for S where
    S: Solver<f32, Squared, Unpenalised> + Solver<f64, Squared, Unpenalised> + Sync
{
}

/// What a check comes to.
pub type Outcome = Result<(), Failure>;

/// Counts the cases of a check, so that its first failure does not hide the others.
#[derive(Debug, Default)]
pub struct Tally {
    cases: usize,
    failures: Vec<Failure>,
}

impl Tally {
    /// Adds the outcome of a case; a panic is a failure like any other.
    pub fn add(&mut self, case: impl FnOnce() -> Outcome) {
        self.cases += 1;
        self.failures.extend(caught(case).err());
    }

    /// Passes if every case has; else says how many did not, and shows the first ones.
    pub fn outcome(self) -> Outcome {
        const SHOWN: usize = 4;
        if self.failures.is_empty() {
            return Ok(());
        }
        let shown: Vec<String> =
            self.failures.iter().take(SHOWN).map(|failure| format!("\n  {failure}")).collect();
        let more = self.failures.len().saturating_sub(SHOWN);
        let rest = if more > 0 { format!("\n  and {more} more") } else { String::new() };
        Err(Failure::new(format!(
            "{} of {} cases fail:{}{rest}",
            self.failures.len(),
            self.cases,
            shown.concat()
        )))
    }
}

/// Returns a [`Failure`] with the formatted message unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        // Written so that a comparison with NaN is a failure.
        if $condition {
        } else {
            return Err($crate::Failure::new(format!($($message)+)));
        }
    };
}
pub(crate) use ensure;

/// What a check looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Group {
    /// One kernel of the backend contract.
    Kernel,
    /// A solver for least squares.
    LeastSquares,
    /// A solver for ridge.
    Ridge,
    /// Halfspaces: perceptron, separability, fewest mistakes.
    Halfspace,
    /// What core builds on a backend and its solver: methods, streams, verification.
    Core,
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Group::Kernel => "kernel",
            Group::LeastSquares => "least squares",
            Group::Ridge => "ridge",
            Group::Halfspace => "halfspace",
            Group::Core => "core",
        })
    }
}

/// One question that the suite asks.
///
/// Checks of solvers are run with core's own, unless another is given.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its name, which is also that of the test and of the function.
    pub name: &'static str,
    /// What must hold.
    pub about: &'static str,
    pub(crate) single: Run<f32>,
    pub(crate) double: Run<f64>,
}

/// The function of a check in one precision.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Run<T: Scalar> {
    Kernel(fn(&dyn Backend<T>) -> Outcome),
    LeastSquares(fn(&dyn Backend<T>, &LeastSquaresSolver<'_, T>) -> Outcome),
    Ridge(fn(&dyn Backend<T>, &dyn RidgeSolver<T>) -> Outcome),
    Halfspace(fn(&dyn Backend<T>) -> Outcome),
    Core(fn(&dyn Backend<T>) -> Outcome),
}

impl<T: Scalar> Run<T> {
    fn on(self, backend: &dyn Backend<T>) -> Outcome {
        let solver = ClosedForm::default();
        caught(|| match self {
            Run::Kernel(check) | Run::Halfspace(check) | Run::Core(check) => check(backend),
            Run::LeastSquares(check) => check(backend, &solver),
            Run::Ridge(check) => check(backend, &solver),
        })
    }

    fn with(self, backend: &dyn Backend<T>, solver: &LeastSquaresSolver<'_, T>) -> Outcome {
        match self {
            Run::LeastSquares(check) => caught(|| check(backend, solver)),
            _ => Err(Failure::new("this check is not about least squares")),
        }
    }
}

impl Check {
    /// What the check looks at.
    pub fn group(&self) -> Group {
        match self.double {
            Run::Kernel(_) => Group::Kernel,
            Run::LeastSquares(_) => Group::LeastSquares,
            Run::Ridge(_) => Group::Ridge,
            Run::Halfspace(_) => Group::Halfspace,
            Run::Core(_) => Group::Core,
        }
    }

    /// Runs the check on a backend, in single precision.
    pub fn run_f32(&self, backend: &dyn Backend<f32>) -> Outcome {
        self.single.on(backend)
    }

    /// Runs the check on a backend, in double precision.
    pub fn run_f64(&self, backend: &dyn Backend<f64>) -> Outcome {
        self.double.on(backend)
    }

    /// Runs a check of [`Group::LeastSquares`] with a solver of the caller's, in single precision.
    pub fn run_solver_f32(
        &self,
        backend: &dyn Backend<f32>,
        solver: &LeastSquaresSolver<'_, f32>,
    ) -> Outcome {
        self.single.with(backend, solver)
    }

    /// Runs a check of [`Group::LeastSquares`] with a solver of the caller's, in double precision.
    pub fn run_solver_f64(
        &self,
        backend: &dyn Backend<f64>,
        solver: &LeastSquaresSolver<'_, f64>,
    ) -> Outcome {
        self.double.with(backend, solver)
    }
}

/// The outcome of a check; a panic is a failure like any other.
pub fn caught(check: impl FnOnce() -> Outcome) -> Outcome {
    catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|payload| {
        let text = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("with a payload that is no text");
        Err(Failure::new(format!("a panic: {text}")))
    })
}
