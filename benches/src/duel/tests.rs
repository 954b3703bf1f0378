//! Pairs of times are what both sides said, one at once after the other, in an order that changes.

use std::cell::RefCell;

use super::*;

const EFFORT: Effort = Effort { bouts: 4, rounds: 3, seconds: 100.0, longest: 200.0 };

/// Says one time after the other, and notes down who was asked.
struct Told<'a> {
    name: &'static str,
    times: Vec<f64>,
    asked: &'a RefCell<Vec<&'static str>>,
}

impl Side for Told<'_> {
    fn run(&mut self, _: &str) -> Result<f64, String> {
        self.asked.borrow_mut().push(self.name);
        self.times.pop().ok_or_else(|| "diverged".to_string())
    }
}

/// A bout between sides that say these times; also, who was asked.
fn bout(
    effort: Effort,
    number: usize,
    times: [&[f64]; 2],
) -> (Result<Bout, String>, Vec<&'static str>) {
    let asked = RefCell::new(Vec::new());
    let side = |name, times: &[f64]| {
        let times = times.iter().rev().copied().collect();
        Told { name, times, asked: &asked }
    };
    let bout =
        effort.bout(number, "ours", &mut [side("before", times[0]), side("after", times[1])]);
    (bout, asked.into_inner())
}

#[test]
fn who_goes_first_changes_with_every_pair_and_every_bout() {
    let times: [&[f64]; 2] = [&[9.0, 1.0, 2.0, 3.0], &[8.0, 4.0, 5.0, 6.0]];
    let forth = ["before", "after", "after", "before"];
    for (number, first) in [(0, 0), (1, 2), (2, 0)] {
        let (found, asked) = bout(EFFORT, number, times);
        // The first pair warms up.
        assert_eq!(found, Ok(vec![(1.0, 4.0), (2.0, 5.0), (3.0, 6.0)]));
        let expected: Vec<_> = forth.iter().cycle().skip(first).take(8).copied().collect();
        assert_eq!(asked, expected);
    }
}

#[test]
fn there_are_as_many_pairs_as_there_is_time_for() {
    let times: [&[f64]; 2] = [&[20.0, 1.0, 2.0, 3.0], &[25.0, 4.0, 5.0, 6.0]];
    assert_eq!(bout(EFFORT, 0, times).0, Ok(vec![(1.0, 4.0), (2.0, 5.0)]));
    let slow: [&[f64]; 2] = [&[60.0], &[70.0]];
    assert_eq!(bout(EFFORT, 0, slow).0, Ok(vec![(60.0, 70.0)]));
}

#[test]
fn whoever_takes_too_long_or_fails_is_said_to() {
    let (found, _) = bout(EFFORT, 0, [&[150.0], &[151.0]]);
    assert!(found.is_err_and(|reason| reason.contains("takes 301 s")));
    let (found, _) = bout(EFFORT, 0, [&[1.0, 1.0], &[1.0]]);
    assert_eq!(found, Err("diverged".to_string()));
}
