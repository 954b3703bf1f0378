//! Coordinate descent for more columns than a Gram matrix is worth: Newton's method on a working set.
//!
//! At z the loss is replaced by its quadratic model, which is minimised over [some columns](super::columns)
//! [in the space of the rows](super::column_model), where it costs no d × d matrix. On squared loss the model is the loss;
//! else a step of Newton's method is a few rounds, and a search along the change of z, which costs no product
//! with X.

use super::column_model::ColumnModel;
use super::columns::{BLOCK, Columns, Group};
use super::coordinates::Coordinates;
use super::problem::Problem;
use super::products::transposed_product;
use super::run::Run;
use crate::loss::TwiceSmooth;
use crate::penalty::Terms;
use crate::simd::{Kernel, vectorised};
use crate::wide::{ExactProduct, LANES};
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
/// How many columns a Gram matrix may have for each round of descent that it saves.
const COLUMNS_PER_ROUND: f64 = 24.0;
/// Steps of Newton's method that are left when a Gram matrix takes over.
const STEPS_LEFT: f64 = 3.0;
/// The most columns of such a Gram matrix.
const MOST_COLUMNS: usize = 4_000;
/// The fraction of the promised decrease that a step must bring.
const ARMIJO: f64 = 1e-4;
/// Halvings of a step before the objective counts as flat.
const MAX_HALVINGS: usize = 40;
/// Changes of the objective by this fraction of it are rounding.
const ROUNDING: f64 = 1e-14;
/// What a loss that is flat in places is lifted by, for a curvature in every row.
const LIFT: f64 = 0.1;

/// How good a point is.
pub(super) struct Standing {
    /// How far every column, and last the intercept, is from optimality, in units of λ₁.
    pub(super) violations: Vec<f64>,
    /// The duality gap, relative to the objective, but for what an intercept that is not optimal adds.
    pub(super) gap: f64,
}

/// How a descent ended.
pub(super) enum Descent {
    /// Violations are below the tolerance.
    Reached,
    /// It would take longer than solving for the support at once.
    Slow,
    /// What is left is rounding.
    Exhausted,
    /// The run has ended.
    Ended(Status),
}

/// A working set of columns, and where the descent stands.
pub(super) struct ColumnDescent<'p, T: Scalar, L> {
    problem: &'p Problem<'p, T, L>,
    coordinates: Coordinates<T>,
    /// The penalty in the coordinates, on all columns of the problem.
    terms: Terms,
    columns: Columns<'p, T>,
    /// The numbers of the columns in the problem.
    members: Vec<usize>,
    rows: RowData,
    model: ColumnModel,
    /// Rounds so far, for [`Descent::Slow`].
    rounds: usize,
    /// Whether solving for the support at once has been of no use.
    patient: bool,
}

/// What belongs to the rows, in groups; a weight of zero where there is no row.
struct RowData {
    y: Vec<Group>,
    c: Vec<Group>,
    z: Vec<Group>,
}

impl<'p, T: Scalar, L: TwiceSmooth> ColumnDescent<'p, T, L> {
    /// At θ, with the columns whose weights are not zero.
    pub(super) fn new(problem: &'p Problem<'p, T, L>, theta: &[f64]) -> Result<Self, Error> {
        let data = problem.data;
        let coordinates = Coordinates::of(data, problem.intercept);
        let columns = Columns::new(data.rows());
        let grouped = |value: &dyn Fn(usize) -> f64| {
            let mut groups = columns.zeros();
            let flat = groups.as_flattened_mut();
            flat[..data.rows()].iter_mut().enumerate().for_each(|(t, to)| *to = value(t));
            groups
        };
        let rows = RowData {
            y: grouped(&|t| data.target_view()[(t, 0)].to_double()),
            c: grouped(&|t| data.weight_of(t)),
            z: grouped(&|t| data.offset_of(t)),
        };
        let terms = coordinates.terms(&problem.terms);
        let unit = terms.l1.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let model = ColumnModel::new(&columns, problem.intercept, unit);
        let members = Vec::new();
        let mut descent = Self {
            problem,
            coordinates,
            terms,
            columns,
            members,
            rows,
            model,
            rounds: 0,
            patient: false,
        };
        let support: Vec<usize> = (0..problem.features()).filter(|&j| theta[j] != 0.0).collect();
        descent.append(&support)?;
        descent.move_to(theta);
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
        self.model.change_columns(before, &self.columns, terms);
        Ok(())
    }

    /// Brings the columns that have a weight together, so that rounds over those alone read nothing else.
    pub(super) fn gather_support(&mut self) {
        let mut order: Vec<usize> = (0..self.members.len()).collect();
        order.sort_by_key(|&k| (self.model.weights[k] == 0.0, self.members[k]));
        self.members = order.iter().map(|&k| self.members[k]).collect();
        self.columns.reorder(&order);
        self.model.reorder(&order);
    }

    /// Moves to other weights of the same columns.
    fn move_to(&mut self, theta: &[f64]) {
        let target = self.coordinates.inner(theta);
        let level = target.get(self.problem.features()).copied().unwrap_or(0.0);
        self.model.s.fill([level - self.model.level; LANES]);
        for block in 0..self.columns.blocks() {
            let mut change = [0.0; BLOCK];
            for (k, &j) in self.members.iter().skip(block * BLOCK).take(BLOCK).enumerate() {
                let weight = &mut self.model.weights[block * BLOCK + k];
                change[k] = target[j] - std::mem::replace(weight, target[j]);
            }
            self.model.shift(&self.columns, block, &change, 0.0);
        }
        self.model.level = level;
        self.go(1.0);
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

    /// How good the point is, seen from all columns of the problem.
    pub(super) fn standing(&mut self) -> Result<Standing, Error> {
        let objective = self.linearise();
        let problem = self.problem;
        let u = &self.model.r.as_flattened()[..problem.data.rows()];
        let mut gradient = transposed_product(problem.data, u)?;
        gradient.extend(problem.intercept.then_some(self.model.total));
        let mut gradient = self.coordinates.gradient(&gradient);
        let (inner, terms) = (self.inner(), &self.terms);
        let violation =
            |j: usize| terms.violation(j, inner[j], gradient[j]) / self.model.unit_of(terms.l1[j]);
        let violations = (0..inner.len()).map(violation).collect();
        // The dual point of the derivatives, shrunk until it fits the corners.
        gradient.truncate(problem.features());
        let cornered = |&j: &usize| terms.l2[j] == 0.0 && terms.l1[j] > 0.0;
        let fits = (0..gradient.len()).filter(cornered).map(|j| terms.l1[j] / gradient[j].abs());
        let shrink = fits.fold(1.0, f64::min);
        gradient.iter_mut().for_each(|g| *g *= shrink);
        let conjugate = self.conjugate(shrink) + terms.conjugate(&gradient);
        Ok(Standing { violations, gap: (objective + conjugate) / objective })
    }

    /// Σ c(ℓ*(τℓ′) − τℓ′o).
    fn conjugate(&self, shrink: f64) -> f64 {
        let Problem { loss, data, .. } = *self.problem;
        let RowData { y, c, z } = &self.rows;
        let rows = y.as_flattened().iter().zip(c.as_flattened()).zip(z.as_flattened());
        let term = |(t, ((&y, &c), &z)): (usize, ((&f64, &f64), &f64))| {
            let u = shrink * loss.derivative(z, y);
            c * (loss.conjugate(u, y) - u * data.offset_of(t))
        };
        rows.enumerate().take(data.rows()).filter(|(_, ((_, c), _))| **c > 0.0).map(term).sum()
    }

    /// Descends until violations, in units of λ₁, are below a tolerance.
    pub(super) fn descend(&mut self, tolerance: f64, run: &mut Run<'_>) -> Descent {
        let mut history: Vec<(usize, f64)> = Vec::new();
        loop {
            let objective = self.linearise();
            let before = (self.model.weights.clone(), self.model.level);
            let (mut first, mut all) = (f64::INFINITY, true);
            for round in 0.. {
                let value = self.model.value;
                let violation = self.model.round(self.problem.backend, &self.columns, all);
                self.rounds += 1;
                if all || L::QUADRATIC {
                    first = first.min(violation);
                    let norm = violation * self.model.unit;
                    let ended = run.report(value, norm, 1.0, f64::INFINITY).map(Descent::Ended);
                    let reached = (all && violation <= tolerance).then_some(Descent::Reached);
                    history.push((self.rounds, violation));
                    let pace = if L::QUADRATIC { self.pace(&history, tolerance) } else { None };
                    if let Some(end) = ended.or(reached).or(pace) {
                        self.settle(objective, &before);
                        return end;
                    }
                } else if violation <= FORCING * first || round >= MAX_ROUNDS {
                    break;
                }
                let due = violation <= tolerance || (round + 1) % ALL_EVERY == 0;
                all = L::QUADRATIC && due;
            }
            if !self.settle(objective, &before) {
                return if self.patient { Descent::Exhausted } else { Descent::Slow };
            }
            if let Some(end) = self.pace(&history, tolerance) {
                return end;
            }
        }
    }

    /// Whether violations fall too slowly to go on.
    fn pace(&self, history: &[(usize, f64)], tolerance: f64) -> Option<Descent> {
        let &(now, violation) = history.last()?;
        let look_back = if self.patient { PATIENT_LOOK_BACK } else { LOOK_BACK };
        let &(then, larger) = history.iter().rev().find(|(round, _)| now - round >= look_back)?;
        let rate = (larger / violation).ln() / (now - then) as f64;
        if self.patient {
            return (rate <= 0.0).then_some(Descent::Exhausted);
        }
        let support = self.model.support();
        if self.model.unsettled || support > MOST_COLUMNS {
            return None;
        }
        let ahead = (violation / tolerance).ln() / rate;
        let (support, rows) = (support as f64, self.problem.data.rows() as f64);
        let at_once = support * (1.0 + support / (3.0 * rows)) / COLUMNS_PER_ROUND;
        let steps = if L::QUADRATIC { 1.0 } else { STEPS_LEFT };
        (rate <= 0.0 || ahead > steps * at_once).then_some(Descent::Slow)
    }

    /// Moves to weights of the same columns that are thought to be better; if they are not, it is not asked to
    /// again.
    pub(super) fn offer(&mut self, theta: &[f64]) {
        let (before, objective) = (self.theta(), self.linearise());
        self.move_to(theta);
        if self.linearise() >= objective {
            self.move_to(&before);
            self.patient = true;
        }
    }

    /// The model at z; F there.
    fn linearise(&mut self) -> f64 {
        let Self { rows, model, problem, .. } = self;
        let (h, r) = (&mut model.h, &mut model.r);
        let sums = vectorised(Linearise { loss: problem.loss, rows, h, r });
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
        z.zip(self.model.s.as_flattened()).for_each(|(z, s)| *z += fraction * s);
    }

    /// Goes to the minimiser of the model, or as far there as the loss falls; false where it does not.
    fn settle(&mut self, objective: f64, before: &(Vec<f64>, f64)) -> bool {
        if L::QUADRATIC {
            self.go(1.0);
            return true;
        }
        self.search(objective, before)
    }

    fn search(&mut self, objective: f64, (weights, level): &(Vec<f64>, f64)) -> bool {
        let goal = (self.model.weights.clone(), self.model.level);
        let terms = &self.model.terms;
        // To first order in the loss.
        let promised = terms.value(weights) - terms.value(&goal.0) - self.slope_along_step();
        let (mut fraction, mut gone) = (1.0, 0.0);
        for _ in 0..MAX_HALVINGS {
            let part = |a: f64, b: f64| if fraction == 1.0 { b } else { a + fraction * (b - a) };
            self.model.weights = weights.iter().zip(&goal.0).map(|(&a, &b)| part(a, b)).collect();
            self.model.level = part(*level, goal.1);
            self.go(fraction - gone);
            gone = fraction;
            let value = self.loss_value() + self.model.terms.value(&self.model.weights);
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

    /// Σ c ℓ′ s at z, from r = c(ℓ′ + ℓ″s).
    fn slope_along_step(&self) -> f64 {
        let ColumnModel { h, s, r, .. } = &self.model;
        let rows = h.as_flattened().iter().zip(s.as_flattened()).zip(r.as_flattened());
        rows.map(|((h, s), r)| s * (r - h * s)).sum()
    }

    fn loss_value(&self) -> f64 {
        vectorised(Value { loss: self.problem.loss, rows: &self.rows })
    }
}

/// Σ c ℓ, Σ c ℓ′ and Σ c ℓ″ at z; the terms of the latter two are kept.
struct Linearise<'a, L> {
    loss: &'a L,
    rows: &'a RowData,
    h: &'a mut [Group],
    r: &'a mut [Group],
}

struct Sums {
    value: f64,
    slope: f64,
    curvature: f64,
}

impl<L: TwiceSmooth> Kernel for Linearise<'_, L> {
    type Output = Sums;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> Sums {
        let Self { loss, rows: RowData { y, c, z }, h, r } = self;
        let (mut values, mut slopes, mut curvatures) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        for ((((y, c), z), h), r) in y.iter().zip(c).zip(z).zip(h).zip(r) {
            for l in 0..LANES {
                let (value, first, second) = loss.all_derivatives(z[l], y[l]);
                let second = match L::FLAT_IN_PLACES {
                    true => second + LIFT * (loss.majorant(z[l], y[l]) - second),
                    false => second,
                };
                r[l] = c[l] * first;
                h[l] = c[l] * second;
                values[l] += c[l] * value;
                slopes[l] += r[l];
                curvatures[l] += h[l];
            }
        }
        let total = |lanes: [f64; LANES]| lanes.iter().sum();
        Sums { value: total(values), slope: total(slopes), curvature: total(curvatures) }
    }
}

/// Σ c ℓ at z.
struct Value<'a, L> {
    loss: &'a L,
    rows: &'a RowData,
}

impl<L: TwiceSmooth> Kernel for Value<'_, L> {
    type Output = f64;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> f64 {
        let Self { loss, rows: RowData { y, c, z } } = self;
        let mut values = [0.0; LANES];
        for ((y, c), z) in y.iter().zip(c).zip(z) {
            for l in 0..LANES {
                values[l] += c[l] * loss.value_and_derivative(z[l], y[l]).0;
            }
        }
        values.iter().sum()
    }
}
