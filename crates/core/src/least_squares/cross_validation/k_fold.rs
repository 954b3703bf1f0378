//! k-fold cross-validation of ridge over a grid of penalties.
//!
//! Where the moments cannot vouch for 12 digits of a solution, or a fit is so good that the held-out sum
//! of squares cancels, that fold is fitted and predicted from its rows, like any other data.

use rayon::prelude::*;

use super::choice;
use super::fold_moments::{fold_moments, target_shifts, training_moments};
use super::held_out::{HeldOut, required_digits};
use super::outcome::{FoldOutcome, scores};
use super::spectrum::{Spectrum, norm};
use crate::least_squares::Ridge;
use crate::penalty::Scale;
use crate::selection::{Folds, Scores, Subset};
use crate::{Backend, Dataset, Error, LinearModel, Scalar};

/// The scores of a grid of penalties, with the models of every fold.
#[derive(Clone, Debug, PartialEq)]
pub struct RidgeCrossValidation<T> {
    /// The penalties, in the order given.
    pub alphas: Vec<f64>,
    /// For each penalty the mean squared error in every fold.
    pub mean_squared_errors: Vec<Scores>,
    /// For each penalty R² in every fold.
    pub r_squared: Vec<Scores>,
    /// For each fold and penalty, the model of the other folds.
    pub models: Vec<Vec<LinearModel<T>>>,
    /// For each fold and penalty, the digits that hold in the coefficients, relative to the largest in
    /// units of their features.
    pub digits: Vec<Vec<f64>>,
    /// How many pairs of a fold and a penalty were fitted from their rows.
    pub refits: usize,
}

impl<T> RidgeCrossValidation<T> {
    /// The index of the penalty with the smallest mean squared error.
    pub fn best(&self) -> usize {
        choice::best(&self.alphas, &self.mean_squared_errors)
    }

    /// The index of the strongest penalty within one standard error of the best.
    pub fn one_standard_error(&self) -> usize {
        choice::one_standard_error(&self.alphas, &self.mean_squared_errors)
    }
}

impl<S: Scale> Ridge<S> {
    /// Cross-validates many penalties on the same folds, in about one pass over the data.
    ///
    /// The penalty of this estimator is not used; penalties are in its scale.
    pub fn cross_validate_on<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
        folds: &Folds,
        alphas: &[f64],
    ) -> Result<RidgeCrossValidation<T>, Error> {
        folds.check(data.rows())?;
        check_alphas(alphas)?;
        data.refuse_offsets("cross-validated ridge")?;
        let centred = self.problem().intercept;
        if data.cols() == 0 && !centred {
            return Err(Error::NothingToFit);
        }
        let count = folds.count();
        let from_rows = FromRows { ridge: self, backend, data, folds, alphas };
        let outcomes: Vec<Result<FoldOutcome<T>, Error>> = if worth_moments(data, count) {
            let shifts = target_shifts(data, centred);
            let parts = fold_moments(backend, data, folds.of_row(), count, centred, &shifts)?;
            if parts.iter().any(|part| part.moments.weight <= 0.0) {
                return Err(Error::AllWeightsZero);
            }
            let training = training_moments(backend, &parts, centred);
            let study = |fold: usize| {
                let (train, test) = (&training[fold], &parts[fold]);
                let held_out = HeldOut { train, test, centred };
                FromMoments { from_rows: &from_rows, shifts: &shifts, held_out }.run(fold)
            };
            (0..count).into_par_iter().map(study).collect()
        } else {
            let all: Vec<usize> = (0..alphas.len()).collect();
            let study = |fold: usize| {
                let mut outcome = FoldOutcome::empty(alphas.len())?;
                from_rows.refit(fold, &all, &mut outcome)?;
                Ok(outcome)
            };
            (0..count).into_par_iter().map(study).collect()
        };
        let outcomes = outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(RidgeCrossValidation {
            alphas: alphas.to_vec(),
            mean_squared_errors: scores(&outcomes, |outcome| &outcome.errors),
            r_squared: scores(&outcomes, |outcome| &outcome.r_squared),
            digits: outcomes.iter().map(|outcome| outcome.digits.clone()).collect(),
            refits: outcomes.iter().map(|outcome| outcome.refits).sum(),
            models: outcomes.into_iter().map(|outcome| outcome.models).collect(),
        })
    }
}

pub(super) fn check_alphas(alphas: &[f64]) -> Result<(), Error> {
    match alphas.iter().find(|alpha| !(alpha.is_finite() && **alpha >= 0.0)) {
        None => Ok(()),
        Some(bad) => Err(Error::BadParameter {
            what: "the penalty α",
            value: bad.to_string(),
            expected: "finite and not negative",
        }),
    }
}

/// Gram matrices of all folds beyond this many bytes are not made.
const MOST_MOMENTS: u128 = 1 << 31;

/// Whether Gram matrices pay: more rows than columns, and room for those of all folds, twice.
pub(super) fn worth_moments<T: Scalar>(data: &Dataset<'_, T>, folds: usize) -> bool {
    let cols = data.cols() as u128;
    let bytes = 2 * folds as u128 * cols * cols * size_of::<T>() as u128;
    data.cols() < data.rows() && bytes <= MOST_MOMENTS
}

/// Folds that are fitted and predicted from their rows.
struct FromRows<'a, 'd, T: Scalar, S> {
    ridge: &'a Ridge<S>,
    backend: &'a dyn Backend<T>,
    data: &'a Dataset<'d, T>,
    folds: &'a Folds,
    alphas: &'a [f64],
}

impl<T: Scalar, S: Scale> FromRows<'_, '_, T, S> {
    /// Fits some penalties without the rows of a fold, and predicts those.
    fn refit(
        &self,
        fold: usize,
        which: &[usize],
        outcome: &mut FoldOutcome<T>,
    ) -> Result<(), Error> {
        let split = self.folds.split(fold);
        let (train, test) =
            (Subset::of(self.data, &split.train)?, Subset::of(self.data, &split.test)?);
        let (train, test) = (train.dataset()?, test.dataset()?);
        let alphas: Vec<f64> = which.iter().map(|&k| self.alphas[k]).collect();
        let fits = self.ridge.path_on(self.backend, &train, &alphas)?;
        for (&k, fit) in which.iter().zip(fits) {
            let digits = fit.certificate.least_squares().map_or(0.0, |c| c.worst_digits());
            outcome.take_refit(k, fit.model, digits, &test)?;
        }
        Ok(())
    }
}

/// A fold that is studied by its moments, all penalties.
struct FromMoments<'a, 'd, T: Scalar, S> {
    from_rows: &'a FromRows<'a, 'd, T, S>,
    shifts: &'a [f64],
    held_out: HeldOut<'a, T>,
}

impl<T: Scalar, S: Scale> FromMoments<'_, '_, T, S> {
    fn run(&self, fold: usize) -> Result<FoldOutcome<T>, Error> {
        let FromRows { backend, alphas, .. } = *self.from_rows;
        let HeldOut { train, centred, .. } = self.held_out;
        let spectrum = Spectrum::of(backend, &train.moments).ok();
        let side = |target: usize| {
            let cross = train.centred_cross(target, centred);
            let rotated = spectrum.as_ref().map_or(Vec::new(), |s| s.rotate(&cross));
            (cross, rotated)
        };
        let sides: Vec<(Vec<f64>, Vec<f64>)> = (0..self.shifts.len()).map(side).collect();
        let mut outcome = FoldOutcome::empty(alphas.len())?;
        let mut again = Vec::new();
        for (k, &alpha) in alphas.iter().enumerate() {
            let alpha = alpha * S::to_total(train.moments.exact_weight).to_f64();
            let found = spectrum.as_ref().and_then(|spectrum| self.shrink(spectrum, &sides, alpha));
            let Some(Candidate { error, r_squared, digits, model }) = found else {
                again.push(k);
                continue;
            };
            outcome.errors[k] = error;
            outcome.r_squared[k] = r_squared;
            outcome.digits[k] = digits;
            outcome.models[k] = model?;
        }
        if !again.is_empty() {
            self.from_rows.refit(fold, &again, &mut outcome)?;
        }
        Ok(outcome)
    }

    /// All targets for one penalty from the moments; `None` where they cannot vouch for the result.
    fn shrink(
        &self,
        spectrum: &Spectrum,
        sides: &[(Vec<f64>, Vec<f64>)],
        alpha: f64,
    ) -> Option<Candidate<T>> {
        let mut candidate = Candidate {
            error: 0.0,
            r_squared: 0.0,
            digits: f64::INFINITY,
            model: Err(Error::NothingToFit),
        };
        let (mut weights, mut intercepts) = (Vec::new(), Vec::new());
        let targets = sides.len() as f64;
        for (target, (cross, rotated)) in sides.iter().enumerate() {
            let cross_error = norm(&self.held_out.cross_errors(target));
            let found = spectrum.solve(cross, rotated, alpha, cross_error);
            if found.digits < required_digits::<T>() {
                return None;
            }
            let (squares, total) = self.held_out.squares(target, &found.weights)?;
            candidate.error += squares / self.held_out.test.moments.weight / targets;
            candidate.r_squared += crate::selection::r_squared(squares, total) / targets;
            candidate.digits = candidate.digits.min(found.digits);
            let level = self.held_out.intercept(target, &found.weights);
            intercepts.push(T::from_double(self.shifts[target] + level));
            weights.push(found.weights.iter().map(|&w| T::from_double(w)).collect());
        }
        let intercepts = self.held_out.centred.then_some(intercepts);
        candidate.model =
            LinearModel::new(weights, intercepts, self.from_rows.data.names().cloned());
        Some(candidate)
    }
}

/// What the moments say about one penalty.
struct Candidate<T> {
    error: f64,
    r_squared: f64,
    digits: f64,
    model: Result<LinearModel<T>, Error>,
}
