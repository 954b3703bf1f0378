//! The backends that are compiled in, each with its library's own solver.

use minrisk_core::least_squares::{ClosedForm, Method};
use minrisk_core::loss::Squared;
use minrisk_core::penalty::Unpenalised;
use minrisk_core::{Backend, Solver};

/// A solver of unpenalised least squares, whichever it is.
pub type LeastSquaresSolver = Box<dyn Solver<f64, Squared, Unpenalised>>;

/// A backend with its library's own solver.
pub struct Contestant {
    /// The name of the library.
    pub name: &'static str,
    /// What core computes on.
    pub backend: &'static dyn Backend<f64>,
    /// What the library's users would call.
    pub native: LeastSquaresSolver,
    /// What that is.
    pub native_name: &'static str,
}

/// All backends that are compiled in.
pub fn contestants() -> Vec<Contestant> {
    vec![
        Contestant {
            name: "faer",
            backend: &minrisk_faer::Faer,
            native: Box::new(minrisk_faer::Native),
            native_name: "faer pivoted QR",
        },
        Contestant {
            name: "nalgebra",
            backend: &minrisk_nalgebra::Nalgebra,
            native: Box::new(minrisk_nalgebra::Native),
            native_name: "nalgebra SVD",
        },
        #[cfg(feature = "ndarray")]
        Contestant {
            name: "ndarray",
            backend: &minrisk_ndarray::Ndarray,
            native: Box::new(minrisk_ndarray::Native),
            native_name: "LAPACK gelsd",
        },
    ]
}

/// Core's solver with a method.
pub fn closed_form(method: Method) -> LeastSquaresSolver {
    Box::new(ClosedForm { method })
}
