//! The backend contract: what a linear-algebra library has to provide, and nothing more.
//!
//! A backend is a zero-sized type that implements [`Backend`] for `f32` and `f64`. **It computes, it
//! never decides**: rank, tolerances, scaling, fallbacks and stopping live in core, written once, so
//! that the choice of a backend changes speed and the last bits of a factor, never an answer.
//!
//! Rules for every kernel
//! - Views may have any strides, negative and zero-extent ones included.
//! - Inputs are finite; core checks data at the door.
//! - A kernel runs on the calling thread only. Parallelism is the pass engine's, which is what makes
//!   results independent of the number of threads.
//! - No panic and no endless loop on finite input; an iteration that does not converge returns
//!   [`KernelError::NoConvergence`].
//!
//! Error bounds are written with u the unit roundoff of `T` and c a modest constant; |A| is the
//! matrix of absolute values and inequalities hold element by element.

use std::fmt;

use crate::{Scalar, View, ViewMut};

/// Why a kernel has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// Cholesky met a pivot that is not positive.
    #[error("the matrix is not numerically positive definite (pivot {pivot})")]
    NotPositiveDefinite {
        /// Index of the pivot, counted from 0.
        pivot: usize,
    },
    /// An eigenvalue or singular value iteration reached its limit.
    #[error("the iteration for singular values or eigenvalues did not converge")]
    NoConvergence,
}

/// The kernels that core asks of a linear-algebra library.
///
/// Object-safe: solvers take `&dyn Backend<T>`, so a program can choose at run time and no solver is
/// compiled once per backend.
pub trait Backend<T: Scalar>: fmt::Debug + Send + Sync {
    /// The library's name, as shown to users.
    fn name(&self) -> &'static str;

    /// The same library in double precision; as a rule `self`.
    ///
    /// Curvature is kept in doubles whatever the data's precision: a Hessian in single precision knows nothing of columns
    /// whose squared condition is beyond 10⁷, and neither do bounds that are made from it.
    fn doubles(&self) -> &dyn Backend<f64>;

    /// C ← C + A·B.
    ///
    /// A is m × k, B is k × n, C is m × n. One column in B makes it A·x; a transposed A makes it
    /// Aᵀ·r. Error: |Ĉ − C| ≤ c·k·u·(|C| + |A|·|B|).
    fn add_product(&self, a: View<'_, T>, b: View<'_, T>, c: ViewMut<'_, T>);

    /// Lower triangle of C ← C + AᵀA; what happens to the strict upper triangle is not specified.
    ///
    /// A is m × d, C is d × d. Weights are the caller's: core scales the rows of a packed block by
    /// √w, so that no backend has to. Error: |Ĉ − C| ≤ c·m·u·(|C| + |A|ᵀ|A|).
    ///
    /// The default splits the columns in halves down to a few dozen, so that about half of the
    /// products of a full AᵀA is computed.
    fn add_gram(&self, a: View<'_, T>, mut c: ViewMut<'_, T>) {
        const LEAF: usize = 32;
        let cols = a.cols();
        if cols <= LEAF {
            return self.add_product(a.transpose(), a, c);
        }
        let half = (cols / 2).next_multiple_of(8).min(cols - 1);
        let (left, right) = (a.col_range(0..half), a.col_range(half..cols));
        self.add_gram(left, c.reborrow().row_range(0..half).col_range(0..half));
        let below = c.reborrow().row_range(half..cols);
        self.add_product(right.transpose(), left, below.col_range(0..half));
        self.add_gram(right, c.row_range(half..cols).col_range(half..cols));
    }

    /// A = L·Lᵀ in place: the lower triangle of A is read and overwritten with L.
    ///
    /// What happens to the strict upper triangle is not specified. Error: |L̂L̂ᵀ − A| ≤ c·d·u·|L̂||L̂|ᵀ.
    /// A pivot that is zero, negative or NaN is reported, never papered over.
    fn cholesky(&self, a: ViewMut<'_, T>) -> Result<(), KernelError>;

    /// R ← the upper triangular factor of [R; B] by Householder reflections.
    ///
    /// R is d × d, its strict lower triangle is taken as zero on entry and is zero on exit; B has
    /// d columns and any number of rows, and is destroyed. Signs of the rows of R are free.
    /// Error: R̂ is exact for [R; B] + E with ‖E e_j‖₂ ≤ c·(d + rows)·u·‖[R; B] e_j‖₂ per column.
    fn stack_qr(&self, r: ViewMut<'_, T>, block: ViewMut<'_, T>);

    /// Thin singular value decomposition A = U·diag(s)·Vᵀ with k = min(rows, cols).
    ///
    /// U is rows × k, s has k entries in descending order, V is cols × k.
    /// Error: ‖A − Ûdiag(ŝ)V̂ᵀ‖ ≤ c·max(rows, cols)·u·‖A‖, Û and V̂ orthonormal to the same accuracy.
    fn svd(
        &self,
        a: View<'_, T>,
        u: ViewMut<'_, T>,
        s: &mut [T],
        v: ViewMut<'_, T>,
    ) -> Result<(), KernelError>;

    /// Eigenvalues (ascending) and orthonormal eigenvectors (columns) of a symmetric matrix, of which
    /// the lower triangle is read. Error: ‖A − V̂diag(λ̂)V̂ᵀ‖ ≤ c·d·u·‖A‖.
    fn symmetric_eigen(
        &self,
        a: View<'_, T>,
        values: &mut [T],
        vectors: ViewMut<'_, T>,
    ) -> Result<(), KernelError>;

    /// B ← L⁻¹·B with L lower triangular; its strict upper triangle is not read.
    ///
    /// The transpose of an upper triangular view is a lower triangular one. The diagonal has no
    /// zero. Error: each column solves (L + E)x = b with |E| ≤ c·d·u·|L|.
    fn solve_lower(&self, l: View<'_, T>, b: ViewMut<'_, T>);

    /// B ← U⁻¹·B with U upper triangular; its strict lower triangle is not read.
    ///
    /// Error: as for [`Backend::solve_lower`].
    fn solve_upper(&self, u: View<'_, T>, b: ViewMut<'_, T>);
}
