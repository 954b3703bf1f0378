//! The iterate of the interior-point method, and its steps.

use crate::convex::coordinates::Coordinates;
use crate::convex::factor::Factor;
use crate::convex::passes::GramPass;
use crate::convex::problem::Problem;
use crate::convex::products::{PredictionPass, TransposedPass};
use crate::convex::run::Run;
use crate::convex::vectors::dot;
use crate::loss::{Kink, PiecewiseLinear};
use crate::{Error, Rows, Scalar, Status};

/// The fraction of the way to the boundary that a step goes.
const BACK_OFF: f64 = 0.9995;

/// One row: its kink, and where it stands.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Slopes times weight, as magnitudes.
    above: f64,
    below: f64,
    /// k − o.
    kink: f64,
    p: f64,
    q: f64,
    /// a⁺ − u and u + a⁻, kept beside u because near its ends the differences have no digits.
    s: f64,
    t: f64,
}

impl Row {
    /// The dual number, from the nearer end of its interval.
    fn u(&self) -> f64 {
        if self.s < self.t { self.above - self.s } else { self.t - self.below }
    }

    /// D, zero for a row that costs nothing.
    fn stiffness(&self) -> f64 {
        if self.above + self.below > 0.0 { 1.0 / (self.p / self.s + self.q / self.t) } else { 0.0 }
    }
}

/// The iterate: v in well-scaled coordinates, the rows of the data and then those of λ₁.
pub(super) struct Points<'p, T: Scalar, L> {
    problem: &'p Problem<'p, T, L>,
    coordinates: Coordinates,
    l2: Vec<f64>,
    v: Vec<f64>,
    rows: Vec<Row>,
    /// g of a term g·v + h beside the rows.
    linear: Vec<f64>,
    /// h.
    constant: f64,
    /// X̃v for the data rows, v_j for those of λ₁.
    fitted: Vec<f64>,
    /// −(X̃ᵀu + g + 2λ₂v).
    defect: Vec<f64>,
    /// Which weight each row of λ₁ belongs to.
    cornered: Vec<usize>,
    passes: usize,
}

/// A linear function of θ: Σ g_j θ_j + h.
pub(super) struct Linear {
    pub(super) gradient: Vec<f64>,
    pub(super) constant: f64,
}

/// A Newton direction.
struct Direction {
    v: Vec<f64>,
    fitted: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
    u: Vec<f64>,
}

impl<'p, T: Scalar, L: PiecewiseLinear> Points<'p, T, L> {
    /// The start, with Σ_j g_j w_j + h beside the loss of the rows; g is for θ.
    pub(super) fn start(problem: &'p Problem<'p, T, L>, beside: &Linear) -> Self {
        let data = problem.data;
        let coordinates = Coordinates::of(data, problem.intercept);
        let terms = coordinates.terms(&problem.terms);
        let mut rows = Vec::with_capacity(data.rows());
        for t in 0..data.rows() {
            let c = data.weight_of(t);
            let offset = data.offset_of(t);
            let Kink { at, below, above } =
                problem.loss.kink(data.target_view()[(t, 0)].to_double());
            rows.push(Row::start(c * above, -c * below, at - offset));
        }
        let cornered: Vec<usize> = (0..terms.l1.len()).filter(|&j| terms.l1[j] > 0.0).collect();
        rows.extend(cornered.iter().map(|&j| Row::start(terms.l1[j], terms.l1[j], 0.0)));
        let spread = rows.iter().map(|row| row.kink.abs()).sum::<f64>() / rows.len() as f64;
        for row in &mut rows {
            // Residuals at w = 0, kept away from zero.
            let slack = 0.1 * spread.max(1e-3);
            row.p = (-row.kink).max(0.0) + slack;
            row.q = row.kink.max(0.0) + slack;
        }
        let v = vec![0.0; coordinates.unknowns()];
        let fitted = vec![0.0; rows.len()];
        Self {
            problem,
            linear: coordinates.gradient(&beside.gradient),
            constant: beside.constant,
            coordinates,
            l2: terms.l2,
            v,
            rows,
            fitted,
            defect: Vec::new(),
            cornered,
            passes: 0,
        }
    }

    /// u of the data rows, as it counts for one row of weight 1.
    pub(super) fn dual(&self) -> Vec<f64> {
        let data = self.problem.data;
        let weight = |t| data.weight_of(t);
        let rows = self.rows[..data.rows()].iter().enumerate();
        rows.map(|(t, row)| if weight(t) > 0.0 { row.u() / weight(t) } else { 0.0 }).collect()
    }

    /// θ, with weights of λ₁ whose dual number stays clear of both its ends at exactly zero.
    pub(super) fn theta(&self) -> Vec<f64> {
        let mut v = self.v.clone();
        for (&j, row) in self.cornered.iter().zip(&self.rows[self.problem.data.rows()..]) {
            if row.s > 1e-4 * row.above && row.t > 1e-4 * row.below {
                v[j] = 0.0;
            }
        }
        self.coordinates.step(&v)
    }

    /// Steps until the run ends; how it ended, and the passes that took.
    pub(super) fn iterate(&mut self, run: &mut Run<'_>) -> Result<(Status, usize), Error> {
        let mut length = 0.0;
        let (mut best, mut best_gap) = ((self.v.clone(), self.rows.clone()), f64::INFINITY);
        let mut worse = 0;
        loop {
            let (objective, gap, norm) = self.standing()?;
            // A gap between infeasible points means nothing.
            let gap = gap.max(norm * objective.abs());
            if gap < best_gap {
                (best, best_gap, worse) = ((self.v.clone(), self.rows.clone()), gap, 0);
            } else {
                worse += usize::from(best_gap <= 1e-5 * objective.abs());
            }
            let ended = run.report(objective, norm, length, gap);
            // Past its accuracy the iteration only moves noise about.
            let ended = ended.or((worse > 5).then_some(Status::Solved));
            let factor = if ended.is_none() { self.factor()? } else { None };
            let Some(factor) = factor else {
                // Without a factor the numbers have outgrown the data's precision.
                (self.v, self.rows) = best;
                return Ok((ended.unwrap_or(Status::Solved), self.passes));
            };
            let mu = self.mean_product();
            let affine = self.direction(&factor, 0.0, None)?;
            let (primal, dual) = (self.primal_reach(&affine), self.dual_reach(&affine));
            let ahead = self.mean_product_after(&affine, primal, dual);
            let centring = (ahead / mu).powi(3).clamp(1e-8, 1.0);
            let direction = self.direction(&factor, centring * mu, Some(&affine))?;
            let primal = (BACK_OFF * self.primal_reach(&direction)).min(1.0);
            let dual = (BACK_OFF * self.dual_reach(&direction)).min(1.0);
            // With a quadratic term v is in both feasibilities: one length for all.
            let (primal, dual) = if self.l2.iter().any(|&l2| l2 > 0.0) {
                (primal.min(dual), primal.min(dual))
            } else {
                (primal, dual)
            };
            self.advance(&direction, primal, dual);
            length = primal;
        }
    }

    /// F, the gap between it and the dual objective, and the dual infeasibility relative to its terms.
    fn standing(&mut self) -> Result<(f64, f64, f64), Error> {
        self.defect = self.dual_defect()?;
        let defect = &self.defect;
        let quadratic: f64 = self.v.iter().zip(&self.l2).map(|(v, l2)| l2 * v * v).sum();
        let beside = dot(&self.linear, &self.v);
        let (mut primal, mut dual) =
            (quadratic + beside + self.constant, self.constant - quadratic);
        let mut size = self.linear.iter().fold(0.0, |size: f64, g| size.max(g.abs()));
        for (row, fitted) in self.rows.iter().zip(&self.fitted) {
            let excess = fitted - row.kink;
            primal += if excess > 0.0 { row.above * excess } else { -row.below * excess };
            dual -= row.u() * row.kink;
            size += row.u().abs();
        }
        // A defect moves the bound by its share of λ₁ where there is one: the dual point shrinks by that.
        let mut sizes = vec![size.max(f64::MIN_POSITIVE); defect.len()];
        for (&j, row) in self.cornered.iter().zip(&self.rows[self.problem.data.rows()..]) {
            sizes[j] = row.above;
        }
        let infeasible = defect.iter().zip(&sizes).map(|(defect, size)| defect.abs() / size);
        Ok((primal, (primal - dual).abs(), infeasible.fold(0.0, f64::max)))
    }

    /// −(X̃ᵀu + g + 2λ₂v).
    fn dual_defect(&mut self) -> Result<Vec<f64>, Error> {
        let u: Vec<f64> = self.rows.iter().map(|row| row.u()).collect();
        let mut defect = self.transposed(&u)?;
        for (j, defect) in defect.iter_mut().enumerate() {
            *defect = -(*defect + self.linear[j] + 2.0 * self.l2[j] * self.v[j]);
        }
        Ok(defect)
    }

    /// X̃ᵀr over data rows and rows of λ₁.
    fn transposed(&mut self, r: &[f64]) -> Result<Vec<f64>, Error> {
        self.passes += 1;
        let data_rows = self.problem.data.rows();
        let (data, corners) = r.split_at(data_rows);
        let pass = TransposedPass { u: data, cols: self.problem.features() };
        let (_, mut product) = Rows::Memory(self.problem.data).reduce(&pass)?;
        product.extend(self.problem.intercept.then(|| data.iter().sum::<f64>()));
        let mut product = self.coordinates.gradient(&product);
        for (&j, r) in self.cornered.iter().zip(corners) {
            product[j] += r;
        }
        Ok(product)
    }

    /// X̃v over data rows and rows of λ₁, offsets left out.
    fn product(&mut self, v: &[f64]) -> Result<Vec<f64>, Error> {
        self.passes += 1;
        let step = self.coordinates.step(v);
        let (weights, intercept) = self.problem.split(&step);
        let pass = PredictionPass { weights, intercept };
        let (_, mut product) = Rows::Memory(self.problem.data).reduce(&pass)?;
        if let Some(offsets) = self.problem.data.offsets() {
            product.iter_mut().zip(offsets.col_iter(0)).for_each(|(z, o)| *z -= o.to_double());
        }
        product.extend(self.cornered.iter().map(|&j| v[j]));
        Ok(product)
    }

    /// The Cholesky factor of X̃ᵀDX̃ + 2Λ₂; `None` where D leaves no digits of it.
    fn factor(&mut self) -> Result<Option<Factor<'p>>, Error> {
        self.passes += 1;
        let data_rows = self.problem.data.rows();
        let stiffness: Vec<f64> = self.rows.iter().map(Row::stiffness).collect();
        let pass = GramPass {
            backend: self.problem.backend,
            weights: &stiffness[..data_rows],
            coordinates: &self.coordinates,
        };
        let mut gram = Rows::Memory(self.problem.data).reduce(&pass)?.gram;
        for (&j, row) in self.cornered.iter().zip(&self.rows[data_rows..]) {
            gram[(j, j)] += row.stiffness();
        }
        for (j, l2) in self.l2.iter().enumerate() {
            gram[(j, j)] += 2.0 * l2;
        }
        Ok(Factor::lifted(self.problem.backend, &gram))
    }

    /// The Newton direction towards products μ, with the second-order term of a first guess.
    fn direction(
        &mut self,
        factor: &Factor<'_>,
        mu: f64,
        guess: Option<&Direction>,
    ) -> Result<Direction, Error> {
        let count = self.rows.len();
        let (mut above, mut below) = (vec![0.0; count], vec![0.0; count]);
        let mut right = vec![0.0; count];
        for (t, row) in self.rows.iter().enumerate() {
            if row.stiffness() == 0.0 {
                continue;
            }
            let (second_p, second_q) = guess
                .map_or((0.0, 0.0), |guess| (-guess.p[t] * guess.u[t], guess.q[t] * guess.u[t]));
            above[t] = (mu - row.p * row.s - second_p) / row.s;
            below[t] = (mu - row.q * row.t - second_q) / row.t;
            let defect = row.kink - (self.fitted[t] - row.p + row.q);
            right[t] = row.stiffness() * (defect + above[t] - below[t]);
        }
        let mut side = self.transposed(&right)?;
        side.iter_mut().zip(&self.defect).for_each(|(side, defect)| *side += defect);
        let v = factor.solve(&side);
        let fitted = self.product(&v)?;
        let (mut p, mut q, mut u) = (vec![0.0; count], vec![0.0; count], vec![0.0; count]);
        for (t, row) in self.rows.iter().enumerate() {
            if row.stiffness() == 0.0 {
                continue;
            }
            u[t] = row.stiffness() * fitted[t] - right[t];
            p[t] = above[t] + row.p / row.s * u[t];
            q[t] = below[t] - row.q / row.t * u[t];
        }
        Ok(Direction { v, fitted, p, q, u })
    }

    fn live(&self) -> impl Iterator<Item = (usize, &Row)> {
        self.rows.iter().enumerate().filter(|(_, row)| row.above + row.below > 0.0)
    }

    fn mean_product(&self) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0_f64);
        for (_, row) in self.live() {
            sum += row.p * row.s + row.q * row.t;
            count += 2.0;
        }
        sum / count.max(1.0)
    }

    fn mean_product_after(&self, step: &Direction, primal: f64, dual: f64) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0_f64);
        for (t, row) in self.live() {
            let (p, q) = (row.p + primal * step.p[t], row.q + primal * step.q[t]);
            sum += p * (row.s - dual * step.u[t]) + q * (row.t + dual * step.u[t]);
            count += 2.0;
        }
        sum / count.max(1.0)
    }

    /// The longest step with p, q ≥ 0.
    fn primal_reach(&self, step: &Direction) -> f64 {
        let reach = |value: f64, change: f64| if change < 0.0 { -value / change } else { 1.0 };
        let reaches =
            self.live().map(|(t, row)| reach(row.p, step.p[t]).min(reach(row.q, step.q[t])));
        reaches.fold(1.0, f64::min)
    }

    /// The longest step with −a⁻ ≤ u ≤ a⁺.
    fn dual_reach(&self, step: &Direction) -> f64 {
        let reach = |value: f64, change: f64| if change < 0.0 { -value / change } else { 1.0 };
        let reaches =
            self.live().map(|(t, row)| reach(row.s, -step.u[t]).min(reach(row.t, step.u[t])));
        reaches.fold(1.0, f64::min)
    }

    fn advance(&mut self, step: &Direction, primal: f64, dual: f64) {
        self.v.iter_mut().zip(&step.v).for_each(|(v, d)| *v += primal * d);
        self.fitted.iter_mut().zip(&step.fitted).for_each(|(z, d)| *z += primal * d);
        for (t, row) in self.rows.iter_mut().enumerate() {
            row.p += primal * step.p[t];
            row.q += primal * step.q[t];
            row.s -= dual * step.u[t];
            row.t += dual * step.u[t];
        }
    }
}

impl Row {
    /// A row in the middle of its dual interval; p and q are set by the caller.
    fn start(above: f64, below: f64, kink: f64) -> Self {
        let half = 0.5 * (above + below);
        Self { above, below, kink, p: 1.0, q: 1.0, s: half, t: half }
    }
}
