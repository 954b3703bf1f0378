//! Columns and targets far from zero, and targets that are explained nearly in full: where sums of squares cancel,
//! whatever a fit claims must still be true.

use minrisk_core::convex::{Auto, Control, lasso_path};
use minrisk_core::loss::Squared;
use minrisk_core::penalty::ElasticNet;
use minrisk_core::verify::verify;
use minrisk_core::{Backend, Dataset, Erm, Fit, Matrix, Scalar, Solver, Status, View};

use super::sample::tolerance;
use crate::check::{Failure, Outcome, Tally, ensure};
use crate::random::Random;

/// Rows for few columns, solved from moments, and for many, solved on working sets.
const SHAPES: [(usize, usize); 2] = [(150, 6), (120, 130)];

/// How far columns and targets are from zero, in their deviations.
const LEVELS: [f64; 4] = [0.0, 30.0, 1e3, 1e6];

/// Without an intercept, more columns than these, further than this from zero, tell little else than their level:
/// thousands of rounds for a gap of a few digits.
const FEW: usize = 10;
const NEAR: f64 = 30.0;

/// The noise of the targets, beside a signal of about one.
const NOISE: [f64; 3] = [1.0, 1e-3, 1e-7];

struct Far<T> {
    x: Matrix<T>,
    y: Vec<T>,
    weights: Vec<T>,
    offsets: Vec<T>,
}

impl<T: Scalar> Far<T> {
    fn new((rows, cols): (usize, usize), level: f64, noise: f64) -> Self {
        let mut random = Random::new(41);
        let x = Matrix::from_fn(rows, cols, |_, j| {
            T::from_double((random.normal() + level) * [1.0, 16.0, 0.125][j % 3])
        });
        let signal = |i: usize| x[(i, 0)].to_double() - 0.05 * x[(i, 1)].to_double();
        let offsets: Vec<T> = (0..rows).map(|i| T::from_double([0.25, -0.5][i % 2])).collect();
        let y = (0..rows).map(|i| {
            let noise = noise * random.normal();
            T::from_double(signal(i) + level + offsets[i].to_double() + noise)
        });
        let y = y.collect();
        let weights = (0..rows).map(|i| T::from_double([1.0, 0.5, 2.0][i % 3])).collect();
        Self { x, y, weights, offsets }
    }

    fn data(&self) -> Result<Dataset<'_, T>, Failure> {
        Ok(Dataset::new(self.x.view(), View::column_vector(&self.y))?
            .with_precisions(View::column_vector(&self.weights))?
            .with_offsets(View::column_vector(&self.offsets))?)
    }
}

/// Lasso and elastic net by every way that there is: what is claimed holds, and what is ordinary is solved.
pub(crate) fn levels_cost_no_truth<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for shape in SHAPES {
        for level in LEVELS {
            for noise in NOISE {
                let far = Far::<T>::new(shape, level, noise);
                for intercept in [true, false] {
                    if !intercept && level > NEAR && shape.1 > FEW {
                        continue;
                    }
                    tally.add(|| {
                        every_way(backend, &far.data()?, intercept, level == 0.0 && noise == 1.0)
                            .map_err(|failure| {
                                failure.within(format_args!(
                                    "{shape:?}, level {level:e}, noise {noise:e}, intercept {intercept}"
                                ))
                            })
                    });
                }
            }
        }
    }
    tally.outcome()
}

fn every_way<T: Scalar>(
    backend: &dyn Backend<T>,
    data: &Dataset<'_, T>,
    intercept: bool,
    is_ordinary: bool,
) -> Outcome {
    let rows = data.rows() as f64;
    let penalties = [(0.5, 0.0), (0.05, 0.0), (0.05, 0.5)];
    let problems = penalties.map(|(l1, l2)| {
        let penalty = ElasticNet::total(l1 * rows, l2 * rows);
        Erm { loss: Squared, penalty, intercept }
    });
    let quick = Auto { control: Control::to_gap(tolerance::<T>()) };
    let mut fits = lasso_path(backend, &problems, data)?;
    for problem in &problems {
        fits.push(quick.solve(backend, problem, data)?);
        fits.push(Auto::default().solve(backend, problem, data)?);
    }
    fits.iter().try_for_each(|fit| is_true(data, fit, is_ordinary))
}

fn is_true<T: Scalar>(data: &Dataset<'_, T>, fit: &Fit<T>, is_ordinary: bool) -> Outcome {
    let (status, solver) = (fit.report.status, &fit.report.solver);
    ensure!(status == Status::Solved || !is_ordinary, "{solver} ended as {status:?}");
    let verdict = verify(data, fit)?;
    ensure!(verdict.holds, "verify denies {solver}, {status:?}: {:?}", verdict.findings);
    Ok(())
}
