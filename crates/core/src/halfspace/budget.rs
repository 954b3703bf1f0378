//! Budgets: what a call may spend before it has to return with what it has.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::Error;

/// A number of steps and, if set, a time, and what else may end a call: memory, and a switch.
///
/// Which steps are counted is said by each routine. Time and switch are looked at between passes over
/// the data and inside everything that takes longer than a few of them.
///
/// ```
/// use std::time::Duration;
/// use minrisk_core::halfspace::{Budget, Stop};
/// let stop = Stop::new();
/// let budget = Budget::steps(10_000).with_time(Duration::from_secs(2)).with_stop(&stop);
/// assert_eq!(budget.steps, 10_000);
/// // From any thread: every call with this budget returns with what it has.
/// stop.request();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Budget {
    /// The most steps.
    pub steps: u64,
    /// The most time, where there is a limit. Results then depend on the speed of the machine.
    pub time: Option<Duration>,
    /// The most bytes that one table of a call may take beside the data; what would take more is
    /// refused before it is made.
    pub memory: u64,
    /// A switch that ends the call from outside.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub stop: Option<Stop>,
}

/// A switch that ends running calls: from another thread, a signal, a button. Clones are the same switch.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A switch that is off.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends every call whose budget has this switch.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the end was asked for.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Two switches are equal if they are the same one.
impl PartialEq for Stop {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Stop {}

/// 4 GiB.
const MEMORY: u64 = 1 << 32;

impl Budget {
    /// So many steps, in any time, in 4 GiB.
    pub fn steps(steps: u64) -> Self {
        Self { steps, time: None, memory: MEMORY, stop: None }
    }

    /// No limit of steps or time.
    pub fn unlimited() -> Self {
        Self::steps(u64::MAX)
    }

    /// The same, but no longer than this.
    pub fn with_time(self, time: Duration) -> Self {
        Self { time: Some(time), ..self }
    }

    /// The same, but with tables of at most so many bytes.
    pub fn with_memory(self, bytes: u64) -> Self {
        Self { memory: bytes, ..self }
    }

    /// The same, but ended by a switch.
    pub fn with_stop(self, stop: &Stop) -> Self {
        Self { stop: Some(stop.clone()), ..self }
    }

    /// The same limits for other steps.
    pub(crate) fn for_steps(&self, steps: u64) -> Self {
        Self { steps, ..self.clone() }
    }

    /// Fails if a table of so many rows and columns, with so many bytes an entry, is too large.
    pub(crate) fn allows(
        &self,
        what: &'static str,
        rows: usize,
        columns: usize,
        bytes_each: usize,
    ) -> Result<(), Error> {
        let entries = (rows as u128).saturating_mul(columns as u128);
        let bytes = entries.saturating_mul(bytes_each as u128);
        if bytes <= u128::from(self.memory) {
            return Ok(());
        }
        let (columns, budget) = (columns as u128, self.memory);
        Err(Error::OverBudget { what, columns, rows, bytes, budget })
    }

    pub(crate) fn start(&self) -> Clock {
        Clock { budget: self.clone(), started: Instant::now() }
    }
}

/// A budget that is running.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    budget: Budget,
    started: Instant,
}

impl Clock {
    /// Whether so many steps, or the time, are more than the budget has.
    pub(crate) fn is_spent(&self, steps: u64) -> bool {
        steps >= self.budget.steps || self.is_over()
    }

    /// Whether the time is over, or the end was asked for.
    pub(crate) fn is_over(&self) -> bool {
        self.budget.stop.as_ref().is_some_and(Stop::is_requested)
            || self.budget.time.is_some_and(|limit| self.started.elapsed() >= limit)
    }

    /// The same clock, for any number of steps.
    pub(crate) fn without_steps(&self) -> Self {
        Self { budget: self.budget.for_steps(u64::MAX), ..*self }
    }

    /// What is left of the time, for other steps.
    pub(crate) fn rest(&self, steps: u64) -> Budget {
        let time = self.budget.time.map(|limit| limit.saturating_sub(self.started.elapsed()));
        Budget { steps, time, ..self.budget.clone() }
    }

    pub(crate) fn steps(&self) -> u64 {
        self.budget.steps
    }

    /// The budget that is running.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_ends_a_call() {
        let stop = Stop::new();
        let clock = Budget::steps(3).with_stop(&stop).with_memory(100).start();
        assert!(!clock.is_spent(2) && clock.is_spent(3) && !clock.is_over());
        assert!(clock.budget().allows("a table", 3, 4, 8).is_ok());
        let refused = clock.budget().allows("a table", 13, 1, 8);
        assert!(matches!(refused, Err(Error::OverBudget { bytes: 104, budget: 100, .. })));
        stop.clone().request();
        assert!(clock.is_over() && clock.without_steps().is_spent(0));
        let clock = Budget::unlimited().with_time(Duration::ZERO).start();
        assert!(clock.is_over() && clock.rest(1).time == Some(Duration::ZERO));
    }
}
