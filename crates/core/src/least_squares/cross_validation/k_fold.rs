//! k-fold cross-validation of ridge over a grid of penalties.
//!
//! Held-out sums of squares come from the moments of the fold that was left out,
//!
//! Σ c (r − w·x − b)² = S_rr − 2 w·c + wᵀGw + n(ν − μ·w − b)²,
//!
//! so no prediction is made. Where the moments cannot vouch for 12 digits of a solution, or a fit is so
//! good that this sum cancels, that fold is fitted and predicted from its rows, like any other data.

use rayon::prelude::*;

use super::fold_moments::{FoldMoments, fold_moments, target_shifts, training_moments};
use super::spectrum::{Shrunk, Spectrum, dot};
use crate::least_squares::Ridge;
use crate::penalty::Scale;
use crate::selection::{Folds, Grid, Score, Scores, Subset};
use crate::wide::Number;
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
        let order = self.strongest_first();
        order[self.grid(&order).best()]
    }

    /// The index of the strongest penalty within one standard error of the best.
    pub fn one_standard_error(&self) -> usize {
        let order = self.strongest_first();
        order[self.grid(&order).one_standard_error()]
    }

    fn strongest_first(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.alphas.len()).collect();
        order.sort_by(|&a, &b| self.alphas[b].total_cmp(&self.alphas[a]));
        order
    }

    fn grid(&self, order: &[usize]) -> Grid<usize> {
        let scores = order.iter().map(|&k| self.mean_squared_errors[k].clone()).collect();
        Grid { candidates: order.to_vec(), scores, score: Score::MeanSquaredError }
    }
}

/// Digits below which a fold is fitted from its rows.
fn required_digits<T: Scalar>() -> f64 {
    if T::unit_roundoff() < 1e-10 { 12.0 } else { 3.5 }
}

/// A held-out sum of squares below this share of its terms has cancelled.
const CANCELLED: f64 = 1e-6;

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
                FromMoments { from_rows: &from_rows, shifts: &shifts, train, test }.run(fold)
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
        let scores = |value: &dyn Fn(&FoldOutcome<T>, usize) -> f64| {
            let of = |k: usize| Scores { folds: outcomes.iter().map(|o| value(o, k)).collect() };
            (0..alphas.len()).map(of).collect()
        };
        Ok(RidgeCrossValidation {
            alphas: alphas.to_vec(),
            mean_squared_errors: scores(&|outcome, k| outcome.errors[k]),
            r_squared: scores(&|outcome, k| outcome.r_squared[k]),
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
fn worth_moments<T: Scalar>(data: &Dataset<'_, T>, folds: usize) -> bool {
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
            let predictions = fit.model.predict(test.design())?;
            let score =
                |score: Score| score.of(test.target_view(), predictions.view(), test.weights());
            outcome.errors[k] = score(Score::MeanSquaredError)?;
            outcome.r_squared[k] = score(Score::RSquared)?;
            let certificate = fit.certificate.least_squares();
            outcome.digits[k] = certificate.map_or(0.0, |c| c.worst_digits());
            outcome.models[k] = fit.model;
        }
        outcome.refits += which.len();
        Ok(())
    }
}

/// What is known of a fold, one entry for each penalty.
struct FoldOutcome<T> {
    errors: Vec<f64>,
    r_squared: Vec<f64>,
    digits: Vec<f64>,
    models: Vec<LinearModel<T>>,
    refits: usize,
}

impl<T: Scalar> FoldOutcome<T> {
    /// Nothing yet.
    fn empty(size: usize) -> Result<Self, Error> {
        let nothing = LinearModel::from_coefficients(Vec::new(), None)?;
        Ok(Self {
            errors: vec![f64::NAN; size],
            r_squared: vec![f64::NAN; size],
            digits: vec![0.0; size],
            models: vec![nothing; size],
            refits: 0,
        })
    }
}

/// A fold that is studied by its moments, all penalties.
struct FromMoments<'a, 'd, T: Scalar, S> {
    from_rows: &'a FromRows<'a, 'd, T, S>,
    shifts: &'a [f64],
    train: &'a FoldMoments<T>,
    test: &'a FoldMoments<T>,
}

impl<T: Scalar, S: Scale> FromMoments<'_, '_, T, S> {
    fn run(&self, fold: usize) -> Result<FoldOutcome<T>, Error> {
        let FromRows { backend, alphas, .. } = *self.from_rows;
        let spectrum = Spectrum::of(backend, &self.train.moments).ok();
        let side = |target: usize| {
            let cross = self.train.centred_cross(target, self.centred());
            let rotated = spectrum.as_ref().map_or(Vec::new(), |s| s.rotate(&cross));
            (cross, rotated)
        };
        let sides: Vec<(Vec<f64>, Vec<f64>)> = (0..self.shifts.len()).map(side).collect();
        let mut outcome = FoldOutcome::empty(alphas.len())?;
        let mut again = Vec::new();
        for (k, &alpha) in alphas.iter().enumerate() {
            let alpha = alpha * S::to_total(self.train.moments.exact_weight).to_f64();
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

    fn centred(&self) -> bool {
        self.from_rows.ridge.problem().intercept
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
            let found = spectrum.solve(cross, rotated, alpha, self.cross_error(target));
            if found.digits < required_digits::<T>() {
                return None;
            }
            let (squares, total) = self.held_out(target, &found)?;
            candidate.error += squares / self.test.moments.weight / targets;
            candidate.r_squared += crate::selection::r_squared(squares, total) / targets;
            candidate.digits = candidate.digits.min(found.digits);
            intercepts.push(T::from_double(self.shifts[target] + self.intercept(target, &found)));
            weights.push(found.weights.iter().map(|&w| T::from_double(w)).collect());
        }
        let intercepts = self.centred().then_some(intercepts);
        candidate.model =
            LinearModel::new(weights, intercepts, self.from_rows.data.names().cloned());
        Some(candidate)
    }

    /// b less the shift of the target: ν − μ·w over the training rows.
    fn intercept(&self, target: usize, found: &Shrunk) -> f64 {
        if !self.centred() {
            return 0.0;
        }
        self.train.residual_mean(target) - self.means(self.train, found)
    }

    fn means(&self, moments: &FoldMoments<T>, found: &Shrunk) -> f64 {
        let means = moments.moments.x_mean.iter().zip(&found.weights);
        means.map(|(mean, w)| mean.to_double() * w).sum()
    }

    /// What rounding the means can do to the centred cross products.
    fn cross_error(&self, target: usize) -> f64 {
        let total = self.train.cross[target].total.to_double().abs();
        let means = self.train.moments.x_mean.iter().map(|mean| mean.to_double().powi(2));
        let rounding = if self.centred() { total * means.sum::<f64>().sqrt() } else { 0.0 };
        let cross = self.train.cross[target].gradient.iter();
        let size = cross.map(|c| c.to_double().powi(2)).sum::<f64>().sqrt();
        16.0 * T::unit_roundoff() * (rounding + size)
    }

    /// The sum of squares on the fold that was left out, and that around its mean; `None` where the
    /// first has cancelled.
    fn held_out(&self, target: usize, found: &Shrunk) -> Option<(f64, f64)> {
        let cross = self.test.centred_cross(target, self.centred());
        let around = self.test.centred_squares(target, self.centred());
        let w = &found.weights;
        let gram = &self.test.moments.gram;
        // wᵀGw from the lower triangle.
        let mut quadratic = 0.0;
        for (j, &wj) in w.iter().enumerate() {
            let column = &gram.col(j)[j..];
            let below: f64 =
                column[1..].iter().zip(&w[j + 1..]).map(|(g, w)| g.to_double() * w).sum();
            quadratic += wj * (column[0].to_double() * wj + 2.0 * below);
        }
        let squares = around - 2.0 * dot(&cross, w) + quadratic;
        let squares = if self.centred() {
            let off = self.test.residual_mean(target)
                - self.means(self.test, found)
                - self.intercept(target, found);
            squares + self.test.moments.weight * off * off
        } else {
            squares
        };
        let total = if self.centred() {
            around
        } else {
            let mean = self.test.residual_mean(target);
            around - mean * mean * self.test.moments.weight
        };
        (squares > CANCELLED * (around + quadratic)).then_some((squares, total))
    }
}

/// What the moments say about one penalty.
struct Candidate<T> {
    error: f64,
    r_squared: f64,
    digits: f64,
    model: Result<LinearModel<T>, Error>,
}
