//! k-fold cross-validation of lasso and elastic net over a path of penalties.
//!
//! The Gram matrices of all folds come from one pass, those to learn from are their sums, and every fold
//! then goes down the [path](super::sparse_path) on d × d numbers, each penalty from the one before.
//! Held-out errors come from the moments of the fold. Where these cannot vouch for 12 digits of the
//! weights, that fold and penalty are fitted and predicted from the rows.

use rayon::prelude::*;

use super::choice;
use super::fold_moments::{FoldMoments, fold_moments, target_shifts, training_moments};
use super::held_out::{HeldOut, required_digits};
use super::k_fold::worth_moments;
use super::outcome::{FoldOutcome, scores};
use super::sparse_path::SparsePath;
use crate::convex::{Auto, lambda_grid, lambda_max};
use crate::loss::Squared;
use crate::penalty::{ElasticNet, PerSample, Terms};
use crate::selection::{Folds, Scores, Subset, r_squared};
use crate::{Backend, Dataset, Erm, Error, Fit, LinearModel, Scalar, Solver};

/// Lasso, or elastic net, with its penalty chosen by cross-validation.
///
/// Minimises Σ c_t (y_t − z_t)² / Σ c_t + λ‖w‖₁ + ρλ‖w‖² for every λ of a grid in every fold: the scale is
/// per sample, since folds differ in size from the whole.
///
/// ```
/// use minrisk_core::selection::LassoCv;
/// let lasso = LassoCv::new();
/// assert_eq!((lasso.count, lasso.smallest, lasso.ridge), (100, 1e-3, 0.0));
/// let elastic_net = LassoCv::new().with_ridge(0.5).with_lambdas(vec![1.0, 0.1, 0.01]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LassoCv {
    /// Whether there is an intercept, which is not penalised.
    pub intercept: bool,
    /// How many λ the grid has, from the least that makes all weights zero downwards.
    pub count: usize,
    /// The smallest λ of the grid, as a share of the largest.
    pub smallest: f64,
    /// The λ to try in place of a grid.
    pub lambdas: Option<Vec<f64>>,
    /// ρ: λ₂ = ρλ; zero for the lasso.
    pub ridge: f64,
}

/// The scores of a path of penalties, with the models of every fold.
#[derive(Clone, Debug, PartialEq)]
pub struct LassoCrossValidation<T> {
    /// The λ, in the order given, on the scale per sample.
    pub lambdas: Vec<f64>,
    /// For each λ the mean squared error in every fold.
    pub mean_squared_errors: Vec<Scores>,
    /// For each λ R² in every fold.
    pub r_squared: Vec<Scores>,
    /// For each fold and λ, the model of the other folds.
    pub models: Vec<Vec<LinearModel<T>>>,
    /// For each fold and λ, the digits that hold in the coefficients, relative to the largest in units of
    /// their features; infinite where all are zero, 0 where the fold was fitted from its rows and the
    /// solver's own certificate said what holds.
    pub digits: Vec<Vec<f64>>,
    /// How many pairs of a fold and a λ were fitted from their rows.
    pub refits: usize,
}

/// What [`LassoCv`] returns.
#[derive(Clone, Debug, PartialEq)]
pub struct LassoCvFit<T> {
    /// All rows with the λ of the smallest mean squared error.
    pub best: Fit<T>,
    /// All rows with the largest λ within one standard error of that.
    pub simplest: Fit<T>,
    /// The scores behind the choice.
    pub scores: LassoCrossValidation<T>,
}

impl<T> LassoCrossValidation<T> {
    /// The index of the λ with the smallest mean squared error.
    pub fn best(&self) -> usize {
        choice::best(&self.lambdas, &self.mean_squared_errors)
    }

    /// The index of the largest λ within one standard error of the best.
    pub fn one_standard_error(&self) -> usize {
        choice::one_standard_error(&self.lambdas, &self.mean_squared_errors)
    }
}

impl LassoCv {
    /// The lasso with an intercept over 100 λ, down to a thousandth of the largest.
    pub fn new() -> Self {
        Self { intercept: true, count: 100, smallest: 1e-3, lambdas: None, ridge: 0.0 }
    }

    /// Through the origin.
    pub fn without_intercept(self) -> Self {
        Self { intercept: false, ..self }
    }

    /// With another grid: so many λ, down to a share of the largest.
    pub fn with_grid(self, count: usize, smallest: f64) -> Self {
        Self { count, smallest, lambdas: None, ..self }
    }

    /// With these λ.
    pub fn with_lambdas(self, lambdas: Vec<f64>) -> Self {
        Self { lambdas: Some(lambdas), ..self }
    }

    /// The elastic net with λ₂ = ρλ.
    pub fn with_ridge(self, ridge: f64) -> Self {
        Self { ridge, ..self }
    }

    /// Chooses λ by cross-validation and fits all rows with it.
    pub fn fit_on<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
        folds: &Folds,
    ) -> Result<LassoCvFit<T>, Error> {
        let scores = self.cross_validate_on(backend, data, folds)?;
        let fit = |k: usize| Auto::default().solve(backend, &self.problem(scores.lambdas[k]), data);
        let best = fit(scores.best())?;
        let simplest = match scores.one_standard_error() {
            same if same == scores.best() => best.clone(),
            other => fit(other)?,
        };
        Ok(LassoCvFit { best, simplest, scores })
    }

    /// Cross-validates every λ on the same folds.
    pub fn cross_validate_on<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
        folds: &Folds,
    ) -> Result<LassoCrossValidation<T>, Error> {
        folds.check(data.rows())?;
        data.refuse_offsets("cross-validated lasso")?;
        if data.cols() == 0 && !self.intercept {
            return Err(Error::NothingToFit);
        }
        let lambdas = self.path(backend, data)?;
        let study = Study { options: self, backend, data, folds, lambdas: &lambdas };
        let outcomes = if worth_moments(data, folds.count()) {
            study.by_moments()?
        } else {
            study.by_rows()?
        };
        Ok(LassoCrossValidation {
            mean_squared_errors: scores(&outcomes, |outcome| &outcome.errors),
            r_squared: scores(&outcomes, |outcome| &outcome.r_squared),
            digits: outcomes.iter().map(|outcome| outcome.digits.clone()).collect(),
            refits: outcomes.iter().map(|outcome| outcome.refits).sum(),
            models: outcomes.into_iter().map(|outcome| outcome.models).collect(),
            lambdas,
        })
    }

    /// The λ to try, checked.
    fn path<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
    ) -> Result<Vec<f64>, Error> {
        let bad = |what, value: f64, expected| Error::BadParameter {
            what,
            value: value.to_string(),
            expected,
        };
        if !(self.ridge.is_finite() && self.ridge >= 0.0) {
            return Err(bad("ρ = λ₂/λ₁", self.ridge, "finite and not negative"));
        }
        if let Some(lambdas) = &self.lambdas {
            return match lambdas.iter().find(|l| !(l.is_finite() && **l >= 0.0)) {
                Some(&lambda) => Err(bad("λ", lambda, "finite and not negative")),
                None if lambdas.is_empty() => Err(bad("the number of λ", 0.0, "at least 1")),
                None => Ok(lambdas.clone()),
            };
        }
        if self.count == 0 {
            return Err(bad("the number of λ", 0.0, "at least 1"));
        }
        if !(self.smallest > 0.0 && self.smallest <= 1.0) {
            return Err(bad(
                "the smallest λ as a share of the largest",
                self.smallest,
                "in (0, 1]",
            ));
        }
        let largest = lambda_max(backend, &Squared, self.intercept, data)?;
        Ok(lambda_grid(largest / data.total_weight().to_f64(), self.smallest, self.count))
    }

    fn problem(&self, lambda: f64) -> Erm<Squared, ElasticNet<PerSample>> {
        let penalty = ElasticNet::per_sample(lambda, self.ridge * lambda);
        Erm { loss: Squared, penalty, intercept: self.intercept }
    }
}

impl Default for LassoCv {
    fn default() -> Self {
        Self::new()
    }
}

/// All folds of a path.
struct Study<'a, 'd, T: Scalar> {
    options: &'a LassoCv,
    backend: &'a dyn Backend<T>,
    data: &'a Dataset<'d, T>,
    folds: &'a Folds,
    lambdas: &'a [f64],
}

impl<T: Scalar> Study<'_, '_, T> {
    fn by_moments(&self) -> Result<Vec<FoldOutcome<T>>, Error> {
        let centred = self.options.intercept;
        let (count, of_row) = (self.folds.count(), self.folds.of_row());
        if self.data.targets() != 1 {
            return Err(Error::Unsupported {
                solver: "cross-validated lasso",
                reason: "it fits one target at a time; give the targets one by one",
            });
        }
        let shifts = target_shifts(self.data, centred);
        let parts = fold_moments(self.backend, self.data, of_row, count, centred, &shifts)?;
        if parts.iter().any(|part| part.moments.weight <= 0.0) {
            return Err(Error::AllWeightsZero);
        }
        let training = training_moments(self.backend, &parts, centred);
        let run = |fold: usize| self.fold(fold, &training[fold], &parts[fold], shifts[0]);
        let outcomes: Vec<_> = (0..count).into_par_iter().map(run).collect();
        outcomes.into_iter().collect()
    }

    fn by_rows(&self) -> Result<Vec<FoldOutcome<T>>, Error> {
        let all: Vec<usize> = (0..self.lambdas.len()).collect();
        let run = |fold: usize| {
            let mut outcome = FoldOutcome::empty(all.len())?;
            self.refit(fold, &all, &mut outcome)?;
            Ok(outcome)
        };
        let outcomes: Vec<_> = (0..self.folds.count()).into_par_iter().map(run).collect();
        outcomes.into_iter().collect()
    }

    /// One fold down the path.
    fn fold(
        &self,
        fold: usize,
        train: &FoldMoments<T>,
        test: &FoldMoments<T>,
        shift: f64,
    ) -> Result<FoldOutcome<T>, Error> {
        let held_out = HeldOut { train, test, centred: self.options.intercept };
        let cross = train.centred_cross(0, held_out.centred);
        let mut path = SparsePath::new(&train.moments, &cross, &held_out.cross_errors(0));
        let mut outcome = FoldOutcome::empty(self.lambdas.len())?;
        let mut again = Vec::new();
        for (k, &lambda) in self.lambdas.iter().enumerate() {
            let penalty = self.options.problem(lambda).penalty;
            let terms = Terms::new(&penalty, cross.len(), train.moments.exact_weight)?;
            let found = path.as_mut().and_then(|path| path.step_to(&terms));
            let sure = found.filter(|found| found.digits >= required_digits::<T>());
            let squares = sure.as_ref().and_then(|found| held_out.squares(0, &found.weights));
            let (Some(found), Some((squares, total))) = (sure, squares) else {
                again.push(k);
                continue;
            };
            let level = shift + held_out.intercept(0, &found.weights);
            let weights = found.weights.iter().map(|&w| T::from_double(w)).collect();
            let intercept = held_out.centred.then(|| vec![T::from_double(level)]);
            outcome.errors[k] = squares / test.moments.weight;
            outcome.r_squared[k] = r_squared(squares, total);
            outcome.digits[k] = found.digits;
            outcome.models[k] =
                LinearModel::new(vec![weights], intercept, self.data.names().cloned())?;
        }
        if !again.is_empty() {
            self.refit(fold, &again, &mut outcome)?;
        }
        Ok(outcome)
    }

    /// Fits some λ without the rows of a fold, and predicts those.
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
        for &k in which {
            let problem = self.options.problem(self.lambdas[k]);
            let fit = Auto::default().solve(self.backend, &problem, &train)?;
            outcome.take_refit(k, fit.model, 0.0, &test)?;
        }
        Ok(())
    }
}
