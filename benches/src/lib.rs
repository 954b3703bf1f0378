//! What the benchmarks and the accuracy table share: backends by name, solvers by name, random data.

use minrisk_conformance::Random;
use minrisk_core::least_squares::{ClosedForm, Method};
use minrisk_core::loss::Squared;
use minrisk_core::penalty::Unpenalised;
use minrisk_core::{Backend, Solver, View};

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

/// A random problem: uniform entries, and a target with noise.
pub struct Problem {
    rows: usize,
    cols: usize,
    entries: Vec<f64>,
    /// The target.
    pub y: Vec<f64>,
}

/// How the design lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Row after row.
    Rows,
    /// Column after column.
    Columns,
}

impl Layout {
    /// Both of them, with their names.
    pub const ALL: [(Layout, &'static str); 2] =
        [(Layout::Rows, "row_major"), (Layout::Columns, "col_major")];
}

impl Problem {
    /// A problem whose columns are independent noise: κ near 1.
    pub fn random(rows: usize, cols: usize) -> Self {
        let mut random = Random::new(7);
        let entries = (0..rows * cols).map(|_| random.signed()).collect();
        let y = (0..rows).map(|_| random.signed()).collect();
        Self { rows, cols, entries, y }
    }

    /// A problem in which the last column is the first plus noise of size 1/κ, in either layout.
    pub fn with_condition(rows: usize, cols: usize, condition: f64, layout: Layout) -> Self {
        let mut problem = Self::random(rows, cols);
        let at = |i: usize, j: usize| match layout {
            Layout::Rows => i * cols + j,
            Layout::Columns => j * rows + i,
        };
        for i in 0..rows {
            let noise = problem.entries[at(i, cols - 1)];
            problem.entries[at(i, cols - 1)] = problem.entries[at(i, 0)] + noise / condition;
        }
        problem
    }

    /// The entries as they lie in memory.
    pub fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// The entries read as a design in a layout.
    ///
    /// # Panics
    /// Never: there are rows × cols entries.
    pub fn design(&self, layout: Layout) -> View<'_, f64> {
        let view = match layout {
            Layout::Rows => View::row_major(&self.entries, self.rows, self.cols),
            Layout::Columns => View::col_major(&self.entries, self.rows, self.cols),
        };
        view.expect("as many entries as the extents say")
    }
}
