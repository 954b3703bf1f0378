//! A time that was measured: its median and its quartiles.

use serde::{Deserialize, Serialize};

/// The times of repeated runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The median, in seconds.
    pub median: f64,
    /// The lower quartile.
    pub lower: f64,
    /// The upper quartile.
    pub upper: f64,
    /// How many there were.
    pub samples: usize,
}

impl Timing {
    /// The median and quartiles of some times; `None` of none.
    pub fn of(mut seconds: Vec<f64>) -> Option<Self> {
        seconds.sort_unstable_by(f64::total_cmp);
        let last = seconds.len().checked_sub(1)?;
        let quantile = |q: f64| {
            let at = q * last as f64;
            let (below, above) = (seconds[at.floor() as usize], seconds[at.ceil() as usize]);
            below + (above - below) * at.fract()
        };
        Some(Self {
            median: quantile(0.5),
            lower: quantile(0.25),
            upper: quantile(0.75),
            samples: seconds.len(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_quartiles() {
        let timing = Timing::of(vec![5.0, 1.0, 4.0, 2.0, 3.0]).expect("five times");
        assert_eq!((timing.lower, timing.median, timing.upper), (2.0, 3.0, 4.0));
        assert!(Timing::of(Vec::new()).is_none());
    }
}
