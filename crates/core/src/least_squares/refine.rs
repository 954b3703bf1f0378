//! Refinement: from a few digits to all of them.
//!
//! For a positive definite system A x = b with a factor M = RᵀR ≈ A, repeat x ← x + M⁻¹(b − A x) with
//! the defect b − A x computed in the wide precision and x kept in it. In the energy norm ‖R·‖ the
//! error contracts by ρ = ‖I − R⁻ᵀAR⁻¹‖ a step until the rounding of the defect itself, `floor`, is
//! reached. After a step of energy ε the error is at most
//!
//! E = ρ/(1−ρ)·ε + floor,  so that  |x_j − x_j*| ≤ s_j·E  with s_j = ‖e_jᵀR⁻¹‖.
//!
//! ρ is the factor's estimate where that is below one half, and is measured from successive energies
//! where it is not. When the floor is what keeps coefficients from their last digit, defects are computed in
//! the wider precision from there on.

use crate::wide::Number;
use crate::{Error, Scalar};

/// A positive definite system with right-hand sides that are refined together.
pub(super) trait System<T: Scalar> {
    /// b − A·x for each side in `active`, in the wide or the wider precision.
    fn defects(
        &mut self,
        solutions: &[Vec<T::Wide>],
        active: &[usize],
        precision: Accuracy,
    ) -> Result<Vec<Defect<T>>, Error>;

    /// M⁻¹g and the energy of this step.
    fn correct(&self, side: usize, defect: &[T::Wide]) -> (Vec<T::Wide>, f64);

    /// A bound in energy for the rounding of a defect.
    fn floor(&self, side: usize, solution: &[T::Wide], precision: Accuracy) -> f64;

    /// An upper estimate for ρ; 1 or more where nothing is known.
    fn contraction(&self, side: usize) -> f64;

    /// Whether an error in energy is small enough for every unknown.
    fn is_accurate(&self, side: usize, solution: &[T::Wide], error: f64) -> bool;
}

/// Which precision defects are computed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Accuracy {
    /// [`Scalar::Wide`].
    Wide,
    /// [`Scalar::Wider`].
    Wider,
}

/// A defect, with the weighted sum of squared residuals that came with it.
pub(super) struct Defect<T: Scalar> {
    pub(super) values: Vec<T::Wide>,
    pub(super) squares: f64,
}

/// A refined solution and what is known about it.
#[derive(Clone, Debug)]
pub(super) struct Refined<T: Scalar> {
    pub(super) solution: Vec<T::Wide>,
    /// E: the error is at most this, in energy. Infinite when nothing is known.
    pub(super) error: f64,
    /// Whether every unknown reached the accuracy asked for.
    pub(super) accurate: bool,
    /// Σ c r² at the solution.
    pub(super) squares: f64,
    /// Steps taken.
    pub(super) steps: usize,
}

/// Steps before a slow refinement is given up; at ρ = 1/2 they give 12 digits.
const MAX_STEPS: usize = 40;

/// Estimates of ρ below this are taken at their word; above it ρ is measured.
const TRUSTED: f64 = 0.5;

/// A refinement that gains less than this factor a step is called stalled.
const STALLED: f64 = 0.7;

/// Refines all sides until each is accurate, the floor of the wider precision is reached, or the
/// iteration stalls.
pub(super) fn refine<T: Scalar>(
    system: &mut impl System<T>,
    start: Vec<Vec<T::Wide>>,
) -> Result<Vec<Refined<T>>, Error> {
    let mut solutions = start;
    let mut progress: Vec<Progress> = solutions.iter().map(|_| Progress::default()).collect();
    let mut precision = Accuracy::Wide;
    for step in 1..=MAX_STEPS {
        let active: Vec<usize> =
            (0..solutions.len()).filter(|&side| progress[side].state == State::Active).collect();
        if active.is_empty() {
            break;
        }
        let defects = system.defects(&solutions, &active, precision)?;
        let mut wants_wider = false;
        for (&side, defect) in active.iter().zip(&defects) {
            let (correction, energy) = system.correct(side, &defect.values);
            if !energy.is_finite() || correction.iter().any(|c| !c.to_double().is_finite()) {
                progress[side].state = State::Ended;
                progress[side].error = f64::INFINITY;
                continue;
            }
            let this = &mut progress[side];
            let floor = system.floor(side, &solutions[side], precision);
            // Steps below the floor are noise: they neither help nor mean divergence.
            let diverges =
                energy > floor && this.energy.is_some_and(|previous| energy > 2.0 * previous);
            if !diverges {
                for (x, &delta) in solutions[side].iter_mut().zip(&correction) {
                    *x += delta;
                }
            }
            this.step(energy, floor, system.contraction(side));
            this.squares = (defect.squares - energy * energy).max(0.0);
            this.steps = step;
            this.state = if diverges {
                this.error = f64::INFINITY;
                State::Ended
            } else if system.is_accurate(side, &solutions[side], this.error) {
                State::Accurate
            } else if this.at_floor(floor) || this.stalled() {
                wants_wider |= precision == Accuracy::Wide && this.at_floor(floor);
                if precision == Accuracy::Wide && this.at_floor(floor) {
                    State::Active
                } else {
                    State::Ended
                }
            } else {
                State::Active
            };
        }
        if wants_wider {
            precision = Accuracy::Wider;
            // Energies before and after differ in more than the contraction.
            progress.iter_mut().for_each(Progress::forget_ratios);
        }
    }
    let refined = solutions.into_iter().zip(progress).map(|(solution, p)| Refined {
        accurate: p.state == State::Accurate,
        error: p.error,
        squares: p.squares,
        steps: p.steps,
        solution,
    });
    Ok(refined.collect())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Active,
    Accurate,
    Ended,
}

#[derive(Clone, Debug, Default)]
struct Progress {
    state: State,
    /// Energy of the last step.
    energy: Option<f64>,
    /// The last two measured ratios of energies.
    ratios: [Option<f64>; 2],
    error: f64,
    /// The part of the error that further steps would remove.
    removable: f64,
    squares: f64,
    steps: usize,
}

impl Progress {
    fn step(&mut self, energy: f64, floor: f64, estimate: f64) {
        if let Some(previous) = self.energy {
            let ratio = if previous > 0.0 { energy / previous } else { 0.0 };
            self.ratios = [self.ratios[1], Some(ratio)];
        }
        self.energy = Some(energy);
        self.removable = if energy <= floor {
            energy
        } else if estimate < TRUSTED {
            estimate / (1.0 - estimate) * energy
        } else {
            // Measured ratios approach ρ from below, and one of them may flatter: the worse of two,
            // with a reserve.
            match self.ratios {
                [Some(a), Some(b)] if a.max(b) < 0.9 => {
                    let ratio = a.max(b);
                    16.0 * ratio / (1.0 - ratio) * energy
                }
                _ => f64::INFINITY,
            }
        };
        self.error = self.removable + floor;
    }

    fn forget_ratios(&mut self) {
        self.energy = None;
        self.ratios = [None; 2];
    }

    fn at_floor(&self, floor: f64) -> bool {
        self.removable <= floor
    }

    fn stalled(&self) -> bool {
        self.ratios[1].is_some_and(|ratio| ratio > STALLED)
    }
}
