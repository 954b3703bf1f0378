//! Rows whose side is clear (Portnoy and Koenker 1997).
//!
//! A row far above its kink at the minimiser has ℓ(z) = a⁺(z − k) there, one far below −a⁻(z − k): such rows add up to
//! one linear function of θ, and interior points need to see the others only. A sample of the rows gives a θ that
//! says which are far; if a row turns out to be on the other side at the end, it joins the others, and the
//! problem is solved again. When none does, the solution is that of all rows: the linear pieces bound the loss from
//! below everywhere and equal it there.

use super::points::Linear;
use super::{Solution, beside, on_all_rows};
use crate::convex::problem::Problem;
use crate::convex::products::{PredictionPass, TransposedPass};
use crate::convex::run::{Control, Run};
use crate::loss::{Kink, PiecewiseLinear};
use crate::{Dataset, Design, Error, Rows, Scalar, Status, View};

/// With fewer rows, and fewer for each column, there is nothing to gain.
const MANY: usize = 20_000;
const MANY_PER_COLUMN: usize = 200;
/// One row of so many is in the sample.
const STRIDE: usize = 16;
/// The share of the rows, the nearest to their kinks, that is not decided at first.
const UNDECIDED: usize = 6;
/// Rounds before all rows are taken.
const MAX_ROUNDS: usize = 5;
/// Steps on the sample, and the gap that is good enough there.
const SAMPLE_STEPS: usize = 40;
const SAMPLE_GAP: f64 = 1e-4;

/// The solution of all rows from those whose side is not clear; `None` where the rows are few, or will not
/// be decided.
pub(super) fn solve<T: Scalar, L: PiecewiseLinear>(
    problem: &Problem<'_, T, L>,
    run: &mut Run<'_>,
) -> Result<Option<Solution>, Error> {
    let rows = problem.data.rows();
    if rows < MANY.max(MANY_PER_COLUMN * problem.features()) {
        return Ok(None);
    }
    let guess = on_sample(problem)?;
    let mut sides = Sides::of(problem, &guess)?;
    let mut passes = 2;
    for _ in 0..MAX_ROUNDS {
        run.restart();
        let solution = sides.solve(run)?;
        passes += solution.passes * sides.undecided.len() / rows + 2;
        if matches!(solution.status, Status::Stopped | Status::TimeLimit) {
            let dual = sides.dual_of_all(&solution.dual);
            return Ok(Some(Solution { dual, passes, ..solution }));
        }
        if solution.status != Status::Solved {
            break;
        }
        if !sides.correct(&solution.theta)? {
            let dual = sides.dual_of_all(&solution.dual);
            return Ok(Some(Solution { dual, passes, ..solution }));
        }
    }
    run.restart();
    Ok(None)
}

/// θ from every sixteenth row.
fn on_sample<T: Scalar, L: PiecewiseLinear>(
    problem: &Problem<'_, T, L>,
) -> Result<Vec<f64>, Error> {
    let data = problem.data.every(STRIDE)?;
    let control = Control { max_iterations: Some(SAMPLE_STEPS), ..Control::to_gap(SAMPLE_GAP) };
    let mut run = Run::new(&control, SAMPLE_STEPS);
    Ok(on_all_rows(&problem.on_sample(&data), &mut run)?.theta)
}

/// Which rows are decided, and what they add up to.
struct Sides<'p, T: Scalar, L> {
    problem: &'p Problem<'p, T, L>,
    /// u_t of the rows that are decided.
    decided: Vec<Option<f64>>,
    /// The others, in order.
    undecided: Vec<usize>,
}

impl<'p, T: Scalar, L: PiecewiseLinear> Sides<'p, T, L> {
    /// Decides all but the rows nearest to their kinks at θ.
    fn of(problem: &'p Problem<'p, T, L>, theta: &[f64]) -> Result<Self, Error> {
        let distances = distances(problem, theta)?;
        let mut sizes: Vec<f64> = distances.iter().map(|distance| distance.abs()).collect();
        let middle = sizes.len() / UNDECIDED;
        let (_, &mut limit, _) = sizes.select_nth_unstable_by(middle, f64::total_cmp);
        let decided = distances
            .iter()
            .enumerate()
            .map(|(t, &distance)| (distance.abs() > limit).then(|| slope(problem, t, distance)));
        let mut sides = Self { problem, decided: decided.collect(), undecided: Vec::new() };
        sides.list_undecided();
        Ok(sides)
    }

    fn list_undecided(&mut self) {
        let rows = self.decided.iter().enumerate();
        self.undecided = rows.filter(|(_, side)| side.is_none()).map(|(t, _)| t).collect();
    }

    /// Minimises over the undecided rows beside the linear function of the others.
    fn solve(&self, run: &mut Run<'_>) -> Result<Solution, Error> {
        let data = self.problem.data;
        let Design::Dense(x) = data.design();
        let cols = x.cols();
        let mut elements = Vec::with_capacity(self.undecided.len() * cols);
        for &t in &self.undecided {
            elements.extend((0..cols).map(|j| x[(t, j)]));
        }
        let column =
            |view: View<'_, T>| self.undecided.iter().map(|&t| view[(t, 0)]).collect::<Vec<T>>();
        let targets = column(data.target_view());
        let (weights, offsets) = (data.weights().map(column), data.offsets().map(column));
        let x = View::row_major(&elements, self.undecided.len(), cols)?;
        let mut kept = Dataset::new(x, View::column_vector(&targets))?;
        if let Some(weights) = &weights {
            kept = kept.with_precisions(View::column_vector(weights))?;
        }
        if let Some(offsets) = &offsets {
            kept = kept.with_offsets(View::column_vector(offsets))?;
        }
        let terms = self.problem.terms.clone();
        beside(&self.problem.with_columns(&kept, terms), &self.linear()?, run)
    }

    /// Σ c_t u_t (z_t − k_t) over the rows that are decided.
    fn linear(&self) -> Result<Linear, Error> {
        let problem = self.problem;
        let u: Vec<f64> = self.decided.iter().map(|side| side.unwrap_or(0.0)).collect();
        let weighted: Vec<f64> =
            u.iter().enumerate().map(|(t, u)| problem.data.weight_of(t) * u).collect();
        let pass = TransposedPass { u: &weighted, cols: problem.features() };
        let (_, mut gradient) = Rows::Memory(problem.data).reduce(&pass)?;
        gradient.extend(problem.intercept.then(|| weighted.iter().sum::<f64>()));
        let kinks = weighted.iter().enumerate().map(|(t, u)| match u {
            0.0 => 0.0,
            u => u * (problem.data.offset_of(t) - kink(problem, t).at),
        });
        Ok(Linear { gradient, constant: kinks.sum() })
    }

    /// Takes back what was decided wrongly at θ; whether there was anything.
    fn correct(&mut self, theta: &[f64]) -> Result<bool, Error> {
        let distances = distances(self.problem, theta)?;
        let mut wrong = false;
        for (t, side) in self.decided.iter_mut().enumerate() {
            if side.is_some_and(|u| u != slope(self.problem, t, distances[t])) {
                (*side, wrong) = (None, true);
            }
        }
        self.list_undecided();
        Ok(wrong)
    }

    /// u of all rows from that of the undecided ones.
    fn dual_of_all(&self, of_undecided: &[f64]) -> Vec<f64> {
        let mut dual: Vec<f64> = self.decided.iter().map(|side| side.unwrap_or(0.0)).collect();
        self.undecided.iter().zip(of_undecided).for_each(|(&t, &u)| dual[t] = u);
        dual
    }
}

/// z_t − k_t of every row.
fn distances<T: Scalar, L: PiecewiseLinear>(
    problem: &Problem<'_, T, L>,
    theta: &[f64],
) -> Result<Vec<f64>, Error> {
    let (weights, intercept) = problem.split(theta);
    let (_, z) = Rows::Memory(problem.data).reduce(&PredictionPass { weights, intercept })?;
    Ok(z.iter().enumerate().map(|(t, z)| z - kink(problem, t).at).collect())
}

/// The slope of the loss on the side of its kink that a row is on.
fn slope<T: Scalar, L: PiecewiseLinear>(
    problem: &Problem<'_, T, L>,
    t: usize,
    distance: f64,
) -> f64 {
    let Kink { below, above, .. } = kink(problem, t);
    if distance > 0.0 { above } else { below }
}

fn kink<T: Scalar, L: PiecewiseLinear>(problem: &Problem<'_, T, L>, t: usize) -> Kink {
    problem.loss.kink(problem.data.target_view()[(t, 0)].to_double())
}
