//! Ridge: every digit of the exact minimiser of Σ c r² + α‖w‖², in both scales of the penalty.

use minrisk_core::loss::Squared;
use minrisk_core::penalty::{L2, Penalty};
use minrisk_core::{Backend, Dataset, Erm, Error, Fit, Matrix, Scalar, Solver, View};
use num_rational::BigRational;

use super::{Demand, RidgeSolver, conditions, judge};
use crate::certified::ridge;
use crate::check::ensure;
use crate::exact;
use crate::families::{Family, Residual, targets};
use crate::random::Random;
use crate::{Failure, Outcome, Tally};

/// Diabetes and Longley, α from 0 to 1000, with and without intercept.
pub fn ridge_sets_are_solved_to_the_last_digit<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &dyn RidgeSolver<T>,
) -> Outcome {
    let mut tally = Tally::default();
    for set in ridge::<T>() {
        let data = set.dataset()?;
        for certified in &set.fits {
            let alpha = exact::approximate(&certified.alpha);
            tally.add(|| {
                run(backend, solver, &data, alpha, certified.intercept)
                    .map_err(|failure| failure.within(&set.name))
            });
        }
    }
    tally.outcome()
}

/// Fewer rows than columns, dependent columns: α > 0 makes every design solvable.
pub fn ridge_takes_any_rank<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &dyn RidgeSolver<T>,
) -> Outcome {
    let mut tally = Tally::default();
    for (rows, cols) in [(1, 1), (1, 4), (3, 5), (5, 12), (9, 30), (12, 12), (20, 6)] {
        let mut random = Random::new((rows * 100 + cols) as u64);
        let mut x: Matrix<T> = random.matrix(rows, cols);
        let y: Matrix<T> = random.matrix(rows, 1);
        for i in 0..rows {
            x[(i, cols - 1)] = x[(i, 0)];
        }
        let data = Dataset::new(x.view(), y.view())?;
        for alpha in [1e-6, 0.1, 1.0, 1e6] {
            for intercept in [false, true] {
                tally.add(|| {
                    run(backend, solver, &data, alpha, intercept)
                        .map_err(|failure| failure.within(format_args!("{rows} × {cols}")))
                });
            }
        }
    }
    tally.outcome()
}

/// Designs of every condition; α far below, within and far above their spectrum.
pub fn ridge_families_are_solved_faithfully<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &dyn RidgeSolver<T>,
) -> Outcome {
    let mut tally = Tally::default();
    for condition in conditions::<T>().into_iter().step_by(2) {
        for family in [Family::Geometric, Family::Clustered, Family::NearCollinear] {
            let mut random = Random::new(condition as u64);
            let x: Matrix<T> = family.design(30, 6, condition, &mut random);
            let y = targets(&x, 1, Residual::Large, &mut random);
            let data = Dataset::new(x.view(), y.view())?;
            for alpha in [condition.powi(-2), 1.0 / condition, 0.3, 1e4] {
                for intercept in [false, true] {
                    tally.add(|| {
                        run(backend, solver, &data, alpha, intercept).map_err(|failure| {
                            failure.within(format_args!("{family:?}, κ = {condition:.1e}"))
                        })
                    });
                }
            }
        }
    }
    tally.outcome()
}

/// Weights count in the risk, and in the per-sample scale in Σ c as well.
pub fn ridge_weighs_rows<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &dyn RidgeSolver<T>,
) -> Outcome {
    let mut random = Random::new(81);
    let x: Matrix<T> = random.matrix(20, 3);
    let y = targets(&x, 1, Residual::Large, &mut random);
    let frequencies: Vec<T> = (0..20).map(|i| T::from_double([1.0, 0.0, 3.0][i % 3])).collect();
    let precisions: Vec<T> = (0..20).map(|_| T::from_double(0.1 + random.unit())).collect();
    let counted =
        Dataset::new(x.view(), y.view())?.with_frequencies(View::column_vector(&frequencies))?;
    let weighed =
        Dataset::new(x.view(), y.view())?.with_precisions(View::column_vector(&precisions))?;
    let mut tally = Tally::default();
    for data in [&counted, &weighed] {
        for intercept in [false, true] {
            tally.add(|| run(backend, solver, data, 0.7, intercept));
        }
    }
    tally.outcome()
}

/// A penalty that is negative, NaN or infinite.
pub fn bad_penalties_are_refused<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &dyn RidgeSolver<T>,
) -> Outcome {
    let (x, y) = (Matrix::<T>::identity(3), Matrix::<T>::filled(3, 1, T::one()));
    let data = Dataset::new(x.view(), y.view())?;
    for alpha in [-1.0, f64::NAN, f64::INFINITY] {
        let total = solve(backend, solver, L2::total(alpha), &data, true);
        let mean = solve(backend, solver, L2::per_sample(alpha), &data, true);
        for found in [total, mean] {
            ensure!(
                matches!(found, Err(Error::BadParameter { .. })),
                "α = {alpha} is no penalty, but the solver returned {:?}",
                found.map(|fit| fit.model)
            );
        }
    }
    Ok(())
}

/// Fits in both scales and judges by the exact solution.
fn run<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &dyn RidgeSolver<T>,
    data: &Dataset<'_, T>,
    alpha: f64,
    intercept: bool,
) -> Outcome {
    let exact_alpha = exact::rational(alpha);
    let expect = |scale: &str, alpha: &BigRational, fit: Result<Fit<T>, Error>| {
        let truth = exact::ridge(data, intercept, alpha);
        fit.map_err(Failure::from)
            .and_then(|fit| judge(data, &fit, &truth, Demand::Faithful))
            .map_err(|failure| {
                let which = if intercept { "with" } else { "without" };
                let alpha = exact::approximate(&exact_alpha);
                failure.within(format_args!("α = {alpha:e} {scale}, {which} intercept"))
            })
    };
    let total = solve(backend, solver, L2::total(alpha), data, intercept);
    expect("in total", &exact_alpha, total)?;
    let mean = solve(backend, solver, L2::per_sample(alpha), data, intercept);
    expect("per sample", &(&exact_alpha * exact::total_weight(data)), mean)
}

fn solve<T: Scalar, P: Penalty>(
    backend: &dyn Backend<T>,
    solver: &(impl Solver<T, Squared, P> + ?Sized),
    penalty: P,
    data: &Dataset<'_, T>,
    intercept: bool,
) -> Result<Fit<T>, Error> {
    solver.solve(backend, &Erm { loss: Squared, penalty, intercept }, data)
}
