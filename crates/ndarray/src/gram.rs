//! C ← C + AᵀA by BLAS's symmetric rank-k update, which ndarray does not offer.

use std::ffi::c_int;

use cblas_sys::{CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_UPLO, cblas_dsyrk, cblas_ssyrk};
use minrisk_core::{View, ViewMut};

/// The update, which CBLAS has under two names.
pub trait Syrk: Sized {
    /// Lower triangle of C ← C + AᵀA (`CblasTrans`, A with `dim` columns and `depth` rows) or
    /// C + AAᵀ (`CblasNoTrans`), all in one layout.
    ///
    /// # Safety
    /// A and C must have their elements where layout and leading dimensions say, C writable and
    /// apart from A.
    #[allow(clippy::too_many_arguments)]
    unsafe fn syrk(
        layout: CBLAS_LAYOUT,
        transpose: CBLAS_TRANSPOSE,
        dim: c_int,
        depth: c_int,
        a: *const Self,
        leading_a: c_int,
        c: *mut Self,
        leading_c: c_int,
    );
}

macro_rules! syrk {
    ($scalar:ty, $function:path) => {
        impl Syrk for $scalar {
            unsafe fn syrk(
                layout: CBLAS_LAYOUT,
                transpose: CBLAS_TRANSPOSE,
                dim: c_int,
                depth: c_int,
                a: *const Self,
                leading_a: c_int,
                c: *mut Self,
                leading_c: c_int,
            ) {
                let lower = CBLAS_UPLO::CblasLower;
                // SAFETY: the caller's promise is what CBLAS asks for.
                unsafe {
                    $function(
                        layout, lower, transpose, dim, depth, 1.0, a, leading_a, 1.0, c, leading_c,
                    );
                }
            }
        }
    };
}

syrk!(f32, cblas_ssyrk);
syrk!(f64, cblas_dsyrk);

/// Lower triangle of C ← C + AᵀA, if BLAS knows the layouts; says whether it did.
pub(crate) fn add<T: Syrk>(a: View<'_, T>, c: &mut ViewMut<'_, T>) -> bool {
    if a.is_empty() {
        return true;
    }
    let (Some((a_by_columns, leading_a)), Some((c_by_columns, leading_c))) =
        (blas_layout(a), blas_layout(c.as_view()))
    else {
        return false;
    };
    let (Ok(dim), Ok(depth)) = (a.cols().try_into(), a.rows().try_into()) else {
        return false;
    };
    let layout =
        if c_by_columns { CBLAS_LAYOUT::CblasColMajor } else { CBLAS_LAYOUT::CblasRowMajor };
    // Read in the other layout, A is its transpose.
    let transpose = if a_by_columns == c_by_columns {
        CBLAS_TRANSPOSE::CblasTrans
    } else {
        CBLAS_TRANSPOSE::CblasNoTrans
    };
    // SAFETY: views vouch for their elements, which is where the leading dimensions put them; C is
    // borrowed exclusively.
    unsafe {
        T::syrk(layout, transpose, dim, depth, a.as_ptr(), leading_a, c.as_mut_ptr(), leading_c);
    }
    true
}

/// Whether columns rather than rows are adjacent, and the leading dimension; `None` if neither are.
fn blas_layout<T>(a: View<'_, T>) -> Option<(bool, c_int)> {
    leading(a).map(|dimension| (true, dimension)).or_else(|| Some((false, leading(a.transpose())?)))
}

/// The leading dimension of a column-major matrix; `None` if it is not one.
fn leading<T>(a: View<'_, T>) -> Option<c_int> {
    let rows = isize::try_from(a.rows()).ok()?;
    let adjacent = a.row_stride() == 1 || rows <= 1;
    // The stride of a single column can be anything, the leading dimension cannot.
    let stride = if a.cols() <= 1 { rows.max(1) } else { a.col_stride() };
    if adjacent && stride >= rows.max(1) { stride.try_into().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_that_blas_has_are_found() {
        let data = [0.0; 40];
        let padded = View::strided(&data, 2, 3, 4, 1, 5).unwrap();
        assert_eq!(blas_layout(padded), Some((true, 5)));
        assert_eq!(blas_layout(padded.transpose()), Some((false, 5)));
        assert_eq!(blas_layout(View::column_vector(&data)), Some((true, 40)));
        assert_eq!(blas_layout(View::column_vector(&data).transpose()), Some((true, 1)));
        assert_eq!(blas_layout(padded.reverse_rows()), None);
        assert_eq!(blas_layout(View::strided(&data, 0, 3, 4, 2, 6).unwrap()), None);
        // Broadcast columns lie on top of each other.
        assert_eq!(blas_layout(View::strided(&data, 0, 3, 4, 1, 0).unwrap()), None);
    }
}
