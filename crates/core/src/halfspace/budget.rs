//! Budgets: what a call may spend before it has to return with what it has.

use std::time::{Duration, Instant};

/// A number of steps and, if set, a time. Which steps are counted is said by each routine.
///
/// ```
/// use std::time::Duration;
/// use minrisk_core::halfspace::Budget;
/// let budget = Budget::steps(10_000).with_time(Duration::from_secs(2));
/// assert_eq!(budget.steps, 10_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Budget {
    /// The most steps.
    pub steps: u64,
    /// The most time, where there is a limit. Results then depend on the speed of the machine.
    pub time: Option<Duration>,
}

impl Budget {
    /// So many steps, in any time.
    pub fn steps(steps: u64) -> Self {
        Self { steps, time: None }
    }

    /// No limit at all.
    pub fn unlimited() -> Self {
        Self::steps(u64::MAX)
    }

    /// The same steps, but no longer than this.
    pub fn with_time(self, time: Duration) -> Self {
        Self { time: Some(time), ..self }
    }

    pub(crate) fn start(self) -> Clock {
        Clock { budget: self, started: Instant::now() }
    }
}

/// A budget that is running.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    budget: Budget,
    started: Instant,
}

impl Clock {
    /// Whether so many steps, or the time, are more than the budget has.
    pub(crate) fn is_spent(&self, steps: u64) -> bool {
        steps >= self.budget.steps || self.out_of_time()
    }

    pub(crate) fn out_of_time(&self) -> bool {
        self.budget.time.is_some_and(|limit| self.started.elapsed() >= limit)
    }

    /// The same time, for any number of steps.
    pub(crate) fn without_steps(&self) -> Self {
        Self { budget: Budget { steps: u64::MAX, ..self.budget }, ..*self }
    }

    pub(crate) fn steps(&self) -> u64 {
        self.budget.steps
    }
}
