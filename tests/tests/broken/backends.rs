//! A sound backend with one fault.

use minrisk_core::{Backend, KernelError, Matrix, Scalar, View, ViewMut};

use crate::loops::Loops;

/// What is wrong with a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    ProductIgnoresNegativeStrides,
    ProductReplaces,
    ProductWritesPadding,
    ProductLosesDigits,
    ProductOverflows,
    GramDropsARow,
    GramInUpperTriangle,
    CholeskyIgnoresBreakdown,
    CholeskyAcceptsZero,
    CholeskyLetsNanPass,
    CholeskyNamesWrongPivot,
    CholeskyReadsUpper,
    QrForgetsR,
    QrLeavesRubbish,
    QrByGram,
    QrCutsRank,
    QrDividesByZero,
    SvdAscends,
    SvdLeavesNullColumns,
    SvdByGram,
    SvdGivesUp,
    EigenReadsUpper,
    EigenDescends,
    SolveTakesUnitDiagonal,
    SolveReadsOtherTriangle,
    Panics,
}

impl Fault {
    /// All of them.
    pub(crate) const ALL: [Fault; 26] = {
        use Fault::*;
        [
            ProductIgnoresNegativeStrides,
            ProductReplaces,
            ProductWritesPadding,
            ProductLosesDigits,
            ProductOverflows,
            GramDropsARow,
            GramInUpperTriangle,
            CholeskyIgnoresBreakdown,
            CholeskyAcceptsZero,
            CholeskyLetsNanPass,
            CholeskyNamesWrongPivot,
            CholeskyReadsUpper,
            QrForgetsR,
            QrLeavesRubbish,
            QrByGram,
            QrCutsRank,
            QrDividesByZero,
            SvdAscends,
            SvdLeavesNullColumns,
            SvdByGram,
            SvdGivesUp,
            EigenReadsUpper,
            EigenDescends,
            SolveTakesUnitDiagonal,
            SolveReadsOtherTriangle,
            Panics,
        ]
    };
}

/// Plain loops with a fault.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Broken(pub(crate) Fault);

impl<T: Scalar> Backend<T> for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }

    fn doubles(&self) -> &dyn Backend<f64> {
        self
    }

    fn add_product(&self, a: View<'_, T>, b: View<'_, T>, mut c: ViewMut<'_, T>) {
        match self.0 {
            Fault::ProductIgnoresNegativeStrides => {
                // Takes a view with rows in reverse for one that starts at its lowest address.
                let a = if a.row_stride() < 0 { a.reverse_rows() } else { a };
                Loops.add_product(a, b, c);
            }
            Fault::ProductReplaces => {
                c.fill_with(|_, _| T::zero());
                Loops.add_product(a, b, c);
            }
            Fault::ProductWritesPadding => {
                Loops.add_product(a, b, c.reborrow());
                if !c.is_empty() {
                    let last = (c.rows() as isize - 1) * c.row_stride()
                        + (c.cols() as isize - 1) * c.col_stride();
                    // SAFETY: the suite keeps a margin behind every operand, which is what this
                    // fault relies on; a vectorised store past the end does the same.
                    unsafe { *c.as_mut_ptr().offset(last.max(0) + 1) = T::zero() };
                }
            }
            Fault::ProductLosesDigits => {
                let coarse = |v: T| T::from_double(((v.to_double() * 4096.0).round()) / 4096.0);
                let a = Matrix::from_fn(a.rows(), a.cols(), |i, j| coarse(a[(i, j)]));
                Loops.add_product(a.view(), b, c);
            }
            Fault::ProductOverflows => {
                // Factors a power of two out of A and B together, the wrong way round.
                let factor = T::power_of_two(T::max_value().exponent() / 2);
                let large =
                    |v: View<'_, T>| Matrix::from_fn(v.rows(), v.cols(), |i, j| v[(i, j)] * factor);
                let mut product = Matrix::zeros(c.rows(), c.cols());
                Loops.add_product(large(a).view(), b, product.view_mut());
                c.fill_with_added(|i, j| product[(i, j)] / factor);
            }
            _ => Loops.add_product(a, b, c),
        }
    }

    fn add_gram(&self, a: View<'_, T>, c: ViewMut<'_, T>) {
        match self.0 {
            Fault::GramDropsARow => {
                Loops.add_gram(a.row_range(0..a.rows().saturating_sub(1)), c);
            }
            Fault::GramInUpperTriangle => {
                let cols = a.cols();
                let mut gram = Matrix::zeros(cols, cols);
                Loops.add_product(a.transpose(), a, gram.view_mut());
                let mut c = c;
                c.fill_with_added(|i, j| if i <= j { gram[(i, j)] } else { T::zero() });
            }
            Fault::Panics => assert!(a.rows() < 10, "more rows than expected"),
            _ => Loops.add_gram(a, c),
        }
    }

    fn cholesky(&self, mut a: ViewMut<'_, T>) -> Result<(), KernelError> {
        let n = a.rows();
        match self.0 {
            Fault::CholeskyIgnoresBreakdown => {
                let _ = Loops.cholesky(a);
                Ok(())
            }
            Fault::CholeskyAcceptsZero => {
                let spoiled = (0..n).any(|j| a[(j, j)] == T::zero());
                if spoiled {
                    (0..n).for_each(|j| a[(j, j)] += T::epsilon());
                }
                Loops.cholesky(a)
            }
            Fault::CholeskyLetsNanPass => match (0..n).find(|&j| a[(j, j)].is_nan()) {
                Some(_) => Ok(()),
                None => Loops.cholesky(a),
            },
            Fault::CholeskyNamesWrongPivot => {
                Loops.cholesky(a).map_err(|_| KernelError::NotPositiveDefinite { pivot: 0 })
            }
            Fault::CholeskyReadsUpper => {
                for j in 0..n {
                    (j + 1..n).for_each(|i| a[(i, j)] = a[(j, i)]);
                }
                Loops.cholesky(a)
            }
            _ => Loops.cholesky(a),
        }
    }

    fn stack_qr(&self, mut r: ViewMut<'_, T>, mut block: ViewMut<'_, T>) {
        let cols = r.cols();
        match self.0 {
            Fault::QrForgetsR => {
                r.fill_with(|_, _| T::zero());
                Loops.stack_qr(r, block);
            }
            Fault::QrLeavesRubbish => {
                Loops.stack_qr(r.reborrow(), block);
                if cols > 1 {
                    r[(1, 0)] = T::epsilon();
                }
            }
            Fault::QrByGram => {
                // RᵀR + BᵀB and its Cholesky factor: right, until the condition is squared.
                let before =
                    Matrix::from_fn(cols, cols, |i, j| if i <= j { r[(i, j)] } else { T::zero() });
                let mut gram = Matrix::zeros(cols, cols);
                Loops.add_gram(before.view(), gram.view_mut());
                Loops.add_gram(block.as_view(), gram.view_mut());
                let _ = Loops.cholesky(gram.view_mut());
                r.fill_with(|i, j| if i <= j { gram[(j, i)] } else { T::zero() });
            }
            Fault::QrCutsRank => {
                Loops.stack_qr(r.reborrow(), block);
                let largest = (0..cols).fold(T::zero(), |max: T, j| max.max(r[(j, j)].abs()));
                let cutoff = T::from_double(1e-6_f64.max(T::unit_roundoff().sqrt())) * largest;
                for j in (0..cols).filter(|&j| r[(j, j)].abs() < cutoff).collect::<Vec<_>>() {
                    (j..cols).for_each(|k| r[(j, k)] = T::zero());
                }
            }
            Fault::QrDividesByZero => {
                // Scales each column to unit length and back, whatever its length is.
                for j in 0..cols {
                    let square: T = (0..block.rows()).map(|i| block[(i, j)] * block[(i, j)]).sum();
                    let length = square.sqrt();
                    for i in 0..block.rows() {
                        block[(i, j)] /= length;
                        block[(i, j)] *= length;
                    }
                }
                Loops.stack_qr(r, block);
            }
            _ => Loops.stack_qr(r, block),
        }
    }

    fn svd(
        &self,
        a: View<'_, T>,
        mut u: ViewMut<'_, T>,
        s: &mut [T],
        mut v: ViewMut<'_, T>,
    ) -> Result<(), KernelError> {
        let k = s.len();
        match self.0 {
            Fault::SvdGivesUp if a.cols() > 30 => Err(KernelError::NoConvergence),
            Fault::SvdAscends => {
                Loops.svd(a, u.reborrow(), s, v.reborrow())?;
                s.reverse();
                let (old_u, old_v) =
                    (Matrix::from_view(u.as_view()), Matrix::from_view(v.as_view()));
                u.fill_with(|i, j| old_u[(i, k - 1 - j)]);
                v.fill_with(|i, j| old_v[(i, k - 1 - j)]);
                Ok(())
            }
            Fault::SvdLeavesNullColumns => {
                Loops.svd(a, u.reborrow(), s, v)?;
                for j in (0..k).filter(|&j| s[j] == T::zero()) {
                    (0..a.rows()).for_each(|i| u[(i, j)] = T::zero());
                }
                Ok(())
            }
            Fault::SvdByGram => {
                // Singular values as roots of eigenvalues of AᵀA: half of the digits are gone.
                Loops.svd(a, u, s, v)?;
                let floor = s.first().map_or(T::zero(), |largest| *largest * T::epsilon().sqrt());
                s.iter_mut().for_each(|s| *s = (*s * *s + floor * floor).sqrt());
                Ok(())
            }
            _ => Loops.svd(a, u, s, v),
        }
    }

    fn symmetric_eigen(
        &self,
        a: View<'_, T>,
        values: &mut [T],
        mut vectors: ViewMut<'_, T>,
    ) -> Result<(), KernelError> {
        let n = a.rows();
        match self.0 {
            Fault::EigenReadsUpper => Loops.symmetric_eigen(a.transpose(), values, vectors),
            Fault::EigenDescends => {
                Loops.symmetric_eigen(a, values, vectors.reborrow())?;
                values.reverse();
                let old = Matrix::from_view(vectors.as_view());
                vectors.fill_with(|i, j| old[(i, n - 1 - j)]);
                Ok(())
            }
            _ => Loops.symmetric_eigen(a, values, vectors),
        }
    }

    fn solve_lower(&self, l: View<'_, T>, b: ViewMut<'_, T>) {
        match self.0 {
            Fault::SolveTakesUnitDiagonal => {
                let unit =
                    Matrix::from_fn(
                        l.rows(),
                        l.cols(),
                        |i, j| {
                            if i == j { T::one() } else { l[(i, j)] }
                        },
                    );
                Loops.solve_lower(unit.view(), b);
            }
            _ => Loops.solve_lower(l, b),
        }
    }

    fn solve_upper(&self, u: View<'_, T>, mut b: ViewMut<'_, T>) {
        match self.0 {
            Fault::SolveReadsOtherTriangle => {
                // Multiplies what it takes for zeros.
                for i in 0..u.rows() {
                    for j in 0..b.cols() {
                        let zeros: T = (0..i).map(|k| u[(i, k)] * T::zero()).sum();
                        b[(i, j)] += zeros;
                    }
                }
                Loops.solve_upper(u, b);
            }
            _ => Loops.solve_upper(u, b),
        }
    }
}

/// Adds to every element of a view.
trait FillAdded<T> {
    fn fill_with_added(&mut self, value: impl Fn(usize, usize) -> T);
}

impl<T: Scalar> FillAdded<T> for ViewMut<'_, T> {
    fn fill_with_added(&mut self, value: impl Fn(usize, usize) -> T) {
        for j in 0..self.cols() {
            (0..self.rows()).for_each(|i| self[(i, j)] += value(i, j));
        }
    }
}
