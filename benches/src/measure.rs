//! Times that can be compared: everyone takes turns, forwards and backwards, so that a slow minute of the
//! machine is slow for all.

use std::time::Instant;

use minrisk_report::Timing;

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
