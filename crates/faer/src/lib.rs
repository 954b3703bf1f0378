//! The [faer](https://docs.rs/faer) backend: pure Rust, vectorised at run time, any strides.
//!
//! faer takes pointer and signed strides as they are, so no kernel packs its operands, save
//! [`Faer::stack_qr`](minrisk_core::Backend::stack_qr) on a block whose columns are not adjacent.
//! Every call goes to a function that takes [`Par`] and gets [`Par::Seq`]: the methods on faer's
//! matrix types read a process-wide parallelism setting instead, which a kernel must not depend on.
//!
//! ```
//! use minrisk_core::{Backend, Matrix, View};
//! use minrisk_faer::Faer;
//! let rows = [[1.0, 2.0], [3.0, 4.0]];
//! let mut gram = Matrix::zeros(2, 2);
//! Faer.add_gram(View::from_arrays(&rows), gram.view_mut());
//! assert_eq!(gram[(1, 0)], 14.0);
//! ```

mod convert;
#[allow(missing_docs)] pub mod stacked_qr;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::evd::{self, ComputeEigenvectors, SelfAdjointEvdParams};
use faer::linalg::matmul::triangular::BlockStructure;
use faer::linalg::matmul::{self, triangular};
use faer::linalg::svd::{self, ComputeSvdVectors, SvdParams};
use faer::linalg::triangular_solve;
use faer::traits::RealField;
use faer::{Accum, Auto, ColMut, Par, Spec};
use minrisk_core::{Backend, KernelError, Scalar, View, ViewMut};

pub use convert::{column, view};
use convert::{mat, mat_mut};

/// The faer library as a backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faer;

impl<T: Scalar + RealField> Backend<T> for Faer {
    fn name(&self) -> &'static str {
        "faer"
    }

    fn add_product(&self, a: View<'_, T>, b: View<'_, T>, c: ViewMut<'_, T>) {
        matmul::matmul(mat_mut(c), Accum::Add, mat(a), mat(b), T::ONE, Par::Seq);
    }

    fn add_gram(&self, a: View<'_, T>, c: ViewMut<'_, T>) {
        triangular::matmul(
            mat_mut(c),
            BlockStructure::TriangularLower,
            Accum::Add,
            mat(a.transpose()),
            BlockStructure::Rectangular,
            mat(a),
            BlockStructure::Rectangular,
            T::ONE,
            Par::Seq,
        );
    }

    fn cholesky(&self, a: ViewMut<'_, T>) -> Result<(), KernelError> {
        let params = Spec::default();
        let scratch = llt::factor::cholesky_in_place_scratch::<T>(a.rows(), Par::Seq, params);
        let mut buffer = MemBuffer::new(scratch);
        llt::factor::cholesky_in_place(
            mat_mut(a),
            Default::default(),
            Par::Seq,
            MemStack::new(&mut buffer),
            params,
        )
        .map(|_| ())
        .map_err(|llt::factor::LltError::NonPositivePivot { index }| {
            KernelError::NotPositiveDefinite { pivot: index }
        })
    }

    fn stack_qr(&self, r: ViewMut<'_, T>, block: ViewMut<'_, T>) {
        stacked_qr::fold(mat_mut(r), mat_mut(block));
    }

    fn svd(
        &self,
        a: View<'_, T>,
        u: ViewMut<'_, T>,
        s: &mut [T],
        v: ViewMut<'_, T>,
    ) -> Result<(), KernelError> {
        let thin = ComputeSvdVectors::Thin;
        let params = <SvdParams as Auto<T>>::auto().into();
        let scratch = svd::svd_scratch::<T>(a.rows(), a.cols(), thin, thin, Par::Seq, params);
        let mut buffer = MemBuffer::new(scratch);
        svd::svd(
            mat(a),
            ColMut::from_slice_mut(s).as_diagonal_mut(),
            Some(mat_mut(u)),
            Some(mat_mut(v)),
            Par::Seq,
            MemStack::new(&mut buffer),
            params,
        )
        .map_err(|_| KernelError::NoConvergence)
    }

    fn symmetric_eigen(
        &self,
        a: View<'_, T>,
        values: &mut [T],
        vectors: ViewMut<'_, T>,
    ) -> Result<(), KernelError> {
        let params = <SelfAdjointEvdParams as Auto<T>>::auto().into();
        let wanted = ComputeEigenvectors::Yes;
        let scratch = evd::self_adjoint_evd_scratch::<T>(a.rows(), wanted, Par::Seq, params);
        let mut buffer = MemBuffer::new(scratch);
        evd::self_adjoint_evd(
            mat(a),
            ColMut::from_slice_mut(values).as_diagonal_mut(),
            Some(mat_mut(vectors)),
            Par::Seq,
            MemStack::new(&mut buffer),
            params,
        )
        .map_err(|_| KernelError::NoConvergence)
    }

    fn solve_lower(&self, l: View<'_, T>, b: ViewMut<'_, T>) {
        triangular_solve::solve_lower_triangular_in_place(mat(l), mat_mut(b), Par::Seq);
    }

    fn solve_upper(&self, u: View<'_, T>, b: ViewMut<'_, T>) {
        triangular_solve::solve_upper_triangular_in_place(mat(u), mat_mut(b), Par::Seq);
    }
}
