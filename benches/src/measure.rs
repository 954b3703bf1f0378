//! Times that can be compared: repetitions interleaved, medians, and how far they can be trusted.
//!
//! Everyone on a line takes turns, forwards and backwards, so that a slow minute of the machine is slow
//! for all. The standard error of a median of n samples of deviation σ is 1.2533·σ/√n, and σ is taken as
//! the interquartile range over 1.349, which outliers do not move.

use std::time::Instant;

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

    /// The standard error of the median relative to it; `None` of fewer than four samples.
    pub fn noise(&self) -> Option<f64> {
        let deviation = (self.upper - self.lower) / 1.349;
        (self.samples >= 4).then(|| 1.2533 * deviation / (self.samples as f64).sqrt() / self.median)
    }
}

/// How often to repeat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repetitions {
    /// At most so many runs of each.
    pub most: usize,
    /// No further runs of one that has taken so many seconds.
    pub seconds: f64,
}

/// A run that times itself: what is not to be timed is not in its seconds.
pub type Timed<'a> = Box<dyn FnMut() -> Result<f64, String> + 'a>;

/// Runs everyone in turn and returns their times, in order.
pub fn interleave(
    contestants: &mut [Timed<'_>],
    repetitions: Repetitions,
) -> Vec<Result<Timing, String>> {
    let mut samples: Vec<Result<Vec<f64>, String>> = vec![Ok(Vec::new()); contestants.len()];
    for round in 0..repetitions.most {
        for turn in 0..contestants.len() {
            let who = if round % 2 == 0 { turn } else { contestants.len() - 1 - turn };
            let Ok(times) = &mut samples[who] else { continue };
            if round > 0 && times.iter().sum::<f64>() > repetitions.seconds {
                continue;
            }
            match contestants[who]() {
                Ok(seconds) => times.push(seconds),
                Err(reason) => samples[who] = Err(reason),
            }
        }
    }
    let timing = |times: Vec<f64>| Timing::of(times).ok_or_else(|| "was never run".to_string());
    samples.into_iter().map(|times| times.and_then(timing)).collect()
}

/// Runs once; returns the seconds and the result, which is dropped outside of them.
pub fn once<R>(run: impl FnOnce() -> R) -> (f64, R) {
    let start = Instant::now();
    let result = std::hint::black_box(run());
    (start.elapsed().as_secs_f64(), result)
}

/// A closure as someone who can be timed; errors are passed on as text.
pub fn timed<'a, R, E: std::fmt::Display>(mut run: impl FnMut() -> Result<R, E> + 'a) -> Timed<'a> {
    Box::new(move || {
        let (seconds, result) = once(&mut run);
        result.map(|_| seconds).map_err(|error| error.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_quartiles() {
        let timing = Timing::of(vec![5.0, 1.0, 4.0, 2.0, 3.0]).expect("five times");
        assert_eq!((timing.lower, timing.median, timing.upper), (2.0, 3.0, 4.0));
        assert!(Timing::of(Vec::new()).is_none());
        assert!(Timing::of(vec![1.0; 3]).expect("three").noise().is_none());
        assert_eq!(Timing::of(vec![1.0; 4]).expect("four").noise(), Some(0.0));
    }

    #[test]
    fn turns_are_taken_forwards_and_backwards() {
        let order = std::cell::RefCell::new(Vec::new());
        let contestant = |name: char| -> Timed<'_> {
            let order = &order;
            Box::new(move || {
                order.borrow_mut().push(name);
                if name == 'c' { Err("cannot".into()) } else { Ok(1.0) }
            })
        };
        let mut all = [contestant('a'), contestant('b'), contestant('c')];
        let times = interleave(&mut all, Repetitions { most: 3, seconds: 10.0 });
        assert_eq!(order.borrow().iter().collect::<String>(), "abcbaab");
        assert_eq!(times[0].as_ref().expect("times").samples, 3);
        assert_eq!(times[2], Err("cannot".into()));
    }

    #[test]
    fn who_has_used_up_the_seconds_is_not_run_again() {
        let mut slow: [Timed<'_>; 1] = [Box::new(|| Ok(7.0))];
        let times = interleave(&mut slow, Repetitions { most: 9, seconds: 10.0 });
        assert_eq!(times[0].as_ref().expect("times").samples, 2);
    }
}
