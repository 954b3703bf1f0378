//! Columns and targets of extreme size, brought into range by powers of two.
//!
//! Squares of data beyond 10^±60 or so leave the range of doubles, and the low words of wide products
//! leave it sooner. Such data (and only such) is copied with every column and target divided by a
//! power of two, which is exact, solved, and the coefficients are multiplied back.

use super::factor::times_power;
use super::moments::Moments;
use super::solution::Solution;
use crate::kernels::largest_magnitudes;
use crate::{Block, Dataset, Error, Matrix, Reduction, Rows, Scalar, View};

/// The powers of two that columns and targets are divided by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exponents {
    pub(super) columns: Vec<i32>,
    targets: Vec<i32>,
}

/// Magnitudes between 2^−reach and 2^reach need no scaling.
fn reach<T: Scalar>() -> i32 {
    // f64 has 1023 powers of two either way, f32 127: a fifth and a third leave room for squares,
    // sums, and the low words of products.
    if T::unit_roundoff() < 1e-10 { 200 } else { 40 }
}

/// Whether the moments show data that may be out of range.
pub(super) fn is_suspicious<T: Scalar>(moments: &Moments<T>) -> bool {
    let in_range = |square: f64| {
        let limit = 2.0 * f64::from(reach::<T>());
        square.is_finite() && square > 0.0 && square.log2().abs() < limit
    };
    let columns = (0..moments.x_mean.len()).map(|j| moments.raw_square(j));
    let targets = (0..moments.y_mean.len()).map(|k| moments.raw_target_square(k));
    let finite = moments.gram.as_slice().iter().all(|g| g.is_finite());
    !finite || !columns.chain(targets).all(in_range)
}

impl Exponents {
    /// What has to be scaled; `None` when nothing has.
    pub(super) fn of<T: Scalar>(rows: &mut Rows<'_, T>) -> Result<Option<Self>, Error> {
        let (columns, targets) =
            rows.repeat(&MagnitudePass { cols: rows.cols(), targets: rows.targets() })?;
        let exponent = |largest: &T| {
            let e = largest.exponent();
            if *largest == T::zero() || e.abs() < reach::<T>() { 0 } else { e }
        };
        let exponents = Self {
            columns: columns.iter().map(exponent).collect(),
            targets: targets.iter().map(exponent).collect(),
        };
        let all = exponents.columns.iter().chain(&exponents.targets);
        let needed = all.into_iter().any(|&e| e != 0);
        Ok(needed.then_some(exponents))
    }

    /// The scaled copies of design and targets.
    pub(super) fn apply<T: Scalar>(
        &self,
        data: &Dataset<'_, T>,
    ) -> Result<(Matrix<T>, Matrix<T>), Error> {
        let crate::Design::Dense(x) = data.design();
        let y = data.target_view();
        let targets =
            Matrix::from_fn(y.rows(), y.cols(), |i, k| scaled(y[(i, k)], self.targets[k]));
        Ok((self.scale_columns(x)?, targets))
    }

    /// A scaled copy of a matrix with the columns of the design.
    pub(super) fn scale_columns<T: Scalar>(&self, x: View<'_, T>) -> Result<Matrix<T>, Error> {
        let mut design = Matrix::try_filled(x.rows(), x.cols(), T::zero())?;
        for (j, &exponent) in self.columns.iter().enumerate() {
            let from = x.col_iter(j);
            let into = design.col_mut(j);
            into.iter_mut().zip(from).for_each(|(v, &x)| *v = scaled(x, exponent));
        }
        Ok(design)
    }

    /// Takes a solution for the scaled data back to the caller's units.
    pub(super) fn undo<T: Scalar>(&self, solution: &mut Solution<T>) {
        for (k, &target) in self.targets.iter().enumerate() {
            for (j, &column) in self.columns.iter().enumerate() {
                let exponent = target - column;
                let w = &mut solution.coefficients[k][j];
                *w = times_power(*w, exponent);
                let error = &mut solution.accuracies.coefficients[k][j];
                *error = times_power(*error, exponent);
            }
            if let Some(intercept) = solution.intercepts.get_mut(k) {
                *intercept = times_power(*intercept, target);
                let error = &mut solution.accuracies.intercepts[k];
                *error = times_power(*error, target);
            }
            solution.squares[k] = times_power(solution.squares[k], 2 * target);
        }
        if let Some(found) = &mut solution.dependencies {
            let offset = found.row_norms.len() - found.independent.len();
            for (&j, norm) in found.independent.iter().zip(&mut found.row_norms[offset..]) {
                *norm = times_power(*norm, -self.columns[j]);
            }
            for relation in &mut found.relations {
                let own = self.columns[relation.column];
                for (&j, factor) in found.independent.iter().zip(&mut relation.factors) {
                    *factor = times_power(*factor, own - self.columns[j]);
                }
                relation.constant = times_power(relation.constant, own);
                relation.misfit = times_power(relation.misfit, own);
            }
        }
    }
}

fn scaled<T: Scalar>(value: T, exponent: i32) -> T {
    T::from_double(times_power(value.to_double(), -exponent))
}

/// The largest magnitude of every column and target.
struct MagnitudePass {
    cols: usize,
    targets: usize,
}

impl<T: Scalar> Reduction<T> for MagnitudePass {
    type State = (Vec<T>, Vec<T>);

    fn start(&self) -> Self::State {
        (vec![T::zero(); self.cols], vec![T::zero(); self.targets])
    }

    fn absorb(&self, (columns, targets): &mut Self::State, block: &Block<'_, T>) {
        largest_magnitudes(block.x, columns);
        largest_magnitudes(block.y, targets);
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        let raise = |into: &mut [T], from: Vec<T>| {
            into.iter_mut().zip(from).for_each(|(a, b)| *a = a.max(b));
        };
        raise(&mut left.0, right.0);
        raise(&mut left.1, right.1);
    }
}
