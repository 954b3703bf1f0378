//! Two runs of the same code, simulated with everything that a shared machine does, call next to nothing;
//! a change of a fifth is called.

use super::*;
use crate::record::{FORMAT, Limits, Machine, Measure, Settings};

#[test]
fn the_tail_of_student_is_that_of_the_tables() {
    for (t, freedom, tail) in [(12.706, 1.0, 0.05), (2.306, 8.0, 0.05), (5.041, 8.0, 0.001)] {
        assert!((chance(t, freedom) / tail - 1.0).abs() < 5e-3, "{t} {freedom}");
    }
    assert_eq!(chance(100.0, 0.5), 1.0);
}

#[test]
fn doubts_are_those_of_benjamini_and_hochberg() {
    let found = doubts(&[0.01, 0.5, 0.02, 0.04]);
    let expected = [0.04, 0.5, 0.04, 0.16 / 3.0];
    assert!(found.iter().zip(expected).all(|(found, q)| (found - q).abs() < 1e-15), "{found:?}");
}

#[test]
fn the_spread_is_what_errors_do_not_explain() {
    let of =
        |x: f64, e: f64| (0..100).map(|k| (x * f64::from(k - 50) / 37.06, e)).collect::<Vec<_>>();
    assert!((spread(&of(0.1, 0.0)) / 0.1 - 1.0).abs() < 0.05);
    assert!((spread(&of(0.1, 0.08)) / 0.06 - 1.0).abs() < 0.1);
    assert_eq!(spread(&of(0.1, 0.2)), 0.0);
    assert_eq!(spread(&[]), 0.0);
}

#[test]
fn the_same_code_calls_next_to_nothing() {
    for machine in MACHINES {
        let mut random = Random(17);
        let found: Vec<usize> =
            (0..RUNS).map(|_| called(&machine, |_, _| 1.0, &mut random).len()).collect();
        let alarms = found.iter().filter(|calls| **calls > 0).count();
        let calls = found.iter().sum::<usize>();
        assert!(alarms * 10 <= RUNS, "{machine:?}: {alarms} of {RUNS} comparisons");
        // One in five hundred times or fewer.
        assert!(calls <= RUNS * LINES * OURS / 500, "{machine:?}: {calls} calls");
    }
}

#[test]
fn a_solver_that_became_a_fifth_slower_is_called_and_nothing_else() {
    for machine in MACHINES {
        let mut random = Random(18);
        let (mut right, mut wrong) = (0, 0);
        for _ in 0..RUNS {
            let slower = |line: usize, _: usize| if line == 7 { 1.2 } else { 1.0 };
            let (hits, others): (Vec<_>, Vec<_>) = called(&machine, slower, &mut random)
                .into_iter()
                .partition(|change| change.name.starts_with("line 7,"));
            right += hits.iter().filter(|change| change.logarithm > 0.0).count();
            wrong += others.len();
        }
        let asked = RUNS * OURS;
        assert!(right as f64 >= machine.power * asked as f64, "{machine:?}: {right} of {asked}");
        assert!(wrong * 10 <= right.max(1), "{machine:?}: {wrong} false beside {right}");
    }
}

#[test]
fn all_of_ours_faster_at_once_is_not_taken_for_drift() {
    for machine in MACHINES {
        let mut random = Random(19);
        let called = called(&machine, |_, _| 0.8, &mut random);
        let (all, faster) = (LINES * OURS, called.iter().filter(|c| c.logarithm < 0.0).count());
        assert!(faster as f64 >= machine.power * all as f64, "{machine:?}: {faster} of {all}");
    }
}

#[test]
fn less_than_five_percent_is_no_change_however_steady() {
    let mut random = Random(20);
    let steady = Simulated { between: 0.0, line: 0.0, drift: 0.0, ..QUIET };
    assert!(called(&steady, |_, _| 1.03, &mut random).is_empty());
}

#[test]
fn a_lone_line_without_peers_calls_nothing() {
    let mut random = Random(21);
    let machine = Simulated { peers: 0, ..QUIET };
    let [mut then, mut now] = [1.0, 1.5].map(|f| run(&machine, &|_, _| f, &mut random));
    then.lines.truncate(1);
    now.lines.truncate(1);
    assert!(changes(&now, &then).iter().all(|change| !change.is_real()));
}

const RUNS: usize = 150;
const LINES: usize = 22;
const OURS: usize = 3;

/// What a machine does to times, all as relative standard deviations.
#[derive(Clone, Copy, Debug)]
struct Simulated {
    peers: usize,
    samples: usize,
    /// From sample to sample.
    scatter: f64,
    /// How often a sample meets a neighbour, which doubles it or worse.
    spikes: f64,
    /// From run to run, for each contestant: where its data came to lie.
    between: f64,
    /// From run to run, for all on a line: a slow minute.
    line: f64,
    /// From run to run, for all.
    drift: f64,
    /// The share of changes by a fifth that has to be called.
    power: f64,
}

const MACHINES: [Simulated; 5] = [QUIET, ALONE, SHARED, BUSY, LOADED];

const QUIET: Simulated = Simulated {
    peers: 4,
    samples: 9,
    scatter: 0.02,
    spikes: 0.05,
    between: 0.01,
    line: 0.01,
    drift: 0.02,
    power: 0.9,
};

/// With Rust alone: only the yardstick tells what the machine did.
const ALONE: Simulated = Simulated { peers: 0, ..QUIET };

const SHARED: Simulated = Simulated {
    scatter: 0.03,
    spikes: 0.1,
    between: 0.01,
    line: 0.05,
    drift: 0.2,
    power: 0.5,
    ..QUIET
};

/// A fifth is seen on one line in five.
const BUSY: Simulated =
    Simulated { scatter: 0.04, spikes: 0.2, between: 0.015, power: 0.15, ..SHARED };

/// So much goes on that a fifth cannot be seen, and nothing may be called.
const LOADED: Simulated = Simulated {
    peers: 2,
    samples: 5,
    scatter: 0.2,
    spikes: 0.3,
    between: 0.08,
    line: 0.1,
    drift: 0.3,
    power: 0.0,
};

/// What is called between two runs, the second of code with other times.
fn called(
    machine: &Simulated,
    slower: impl Fn(usize, usize) -> f64,
    random: &mut Random,
) -> Vec<Change> {
    let (then, now) = (run(machine, &|_, _| 1.0, random), run(machine, &slower, random));
    changes(&now, &then).into_iter().filter(Change::is_real).collect()
}

fn run(machine: &Simulated, slower: &dyn Fn(usize, usize) -> f64, random: &mut Random) -> Run {
    let drift = (machine.drift * random.normal()).exp();
    let lines = (0..LINES).map(|l| {
        let minute = drift * (machine.line * random.normal()).exp();
        let mut timing = |factor: f64, steadier: f64| {
            // Where data comes to lie is mostly harmless and sometimes not.
            let heavy = if random.unit() < 0.05 { 3.0 } else { 1.0 };
            let own =
                minute * factor * (steadier * heavy * machine.between * random.normal()).exp();
            let sample = |random: &mut Random| {
                let spike = if random.unit() < machine.spikes { 1.0 / random.unit() } else { 0.0 };
                own * (machine.scatter * random.normal()).exp() * (1.0 + spike)
            };
            Timing::of((0..machine.samples).map(|_| sample(random)).collect()).expect("samples")
        };
        let entry = |contestant: String, ours: bool, timing: Timing| Entry {
            contestant,
            ours,
            timing: Ok(timing),
            reached: None,
            counts: true,
            unfinished: false,
            ladder: Vec::new(),
            note: None,
        };
        let mut entries: Vec<Entry> = (0..OURS)
            .map(|k| entry(format!("ours {k}"), true, timing(slower(l, k), 1.0)))
            .collect();
        entries.extend(
            (0..machine.peers).map(|k| entry(format!("peer {k}"), false, timing(2.0, 1.0))),
        );
        Line {
            name: format!("{l}"),
            title: format!("line {l}"),
            accuracy: String::new(),
            measure: Measure::Work,
            entries,
            limit: 0.1,
            limit_is: String::new(),
            peerless: None,
            yardstick: Some(timing(0.3, 0.7)),
        }
    });
    let lines = lines.collect();
    Run { lines, ..nothing() }
}

/// A run that measured nothing.
fn nothing() -> Run {
    Run {
        format: FORMAT,
        machine: Machine::default(),
        settings: Settings::default(),
        limits: Limits { read_bandwidth: 1e10, peak_flops: 1e11 },
        peers: Vec::new(),
        accuracy: Vec::new(),
        nist: Vec::new(),
        scaling: Vec::new(),
        lines: Vec::new(),
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    /// In (0, 1).
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (((z ^ (z >> 31)) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}
