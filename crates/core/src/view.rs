//! Strided views: the one way matrices cross a boundary.
//!
//! A [`View`] is a pointer, two extents and two signed strides, so it describes any dense layout of
//! any library without a copy: row- or column-major, transposed, reversed, every second row, padded.
//! Element (i, j) lives at `pointer + i·row_stride + j·col_stride`, strides counted in elements.
//!
//! Safe constructors prove that every element lies inside the slice they borrow.
//! [`View::from_raw_parts`] is the door for matrices whose padding may be uninitialised: there a
//! slice over the whole allocation would be undefined behaviour, a strided view is not.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut, Range};

use crate::Error;

/// A borrowed, read-only strided matrix.
///
/// ```
/// use minrisk_core::View;
/// let data = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let by_rows = View::row_major(&data, 2, 3)?;
/// assert_eq!(by_rows[(1, 0)], 4.0);
/// assert_eq!(by_rows.transpose()[(0, 1)], 4.0);
/// # Ok::<(), minrisk_core::Error>(())
/// ```
pub struct View<'a, T> {
    pointer: *const T,
    rows: usize,
    cols: usize,
    row_stride: isize,
    col_stride: isize,
    lifetime: PhantomData<&'a [T]>,
}

// SAFETY: a `View` is a shared borrow of `T`s, so it is Send and Sync exactly when `&[T]` is.
unsafe impl<T: Sync> Send for View<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for View<'_, T> {}

impl<T> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for View<'_, T> {}

impl<'a, T> View<'a, T> {
    /// A matrix whose rows follow each other in `data`.
    pub fn row_major(data: &'a [T], rows: usize, cols: usize) -> Result<Self, Error> {
        Self::strided(data, 0, rows, cols, signed(cols)?, 1)
    }

    /// A matrix whose columns follow each other in `data`.
    pub fn col_major(data: &'a [T], rows: usize, cols: usize) -> Result<Self, Error> {
        Self::strided(data, 0, rows, cols, 1, signed(rows)?)
    }

    /// One column.
    pub fn column_vector(data: &'a [T]) -> Self {
        Self {
            pointer: data.as_ptr(),
            rows: data.len(),
            cols: 1,
            row_stride: 1,
            col_stride: 0,
            lifetime: PhantomData,
        }
    }

    /// Rows that are arrays of equal length.
    pub fn from_arrays<const N: usize>(rows: &'a [[T; N]]) -> Self {
        Self {
            pointer: rows.as_ptr().cast(),
            rows: rows.len(),
            cols: N,
            // An array of N elements is at most isize::MAX bytes long.
            row_stride: N as isize,
            col_stride: 1,
            lifetime: PhantomData,
        }
    }

    /// A column of `rows` equal entries, all of them the one of `value`.
    pub fn constant(value: &'a [T; 1], rows: usize) -> Self {
        Self {
            pointer: value.as_ptr(),
            rows,
            cols: 1,
            row_stride: 0,
            col_stride: 0,
            lifetime: PhantomData,
        }
    }

    /// Any layout inside `data`: element (i, j) is `data[offset + i·row_stride + j·col_stride]`.
    ///
    /// Fails when an element would lie outside `data`.
    pub fn strided(
        data: &'a [T],
        offset: usize,
        rows: usize,
        cols: usize,
        row_stride: isize,
        col_stride: isize,
    ) -> Result<Self, Error> {
        let out_of_bounds = || Error::ViewOutOfBounds {
            rows,
            cols,
            row_stride,
            col_stride,
            offset,
            len: data.len(),
        };
        let pointer = if rows == 0 || cols == 0 {
            data.as_ptr()
        } else {
            let reach = |n: usize, stride: isize| isize::try_from(n - 1).ok()?.checked_mul(stride);
            let down = reach(rows, row_stride).ok_or_else(out_of_bounds)?;
            let across = reach(cols, col_stride).ok_or_else(out_of_bounds)?;
            let first = isize::try_from(offset).map_err(|_| out_of_bounds())?;
            let lowest = first
                .checked_add(down.min(0))
                .and_then(|low| low.checked_add(across.min(0)))
                .ok_or_else(out_of_bounds)?;
            let highest = first
                .checked_add(down.max(0))
                .and_then(|high| high.checked_add(across.max(0)))
                .ok_or_else(out_of_bounds)?;
            if lowest < 0 || highest as usize >= data.len() {
                return Err(out_of_bounds());
            }
            // SAFETY: `offset` is between the lowest and the highest element, both inside `data`.
            unsafe { data.as_ptr().add(offset) }
        };
        Ok(Self { pointer, rows, cols, row_stride, col_stride, lifetime: PhantomData })
    }

    /// A view over memory that some library describes by pointer and strides.
    ///
    /// # Safety
    /// For all i < rows and j < cols, the element at `pointer + i·row_stride + j·col_stride` must be
    /// initialised, inside one allocation, and not written to during `'a`.
    pub unsafe fn from_raw_parts(
        pointer: *const T,
        rows: usize,
        cols: usize,
        row_stride: isize,
        col_stride: isize,
    ) -> Self {
        Self { pointer, rows, cols, row_stride, col_stride, lifetime: PhantomData }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// True when there is no element.
    pub fn is_empty(&self) -> bool {
        self.rows == 0 || self.cols == 0
    }

    /// Elements from one row to the next.
    pub fn row_stride(&self) -> isize {
        self.row_stride
    }

    /// Elements from one column to the next.
    pub fn col_stride(&self) -> isize {
        self.col_stride
    }

    /// Address of element (0, 0); not to be read through when the view is empty.
    pub fn as_ptr(&self) -> *const T {
        self.pointer
    }

    /// The element, or `None` outside the matrix.
    pub fn get(&self, row: usize, col: usize) -> Option<&'a T> {
        if row < self.rows && col < self.cols {
            // SAFETY: the indices are in range, and the constructors vouch for such elements.
            Some(unsafe { &*self.pointer.offset(self.offset_of(row, col)) })
        } else {
            None
        }
    }

    /// Rows and columns exchanged; nothing is moved.
    pub fn transpose(self) -> Self {
        Self {
            rows: self.cols,
            cols: self.rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
            ..self
        }
    }

    /// The rows of a range.
    ///
    /// # Panics
    /// If the range reaches past the last row.
    pub fn row_range(self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.rows, "row range out of bounds");
        let pointer = self.pointer.wrapping_offset(range.start as isize * self.row_stride);
        Self { pointer, rows: range.len(), ..self }
    }

    /// Every `step`-th row, the first included; `step` is at least 1.
    pub(crate) fn every(self, step: usize) -> Self {
        let step = step.max(1);
        Self {
            rows: self.rows.div_ceil(step),
            // A view of one row has no next one, so its stride may be anything.
            row_stride: self.row_stride.saturating_mul(step as isize),
            ..self
        }
    }

    /// The columns of a range.
    ///
    /// # Panics
    /// If the range reaches past the last column.
    pub fn col_range(self, range: Range<usize>) -> Self {
        self.transpose().row_range(range).transpose()
    }

    /// The rows from last to first.
    pub fn reverse_rows(self) -> Self {
        let last = self.rows.saturating_sub(1) as isize;
        Self {
            pointer: self.pointer.wrapping_offset(last * self.row_stride),
            row_stride: self.row_stride.wrapping_neg(),
            ..self
        }
    }

    /// Column `col` as a slice, if its elements are adjacent.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn col_slice(&self, col: usize) -> Option<&'a [T]> {
        assert!(col < self.cols, "column {col} of {}", self.cols);
        if self.rows == 0 {
            return Some(&[]);
        }
        if self.row_stride != 1 && self.rows > 1 {
            return None;
        }
        // SAFETY: the column's elements are in range and adjacent.
        Some(unsafe {
            std::slice::from_raw_parts(self.pointer.offset(self.offset_of(0, col)), self.rows)
        })
    }

    /// All elements, column after column or row after row, if there is no gap between them.
    pub(crate) fn as_slice(&self) -> Option<&'a [T]> {
        let one_after_the_other = |view: &Self| {
            let (rows, cols) = (view.rows, view.cols);
            (view.row_stride == 1 || rows <= 1) && (view.col_stride == rows as isize || cols <= 1)
        };
        if self.rows == 0 || self.cols == 0 {
            return Some(&[]);
        }
        if !one_after_the_other(self) && !one_after_the_other(&self.transpose()) {
            return None;
        }
        // SAFETY: the elements are in range, and adjacent from the first on.
        Some(unsafe { std::slice::from_raw_parts(self.pointer, self.rows * self.cols) })
    }

    /// Row `row` as a slice, if its elements are adjacent.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row_slice(&self, row: usize) -> Option<&'a [T]> {
        self.transpose().col_slice(row)
    }

    /// The elements of column `col` from first to last row.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn col_iter(self, col: usize) -> impl ExactSizeIterator<Item = &'a T> + Clone {
        assert!(col < self.cols, "column {col} of {}", self.cols);
        (0..self.rows).map(move |row| {
            // SAFETY: both indices are in range.
            unsafe { &*self.pointer.offset(self.offset_of(row, col)) }
        })
    }

    fn offset_of(&self, row: usize, col: usize) -> isize {
        row as isize * self.row_stride + col as isize * self.col_stride
    }
}

impl<T> Index<(usize, usize)> for View<'_, T> {
    type Output = T;

    fn index(&self, (row, col): (usize, usize)) -> &T {
        self.get(row, col).unwrap_or_else(|| {
            panic!("element ({row}, {col}) of a {} × {} matrix", self.rows, self.cols)
        })
    }
}

impl<T: fmt::Debug> fmt::Debug for View<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |i| (0..self.cols).map(move |j| &self[(i, j)]).collect::<Vec<_>>();
        f.debug_list().entries((0..self.rows).map(row)).finish()
    }
}

/// A borrowed strided matrix that can be written to; no two of its elements share memory.
pub struct ViewMut<'a, T> {
    view: View<'a, T>,
    exclusive: PhantomData<&'a mut [T]>,
}

// SAFETY: a `ViewMut` is an exclusive borrow of `T`s, so it is Send exactly when `&mut [T]` is.
unsafe impl<T: Send> Send for ViewMut<'_, T> {}

impl<'a, T> ViewMut<'a, T> {
    /// A matrix whose columns follow each other in `data`.
    pub fn col_major(data: &'a mut [T], rows: usize, cols: usize) -> Result<Self, Error> {
        View::col_major(data, rows, cols)?;
        // SAFETY: checked just now; the columns of a column-major matrix do not overlap. The pointer
        // is taken from the exclusive borrow, so that it may be written through.
        Ok(unsafe { Self::from_raw_parts(data.as_mut_ptr(), rows, cols, 1, signed(rows)?) })
    }

    /// A matrix whose rows follow each other in `data`.
    pub fn row_major(data: &'a mut [T], rows: usize, cols: usize) -> Result<Self, Error> {
        Ok(Self::col_major(data, cols, rows)?.transpose())
    }

    /// A view over memory that some library describes by pointer and strides.
    ///
    /// # Safety
    /// As for [`View::from_raw_parts`]; besides, the elements must be writable, no two of them may
    /// share memory, and nothing else may read or write them during `'a`.
    pub unsafe fn from_raw_parts(
        pointer: *mut T,
        rows: usize,
        cols: usize,
        row_stride: isize,
        col_stride: isize,
    ) -> Self {
        // SAFETY: the caller vouches for the elements.
        let view = unsafe { View::from_raw_parts(pointer, rows, cols, row_stride, col_stride) };
        Self { view, exclusive: PhantomData }
    }

    /// The same matrix to read from.
    pub fn as_view(&self) -> View<'_, T> {
        self.view
    }

    /// The same matrix, borrowed for a shorter time.
    pub fn reborrow(&mut self) -> ViewMut<'_, T> {
        ViewMut { view: self.view, exclusive: PhantomData }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.view.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.view.cols
    }

    /// True when there is no element.
    pub fn is_empty(&self) -> bool {
        self.view.is_empty()
    }

    /// Elements from one row to the next.
    pub fn row_stride(&self) -> isize {
        self.view.row_stride
    }

    /// Elements from one column to the next.
    pub fn col_stride(&self) -> isize {
        self.view.col_stride
    }

    /// Address of element (0, 0); not to be used when the view is empty.
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.view.pointer.cast_mut()
    }

    /// Rows and columns exchanged; nothing is moved.
    pub fn transpose(self) -> Self {
        Self { view: self.view.transpose(), exclusive: PhantomData }
    }

    /// The rows of a range.
    ///
    /// # Panics
    /// If the range reaches past the last row.
    pub fn row_range(self, range: Range<usize>) -> Self {
        Self { view: self.view.row_range(range), exclusive: PhantomData }
    }

    /// The columns of a range.
    ///
    /// # Panics
    /// If the range reaches past the last column.
    pub fn col_range(self, range: Range<usize>) -> Self {
        Self { view: self.view.col_range(range), exclusive: PhantomData }
    }

    /// Column `col` as a slice, if its elements are adjacent.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn col_slice_mut(&mut self, col: usize) -> Option<&mut [T]> {
        let len = self.view.col_slice(col)?.len();
        let start = self.view.pointer.wrapping_offset(self.view.offset_of(0, col)).cast_mut();
        // SAFETY: `col_slice` found the column's elements adjacent, and we borrow them exclusively.
        Some(unsafe { std::slice::from_raw_parts_mut(start, len) })
    }

    /// Sets every element of the matrix.
    pub fn fill_with(&mut self, mut value: impl FnMut(usize, usize) -> T) {
        for col in 0..self.cols() {
            for row in 0..self.rows() {
                self[(row, col)] = value(row, col);
            }
        }
    }
}

impl<T> Index<(usize, usize)> for ViewMut<'_, T> {
    type Output = T;

    fn index(&self, at: (usize, usize)) -> &T {
        &self.view[at]
    }
}

impl<T> IndexMut<(usize, usize)> for ViewMut<'_, T> {
    fn index_mut(&mut self, (row, col): (usize, usize)) -> &mut T {
        let (rows, cols) = (self.rows(), self.cols());
        assert!(row < rows && col < cols, "element ({row}, {col}) of a {rows} × {cols} matrix");
        // SAFETY: the indices are in range, the borrow is exclusive and elements do not overlap.
        unsafe { &mut *self.view.pointer.cast_mut().offset(self.view.offset_of(row, col)) }
    }
}

impl<T: fmt::Debug> fmt::Debug for ViewMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view.fmt(f)
    }
}

fn signed(extent: usize) -> Result<isize, Error> {
    isize::try_from(extent)
        .map_err(|_| Error::TooLarge { what: "a matrix extent", count: extent as u128 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_of_one_slice() {
        let data: Vec<i32> = (0..24).collect();
        let padded = View::strided(&data, 2, 3, 4, 8, 2).unwrap_err();
        assert!(matches!(padded, Error::ViewOutOfBounds { .. }));
        let every_second = View::strided(&data, 1, 3, 3, 8, 2).unwrap();
        assert_eq!(every_second[(2, 2)], 21);
        let reversed = every_second.reverse_rows();
        assert_eq!(reversed[(0, 2)], 21);
        assert_eq!(reversed.row_range(1..3)[(1, 0)], 1);
        assert_eq!(every_second.col_range(1..3)[(0, 0)], 3);
        assert!(every_second.col_slice(0).is_none());
    }

    #[test]
    fn extents_that_overflow_are_refused() {
        let data = [0.0_f64; 4];
        assert!(View::row_major(&data, usize::MAX, usize::MAX).is_err());
        assert!(View::row_major(&data, usize::MAX / 2, 3).is_err());
        assert!(View::col_major(&data, 3, 2).is_err());
        assert!(View::row_major(&data, 0, 7).is_ok());
    }

    #[test]
    fn negative_strides_stay_inside() {
        let data = [1, 2, 3, 4];
        assert!(View::strided(&data, 3, 4, 1, -1, 0).is_ok());
        assert!(View::strided(&data, 2, 4, 1, -1, 0).is_err());
    }
}
