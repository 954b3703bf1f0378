//! The normal equations (XᵀCX + αI) w = XᵀCy, intercept and all, as a refinable system.
//!
//! The defect is computed from the data, never from a Gram matrix: r = y − Xw − b in one fused pass
//! gives g = XᵀCr − αw and g₀ = Σ c r, exact to the wide precision. Any subset of the columns can be
//! active; a column of the design can stand in for the target, which is how linear relations among
//! columns are found; and a right-hand side can be given outright, which is how (XᵀCX)⁻¹ gets its
//! digits and how the dual form is solved.

use super::factor::Factor;
use super::refine::{Accuracy, Defect, System};
use crate::kernels::{ResidualKernel, ResidualSums};
use crate::wide::{Number, Precision};
use crate::{Backend, Block, Error, Matrix, Reduction, Rows, Scalar, View};

/// What a side of the system is about.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Target<W> {
    /// A target of the data.
    Response(usize),
    /// A column of the design.
    Column(usize),
    /// A right-hand side, intercept first, in place of XᵀCy.
    Given(Vec<W>),
}

/// One right-hand side with its factor and its penalty.
pub(super) struct Side<'s, T: Scalar> {
    pub(super) target: Target<T::Wide>,
    /// ‖target‖ in the weighted norm around zero; 0 for a given right-hand side.
    pub(super) norm: f64,
    pub(super) factor: &'s Factor<T>,
    /// What is added to the diagonal of XᵀCX, the intercept left out.
    pub(super) diagonal: Diagonal<T>,
}

/// A diagonal added to XᵀCX.
#[derive(Clone, Debug)]
pub(super) enum Diagonal<T: Scalar> {
    /// α times the identity.
    Constant(T::Wide),
    /// One entry for each unknown.
    Varying(Vec<T::Wide>),
}

impl<T: Scalar> Diagonal<T> {
    fn at(&self, k: usize) -> T::Wide {
        match self {
            Diagonal::Constant(alpha) => *alpha,
            Diagonal::Varying(entries) => entries[k],
        }
    }
}

/// What rounding left out of every entry of a design, so that the design is the data plus this.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LowWords<'a, T> {
    /// As many rows and columns as the design.
    pub(crate) words: View<'a, T>,
    /// A bound for what even the sum of both words misses, relative to an entry.
    pub(crate) relative_error: f64,
}

/// The system for some active columns and some sides.
pub(super) struct Normal<'s, 'r, T: Scalar> {
    pub(super) backend: &'s dyn Backend<T>,
    pub(super) rows: &'s mut Rows<'r, T>,
    pub(super) low: Option<LowWords<'s, T>>,
    pub(super) intercept: bool,
    /// Active columns of the design, in the order of the factors' coordinates.
    pub(super) columns: &'s [usize],
    pub(super) sides: Vec<Side<'s, T>>,
    /// ‖x_j‖ of the active columns, in the weighted norm around zero.
    pub(super) column_norms: Vec<f64>,
    /// √Σc: the norm of the column of ones.
    pub(super) ones_norm: f64,
    /// Whether unknowns are wanted far beyond their last digit.
    pub(super) beyond: bool,
    pub(super) passes: usize,
}

impl<T: Scalar> Normal<'_, '_, T> {
    fn offset(&self) -> usize {
        usize::from(self.intercept)
    }

    /// The norm of the column of unknown `k`.
    fn norm(&self, k: usize) -> f64 {
        if k < self.offset() { self.ones_norm } else { self.column_norms[k - self.offset()] }
    }

    fn sums<P: Precision<T> + From<T::Wide>>(
        &mut self,
        solutions: &[Vec<T::Wide>],
        active: &[usize],
    ) -> Result<Vec<ResidualSums<P>>, Error> {
        let cols = self.rows.cols();
        let offset = self.offset();
        // Low words stand beside the design as columns of their own, with the same coefficients.
        let words = if self.low.is_some() { 2 } else { 1 };
        let predictors = active.iter().map(|&side| {
            let solution = &solutions[side];
            let mut coefficients = vec![P::ZERO; words * cols];
            for (&j, &w) in self.columns.iter().zip(&solution[offset..]) {
                (0..words).for_each(|word| coefficients[j + word * cols] = w.into());
            }
            let intercept = if self.intercept { solution[0].into() } else { P::ZERO };
            Predictor { source: Source::of(&self.sides[side].target), coefficients, intercept }
        });
        let pass = ResidualPass { predictors: predictors.collect(), low: self.low };
        self.passes += 1;
        let states = self.rows.repeat(&pass)?;
        Ok(states.into_iter().map(|(_, sums)| fold_words(sums, cols)).collect())
    }
}

impl<T: Scalar> System<T> for Normal<'_, '_, T> {
    fn defects(
        &mut self,
        solutions: &[Vec<T::Wide>],
        active: &[usize],
        precision: Accuracy,
    ) -> Result<Vec<Defect<T>>, Error> {
        let sums: Vec<ResidualSums<T::Wide>> = match precision {
            Accuracy::Wide => self.sums::<T::Wide>(solutions, active)?,
            Accuracy::Wider => {
                let wider = self.sums::<T::Wider>(solutions, active)?;
                wider.into_iter().map(narrow::<T>).collect()
            }
        };
        let offset = self.offset();
        let defects = active.iter().zip(sums).map(|(&side, sums)| {
            let Side { target, diagonal, .. } = &self.sides[side];
            let mut values = Vec::with_capacity(offset + self.columns.len());
            if self.intercept {
                values.push(sums.total);
            }
            for (k, &j) in self.columns.iter().enumerate() {
                values.push(sums.gradient[j] - diagonal.at(k) * solutions[side][k + offset]);
            }
            if let Target::Given(right) = target {
                values.iter_mut().zip(right).for_each(|(value, &entry)| *value += entry);
            }
            Defect { values, squares: sums.squares }
        });
        Ok(defects.collect())
    }

    fn correct(&self, side: usize, defect: &[T::Wide]) -> (Vec<T::Wide>, f64) {
        self.sides[side].factor.correct(self.backend, defect)
    }

    fn floor(&self, side: usize, solution: &[T::Wide], precision: Accuracy) -> f64 {
        let relative = match precision {
            Accuracy::Wide => ResidualKernel::<T, T::Wide>::relative_error(),
            Accuracy::Wider => ResidualKernel::<T, T::Wider>::relative_error(),
        };
        let relative = relative + self.low.map_or(0.0, |low| low.relative_error);
        let Side { norm, factor, diagonal, target } = &self.sides[side];
        let size = |k: usize| solution[k].to_double().abs();
        // ‖|y| + |X||w| + |b|‖ ≤ the sum of the norms; each g_j errs by at most that times ‖x_j‖.
        let magnitude = norm + (0..solution.len()).map(|k| self.norm(k) * size(k)).sum::<f64>();
        let offset = self.offset();
        let error = |k: usize| {
            let added = if k < offset { 0.0 } else { diagonal.at(k - offset).to_double() };
            let given = match target {
                Target::Given(right) => right[k].to_double().abs(),
                _ => 0.0,
            };
            relative * self.norm(k) * magnitude + T::Wide::UNIT * (added * size(k) + given)
        };
        let norms = &factor.row_norms;
        let ones = if self.intercept { error(0) } else { 0.0 };
        // In the factor's coordinates g_j − s_j·g₀ errs by both its terms, and b′ has row norm 1/‖1‖.
        let columns: f64 = (offset..solution.len())
            .map(|k| norms[k] * (error(k) + factor.shift(k - offset).abs() * ones))
            .sum();
        columns + if self.intercept { ones / self.ones_norm } else { 0.0 }
    }

    fn contraction(&self, side: usize) -> f64 {
        self.sides[side].factor.contraction
    }

    /// Every unknown is known to a fraction of its last bit, or is negligible and known to be.
    fn is_accurate(&self, side: usize, solution: &[T::Wide], error: f64) -> bool {
        let u = T::unit_roundoff();
        let relative = if self.beyond { u * 1e-6 } else { u / 16.0 };
        let size = |k: usize| solution[k].to_double().abs();
        let target = self.sides[side].norm;
        let largest = (0..solution.len()).map(|k| size(k) * self.norm(k)).fold(target, f64::max);
        let norms = &self.sides[side].factor.row_norms;
        (0..solution.len()).all(|k| {
            let bound = norms[k] * error;
            bound <= relative * size(k) || bound * self.norm(k) <= NEGLIGIBLE * u * largest
        })
    }
}

/// A term this far below the last bit of the largest one is zero for all that data can say.
const NEGLIGIBLE: f64 = 1e-10;

fn narrow<T: Scalar>(sums: ResidualSums<T::Wider>) -> ResidualSums<T::Wide> {
    ResidualSums {
        gradient: sums.gradient.into_iter().map(T::narrow).collect(),
        total: T::narrow(sums.total),
        squares: sums.squares,
    }
}

/// Σ c r x with x = high + low, from the sums of both words.
fn fold_words<P: Number>(mut sums: ResidualSums<P>, cols: usize) -> ResidualSums<P> {
    let low = sums.gradient.split_off(cols);
    sums.gradient.iter_mut().zip(low).for_each(|(sum, low)| *sum += low);
    sums
}

/// Where a block has the values that are predicted.
#[derive(Clone, Copy)]
enum Source {
    Response(usize),
    Column(usize),
    Zero,
}

impl Source {
    fn of<W>(target: &Target<W>) -> Self {
        match target {
            Target::Response(k) => Source::Response(*k),
            Target::Column(j) => Source::Column(*j),
            Target::Given(_) => Source::Zero,
        }
    }
}

struct Predictor<P> {
    source: Source,
    coefficients: Vec<P>,
    intercept: P,
}

/// The fused pass for several predictors.
struct ResidualPass<'a, T, P> {
    predictors: Vec<Predictor<P>>,
    low: Option<LowWords<'a, T>>,
}

impl<T: Scalar, P: Precision<T>> Reduction<T> for ResidualPass<'_, T, P> {
    type State = Vec<(ResidualKernel<T, P>, ResidualSums<P>)>;

    fn start(&self) -> Self::State {
        let begin = |predictor: &Predictor<P>| {
            let kernel = ResidualKernel::new(&predictor.coefficients, predictor.intercept);
            (kernel, ResidualSums::zero(predictor.coefficients.len()))
        };
        self.predictors.iter().map(begin).collect()
    }

    fn absorb(&self, state: &mut Self::State, block: &Block<'_, T>) {
        let joined = self.low.map(|low| {
            let low = low.words.row_range(block.first_row..block.first_row + block.x.rows());
            side_by_side(block.x, low)
        });
        let block = &Block { x: joined.as_ref().map_or(block.x, Matrix::view), ..*block };
        for (predictor, (kernel, sums)) in self.predictors.iter().zip(state) {
            match predictor.source {
                Source::Response(k) => kernel.absorb(block, k, sums),
                Source::Column(j) => kernel.absorb(&Block { y: block.x, ..*block }, j, sums),
                Source::Zero => {
                    let zero = [T::zero()];
                    let y = View::constant(&zero, block.x.rows());
                    kernel.absorb(&Block { y, ..*block }, 0, sums);
                }
            }
        }
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        left.iter_mut().zip(&right).for_each(|((_, a), (_, b))| a.add(b));
    }
}

fn side_by_side<T: Scalar>(left: View<'_, T>, right: View<'_, T>) -> Matrix<T> {
    let split = left.cols();
    Matrix::from_fn(left.rows(), split + right.cols(), |i, j| {
        if j < split { left[(i, j)] } else { right[(i, j - split)] }
    })
}
