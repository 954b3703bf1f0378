//! The one loop: stopping, tracing, observers and divergence, for every iterative solver.
//!
//! A solver makes a step and reports it to its [`Run`]; the run says whether to go on. So no solver has a
//! stopping rule of its own, and all of them can be watched and stopped from outside.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::Status;

/// When to stop, and who is told.
#[derive(Clone)]
pub struct Control {
    /// How good the result must be.
    pub accuracy: Accuracy,
    /// The most iterations (epochs for stochastic solvers); `None` for the solver's own limit.
    pub max_iterations: Option<usize>,
    /// The most time.
    pub max_time: Option<Duration>,
    /// Whether the report keeps every step.
    pub trace: bool,
    /// Called after every step; may stop the fit, which then returns the best point so far.
    pub observer: Option<Observer>,
}

/// A function that sees every step and may stop the fit.
pub type Observer = Arc<dyn Fn(&Step) -> ControlFlow<()> + Send + Sync>;

/// How good a result must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Accuracy {
    /// As many digits as the data gives, where the solver can: the last steps are taken with
    /// gradients in twice the precision.
    Digits,
    /// An objective within this fraction of the least one.
    Gap(f64),
}

impl Accuracy {
    /// The relative gap an iteration must reach.
    pub(crate) fn gap(self) -> f64 {
        match self {
            Accuracy::Digits => 1e-13,
            Accuracy::Gap(gap) => gap,
        }
    }
}

impl Default for Control {
    fn default() -> Self {
        let accuracy = Accuracy::Digits;
        Self { accuracy, max_iterations: None, max_time: None, trace: false, observer: None }
    }
}

impl Control {
    /// Stops at a relative gap instead of going for digits.
    pub fn to_gap(gap: f64) -> Self {
        Self { accuracy: Accuracy::Gap(gap), ..Self::default() }
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { accuracy, max_iterations, max_time, trace, observer } = self;
        f.debug_struct("Control")
            .field("accuracy", accuracy)
            .field("max_iterations", max_iterations)
            .field("max_time", max_time)
            .field("trace", trace)
            .field("observer", &observer.is_some())
            .finish()
    }
}

/// One step of an iterative fit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Step {
    /// Counted from 0, the starting point.
    pub iteration: usize,
    /// F on the total scale.
    pub objective: f64,
    /// The size of the gradient, or of what stands for it where there are corners.
    pub gradient_norm: f64,
    /// The length of the step that led here, in the solver's measure (a rate, or a fraction).
    pub step: f64,
    /// Seconds since the start.
    pub seconds: f64,
}

/// Steps without a new best objective after which a descent is called divergent, or stalled where it stays this
/// near to the best.
const PATIENCE: usize = 100;
const STALLED: f64 = 1e-12;

/// The growth of the objective that is called divergence.
const BLOW_UP: f64 = 1e3;

/// One run of a solver.
pub(crate) struct Run<'a> {
    control: &'a Control,
    /// The relative gap at which to stop.
    target: f64,
    default_limit: usize,
    max_iterations: usize,
    started: Instant,
    pub(crate) iterations: usize,
    pub(crate) trace: Vec<Step>,
    first: f64,
    best: f64,
    since_best: usize,
    patience: usize,
}

impl<'a> Run<'a> {
    /// A run with at most `default_limit` iterations unless the control says otherwise.
    pub(crate) fn new(control: &'a Control, default_limit: usize) -> Self {
        Self {
            control,
            target: control.accuracy.gap(),
            default_limit,
            max_iterations: control.max_iterations.unwrap_or(default_limit),
            started: Instant::now(),
            iterations: 0,
            trace: Vec::new(),
            first: f64::NAN,
            best: f64::INFINITY,
            since_best: 0,
            patience: PATIENCE,
        }
    }

    /// The relative gap asked for.
    pub(crate) fn tolerance(&self) -> f64 {
        self.control.accuracy.gap()
    }

    /// Whether it is to be decided if there is a minimiser, of a run that has ended like this, and thoroughly.
    pub(crate) fn is_to_decide(&self, status: Status) -> Option<bool> {
        match status {
            Status::Solved | Status::NoMinimiser => Some(true),
            Status::IterationLimit => Some(self.control.max_iterations.is_none()),
            // Whoever stopped it did not ask for more, and nothing is claimed.
            _ => None,
        }
    }

    /// The gap at which to stop where the objective is about this.
    pub(crate) fn target(&self, objective: f64) -> f64 {
        self.target * objective.abs()
    }

    /// Goes for a gap below the one asked for, by this factor: the gap that is reported on the way is an
    /// estimate, the one that counts is a proof, which is weaker.
    /// False where doubles allow no smaller one.
    pub(crate) fn tighten(&mut self, factor: f64) -> bool {
        let before = self.target;
        self.target = (before * factor).max(1e-16);
        self.target != before
    }

    /// For a method whose measure of progress is not the objective, which may stay or rise for long.
    pub(crate) fn without_patience(&mut self) {
        self.patience = usize::MAX;
    }

    /// Goes on with another problem: its objectives are not compared with those before, and it has the solver's
    /// own limit for itself. Limits of the caller's are for all problems together.
    pub(crate) fn restart(&mut self) {
        (self.first, self.best, self.since_best) = (f64::NAN, f64::INFINITY, 0);
        if self.control.max_iterations.is_none() {
            self.max_iterations = self.iterations + self.default_limit;
        }
    }

    /// Reports the point reached, whose objective may be above the least by `gap` or so; the answer
    /// says how the run has ended, if it has.
    pub(crate) fn report(
        &mut self,
        objective: f64,
        gradient_norm: f64,
        step: f64,
        gap: f64,
    ) -> Option<Status> {
        let seconds = self.started.elapsed().as_secs_f64();
        let iteration = self.iterations;
        let step = Step { iteration, objective, gradient_norm, step, seconds };
        if self.control.trace {
            self.trace.push(step);
        }
        if self.first.is_nan() {
            self.first = objective;
        }
        self.since_best = if objective < self.best { 0 } else { self.since_best + 1 };
        self.best = self.best.min(objective);
        self.iterations += 1;
        if let Some(observer) = &self.control.observer
            && observer(&step).is_break()
        {
            return Some(Status::Stopped);
        }
        if gap <= self.target(objective) {
            return Some(Status::Solved);
        }
        if self.has_diverged(objective) {
            return Some(Status::Diverged);
        }
        if self.since_best >= self.patience {
            // Nothing but rounding is left to gain: the certificate decides what that is worth.
            return Some(Status::Solved);
        }
        if self.control.max_time.is_some_and(|limit| self.started.elapsed() >= limit) {
            return Some(Status::TimeLimit);
        }
        (iteration >= self.max_iterations).then_some(Status::IterationLimit)
    }

    /// How a run has ended whose result has this proven gap, where rounding the result may leave as much as
    /// `rounding`. What is proven decides, not what the iteration thought of itself; a gap that is not a number is no
    /// better than a large one.
    pub(crate) fn judge(&self, status: Status, relative_gap: f64, rounding: f64) -> Status {
        let proven = relative_gap <= self.tolerance().max(rounding).max(1e-10);
        match status {
            Status::Solved if !proven => Status::LimitedAccuracy,
            Status::IterationLimit if relative_gap <= self.tolerance() => Status::Solved,
            other => other,
        }
    }

    fn has_diverged(&self, objective: f64) -> bool {
        let grown = objective > self.first + BLOW_UP * self.first.abs().max(f64::MIN_POSITIVE);
        let strays = objective - self.best > STALLED * self.best.abs();
        !objective.is_finite() || grown || (strays && self.since_best >= self.patience)
    }
}
