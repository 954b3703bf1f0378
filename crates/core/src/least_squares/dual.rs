//! The wide case: fewer rows than unknowns.
//!
//! Stationarity makes w a combination of rows, w = Xᵀv, and turns the problem into m equations
//!
//! (XXᵀ + αC⁻¹) v + b·1 = y,  1ᵀv = 0,
//!
//! whose solution at α = 0 is the interpolant of least norm. With S the matrix on the left, p and q the
//! solutions of S p = y and S q = 1: b = Σp/Σq and v = p − b·q. The design transposed is a tall matrix
//! whose "rows" are features, so factor, fused pass and refinement are those of the tall case, and
//! an error E in energy bounds ‖w − w*‖ directly, because ‖Xᵀe‖ ≤ ‖Re‖.

use super::Method;
use super::factor::{Factor, Origin, times_power};
use super::moments::{Moments, MomentsPass};
use super::normal::{Diagonal, Normal, Side, Target};
use super::rank::suspicious_below;
use super::refine::refine;
use super::solution::{Accuracies, Solution};
use super::triangle::{Coordinates, TrianglePass};
use crate::kernels::ResidualKernel;
use crate::wide::{Dd, Number};
use crate::{Backend, Block, Dataset, Error, Matrix, Reduction, Rows, Scalar, View};

/// A problem with fewer rows than unknowns, all of positive weight.
pub(super) struct Dual<'s, T: Scalar> {
    pub(super) backend: &'s dyn Backend<T>,
    pub(super) data: &'s Dataset<'s, T>,
    pub(super) intercept: bool,
    pub(super) method: Method,
    /// α on the total scale.
    pub(super) alpha: T::Wide,
    pub(super) weight: Dd,
}

impl<T: Scalar> Dual<'_, T> {
    /// The solution, or `None` where the rows are linearly dependent.
    pub(super) fn solve(&self) -> Result<Option<Solution<T>>, Error> {
        let crate::Design::Dense(design) = self.data.design();
        let zero = [T::zero()];
        let transposed = Dataset::new(design.transpose(), View::constant(&zero, self.data.cols()))?;
        let mut rows = Rows::Memory(&transposed);
        let pass = MomentsPass {
            backend: self.backend,
            cols: self.data.rows(),
            targets: 1,
            centred: false,
        };
        let moments = rows.reduce(&pass)?;
        let Some((factor, mut passes)) = self.factor(&mut rows, &moments)? else {
            return Ok(None);
        };
        let examples = self.data.rows();
        let columns: Vec<usize> = (0..examples).collect();
        let lengths: Vec<f64> = (0..examples).map(|t| moments.raw_square(t).sqrt()).collect();
        let side = |right: Vec<T::Wide>| Side {
            target: Target::Given(right),
            norm: 0.0,
            factor: &factor,
            diagonal: Diagonal::Varying(self.diagonal()),
        };
        let y = self.data.target_view();
        let mut sides: Vec<Side<'_, T>> = (0..y.cols())
            .map(|target| side(y.col_iter(target).map(|&v| v.into()).collect()))
            .collect();
        if self.intercept {
            sides.push(side(vec![T::Wide::ONE; examples]));
        }
        let start = vec![vec![T::Wide::ZERO; examples]; sides.len()];
        let mut system = Normal {
            low: None,
            backend: self.backend,
            rows: &mut rows,
            intercept: false,
            columns: &columns,
            column_norms: lengths.clone(),
            ones_norm: 0.0,
            sides,
            beyond: true,
            passes: 0,
        };
        let refined = refine(&mut system, start)?;
        passes += system.passes + 1;

        let mut solution = Solution {
            coefficients: Vec::new(),
            intercepts: Vec::new(),
            accuracies: Accuracies::default(),
            squares: Vec::new(),
            accurate: refined.iter().all(|side| side.accurate),
            condition: factor.condition,
            rank: examples - usize::from(self.intercept),
            dependencies: None,
            rows: examples,
            weight: self.weight,
            steps: refined.iter().map(|side| side.steps).max().unwrap_or(0),
            passes,
            path: match factor.origin {
                Origin::Gram => "dual normal equations, refined",
                Origin::Householder => "dual QR, refined",
            },
        };
        let sum = |v: &[T::Wide]| v.iter().fold(T::Wide::ZERO, |sum, &x| sum + x);
        // What rounding v and computing Xᵀv from it can do.
        let rounding = |v: &[T::Wide]| {
            let size: f64 = v.iter().zip(&lengths).map(|(v, x)| v.to_double().abs() * x).sum();
            2.0 * ResidualKernel::<T, T::Wide>::relative_error() * size
        };
        for (target, p) in refined[..y.cols()].iter().enumerate() {
            let (mut v, mut error) = (p.solution.clone(), p.error + rounding(&p.solution));
            if self.intercept {
                let q = &refined[y.cols()];
                let total = sum(&q.solution);
                let b = sum(&v) / total;
                v.iter_mut().zip(&q.solution).for_each(|(v, &q)| *v -= b * q);
                let q_error = q.error + rounding(&q.solution);
                error = 2.0 * (error + b.to_double().abs() * q_error);
                solution.intercepts.push(b);
                let rounding = 8.0 * T::Wide::UNIT * b.to_double().abs();
                solution.accuracies.intercepts.push(error / total.to_double().sqrt() + rounding);
            }
            let (w, squares) = self.primal(&mut rows, &v)?;
            solution.squares.push(squares);
            let kept = |w: &T::Wide| error + 2.0 * T::Wide::UNIT * w.to_double().abs();
            solution.accuracies.coefficients.push(w.iter().map(kept).collect());
            let norm = y.col_iter(target).map(|v| v.to_double().powi(2)).sum::<f64>().sqrt();
            let size: f64 = w.iter().map(|w| w.to_double().powi(2)).sum::<f64>().sqrt();
            let backward = factor.condition.min(1.0) * (T::unit_roundoff() * size + error);
            let scale = lengths.iter().map(|x| x * x).sum::<f64>().sqrt();
            solution.accuracies.backward = solution.accuracies.backward.max(if norm > 0.0 {
                backward * scale / norm
            } else {
                0.0
            });
            solution.coefficients.push(w);
        }
        Ok(Some(solution))
    }

    /// α/c_t for every row.
    fn diagonal(&self) -> Vec<T::Wide> {
        let entry = |t: usize| match self.data.weights() {
            None => self.alpha,
            Some(weights) => self.alpha / weights[(t, 0)].into(),
        };
        (0..self.data.rows()).map(entry).collect()
    }

    /// A factor of XXᵀ + αC⁻¹, and the passes made over the data so far.
    fn factor(
        &self,
        rows: &mut Rows<'_, T>,
        moments: &Moments<T>,
    ) -> Result<Option<(Factor<T>, usize)>, Error> {
        let size = self.data.rows();
        let added: Vec<f64> = self.diagonal().into_iter().map(|v| v.to_double()).collect();
        let square = |t: usize| moments.gram[(t, t)].to_double() + added[t];
        let coordinates = Coordinates {
            intercept: false,
            shifts: vec![T::zero(); size],
            exponents: (0..size).map(|t| square(t).sqrt().exponent()).collect(),
            intercept_exponent: 0,
        };
        if matches!(self.method, Method::Auto | Method::NormalEquations) {
            let mut gram = Matrix::from_fn(size, size, |i, j| {
                let diagonal = if i == j { added[i] } else { 0.0 };
                let value = moments.gram[(i, j)].to_double() + diagonal;
                let exponent = coordinates.exponents[i] + coordinates.exponents[j];
                T::from_double(times_power(value, -exponent))
            });
            if self.backend.cholesky(gram.view_mut()).is_ok() {
                let r = Matrix::from_fn(
                    size,
                    size,
                    |i, j| {
                        if i <= j { gram[(j, i)] } else { T::zero() }
                    },
                );
                let factor = Factor::new(self.backend, r, coordinates.clone(), Origin::Gram);
                if let Some(factor) = factor
                    && factor.contraction <= 0.3
                {
                    return Ok(Some((factor, 1)));
                }
            }
        }
        let pass = TrianglePass { backend: self.backend, coordinates: &coordinates };
        let mut r = rows.repeat(&pass)?.r;
        let mut roots = Matrix::from_fn(size, size, |i, j| {
            let root = if i == j { added[i].sqrt() } else { 0.0 };
            T::from_double(times_power(root, -coordinates.exponents[j]))
        });
        self.backend.stack_qr(r.view_mut(), roots.view_mut());
        let threshold = suspicious_below::<T>(size);
        let factor = Factor::new(self.backend, r, coordinates, Origin::Householder)
            .filter(|factor| self.alpha > T::Wide::ZERO || factor.condition * threshold <= 1.0);
        Ok(factor.map(|factor| (factor, 2)))
    }

    /// w = Xᵀv, and Σ c r² = α²Σ v²/c, which needs no further pass.
    fn primal(&self, rows: &mut Rows<'_, T>, v: &[T::Wide]) -> Result<(Vec<T::Wide>, f64), Error> {
        let negative: Vec<T::Wide> = v.iter().map(|&x| -x).collect();
        let w = rows.repeat(&ProductPass::<T> { coefficients: &negative })?;
        let alpha = self.alpha.to_double();
        let weight = |t: usize| self.data.weight_of(t);
        let squares =
            v.iter().enumerate().map(|(t, v)| (alpha * v.to_double()).powi(2) / weight(t)).sum();
        Ok((w, squares))
    }
}

/// −(A·coefficients), row after row, in the wide precision.
struct ProductPass<'a, T: Scalar> {
    coefficients: &'a [T::Wide],
}

impl<T: Scalar> Reduction<T> for ProductPass<'_, T> {
    type State = Vec<T::Wide>;

    fn start(&self) -> Self::State {
        Vec::new()
    }

    fn absorb(&self, state: &mut Self::State, block: &Block<'_, T>) {
        let mut kernel = ResidualKernel::<T, T::Wide>::new(self.coefficients, T::Wide::ZERO);
        state.extend(kernel.residuals(block, 0));
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        left.extend(right);
    }
}
