//! Weights that balance the rows: the proof that there is a minimiser (Stiemke 1915).
//!
//! F has a minimiser iff some α > 0 has Σ α_tk a_tk = 0, a_tk = (e_y − e_k) ⊗ x̃_t for every row t of class y and every
//! other class k. At any point take α_tk = c_t p_tk > 0, p the probabilities of the classes. With r = Σ α_tk a_tk,
//! which is minus the gradient, and H = Σ c_t (diag p_t − p_t p_tᵀ) ⊗ x̃_t x̃_tᵀ, Newton's step Hδ = r gives
//!
//! α′_tk = α_tk (1 + s_tk − s̄_t),  s_tk = x̃_t·δ_k,  s̄_t = Σ_k p_tk s_tk,  Σ α′_tk a_tk = r − Hδ = 0,
//!
//! and α′ > 0 if |s_tk − s̄_t| < 1 for all rows and classes. So one step of Newton's method proves it, whatever the point
//! and the offsets. Half of that is asked for, and rounding is taken off first.
//!
//! **Rounding.** All is computed in doubles, whatever the data's precision, in [coordinates](super::super::coordinates)
//! in which the columns have about unit size. Let S be H with a unit diagonal, of n unknowns. Sums have an
//! error below γ = [`rounding`]·u of their magnitudes, so that S is wrong by at most ε = n(γ + nu): the magnitudes of an
//! entry between two classes are c p_k p_l, no more than the root of c p_k(1 − p_k) times c p_l(1 − p_l). r_jk is wrong
//! by γ Σ c_t|u_tk||x̃_tj| ≤ γρ√H_jk,jk, u = p − e_y, ρ² = Σ_tk c_t u_tk²/(p_tk(1 − p_tk)). With τ = tr S⁻¹ and
//! λ² = rᵀH⁻¹r the step is wrong by at most e = 2ετλ + γρ√(nτ) in the norm of H, if ετ ≤ ¼, and s_tk − s̄_t, the product of δ
//! and (e_k − p_t) ⊗ x̃_t, by at most e times the root of what H⁻¹ makes of that vector: at most 1/α_tk, and at most
//! τ Σ_jk x̃_tj²/H_jk,jk.
//!
//! **Dependent columns** have no pivot in S. The step leaves them out, which is right iff they are combinations of the
//! others in every row: that is for [integers](super::relations) to prove.

use super::gram::{Gram, rounding};
use super::question::Question;
use crate::convex::coordinates::Coordinates;
use crate::convex::pivoted::PivotedFactor;
use crate::convex::products::{ABREAST, ColumnDots};
use crate::loss::Softmax;
use crate::simd::vectorised;
use crate::{Block, Error, Reduction, Rows, Scalar, View};

/// What |s_tk − s̄_t| and its rounding may add up to.
const HALF: f64 = 0.5;

/// The free columns of a question in well-scaled coordinates, the other weights held where they are.
pub(super) struct Balance<'q, T: Scalar> {
    question: &'q Question<'q, T>,
    /// Column, shift and scale of each free weight of a block.
    columns: Vec<(usize, f64, f64)>,
    /// What the other weights and the offset add to z, the blocks of a row side by side.
    base: Vec<f64>,
}

/// What is known at a point.
pub(super) struct Standing {
    pub(super) objective: f64,
    /// The predictions of each block, those of a row side by side.
    z: Vec<f64>,
    /// α of each class, those of a row side by side; zero for its own.
    alphas: Vec<f64>,
    /// Whether no α underflows.
    is_positive: bool,
    /// r.
    descent: Vec<f64>,
    /// ρ².
    stretch: f64,
    /// H, up to the sign between two blocks: the lower triangle of its blocks.
    hessian: Vec<Gram>,
}

/// Newton's step from a point.
pub(super) struct Step {
    /// δ.
    pub(super) step: Vec<f64>,
    /// s of each block, those of a row side by side.
    along: Vec<f64>,
    /// τ Σ_jk x̃_tj²/H_jk,jk of every row.
    leverages: Vec<f64>,
    /// λ² = rᵀH⁻¹r.
    pub(super) square: f64,
    /// Columns that have a pivot.
    pub(super) rank: usize,
    /// e: how wrong the step may be; `None` where too little is known.
    error: Option<f64>,
}

impl Standing {
    /// An entry of H.
    fn curvature(&self, width: usize, i: usize, j: usize) -> f64 {
        let (k, l) = (i / width, j / width);
        let value = self.hessian[pair(k, l)].at(i % width, j % width);
        if k == l { value } else { -value }
    }
}

/// The place of two blocks in the lower triangle.
fn pair(k: usize, l: usize) -> usize {
    let (k, l) = (k.max(l), k.min(l));
    k * (k + 1) / 2 + l
}

impl<'q, T: Scalar> Balance<'q, T> {
    /// At the penalised weights of the point.
    pub(super) fn of(question: &'q Question<'q, T>) -> Result<Self, Error> {
        let coordinates = Coordinates::of(question.data, question.intercept);
        let column = |&j: &usize| {
            let (shift, scale) = coordinates.standardisation(j);
            (j, shift, scale)
        };
        let columns = question.columns.iter().map(column).collect();
        Ok(Self { question, columns, base: question.base()? })
    }

    /// Free unknowns in the coordinates.
    pub(super) fn inner(&self, free: &[f64]) -> Vec<f64> {
        let of_block = |free: &[f64]| {
            let columns = || self.columns.iter().zip(free);
            let shift: f64 = columns().map(|(&(_, shift, _), w)| w * shift).sum();
            let weights = columns().map(|(&(_, _, scale), w)| w / scale);
            weights.chain(free.get(self.columns.len()).map(|b| b + shift)).collect::<Vec<f64>>()
        };
        free.chunks(self.question.width()).flat_map(of_block).collect()
    }

    /// Free unknowns from those in the coordinates.
    pub(super) fn outer(&self, v: &[f64]) -> Vec<f64> {
        let of_block = |v: &[f64]| {
            let scaled = self.columns.iter().zip(v).map(|(&(_, _, scale), v)| v * scale);
            let mut weights: Vec<f64> = scaled.collect();
            let shifts = self.columns.iter().zip(&weights).map(|(&(_, shift, _), w)| shift * w);
            let shift: f64 = shifts.sum();
            weights.extend(v.get(self.columns.len()).map(|level| level - shift));
            weights
        };
        v.chunks(self.question.width()).flat_map(of_block).collect()
    }

    /// One pass at a point.
    pub(super) fn standing(&self, v: &[f64]) -> Result<Standing, Error> {
        Rows::Memory(self.question.data).reduce(&StandingPass { balance: self, v })
    }

    /// Newton's step, and a pass for what it does to each row.
    pub(super) fn step(&self, standing: &Standing) -> Result<Step, Error> {
        let Question { data, blocks, .. } = *self.question;
        let (width, unknowns) = (self.question.width(), self.question.unknowns());
        let diagonal: Vec<f64> = (0..unknowns).map(|j| standing.curvature(width, j, j)).collect();
        let roots: Vec<f64> = diagonal.iter().map(|h| h.sqrt()).collect();
        let unit = |i: usize, j: usize| standing.curvature(width, i, j) / roots[i] / roots[j];
        // Probabilities are sums over the classes.
        let chain = rounding(data.rows(), data.cols()) + 2.0 * blocks as f64;
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
        let mut scales = vec![0.0; width];
        factor.kept.iter().for_each(|&j| scales[j % width] += trace / diagonal[j]);
        let pass = AlongPass { balance: self, v: &step, scales: &scales };
        let (along, leverages) = Rows::Memory(data).reduce(&pass)?;
        Ok(Step { step, along, leverages, square, rank: factor.kept.len(), error })
    }

    /// Whether the step proves that there is a minimiser, given that the columns have its rank.
    pub(super) fn is_proof(&self, standing: &Standing, step: &Step) -> bool {
        let Some(error) = step.error else { return false };
        let holds = |t: usize| {
            let alphas = &standing.alphas[t * (self.question.blocks + 1)..];
            // s̄ − s_k from the margins over the other classes, which keeps its digits where p_y is nearly 1.
            let margins = || self.question.others(t).map(|k| (k, self.margin(step, t, k)));
            let c = self.question.data.weight_of(t);
            let mean: f64 = margins().map(|(k, margin)| alphas[k] / c * margin).sum();
            margins().all(|(k, margin)| {
                let leverage = step.leverages[t].min(1.0 / alphas[k]);
                (margin - mean).abs() + error * leverage.sqrt() <= HALF
            })
        };
        standing.is_positive && self.counted().all(holds)
    }

    /// The part of the step that brings the objective down.
    pub(super) fn length(&self, standing: &Standing, step: &Step) -> Option<f64> {
        let mut fraction = 1.0;
        for _ in 0..MAX_HALVINGS {
            if self.objective(standing, step, fraction) < standing.objective {
                return Some(fraction);
            }
            fraction *= 0.5;
        }
        None
    }

    fn objective(&self, standing: &Standing, step: &Step, fraction: f64) -> f64 {
        let blocks = self.question.blocks;
        let mut z = vec![0.0; blocks + 1];
        let loss = |t: usize| {
            let place = t * blocks..(t + 1) * blocks;
            let moved = standing.z[place.clone()].iter().zip(&step.along[place]);
            z.iter_mut().zip(moved).for_each(|(to, (z, along))| *to = z + fraction * along);
            z[blocks] = 0.0;
            self.question.data.weight_of(t) * Softmax::derivatives(&mut z, self.question.labels[t])
        };
        self.counted().map(loss).sum()
    }

    /// s_ty − s_tk.
    fn margin(&self, step: &Step, t: usize, k: usize) -> f64 {
        let blocks = self.question.blocks;
        let along = |k: usize| if k < blocks { step.along[t * blocks + k] } else { 0.0 };
        along(self.question.labels[t]) - along(k)
    }

    /// a_tk·δ of the rows that count, each with its [number](super::rows).
    pub(super) fn margins(&self, step: &Step) -> Vec<(usize, f64)> {
        let number = |t: usize, k: usize| t * (self.question.blocks + 1) + k;
        let of_row = |t: usize| {
            self.question.others(t).map(move |k| (number(t, k), self.margin(step, t, k)))
        };
        self.counted().flat_map(of_row).collect()
    }

    /// The largest |z| that the free weights make.
    pub(super) fn reach(&self, standing: &Standing) -> f64 {
        let own = standing.z.iter().zip(&self.base).map(|(z, base)| (z - base).abs());
        own.fold(0.0, f64::max)
    }

    fn counted(&self) -> impl Iterator<Item = usize> {
        (0..self.question.data.rows()).filter(|&t| self.question.counts(t))
    }

    /// The columns of a block of rows in the coordinates.
    fn pack(&self, x: View<'_, T>, packed: &mut Vec<f64>) {
        packed.clear();
        for &(j, shift, scale) in &self.columns {
            packed.extend(x.col_iter(j).map(|x| (x.to_double() - shift) * scale));
        }
        if self.question.intercept {
            packed.resize(packed.len() + x.rows(), 1.0);
        }
    }
}

/// Adds Σ_j v_j x_j of the packed columns of some rows.
fn forward(packed: &[f64], v: &[f64], z: &mut [f64]) {
    for (column, v) in packed.chunks_exact(z.len()).zip(v).filter(|(_, v)| **v != 0.0) {
        z.iter_mut().zip(column).for_each(|(z, x)| *z += v * x);
    }
}

/// Halvings of a step before the objective counts as flat.
const MAX_HALVINGS: usize = 40;

/// The pass behind [`Standing`].
struct StandingPass<'b, 'q, T: Scalar> {
    balance: &'b Balance<'q, T>,
    v: &'b [f64],
}

impl<T: Scalar> Reduction<T> for StandingPass<'_, '_, T> {
    type State = Standing;

    fn start(&self) -> Standing {
        let Question { blocks, .. } = *self.balance.question;
        let width = self.balance.question.width();
        Standing {
            objective: 0.0,
            z: Vec::new(),
            alphas: Vec::new(),
            is_positive: true,
            descent: vec![0.0; blocks * width],
            stretch: 0.0,
            hessian: (0..blocks * (blocks + 1) / 2).map(|_| Gram::new(width)).collect(),
        }
    }

    fn absorb(&self, sums: &mut Standing, block: &Block<'_, T>) {
        let question = self.balance.question;
        let (blocks, width, rows) = (question.blocks, question.width(), block.x.rows());
        let mut packed = Vec::new();
        self.balance.pack(block.x, &mut packed);
        let mut z = vec![vec![0.0; rows]; blocks];
        for (z, v) in z.iter_mut().zip(self.v.chunks(width)) {
            forward(&packed, v, z);
        }
        // p − e_y of each row, its classes side by side.
        let mut slopes = Vec::with_capacity(rows * (blocks + 1));
        for i in 0..rows {
            let (t, c) = (block.first_row + i, block.weight_of(i));
            let (first, class) = (slopes.len(), question.labels[t]);
            let base = &self.balance.base[t * blocks..(t + 1) * blocks];
            slopes.extend(z.iter().zip(base).map(|(z, base)| z[i] + base));
            sums.z.extend(&slopes[first..]);
            slopes.push(0.0);
            let slopes = &mut slopes[first..];
            let loss = Softmax::derivatives(slopes, class);
            let alphas = slopes.iter().enumerate();
            sums.alphas.extend(alphas.map(|(k, u)| if k == class { 0.0 } else { c * u }));
            if c > 0.0 {
                sums.objective += c * loss;
                sums.is_positive &= question.others(t).all(|k| c * slopes[k] > 0.0);
                let curvature = |b: usize| curvature(slopes, class, b, b);
                let stretches = (0..blocks).map(|b| c * slopes[b] * slopes[b] / curvature(b));
                sums.stretch += stretches.sum::<f64>();
            }
        }
        let slopes_of = |i: usize| &slopes[i * (blocks + 1)..(i + 1) * (blocks + 1)];
        let column = |j: usize| &packed[j.min(width - 1) * rows..][..rows];
        for (b, descent) in sums.descent.chunks_mut(width).enumerate() {
            let descend = |i: usize| -block.weight_of(i) * slopes_of(i)[b];
            let u: Vec<f64> = (0..rows).map(descend).collect();
            for first in (0..width).step_by(ABREAST) {
                let columns = std::array::from_fn(|k| column(first + k));
                let dots = vectorised(ColumnDots { columns, u: &u });
                descent[first..].iter_mut().zip(dots).for_each(|(sum, dot)| *sum += dot);
            }
        }
        let mut scaled = vec![0.0; packed.len()];
        for k in 0..blocks {
            for l in 0..=k {
                let root = |i: usize| {
                    let class = question.labels[block.first_row + i];
                    (block.weight_of(i) * curvature(slopes_of(i), class, k, l)).sqrt()
                };
                let roots: Vec<f64> = (0..rows).map(root).collect();
                let columns = scaled.chunks_exact_mut(rows).zip(packed.chunks_exact(rows));
                for (scaled, column) in columns {
                    let products = column.iter().zip(&roots).map(|(x, root)| x * root);
                    scaled.iter_mut().zip(products).for_each(|(to, x)| *to = x);
                }
                sums.hessian[pair(k, l)].add(question.backend, &scaled, rows);
            }
        }
    }

    fn merge(&self, left: &mut Standing, right: Standing) {
        left.objective += right.objective;
        left.is_positive &= right.is_positive;
        left.z.extend(right.z);
        left.alphas.extend(right.alphas);
        left.stretch += right.stretch;
        left.descent.iter_mut().zip(&right.descent).for_each(|(a, b)| *a += b);
        left.hessian.iter_mut().zip(&right.hessian).for_each(|(a, b)| a.merge(b));
    }
}

/// The size of entry (k, l) of diag p − ppᵀ, from p − e_y.
fn curvature(slopes: &[f64], class: usize, k: usize, l: usize) -> f64 {
    let p = |k: usize| if k == class { (1.0 + slopes[k]).max(0.0) } else { slopes[k] };
    let rest = if k == class { -slopes[k] } else { 1.0 - slopes[k] };
    p(k) * if k == l { rest } else { p(l) }
}

/// x̃_t·v of every block and Σ_j scale_j x̃_tj² of every row.
struct AlongPass<'b, 'q, T: Scalar> {
    balance: &'b Balance<'q, T>,
    v: &'b [f64],
    scales: &'b [f64],
}

impl<T: Scalar> Reduction<T> for AlongPass<'_, '_, T> {
    type State = (Vec<f64>, Vec<f64>);

    fn start(&self) -> Self::State {
        Self::State::default()
    }

    fn absorb(&self, (along, squares): &mut Self::State, block: &Block<'_, T>) {
        let question = self.balance.question;
        let (blocks, rows) = (question.blocks, block.x.rows());
        let mut packed = Vec::new();
        self.balance.pack(block.x, &mut packed);
        let first = along.len();
        along.resize(first + rows * blocks, 0.0);
        for (b, v) in self.v.chunks(question.width()).enumerate() {
            let mut z = vec![0.0; rows];
            forward(&packed, v, &mut z);
            let places = along[first + b..].iter_mut().step_by(blocks);
            places.zip(z).for_each(|(to, z)| *to = z);
        }
        packed.iter_mut().for_each(|x| *x *= *x);
        let mut z = vec![0.0; rows];
        forward(&packed, self.scales, &mut z);
        squares.append(&mut z);
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        left.0.extend(right.0);
        left.1.extend(right.1);
    }
}
