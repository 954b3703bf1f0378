//! Fewest mistakes, cross-validation and curves with one fault each, and the judge that finds it.

use minrisk_conformance::Outcome;
use minrisk_conformance::curve::judge_bells;
use minrisk_conformance::halfspace::{judge_fewest_mistakes, judge_weighted_mistakes};
use minrisk_conformance::selection::judge_lasso_paths;
use minrisk_core::curve::{CurveStatus, LevenbergMarquardt};
use minrisk_core::halfspace::zero_one::{Method, Proof};
use minrisk_core::halfspace::{Budget, MinDisOpt, Mistakes, ZeroOneFit};
use minrisk_core::selection::{Folds, LassoCrossValidation, LassoCv};
use minrisk_core::{Dataset, Error, Scalar};

use crate::loops::Loops;

/// The same rows without their weights.
fn unweighted<'a, T: Scalar>(data: &Dataset<'a, T>) -> Result<Dataset<'a, T>, Error> {
    Dataset::new(data.design(), data.target_view())
}

mod fewest {
    use super::*;

    /// The sound search, and something done to its answer.
    fn rejects(
        judge: fn(minrisk_conformance::halfspace::Minimiser<'_, f64>) -> Outcome,
        fault: impl Fn(&MinDisOpt, &Dataset<'_, f64>) -> Result<ZeroOneFit<f64>, Error>,
    ) {
        assert!(judge(&fault).is_err(), "the fault is not noticed");
    }

    #[test]
    fn the_sound_search_passes() {
        judge_fewest_mistakes::<f64>(&|search, data| search.fit_on(&Loops, data)).expect("sound");
        judge_weighted_mistakes::<f64>(&|search, data| search.fit_on(&Loops, data)).expect("sound");
    }

    #[test]
    fn an_intercept_that_is_forgotten() {
        rejects(judge_fewest_mistakes, |search, data| {
            search.clone().without_intercept().fit_on(&Loops, data)
        });
    }

    #[test]
    fn an_incumbent_that_is_called_optimal() {
        rejects(judge_fewest_mistakes, |search, data| {
            let hasty = MinDisOpt { budget: Budget::steps(0), ..search.clone() };
            let mut fit = hasty.with_method(Method::Boxes).fit_on(&Loops, data)?;
            fit.optimal = true;
            fit.certificate.lower_bound = fit.mistakes.weight;
            Ok(fit)
        });
    }

    #[test]
    fn a_proof_that_proves_nothing() {
        rejects(judge_fewest_mistakes, |search, data| {
            let mut fit = search.fit_on(&Loops, data)?;
            fit.certificate.proof = Proof::Unavoidable;
            Ok(fit)
        });
    }

    #[test]
    fn points_on_the_hyperplane_that_are_called_right() {
        rejects(judge_fewest_mistakes, |search, data| {
            let mut fit = search.fit_on(&Loops, data)?;
            let x = data.design().dense().ok_or(Error::NoRows)?;
            let (w, b) = (fit.model.coefficients(), fit.model.intercept().unwrap_or(0.0));
            let score = |t: usize| (0..x.cols()).map(|j| w[j] * x[(t, j)]).sum::<f64>() + b;
            // One row is put on the hyperplane, and what lies on it is not counted.
            let level = fit.mistakes.rows.first().map_or(0.0, |&t| score(t));
            let moved = minrisk_core::LinearModel::from_coefficients(w.to_vec(), Some(b - level))?;
            let Mistakes { rows, .. } = Mistakes::of(&moved, data)?;
            let off = |t: &usize| score(*t) != level;
            fit.mistakes.rows = rows.into_iter().filter(off).collect();
            fit.mistakes.weight = fit.mistakes.rows.len() as f64;
            fit.certificate.lower_bound = fit.mistakes.weight;
            fit.model = moved;
            Ok(fit)
        });
    }

    #[test]
    fn weights_that_are_not_looked_at() {
        rejects(judge_weighted_mistakes, |search, data| search.fit_on(&Loops, &unweighted(data)?));
    }
}

mod selection {
    use super::*;

    fn rejects(
        fault: impl Fn(&LassoCv, &Dataset<'_, f64>, &Folds) -> Result<LassoCrossValidation<f64>, Error>,
    ) {
        assert!(judge_lasso_paths(&Loops, &fault).is_err(), "the fault is not noticed");
    }

    /// λ of the whole data, so that only the fault differs.
    fn with_lambdas(
        lasso: &LassoCv,
        data: &Dataset<'_, f64>,
        folds: &Folds,
    ) -> Result<(LassoCv, Vec<f64>), Error> {
        let lambdas = lasso.cross_validate_on(&Loops, data, folds)?.lambdas;
        Ok((lasso.clone().with_lambdas(lambdas.clone()), lambdas))
    }

    #[test]
    fn weights_that_are_not_looked_at() {
        rejects(|lasso, data, folds| {
            let (lasso, _) = with_lambdas(lasso, data, folds)?;
            lasso.cross_validate_on(&Loops, &unweighted(data)?, folds)
        });
    }

    #[test]
    fn penalties_on_the_scale_of_all_rows() {
        rejects(|lasso, data, folds| {
            let (lasso, lambdas) = with_lambdas(lasso, data, folds)?;
            let share = 1.0 - 1.0 / folds.count() as f64;
            let shifted = lambdas.iter().map(|lambda| lambda / share).collect();
            let found = lasso.with_lambdas(shifted).cross_validate_on(&Loops, data, folds)?;
            Ok(LassoCrossValidation { lambdas, ..found })
        });
    }

    #[test]
    fn folds_in_another_order() {
        rejects(|lasso, data, folds| {
            let mut found = lasso.cross_validate_on(&Loops, data, folds)?;
            found.models.rotate_left(1);
            Ok(found)
        });
    }

    #[test]
    fn models_that_have_seen_what_they_predict() {
        rejects(|lasso, data, folds| {
            let mut found = lasso.cross_validate_on(&Loops, data, folds)?;
            for (k, &lambda) in found.lambdas.iter().enumerate() {
                let penalty =
                    minrisk_core::penalty::ElasticNet::per_sample(lambda, lasso.ridge * lambda);
                let problem =
                    minrisk_core::convex::Estimator::new(minrisk_core::loss::Squared, penalty);
                let problem = if lasso.intercept { problem } else { problem.without_intercept() };
                let model = problem.fit_on(&Loops, data)?.model;
                found.models.iter_mut().for_each(|models| models[k] = model.clone());
            }
            Ok(found)
        });
    }

    #[test]
    fn scores_of_the_wrong_fold() {
        rejects(|lasso, data, folds| {
            let mut found = lasso.cross_validate_on(&Loops, data, folds)?;
            found.mean_squared_errors.iter_mut().for_each(|scores| scores.folds.rotate_left(1));
            Ok(found)
        });
    }
}

mod curve {
    use super::*;

    #[test]
    fn the_sound_fit_passes() {
        judge_bells::<f64>(&|curve, data| curve.fit_on(&Loops, data)).expect("sound");
    }

    #[test]
    fn a_start_that_is_called_a_fit() {
        let outcome = judge_bells::<f64>(&|curve, data| {
            let start = curve.start(data)?;
            let hasty = LevenbergMarquardt { max_iterations: 1, ..LevenbergMarquardt::default() };
            let mut fit = hasty.fit(&Loops, curve, data, &start)?;
            fit.status = CurveStatus::Converged;
            Ok(fit)
        });
        assert!(outcome.is_err());
    }

    #[test]
    fn variances_in_place_of_standard_errors() {
        let outcome = judge_bells::<f64>(&|curve, data| {
            let mut fit = curve.fit_on(&Loops, data)?;
            fit.standard_errors.iter_mut().for_each(|error| *error *= *error);
            Ok(fit)
        });
        assert!(outcome.is_err());
    }

    #[test]
    fn a_deviation_without_its_root() {
        let outcome = judge_bells::<f64>(&|curve, data| {
            let mut fit = curve.fit_on(&Loops, data)?;
            fit.residual_deviation *= fit.residual_deviation;
            Ok(fit)
        });
        assert!(outcome.is_err());
    }
}
