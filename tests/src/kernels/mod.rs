//! Checks of the kernels in the [`Backend`](minrisk_core::Backend) contract, one file a kernel.
//!
//! Each kernel is asked the same things: is its error within the bound of its contract at every size,
//! does it read and write any layout and nothing else, does it leave its inputs alone, does it hold
//! out where numbers are huge or tiny. The rule is LAPACK's (see [`measure`](crate::measure)).
//!
//! Scales: elements may be as large or small as leaves their squares (or, for products, the products)
//! in range; core scales columns by powers of two before it factors them, so that they do.

mod cholesky;
mod eigen;
mod gram;
mod product;
mod qr;
mod svd;
mod triangular;

use minrisk_core::{Matrix, Scalar};

pub use cholesky::*;
pub use eigen::*;
pub use gram::*;
pub use product::*;
pub use qr::*;
pub use svd::*;
pub use triangular::*;

use crate::Outcome;
use crate::check::ensure;
use crate::layouts::Stored;

/// The sizes that kernels are tried at: nothing, the smallest, around a register block, around a
/// cache block.
pub const SIZES: [usize; 9] = [0, 1, 2, 3, 5, 10, 33, 50, 130];

/// Exponents e such that numbers near 2^e have squares well inside the range of the type.
fn extreme_exponents<T: Scalar>() -> [i32; 2] {
    let reach = T::max_value().exponent() * 4 / 10;
    [-reach, reach]
}

/// The matrix times 2^exponent.
fn scaled<T: Scalar>(matrix: &Matrix<T>, exponent: i32) -> Matrix<T> {
    let factor = T::power_of_two(exponent);
    Matrix::from_fn(matrix.rows(), matrix.cols(), |i, j| matrix[(i, j)] * factor)
}

/// The matrix with what `wanted` does not keep replaced by NaN: what a kernel must not read.
fn masked<T: Scalar>(matrix: &Matrix<T>, wanted: impl Fn(usize, usize) -> bool) -> Matrix<T> {
    Matrix::from_fn(matrix.rows(), matrix.cols(), |i, j| {
        if wanted(i, j) { matrix[(i, j)] } else { T::nan() }
    })
}

/// Rounds to the type under test.
fn rounded<T: Scalar>(matrix: &Matrix<f64>) -> Matrix<T> {
    Matrix::from_fn(matrix.rows(), matrix.cols(), |i, j| T::from_double(matrix[(i, j)]))
}

/// Passes if an input still holds what it held, NaN included, and nothing around it was written.
fn expect_untouched<T: Scalar>(what: &str, stored: &Stored<T>, before: &Matrix<T>) -> Outcome {
    let now = stored.to_matrix();
    let same = |(a, b): (&T, &T)| a == b || a.is_nan() && b.is_nan();
    ensure!(now.as_slice().iter().zip(before.as_slice()).all(same), "the input {what} was changed");
    expect_inside(what, stored)
}

/// Passes if nothing around an operand was written.
fn expect_inside<T: Scalar>(what: &str, stored: &Stored<T>) -> Outcome {
    ensure!(stored.surroundings_are_intact(), "memory around {what} was written");
    Ok(())
}
