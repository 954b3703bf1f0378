//! Conversions: your matrix as a [`View`], without a copy.
//!
//! The types of a library are foreign here as they are in its backend's crate, so that the trait has
//! to be the facade's own; what makes a view of them lives with the backend.

#[cfg(feature = "faer")]
mod faer;
#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(feature = "ndarray-custom")]
mod ndarray;
mod plain;

use minrisk_core::{Dataset, Error, Scalar, View};

/// A matrix or vector that can be seen as a [`View`], without a copy.
///
/// | yours | becomes |
/// |---|---|
/// | `Mat`, `MatRef`, `MatMut` of faer | its rows and columns |
/// | `Col`, `ColRef`, `ColMut` of faer | one column |
/// | any matrix, vector or view of nalgebra | its rows and columns |
/// | `Array2`, `ArrayView2`, … of ndarray | its rows and columns |
/// | `Array1`, `ArrayView1`, … of ndarray | one column |
/// | `[[T; N]]`, `[[T; N]; M]`, `Vec<[T; N]>` | one row per inner array |
/// | `[T]`, `[T; M]`, `Vec<T>` | one column |
/// | [`View`], [`Matrix`](crate::Matrix) | itself |
///
/// Types of a library need its feature. Owned matrices are borrowed (`&x`), views go in as they are.
///
/// The one conversion for designs, targets and sample weights, for the types of every library:
/// write a function against it, and your callers bring the matrices they have.
///
/// ```
/// use minrisk::IntoView;
///
/// fn aspect_ratio<'a>(x: impl IntoView<'a, f64>) -> f64 {
///     let x = x.into_view();
///     x.rows() as f64 / x.cols() as f64
/// }
///
/// assert_eq!(aspect_ratio(&[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), 1.5);
/// assert_eq!(aspect_ratio(&vec![1.0, 2.0, 3.0]), 3.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be seen as a matrix of `{T}`",
    note = "borrow owned matrices (`&x`); matrices of faer, nalgebra and ndarray need the feature \
            of that name, and the version of the library that minrisk depends on"
)]
pub trait IntoView<'a, T> {
    /// The same elements as a view.
    fn into_view(self) -> View<'a, T>;
}

/// Sees a matrix or vector of any supported library as a [`View`], without a copy.
///
/// For the calls that take a view or a [`Design`](crate::Design): sample weights, rows to predict.
///
/// ```
/// use minrisk::{LinearModel, dataset, view};
/// let (x, y, seen) = ([1.0, 2.0, 4.0], [3.0, 5.0, 9.0], [1.0, 1.0, 2.0]);
/// let data = dataset(&x, &y)?.with_frequencies(view(&seen))?;
/// let model = LinearModel::from_coefficients(vec![2.0], Some(1.0))?;
/// assert_eq!(model.predict(view(&x))?.as_slice(), y);
/// # Ok::<(), minrisk::Error>(())
/// ```
pub fn view<'a, T>(matrix: impl IntoView<'a, T>) -> View<'a, T> {
    matrix.into_view()
}

/// A training set from a design and its targets: one row per example, one column per feature, one
/// column per target.
///
/// Shapes and targets are checked here, that the design is finite by the first pass over it.
///
/// ```
/// let (age, price) = ([4.0, 5.0, 7.0, 10.0], [6300.0, 5700.0, 4500.0, 2100.0]);
/// let data = minrisk::dataset(&age, &price)?.with_names(["age"])?;
/// assert_eq!((data.rows(), data.cols(), data.targets()), (4, 1, 1));
///
/// let error = minrisk::dataset(&age, &price[1..]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the target has length 3, but 4 was expected: one entry for each row of the design",
/// );
/// # Ok::<(), minrisk::Error>(())
/// ```
pub fn dataset<'a, T: Scalar>(
    x: impl IntoView<'a, T>,
    y: impl IntoView<'a, T>,
) -> Result<Dataset<'a, T>, Error> {
    Dataset::new(x.into_view(), y.into_view())
}

/// The view of a library's own view, which was borrowed only to be looked at, for as long as that
/// borrows its elements.
///
/// # Safety
/// The elements must be borrowed for `'a`.
#[cfg(any(feature = "nalgebra", feature = "ndarray-custom"))]
unsafe fn outlive<'a, T>(view: View<'_, T>) -> View<'a, T> {
    // SAFETY: the view vouches for its elements, the caller for their lifetime.
    unsafe {
        View::from_raw_parts(
            view.as_ptr(),
            view.rows(),
            view.cols(),
            view.row_stride(),
            view.col_stride(),
        )
    }
}
