//! Step sizes as a function of time: η_t.

use std::fmt;
use std::sync::Arc;

/// How the step size changes with the step t = 0, 1, … of a run, or of each epoch.
#[derive(Clone)]
pub struct Schedule {
    law: Law,
    per_epoch: bool,
}

#[derive(Clone)]
enum Law {
    Constant(f64),
    InverseTime { rate: f64, decay: f64 },
    InverseSquareRoot(f64),
    Steps { rate: f64, factor: f64, every: usize },
    Exponential { rate: f64, decay: f64 },
    Custom(Arc<dyn Fn(usize) -> f64 + Send + Sync>),
}

impl Schedule {
    /// η_t = η.
    pub fn constant(rate: f64) -> Self {
        Self::of(Law::Constant(rate))
    }

    /// η_t = η/(1 + decay·t).
    pub fn inverse_time(rate: f64, decay: f64) -> Self {
        Self::of(Law::InverseTime { rate, decay })
    }

    /// η_t = η/√(t + 1).
    pub fn inverse_square_root(rate: f64) -> Self {
        Self::of(Law::InverseSquareRoot(rate))
    }

    /// η_t = η·factor^⌊t/every⌋.
    pub fn steps(rate: f64, factor: f64, every: usize) -> Self {
        Self::of(Law::Steps { rate, factor, every: every.max(1) })
    }

    /// η_t = η·e^(−decay·t).
    pub fn exponential(rate: f64, decay: f64) -> Self {
        Self::of(Law::Exponential { rate, decay })
    }

    /// Any function of t.
    pub fn custom(law: impl Fn(usize) -> f64 + Send + Sync + 'static) -> Self {
        Self::of(Law::Custom(Arc::new(law)))
    }

    /// The same law, with t starting from 0 again in every epoch.
    pub fn reset_every_epoch(self) -> Self {
        Self { per_epoch: true, ..self }
    }

    fn of(law: Law) -> Self {
        Self { law, per_epoch: false }
    }

    /// η at step `step` of the run, which is step `in_epoch` of its epoch.
    ///
    /// ```
    /// use minrisk_core::convex::Schedule;
    /// assert_eq!(Schedule::steps(1.0, 0.5, 10).rate(25, 25), 0.25);
    /// assert_eq!(Schedule::inverse_time(1.0, 1.0).reset_every_epoch().rate(100, 3), 0.25);
    /// ```
    pub fn rate(&self, step: usize, in_epoch: usize) -> f64 {
        let t = if self.per_epoch { in_epoch } else { step };
        let time = t as f64;
        match &self.law {
            Law::Constant(rate) => *rate,
            Law::InverseTime { rate, decay } => rate / (1.0 + decay * time),
            Law::InverseSquareRoot(rate) => rate / (time + 1.0).sqrt(),
            Law::Steps { rate, factor, every } => rate * factor.powf((t / every) as f64),
            Law::Exponential { rate, decay } => rate * (-decay * time).exp(),
            Law::Custom(law) => law(t),
        }
    }
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { law, per_epoch } = self;
        match law {
            Law::Constant(rate) => write!(f, "η = {rate}"),
            Law::InverseTime { rate, decay } => write!(f, "η = {rate}/(1 + {decay}·t)"),
            Law::InverseSquareRoot(rate) => write!(f, "η = {rate}/√(t + 1)"),
            Law::Steps { rate, factor, every } => write!(f, "η = {rate}·{factor}^⌊t/{every}⌋"),
            Law::Exponential { rate, decay } => write!(f, "η = {rate}·e^(−{decay}·t)"),
            Law::Custom(_) => write!(f, "η = a function of t"),
        }?;
        if *per_epoch { write!(f, ", reset every epoch") } else { Ok(()) }
    }
}
