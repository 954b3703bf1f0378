//! Coordinate descent for more columns than a Gram matrix is worth: Newton's method on a working set.
//!
//! At z the loss is replaced by its quadratic model, which is minimised over [some columns](super::columns)
//! [in the space of the rows](super::column_model), where it costs no d × d matrix; where that crawls, the
//! [support at once](super::leap). On squared loss the model is the loss; else a step of Newton's method is a few
//! rounds, and a search along the change of z, which costs no product with X.
//!
//! The copies of the columns are rounded to S, and so the model is not quite the loss. But it starts with the gradient
//! of the data as they are, and near the end from z of the data as they are: as in iterative refinement each descent
//! leaves only a share of the order of κ·u_S of what was to be gained.

use super::column_model::ColumnModel;
use super::columns::{BLOCK, Columns};
use super::coordinates::Coordinates;
use super::problem::Problem;
use super::products::{predictions, transposed_product};
use super::row_data::RowData;
use super::run::Run;
use crate::loss::TwiceSmooth;
use crate::penalty::Terms;
use crate::wide::Number;
use crate::{Error, Scalar, Status};

/// A step of Newton's method ends when violations of its model are down to this share,
const FORCING: f64 = 0.1;
/// or after so many rounds.
const MAX_ROUNDS: usize = 10;
/// On squared loss columns without a weight are looked at every so many rounds, and at the end.
const ALL_EVERY: usize = 5;
/// Rounds that a new set of Gram matrices is worth.
const GRAMS: usize = 2;
/// Rounds over which the speed of convergence is looked at.
const LOOK_BACK: usize = 12;
/// The same where there is nothing else to do: extrapolation makes them fall by fits and starts.
const PATIENT_LOOK_BACK: usize = 100;
/// How many columns a leap may have for each round of descent that it saves.
const COLUMNS_PER_ROUND: f64 = 12.0;
/// Weights that come and go make a leap worth less: it must save so many times its price.
const UNSETTLED: f64 = 2.0;
/// Steps of Newton's method that are left when leaps take over.
const STEPS_LEFT: f64 = 3.0;
/// The most columns of a leap.
const MOST_COLUMNS: usize = 4_000;
/// What a leap leaves of the violations that are asked for.
const LEAP_SHARE: f64 = 1e-2;
/// The fraction of the promised decrease that a step must bring.
const ARMIJO: f64 = 1e-4;
/// Halvings of a step before the objective counts as flat.
const MAX_HALVINGS: usize = 40;
/// Changes of the objective by this fraction of it are rounding.
const ROUNDING: f64 = 1e-14;
/// From this relative gap on, z is computed from the data as they are.
const NEAR: f64 = 0.1;
/// Newton's steps of the level before a look at all columns.
const LEVEL_STEPS: usize = 2;
/// Violations below so many units of rounding are left to the next look at all columns.
const COARSE: f64 = 100.0;
/// The support is brought together where it lies in so many times the blocks that it needs: that has its price, in Gram
/// matrices of new blocks and in neighbours that are torn apart.
const SCATTERED: f64 = 1.5;

/// How good a point is.
pub(super) struct Standing {
    /// How far every column, and last the intercept, is from optimality, in units of λ₁.
    pub(super) violations: Vec<f64>,
    /// The objective.
    pub(super) objective: f64,
    /// The duality gap, relative to the objective, but for what an intercept that is not optimal adds.
    pub(super) gap: f64,
}

/// How a descent ended.
pub(super) enum Descent {
    /// Violations are below the tolerance, or as small as they get before another look at the data as they are.
    Reached,
    /// What is left is rounding.
    Exhausted,
    /// The run has ended.
    Ended(Status),
}

/// How fast violations fall.
enum Pace {
    Fast,
    /// A leap would be faster.
    Slow,
    /// They do not fall any more.
    Exhausted,
}

/// Violations by the number of the round that met them.
type History = Vec<(usize, f64)>;

/// A working set of columns, kept in precision S, and where the descent stands.
pub(super) struct ColumnDescent<'p, T: Scalar, L, S> {
    problem: &'p Problem<'p, T, L>,
    coordinates: Coordinates,
    /// The penalty in the coordinates, on all columns of the problem.
    terms: Terms,
    /// The gradient of the loss in the coordinates, where all columns of the problem were last seen from.
    gradient: Vec<f64>,
    columns: Columns<S>,
    /// The numbers of the columns in the problem.
    members: Vec<usize>,
    rows: RowData,
    model: ColumnModel<S>,
    /// Whether the gap is so small that z must be that of the data as they are.
    is_near: bool,
    /// Rounds so far, to tell how fast violations fall.
    rounds: usize,
    /// Whether leaps have been of no use.
    patient: bool,
}

impl<'p, T: Scalar, L: TwiceSmooth, S: Number> ColumnDescent<'p, T, L, S> {
    /// Whether there is no finer S than this.
    pub(super) const IS_FINEST: bool = S::UNIT <= f64::UNIT;

    /// At θ, with the columns whose weights are not zero.
    pub(super) fn new(problem: &'p Problem<'p, T, L>, theta: &[f64]) -> Result<Self, Error> {
        let data = problem.data;
        let coordinates = Coordinates::of(data, problem.intercept);
        let columns = Columns::new(data.rows());
        let rows = RowData::of(data);
        let terms = coordinates.terms(&problem.terms);
        let unit = terms.l1.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let model = ColumnModel::new(&columns, problem.intercept, unit);
        let mut descent = Self {
            problem,
            coordinates,
            terms,
            gradient: vec![0.0; problem.unknowns()],
            columns,
            members: Vec::new(),
            rows,
            model,
            is_near: false,
            rounds: 0,
            patient: false,
        };
        let support: Vec<usize> = (0..problem.features()).filter(|&j| theta[j] != 0.0).collect();
        descent.append(&support)?;
        let inner = descent.coordinates.inner(theta);
        let weights = support.iter().map(|&j| inner[j]);
        descent.model.weights.iter_mut().zip(weights).for_each(|(to, v)| *to = v);
        descent.model.level = inner.get(problem.features()).copied().unwrap_or(0.0);
        descent.predict(theta)?;
        Ok(descent)
    }

    /// Takes further columns in, with weights of zero.
    pub(super) fn append(&mut self, columns: &[usize]) -> Result<(), Error> {
        if columns.is_empty() {
            return Ok(());
        }
        let crate::Design::Dense(x) = self.problem.data.design();
        let before = self.members.len();
        self.columns.append(x, &self.coordinates, columns)?;
        self.members.extend(columns);
        let take = |all: &[f64]| self.members.iter().map(|&j| all[j]).collect();
        let terms = Terms { l1: take(&self.terms.l1), l2: take(&self.terms.l2) };
        self.model.change_columns(before, &self.columns, terms, take(&self.gradient));
        Ok(())
    }

    /// Brings the columns that have a weight together, so that rounds over those alone read nothing else.
    pub(super) fn gather_support(&mut self) {
        let occupied = self.model.weights.chunks(BLOCK).filter(|b| b.iter().any(|v| *v != 0.0));
        let needed = self.model.support().div_ceil(BLOCK);
        if (occupied.count() as f64) < SCATTERED * needed as f64 {
            return;
        }
        let mut order: Vec<usize> = (0..self.members.len()).collect();
        order.sort_by_key(|&k| (self.model.weights[k] == 0.0, self.members[k]));
        self.members = order.iter().map(|&k| self.members[k]).collect();
        self.columns.reorder(&order);
        self.model.reorder(&order);
    }

    /// θ.
    pub(super) fn theta(&self) -> Vec<f64> {
        self.coordinates.step(&self.inner())
    }

    /// θ in the coordinates.
    fn inner(&self) -> Vec<f64> {
        let mut inner = vec![0.0; self.coordinates.unknowns()];
        for (&j, &v) in self.members.iter().zip(&self.model.weights) {
            inner[j] = v;
        }
        if self.problem.intercept {
            inner[self.problem.features()] = self.model.level;
        }
        inner
    }

    /// z of the data as they are.
    fn predict(&mut self, theta: &[f64]) -> Result<(), Error> {
        let (weights, intercept) = self.problem.split(theta);
        let z = predictions(self.problem.data, weights, intercept)?;
        self.rows.z.as_flattened_mut()[..z.len()].copy_from_slice(&z);
        Ok(())
    }

    /// How good the point is, seen from all columns of the problem.
    pub(super) fn standing(&mut self) -> Result<Standing, Error> {
        if self.is_near {
            self.predict(&self.theta())?;
        }
        let objective = self.linearise_at_best_level();
        let problem = self.problem;
        let u = &self.rows.u.as_flattened()[..problem.data.rows()];
        let mut gradient = transposed_product(problem.data, u)?;
        gradient.extend(problem.intercept.then_some(self.model.total));
        let gradient = self.coordinates.gradient(&gradient);
        self.model.know(self.members.iter().map(|&j| gradient[j]));
        let (inner, terms) = (self.inner(), &self.terms);
        let violation =
            |j: usize| terms.violation(j, inner[j], gradient[j]) / self.model.unit_of(terms.l1[j]);
        let violations = (0..inner.len()).map(violation).collect();
        // The dual point of the derivatives, shrunk until it fits the corners.
        let cornered = |&j: &usize| terms.l2[j] == 0.0 && terms.l1[j] > 0.0;
        let features = 0..problem.features();
        let fits = features.clone().filter(cornered).map(|j| terms.l1[j] / gradient[j].abs());
        let shrink = fits.fold(1.0, f64::min);
        let products: Vec<f64> = features.map(|j| shrink * gradient[j]).collect();
        let conjugate = self.conjugate(shrink) + terms.conjugate(&products);
        let gap = (objective + conjugate) / objective;
        self.gradient = gradient;
        self.is_near = gap <= NEAR;
        Ok(Standing { violations, objective, gap })
    }

    /// Σ c(ℓ*(τℓ′) − τℓ′o).
    fn conjugate(&self, shrink: f64) -> f64 {
        let Problem { loss, data, .. } = *self.problem;
        let RowData { y, c, z, .. } = &self.rows;
        let rows = y.as_flattened().iter().zip(c.as_flattened()).zip(z.as_flattened());
        let term = |(t, ((&y, &c), &z)): (usize, ((&f64, &f64), &f64))| {
            let u = shrink * loss.derivative(z, y);
            c * (loss.conjugate(u, y) - u * data.offset_of(t))
        };
        rows.enumerate().take(data.rows()).filter(|(_, ((_, c), _))| **c > 0.0).map(term).sum()
    }

    /// Descends from where it [stands](Self::standing) until violations, in units of λ₁, are below a tolerance.
    pub(super) fn descend(&mut self, tolerance: f64, run: &mut Run<'_>) -> Result<Descent, Error> {
        let (mut history, mut leaps) = (History::new(), false);
        loop {
            let objective = self.model.value;
            let before = (self.model.weights.clone(), self.model.level);
            let end = self.minimise_model(tolerance, leaps, &mut history, run)?;
            let has_fallen = self.settle(objective, &before);
            if let Some(end) = end {
                return Ok(end);
            }
            if tolerance < COARSE * S::UNIT {
                // A second step would start from a gradient that S has rounded.
                return Ok(Descent::Reached);
            }
            match self.pace(&history, tolerance) {
                _ if !has_fallen => return Ok(Descent::Exhausted),
                Pace::Exhausted => return Ok(Descent::Exhausted),
                Pace::Slow => leaps = true,
                Pace::Fast => {}
            }
            self.linearise();
        }
    }

    /// Minimises the model: on squared loss until the descent ends, else enough for a step of Newton's method.
    fn minimise_model(
        &mut self,
        tolerance: f64,
        leaps: bool,
        history: &mut History,
        run: &mut Run<'_>,
    ) -> Result<Option<Descent>, Error> {
        let (mut first, mut all, mut has_leapt) = (f64::INFINITY, true, false);
        for round in 1.. {
            let value = self.model.value;
            let violation = self.model.round(self.problem.backend, &self.columns, all);
            self.rounds += 1;
            if all || L::QUADRATIC {
                first = first.min(violation);
                history.push((self.rounds, violation));
                let norm = violation * self.model.unit;
                let ended = run.report(value, norm, 1.0, f64::INFINITY).map(Descent::Ended);
                let reached = (all && violation <= tolerance).then_some(Descent::Reached);
                if let Some(end) = ended.or(reached) {
                    return Ok(Some(end));
                }
            }
            if !L::QUADRATIC {
                let is_enough = violation <= FORCING * first || round > MAX_ROUNDS;
                if leaps {
                    self.leap(tolerance)?;
                }
                if leaps || (!all && is_enough) {
                    break;
                }
                all = false;
                continue;
            }
            all = violation <= tolerance || round % ALL_EVERY == 0;
            match self.pace(history, tolerance) {
                Pace::Exhausted => return Ok(Some(Descent::Exhausted)),
                // What crawls even so is what S rounds away.
                Pace::Slow if has_leapt && !Self::IS_FINEST => return Ok(Some(Descent::Reached)),
                Pace::Slow => {
                    self.leap(tolerance)?;
                    history.clear();
                    (all, has_leapt) = (true, true);
                }
                Pace::Fast => {}
            }
        }
        Ok(None)
    }

    /// Solves for the support at once; if that is no better, it is not tried again.
    fn leap(&mut self, tolerance: f64) -> Result<(), Error> {
        let tolerance = LEAP_SHARE * tolerance * self.model.unit;
        let is_lower = self.model.leap(self.problem.backend, &self.columns, tolerance)?;
        self.patient = Self::IS_FINEST && !is_lower;
        Ok(())
    }

    fn pace(&self, history: &[(usize, f64)], tolerance: f64) -> Pace {
        let look_back = if self.patient { PATIENT_LOOK_BACK } else { LOOK_BACK };
        let Some(&(now, violation)) = history.last() else { return Pace::Fast };
        let earlier = history.iter().rev().find(|(round, _)| now - round >= look_back);
        let Some(&(then, larger)) = earlier else { return Pace::Fast };
        let rate = (larger / violation).ln() / (now - then) as f64;
        let support = self.model.support();
        if self.patient {
            return if rate <= 0.0 { Pace::Exhausted } else { Pace::Fast };
        }
        if support > MOST_COLUMNS {
            return Pace::Fast;
        }
        let ahead = (violation / tolerance).ln() / rate;
        let (support, rows) = (support as f64, self.problem.data.rows() as f64);
        let price = support * (1.0 + support / (3.0 * rows)) / COLUMNS_PER_ROUND;
        let price = price * if L::QUADRATIC { 1.0 } else { STEPS_LEFT };
        let price = price * if self.model.unsettled { UNSETTLED } else { 1.0 };
        if rate <= 0.0 || ahead > price { Pace::Slow } else { Pace::Fast }
    }

    /// The model at z, moved to where the level has no slope to speak of: what S left of one would cost the gap more than
    /// all that it left in the weights. F there.
    fn linearise_at_best_level(&mut self) -> f64 {
        let mut objective = self.linearise();
        for _ in 0..LEVEL_STEPS {
            let (slope, curvature) = (self.model.total, self.model.curvature);
            if !self.problem.intercept || slope == 0.0 || curvature <= 0.0 {
                break;
            }
            let step = -slope / curvature;
            self.move_level(step);
            let there = self.linearise();
            // The other way round, what is no number would pass.
            let is_better = self.model.total.abs() < slope.abs();
            if !is_better {
                self.move_level(-step);
                return self.linearise();
            }
            objective = there;
        }
        objective
    }

    fn move_level(&mut self, step: f64) {
        self.model.level += step;
        self.rows.z.as_flattened_mut().iter_mut().for_each(|z| *z += step);
    }

    /// The model at z; F there.
    fn linearise(&mut self) -> f64 {
        let Self { rows, model, problem, .. } = self;
        let (h, r) = (&mut model.h, &mut model.r);
        let sums = rows.linearise(problem.loss, h, r);
        model.start_anew(L::QUADRATIC);
        (model.total, model.curvature) = (sums.slope, sums.curvature);
        model.value = sums.value + model.terms.value(&model.weights);
        if !L::QUADRATIC {
            self.rounds += GRAMS;
        }
        self.model.value
    }

    /// Goes a fraction of the change of z.
    fn go(&mut self, fraction: f64) {
        let z = self.rows.z.as_flattened_mut().iter_mut();
        z.zip(self.model.s.as_flattened()).for_each(|(z, s)| *z += fraction * s.to_double());
    }

    /// Goes to the minimiser of the model, or as far there as the loss falls; false where it does not.
    fn settle(&mut self, objective: f64, before: &(Vec<f64>, f64)) -> bool {
        if L::QUADRATIC {
            self.go(1.0);
            return true;
        }
        self.search(objective, before)
    }

    fn search(&mut self, objective: f64, before: &(Vec<f64>, f64)) -> bool {
        let (weights, level) = before;
        let goal = (self.model.weights.clone(), self.model.level);
        let terms = &self.model.terms;
        // To first order in the loss.
        let promised = terms.value(weights) - terms.value(&goal.0) - self.model.slope_from(before);
        let (mut fraction, mut gone) = (1.0, 0.0);
        for _ in 0..MAX_HALVINGS {
            let part = |a: f64, b: f64| if fraction == 1.0 { b } else { a + fraction * (b - a) };
            self.model.weights = weights.iter().zip(&goal.0).map(|(&a, &b)| part(a, b)).collect();
            self.model.level = part(*level, goal.1);
            self.go(fraction - gone);
            gone = fraction;
            let value =
                self.rows.value(self.problem.loss) + self.model.terms.value(&self.model.weights);
            // Below rounding the violations are the judge.
            let least = ARMIJO * fraction * promised - ROUNDING * objective.abs();
            if value <= objective - least {
                return true;
            }
            fraction *= 0.5;
        }
        self.go(-gone);
        (self.model.weights, self.model.level) = (weights.clone(), *level);
        false
    }
}
