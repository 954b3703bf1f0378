//! R ← the triangular factor of [R; B], stable in the way Householder's is.
//!
//! Q is not returned, so the contract (R̂ is exact for A + E, A = [R; B], ‖E e_j‖ ≤ c·n·u·‖A e_j‖)
//! is tested by two of its consequences, n = d + rows:
//! - |R̂ᵀR̂ − AᵀA| ≤ 30·n·ε·‖a_i‖‖a_j‖, which Cholesky of the Gram matrix would satisfy as well;
//! - W = A·R̂⁻¹ is orthonormal up to 30·n·ε·κ, which that would miss by a factor κ.

use minrisk_core::wide::Dd;
use minrisk_core::{Backend, Matrix, Scalar};

use super::{SIZES, expect_inside, extreme_exponents, masked, rounded, scaled};
use crate::check::ensure;
use crate::families::{Family, with_spectrum};
use crate::layouts::Layout;
use crate::measure::{self, difference, doubles, norm, product, transpose};
use crate::random::Random;
use crate::{Failure, Outcome, Tally};

/// Every size from an empty R: no rows, fewer rows than columns, many rows.
pub fn qr_is_accurate<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for rows in SIZES {
        for cols in SIZES {
            let block = Random::new((rows * 1000 + cols) as u64).matrix(rows, cols);
            tally.add(|| Stack::of(backend, &[block], [Layout::ByColumns; 2], 0).map(drop));
        }
    }
    tally.outcome()
}

/// Block upon block: what R held before is kept.
pub fn qr_keeps_what_was_stacked_before<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for cols in [1, 2, 5, 33] {
        let mut random = Random::new(cols as u64);
        let blocks = [3, 0, 1, cols, 50, 2, 10, 1, 0, 33].map(|rows| random.matrix(rows, cols));
        tally.add(|| Stack::of(backend, &blocks, [Layout::ByColumns; 2], 0).map(drop));
    }
    tally.outcome()
}

/// Ill-conditioned blocks: R is as good as Householder's, not as the Gram matrix's.
pub fn qr_is_backward_stable<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let most = 0.01 / T::unit_roundoff();
    let mut tally = Tally::default();
    for family in [Family::Geometric, Family::Clustered, Family::Arithmetic, Family::Lauchli] {
        for condition in [10.0, most.sqrt(), most.powf(0.75), most] {
            let mut random = Random::new(condition as u64);
            let x: Matrix<T> = family.design(60, 8, condition, &mut random);
            let blocks = (0..x.rows()).step_by(25).map(|first| {
                let end = (first + 25).min(x.rows());
                Matrix::from_view(x.view().row_range(first..end))
            });
            let blocks: Vec<Matrix<T>> = blocks.collect();
            tally.add(|| {
                Stack::of(backend, &blocks, [Layout::ByColumns; 2], 0)
                    .and_then(|stack| stack.expect_orthonormal(condition))
                    .map_err(|failure| {
                        failure.within(format_args!("{family:?}, condition {condition:.1e}"))
                    })
            });
        }
    }
    tally.outcome()
}

/// Dependent and zero columns: R is singular and nothing else goes wrong.
pub fn qr_takes_dependent_columns<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let columns =
        |f: &dyn Fn(usize, usize) -> f64| Matrix::from_fn(20, 6, |i, j| T::from_double(f(i, j)));
    let designs = [
        columns(&|_, _| 0.0),
        columns(&|_, _| 1.0),
        columns(&|i, j| (i * (j % 2)) as f64),
        columns(&|i, j| ((i + 1) * (j / 2)) as f64),
        rounded(&with_spectrum(20, 6, |k| f64::from(k < 3), &mut Random::new(5))),
    ];
    let mut tally = Tally::default();
    for x in designs {
        let blocks = [x.clone(), x];
        tally.add(|| Stack::of(backend, &blocks, [Layout::ByColumns; 2], 0).map(drop));
    }
    tally.outcome()
}

/// All combinations of layouts of R and of the block.
pub fn qr_takes_any_layout<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for (rows, cols) in [(7, 4), (2, 5), (1, 1), (0, 3), (3, 0), (70, 35)] {
        let mut random = Random::new(rows as u64);
        let blocks = [random.matrix(rows, cols), random.matrix(rows, cols)];
        for r in Layout::ALL {
            for b in Layout::ALL {
                tally.add(|| Stack::of(backend, &blocks, [r, b], 0).map(drop));
            }
        }
    }
    tally.outcome()
}

/// Elements near the ends of the range, their squares inside it.
pub fn qr_survives_extreme_scales<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for exponent in extreme_exponents::<T>() {
        for (rows, cols) in [(5, 3), (50, 33)] {
            let mut random = Random::new(rows as u64);
            let blocks = [random.matrix(rows, cols), random.matrix(rows, cols)];
            tally.add(|| Stack::of(backend, &blocks, [Layout::ByColumns; 2], exponent).map(drop));
        }
    }
    tally.outcome()
}

/// All rows stacked so far, and the R that the kernel made of them.
struct Stack<T> {
    rows: Vec<Vec<T>>,
    r: Matrix<T>,
}

impl<T: Scalar> Stack<T> {
    /// Stacks blocks from an empty R on, all of it times 2^exponent, and judges R after each.
    fn of(
        backend: &dyn Backend<T>,
        blocks: &[Matrix<T>],
        layouts: [Layout; 2],
        exponent: i32,
    ) -> Result<Self, Failure> {
        let cols = blocks.first().map_or(0, Matrix::cols);
        let mut stack = Self { rows: Vec::new(), r: Matrix::zeros(cols, cols) };
        for block in blocks {
            stack.push(backend, block, layouts, exponent)?;
        }
        Ok(stack)
    }

    fn push(
        &mut self,
        backend: &dyn Backend<T>,
        block: &Matrix<T>,
        layouts: [Layout; 2],
        exponent: i32,
    ) -> Outcome {
        let cols = block.cols();
        // The strict lower triangle is to be taken for zero, whatever it holds.
        let mut r = layouts[0].store(&masked(&scaled(&self.r, exponent), |i, j| i <= j));
        let mut b = layouts[1].store(&scaled(block, exponent));
        backend.stack_qr(r.view_mut(), b.view_mut());
        self.r = scaled(&r.to_matrix(), -exponent);
        let row = |i: usize| (0..cols).map(|j| block[(i, j)]).collect();
        self.rows.extend((0..block.rows()).map(row));
        self.judge()
            .and_then(|()| expect_inside("R", &r))
            .and_then(|()| expect_inside("the block", &b))
            .map_err(|failure| {
                failure.within(format_args!(
                    "{} of {} rows, {cols} columns, layouts {layouts:?}, scale 2^{exponent}",
                    block.rows(),
                    self.rows.len()
                ))
            })
    }

    fn judge(&self) -> Outcome {
        let cols = self.r.cols();
        for (i, j) in (0..cols).flat_map(|j| (j + 1..cols).map(move |i| (i, j))) {
            let found = self.r[(i, j)];
            ensure!(found == T::zero(), "element ({i}, {j}) below the diagonal of R is {found}");
        }
        let (a, r) = (self.all_rows(), doubles(self.r.view()));
        let nothing = Matrix::zeros(cols, cols);
        // RᵀR − AᵀA in one product: [R; A]ᵀ[R; −A].
        let both = |sign: f64| {
            Matrix::from_fn(cols + a.rows(), cols, |i, j| {
                if i < cols { r[(i, j)] } else { sign * a[(i - cols, j)] }
            })
        };
        let error = product(&nothing, &transpose(&both(1.0)), &both(-1.0));
        let error = difference(&error, &nothing);
        let norms: Vec<f64> =
            a.columns().map(|c| c.iter().fold(0.0, |n: f64, v| n.hypot(*v))).collect();
        let bound = Matrix::from_fn(cols, cols, |i, j| norms[i] * norms[j]);
        let n = cols + self.rows.len();
        let ratio = measure::elementwise_ratio::<T>(&error, &bound, n, |_, _| true);
        measure::expect_small("the error of RᵀR", ratio)
    }

    /// W = A·R⁻¹ by substitution in double-double, and ‖WᵀW − I‖.
    fn expect_orthonormal(&self, condition: f64) -> Outcome {
        let (a, r) = (self.all_rows(), doubles(self.r.view()));
        let (rows, cols) = (a.rows(), a.cols());
        let mut w = Matrix::from_fn(rows, cols, |i, j| Dd::from(a[(i, j)]));
        for j in 0..cols {
            for i in 0..rows {
                let known = (0..j).fold(Dd::default(), |sum, k| sum + w[(i, k)] * r[(k, j)].into());
                w[(i, j)] = (w[(i, j)] - known) / r[(j, j)].into();
            }
        }
        let gram = Matrix::from_fn(cols, cols, |i, j| {
            let products = w.col(i).iter().zip(w.col(j)).map(|(&x, &y)| x * y);
            products.fold(Dd::default(), |sum, product| sum + product)
        });
        let error = norm(&difference(&gram, &Matrix::identity(cols)));
        let ratio = measure::ratio::<T>(error, condition, rows + cols);
        measure::expect_small("the loss of orthogonality in A·R⁻¹, over κ,", ratio)
    }

    fn all_rows(&self) -> Matrix<f64> {
        Matrix::from_fn(self.rows.len(), self.r.cols(), |i, j| self.rows[i][j].to_double())
    }
}
