//! Weights that balance the rows: the proof that there is a minimiser (Stiemke 1915).
//!
//! F has a minimiser iff some α > 0 has Σ α_t a_t = 0, a_t = y_t x̃_t. At any point take α_t = −c_t y_t ℓ′(z_t) > 0 and
//! h_t = c_t ℓ″(z_t) ≤ α_t. With r = Σ α_t a_t, which is minus the gradient, and H = Σ h_t x̃_t x̃_tᵀ, Newton's step
//! Hδ = r gives
//!
//! α′_t = α_t − h_t a_t·δ,  Σ α′_t a_t = r − Hδ = 0,
//!
//! and α′ > 0 if |x̃_t·δ| < 1 for all rows. So one step of Newton's method proves it, whatever the point and the
//! offsets. Half of that is asked for, and rounding is taken off first.
//!
//! **Rounding.** All is computed in doubles, whatever the data's precision, in [coordinates](super::super::coordinates)
//! in which the columns have about unit size. Let S be H with a unit diagonal, of n unknowns. Sums have an
//! error below γ = [`rounding`]·u of their magnitudes, so that S is wrong by at most ε = n(γ + nu), and r_j by
//! γ Σ α_t|x̃_tj| ≤ γρ√H_jj, ρ² = Σ α_t²/h_t. With τ = tr S⁻¹ and λ² = rᵀH⁻¹r the step is wrong by at most
//! e = 2ετλ + γρ√(nτ) in the norm of H, if ετ ≤ ¼, and x̃_t·δ by at most e times the root of x̃_tᵀH⁻¹x̃_t, which is at most
//! 1/h_t, and at most τ Σ_j x̃_tj²/H_jj.
//!
//! **Dependent columns** have no pivot in S. The step leaves them out, which is right iff they are combinations of the
//! others in every row: that is for [integers](super::relations) to prove.

use super::gram::{Gram, rounding};
use super::pivoted::PivotedFactor;
use crate::convex::coordinates::Coordinates;
use crate::convex::problem::Problem;
use crate::convex::products::{ABREAST, ColumnDots, predictions};
use crate::loss::{Logistic, Loss, TwiceSmooth};
use crate::simd::vectorised;
use crate::{Block, Error, Reduction, Rows, Scalar, View};

/// What |x̃_t·δ| and its rounding may add up to.
const HALF: f64 = 0.5;

/// The free columns of a problem in well-scaled coordinates, the other weights held where they are.
pub(super) struct Balance<'p, T: Scalar, L> {
    problem: &'p Problem<'p, T, L>,
    /// Column, shift and scale of each free weight.
    columns: Vec<(usize, f64, f64)>,
    /// What the other weights and the offset add to z.
    base: Vec<f64>,
}

/// What is known at a point.
pub(super) struct Standing<T> {
    objective: f64,
    z: Vec<f64>,
    h: Vec<f64>,
    /// Whether no α underflows.
    is_positive: bool,
    /// r.
    descent: Vec<f64>,
    /// ρ².
    stretch: f64,
    /// H.
    hessian: Gram<T>,
}

/// Newton's step from a point.
pub(super) struct Step {
    /// δ.
    pub(super) step: Vec<f64>,
    /// x̃_t·δ of every row.
    along: Vec<f64>,
    /// τ Σ_j x̃_tj²/H_jj of every row.
    leverages: Vec<f64>,
    /// λ² = rᵀH⁻¹r.
    pub(super) square: f64,
    /// Columns that have a pivot.
    pub(super) rank: usize,
    /// e: how wrong the step may be; `None` where too little is known.
    error: Option<f64>,
}

impl<'p, T: Scalar, L: Loss> Balance<'p, T, L> {
    /// At the penalised weights of θ.
    pub(super) fn of(problem: &'p Problem<'p, T, L>, theta: &[f64]) -> Result<Self, Error> {
        let coordinates = Coordinates::of(problem.data, problem.intercept);
        let free = problem.terms.free();
        let mut fixed = theta[..problem.features()].to_vec();
        free.iter().for_each(|&j| fixed[j] = 0.0);
        let base = if fixed.iter().all(|w| *w == 0.0) {
            (0..problem.data.rows()).map(|t| problem.data.offset_of(t)).collect()
        } else {
            predictions(problem.data, &fixed, 0.0)?
        };
        let column = |j: usize| {
            let (shift, scale) = coordinates.standardisation(j);
            (j, shift, scale)
        };
        let columns = free.into_iter().map(column).collect();
        Ok(Self { problem, columns, base })
    }

    /// Number of free weights, and one for the intercept.
    pub(super) fn unknowns(&self) -> usize {
        self.columns.len() + usize::from(self.problem.intercept)
    }

    /// The free part of θ in the coordinates.
    pub(super) fn inner(&self, theta: &[f64]) -> Vec<f64> {
        let weights = self.columns.iter().map(|&(j, _, scale)| theta[j] / scale);
        let shift: f64 = self.columns.iter().map(|&(j, shift, _)| theta[j] * shift).sum();
        let level = self.problem.intercept.then(|| theta[self.problem.features()] + shift);
        weights.chain(level).collect()
    }

    /// A free part in the coordinates as weights of the free columns, the intercept last.
    pub(super) fn outer(&self, v: &[f64]) -> Vec<f64> {
        let scaled = self.columns.iter().zip(v).map(|(&(_, _, scale), v)| v * scale);
        let mut weights: Vec<f64> = scaled.collect();
        if self.problem.intercept {
            let shifts = self.columns.iter().zip(&weights).map(|(&(_, shift, _), w)| shift * w);
            let shift: f64 = shifts.sum();
            weights.push(v[self.columns.len()] - shift);
        }
        weights
    }

    /// θ with another free part.
    pub(super) fn replaced(&self, theta: &[f64], v: &[f64]) -> Vec<f64> {
        let (mut theta, weights) = (theta.to_vec(), self.outer(v));
        self.columns.iter().zip(&weights).for_each(|(&(j, _, _), w)| theta[j] = *w);
        if self.problem.intercept {
            theta[self.problem.features()] = weights[self.columns.len()];
        }
        theta
    }

    /// One pass at a point.
    pub(super) fn standing(&self, v: &[f64]) -> Result<Standing<T>, Error> {
        Rows::Memory(self.problem.data).reduce(&StandingPass { balance: self, v })
    }

    /// Newton's step, and a pass for what it does to each row.
    pub(super) fn step(&self, standing: &Standing<T>) -> Result<Step, Error> {
        let unknowns = self.unknowns();
        let roots: Vec<f64> = (0..unknowns).map(|j| standing.hessian.at(j, j).sqrt()).collect();
        let unit = |i: usize, j: usize| standing.hessian.at(i, j) / roots[i] / roots[j];
        let data = self.problem.data;
        let chain = rounding(data.rows(), data.cols());
        let error = unknowns as f64 * (chain + unknowns as f64) * 0.5 * f64::EPSILON;
        let factor = PivotedFactor::of(unknowns, |j| roots[j] > 0.0, unit, 8.0 * error);
        let side: Vec<f64> = factor.kept.iter().map(|&j| standing.descent[j] / roots[j]).collect();
        let (solution, square) = factor.solve(&side);
        let mut step = vec![0.0; unknowns];
        for (&j, s) in factor.kept.iter().zip(&solution) {
            step[j] = s / roots[j];
        }
        let trace = factor.trace_of_inverse();
        let lost = chain * 0.5 * f64::EPSILON * (standing.stretch * unknowns as f64 * trace).sqrt();
        let known = error * trace <= 0.25;
        let error = known.then(|| 2.0 * error * trace * square.sqrt() + lost);
        let mut scales = vec![0.0; unknowns];
        factor.kept.iter().for_each(|&j| scales[j] = trace / standing.hessian.at(j, j));
        let pass = AlongPass { balance: self, v: &step, scales: &scales };
        let (along, leverages) = Rows::Memory(self.problem.data).reduce(&pass)?;
        Ok(Step { step, along, leverages, square, rank: factor.kept.len(), error })
    }

    /// Whether the step proves that there is a minimiser, given that the columns have its rank.
    pub(super) fn is_proof(&self, standing: &Standing<T>, step: &Step) -> bool {
        let Some(error) = step.error else { return false };
        let counted = (0..standing.h.len()).filter(|&t| self.problem.data.weight_of(t) > 0.0);
        let mut reaches = counted.map(|t| {
            let leverage = step.leverages[t].min(1.0 / standing.h[t]);
            step.along[t].abs() + error * leverage.sqrt()
        });
        standing.is_positive && reaches.all(|reach| reach <= HALF)
    }

    /// The part of the step that brings the objective down.
    pub(super) fn length(&self, standing: &Standing<T>, step: &Step) -> Option<f64> {
        let mut fraction = 1.0;
        for _ in 0..MAX_HALVINGS {
            if self.objective(standing, step, fraction) < standing.objective {
                return Some(fraction);
            }
            fraction *= 0.5;
        }
        None
    }

    fn objective(&self, standing: &Standing<T>, step: &Step, fraction: f64) -> f64 {
        let y = self.problem.data.target_view();
        let rows = standing.z.iter().zip(&step.along).enumerate();
        rows.map(|(t, (z, along))| {
            let weight = self.problem.data.weight_of(t);
            weight * Logistic.value(z + fraction * along, y[(t, 0)].to_double())
        })
        .sum()
    }

    /// y_t x̃_t·δ of the rows that count.
    pub(super) fn margins(&self, step: &Step) -> Vec<(usize, f64)> {
        let y = self.problem.data.target_view();
        let rows = step.along.iter().enumerate();
        let rows = rows.filter(|(t, _)| self.problem.data.weight_of(*t) > 0.0);
        rows.map(|(t, along)| (t, along * y[(t, 0)].to_double())).collect()
    }

    /// The largest |z_t| that the free weights make.
    pub(super) fn reach(&self, standing: &Standing<T>) -> f64 {
        let own = standing.z.iter().zip(&self.base).map(|(z, base)| (z - base).abs());
        own.fold(0.0, f64::max)
    }

    /// The columns of a block in the coordinates.
    fn pack(&self, x: View<'_, T>, packed: &mut Vec<f64>) {
        packed.clear();
        for &(j, shift, scale) in &self.columns {
            packed.extend(x.col_iter(j).map(|x| (x.to_double() - shift) * scale));
        }
        if self.problem.intercept {
            packed.resize(packed.len() + x.rows(), 1.0);
        }
    }

    /// x̃·v of the rows of a block, added to what they start from.
    fn forward(&self, packed: &[f64], v: &[f64], z: &mut [f64]) {
        for (column, v) in packed.chunks_exact(z.len()).zip(v).filter(|(_, v)| **v != 0.0) {
            z.iter_mut().zip(column).for_each(|(z, x)| *z += v * x);
        }
    }
}

/// Halvings of a step before the objective counts as flat.
const MAX_HALVINGS: usize = 40;

/// The pass behind [`Standing`].
struct StandingPass<'b, 'p, T: Scalar, L> {
    balance: &'b Balance<'p, T, L>,
    v: &'b [f64],
}

impl<T: Scalar, L: Loss> Reduction<T> for StandingPass<'_, '_, T, L> {
    type State = Standing<T>;

    fn start(&self) -> Standing<T> {
        let unknowns = self.balance.unknowns();
        Standing {
            objective: 0.0,
            z: Vec::new(),
            h: Vec::new(),
            is_positive: true,
            descent: vec![0.0; unknowns],
            stretch: 0.0,
            hessian: Gram::new(unknowns),
        }
    }

    fn absorb(&self, sums: &mut Standing<T>, block: &Block<'_, T>) {
        let (rows, first) = (block.x.rows(), block.first_row);
        let mut packed = Vec::new();
        self.balance.pack(block.x, &mut packed);
        let mut z = self.balance.base[first..first + rows].to_vec();
        self.balance.forward(&packed, self.v, &mut z);
        // α_t y_t and √h_t.
        let (mut signed, mut roots) = (vec![0.0; rows], vec![0.0; rows]);
        for i in 0..rows {
            let (c, y) = (block.weight_of(i), block.y[(i, 0)].to_double());
            let (value, slope, curvature) = Logistic.all_derivatives(z[i], y);
            if c > 0.0 {
                sums.objective += c * value;
                sums.stretch += c * slope * slope / curvature;
                sums.is_positive &= c * slope != 0.0;
            }
            signed[i] = -c * slope;
            roots[i] = (c * curvature).sqrt();
            sums.h.push(c * curvature);
        }
        sums.z.append(&mut z);
        let last = sums.descent.len() - 1;
        let column = |k: usize| &packed[k.min(last) * rows..][..rows];
        for first in (0..=last).step_by(ABREAST) {
            let columns = std::array::from_fn(|k| column(first + k));
            let dots = vectorised(ColumnDots { columns, u: &signed });
            sums.descent[first..].iter_mut().zip(dots).for_each(|(sum, dot)| *sum += dot);
        }
        for column in packed.chunks_exact_mut(rows) {
            column.iter_mut().zip(&roots).for_each(|(x, root)| *x *= root);
        }
        sums.hessian.add(self.balance.problem.backend, &packed, rows);
    }

    fn merge(&self, left: &mut Standing<T>, right: Standing<T>) {
        left.objective += right.objective;
        left.is_positive &= right.is_positive;
        left.z.extend(right.z);
        left.h.extend(right.h);
        left.stretch += right.stretch;
        left.descent.iter_mut().zip(&right.descent).for_each(|(a, b)| *a += b);
        left.hessian.merge(&right.hessian);
    }
}

/// x̃_t·v and Σ_j scale_j x̃_tj² of every row.
struct AlongPass<'b, 'p, T: Scalar, L> {
    balance: &'b Balance<'p, T, L>,
    v: &'b [f64],
    scales: &'b [f64],
}

impl<T: Scalar, L: Loss> Reduction<T> for AlongPass<'_, '_, T, L> {
    type State = (Vec<f64>, Vec<f64>);

    fn start(&self) -> Self::State {
        Self::State::default()
    }

    fn absorb(&self, (along, squares): &mut Self::State, block: &Block<'_, T>) {
        let mut packed = Vec::new();
        self.balance.pack(block.x, &mut packed);
        let mut z = vec![0.0; block.x.rows()];
        self.balance.forward(&packed, self.v, &mut z);
        along.append(&mut z);
        z.resize(block.x.rows(), 0.0);
        packed.iter_mut().for_each(|x| *x *= *x);
        self.balance.forward(&packed, self.scales, &mut z);
        squares.append(&mut z);
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        left.0.extend(right.0);
        left.1.extend(right.1);
    }
}
