//! Duels of the same code, simulated with everything that a shared machine does, call next to nothing; of changes
//! by an eighth as many are called as the machine is quiet enough for, and nothing beside them.

use super::*;
use crate::record::Accuracy;

#[test]
fn doubts_are_those_of_benjamini_and_hochberg() {
    let found = doubts(&[0.01, 0.5, 0.02, 0.04]);
    let expected = [0.04, 0.5, 0.04, 0.16 / 3.0];
    assert!(found.iter().zip(expected).all(|(found, q)| (found - q).abs() < 1e-15), "{found:?}");
}

#[test]
fn the_same_code_calls_next_to_nothing() {
    for machine in MACHINES {
        let mut random = Random(17);
        let found: Vec<usize> =
            (0..RUNS).map(|_| called(&machine, |_| 1.0, &mut random).len()).collect();
        let alarms = found.iter().filter(|calls| **calls > 0).count();
        // One in twenty is what the rule allows; 11 of 100 is two and a half deviations more than that.
        assert!(alarms <= 11, "{machine:?}: {alarms} of {RUNS} comparisons");
    }
}

#[test]
fn a_solver_that_became_an_eighth_slower_is_called_and_nothing_else() {
    for machine in MACHINES {
        let mut random = Random(18);
        let (mut right, mut wrong) = (0, 0);
        for _ in 0..RUNS {
            let slower = |duel: usize| if duel == 7 { 1.125 } else { 1.0 };
            let (hits, others): (Vec<_>, Vec<_>) = called(&machine, slower, &mut random)
                .into_iter()
                .partition(|change| change.name == "line 7, ours");
            right += hits.iter().filter(|change| change.slower.estimate > 0.0).count();
            wrong += others.len();
        }
        let share = right as f64 / RUNS as f64;
        assert!(share >= machine.power, "{machine:?}: {share} were called");
        assert!(wrong * 10 <= RUNS, "{machine:?}: {wrong} false beside {right}");
    }
}

#[test]
fn all_of_ours_faster_at_once_is_not_taken_for_drift() {
    for machine in MACHINES {
        let found = called(&machine, |_| 1.0 / 1.125, &mut Random(19));
        let faster = found.iter().filter(|change| change.slower.estimate < 0.0).count();
        assert!(faster as f64 >= machine.power * DUELS as f64, "{machine:?}: {faster} of {DUELS}");
    }
}

#[test]
fn less_than_five_percent_is_no_change_however_steady() {
    let steady = Simulated { placement: 0.0, scatter: 0.001, spikes: 0.0, ..QUIET };
    assert!(called(&steady, |_| 1.04, &mut Random(20)).is_empty());
    assert_eq!(called(&steady, |_| 1.06, &mut Random(20)).len(), DUELS);
}

#[test]
fn a_bout_or_two_say_nothing() {
    for bouts in [0, 1, 2] {
        let few = Simulated { bouts, ..QUIET };
        assert!(called(&few, |_| 2.0, &mut Random(21)).is_empty());
    }
}

#[test]
fn what_could_not_be_compared_is_no_change() {
    let duel = |bouts| Duel { line: "line".into(), contestant: "ours".into(), bouts };
    let duels = vec![duel(Err("the data is not that of the baseline".into())), duel(Ok(vec![]))];
    assert!(changes(&comparison(duels)).is_empty());
}

#[test]
fn half_a_digit_more_or_less_is_a_change_and_so_is_refusing() {
    let record = |solver: &str, digits: Option<f64>| AccuracyRecord {
        family: "Vandermonde".into(),
        condition: 1e10,
        backend: "faer".into(),
        solver: solver.into(),
        outcome: digits.ok_or_else(|| "rank deficient".into()).map(|digits| Accuracy {
            digits,
            claimed: None,
            backward_error: 0.0,
            seconds: 1.0,
        }),
    };
    let then = [
        record("qr", Some(6.0)),
        record("svd", Some(6.0)),
        record("exact", Some(15.9)),
        record("gone", Some(1.0)),
        record("cholesky", None),
    ];
    let now = [
        record("qr", Some(6.4)),
        record("svd", Some(5.4)),
        record("exact", None),
        record("cholesky", None),
        record("new", Some(1.0)),
    ];
    let changed = digit_changes(&then, &now);
    let names: Vec<&str> = changed.iter().map(|change| change.now.solver.as_str()).collect();
    assert_eq!(names, ["svd", "exact"]);
    assert_eq!((changed[1].before, changed[1].after), (Some(15.9), None));
}

const RUNS: usize = 100;
const DUELS: usize = 66;

/// What a machine does to times, all as relative standard deviations.
#[derive(Clone, Copy, Debug)]
struct Simulated {
    bouts: usize,
    rounds: usize,
    /// From run to run.
    scatter: f64,
    /// How often a run meets a neighbour, which doubles its time or worse.
    spikes: f64,
    /// From program to program: where its data came to lie.
    placement: f64,
    /// From minute to minute, for both programs.
    drift: f64,
    /// The share of changes by an eighth that has to be called, though each is the only one.
    power: f64,
}

const MACHINES: [Simulated; 4] = [QUIET, BRIEF, SHARED, LOADED];

const QUIET: Simulated = Simulated {
    bouts: 16,
    rounds: 3,
    scatter: 0.01,
    spikes: 0.02,
    placement: 0.01,
    drift: 0.05,
    power: 0.95,
};

const BRIEF: Simulated = Simulated { bouts: 14, power: 0.8, ..QUIET };

/// With the outliers that neighbours cause, one change among so many that are none is seen every other time.
const SHARED: Simulated =
    Simulated { scatter: 0.03, spikes: 0.1, placement: 0.03, drift: 0.3, power: 0.5, ..QUIET };

/// So much goes on that an eighth is seldom seen, and nothing else may be called.
const LOADED: Simulated =
    Simulated { scatter: 0.2, spikes: 0.3, placement: 0.1, drift: 1.0, power: 0.0, ..QUIET };

/// What is called where the code became slower by a factor in each duel.
fn called(machine: &Simulated, slower: impl Fn(usize) -> f64, random: &mut Random) -> Vec<Change> {
    let duels = (0..DUELS).map(|duel| Duel {
        line: format!("line {duel}"),
        contestant: "ours".to_string(),
        bouts: Ok((0..machine.bouts).map(|_| bout(machine, slower(duel), random)).collect()),
    });
    changes(&comparison(duels.collect())).into_iter().filter(Change::is_real).collect()
}

fn bout(machine: &Simulated, slower: f64, random: &mut Random) -> Bout {
    let minute = (machine.drift * random.normal()).exp();
    let mut side = || {
        // Mostly harmless and sometimes not.
        let heavy = if random.unit() < 0.1 { 4.0 } else { 1.0 };
        (heavy * machine.placement * random.normal()).exp()
    };
    let (before, after) = (minute * side(), minute * slower * side());
    let mut run = |seconds: f64| {
        let spike = if random.unit() < machine.spikes { 1.0 / random.unit() } else { 0.0 };
        seconds * (machine.scatter * random.normal()).exp() * (1.0 + spike)
    };
    (0..machine.rounds).map(|_| (run(before), run(after))).collect()
}

fn comparison(duels: Vec<Duel>) -> Comparison {
    Comparison { baseline: String::new(), commit: String::new(), accuracy: Vec::new(), duels }
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
