//! Designs of every condition up to 10¹³, small and large residuals: every digit.
//!
//! And up to 10¹⁵, where digits may be missing but must not be claimed.

use std::fmt;

use minrisk_core::{Backend, Dataset, Fit, Matrix, Scalar};

use super::judge::expect_claimed;
use super::{Demand, LeastSquaresSolver, conditions, fit, judge};
use crate::exact;
use crate::families::{Family, Residual, targets};
use crate::random::Random;
use crate::{Failure, Outcome, Tally};

/// κ up to 10¹³ (as far from 1/u in other types): every coefficient is one of the two floats next
/// to the exact value, or has 15 digits and the fit says that not all of them are certain.
pub fn families_are_solved_faithfully<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let mut tally = Tally::default();
    for condition in conditions::<T>() {
        each_problem(condition, |problem| {
            tally.add(|| problem.run(backend, solver, Demand::nearly_faithful::<T>()).map(drop));
        });
    }
    tally.outcome()
}

/// κ up to 10⁻⁴/u (some 10¹² in double precision): what holds is claimed, all digits but one of every
/// coefficient. Beyond, bounds that grow with κ² may say less than what holds, and do.
pub fn certificates_are_not_timid<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let least = -T::unit_roundoff().log10() - 1.0;
    let mut tally = Tally::default();
    let sharp = conditions::<T>().into_iter().filter(|c| c * T::unit_roundoff() <= 1e-4);
    for condition in sharp {
        each_problem(condition, |problem| {
            tally.add(|| {
                let fit = problem.run(backend, solver, Demand::Honesty)?;
                expect_claimed(&fit, least).map_err(|failure| failure.within(problem))
            });
        });
    }
    tally.outcome()
}

/// κ up to 10¹⁵ (in double precision): no claim that does not hold.
pub fn hopeless_families_are_not_glossed_over<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let mut tally = Tally::default();
    for closeness in [0.01, 0.03, 0.1] {
        let condition = closeness / T::unit_roundoff();
        each_problem(condition, |problem| {
            tally.add(|| problem.run(backend, solver, Demand::Honesty).map(drop));
        });
    }
    tally.outcome()
}

struct Problem<T> {
    family: Family,
    condition: f64,
    residual: Residual,
    intercept: bool,
    x: Matrix<T>,
    y: Matrix<T>,
}

fn each_problem<T: Scalar>(condition: f64, mut run: impl FnMut(&Problem<T>)) {
    for (seed, family) in Family::ALL.into_iter().enumerate() {
        for residual in Residual::ALL {
            let mut random = Random::new(seed as u64 + condition as u64);
            let x: Matrix<T> = family.design(40, 7, condition, &mut random);
            let y = targets(&x, 1, residual, &mut random);
            // The others have a constant column or as many rows as unknowns.
            let free = !matches!(family, Family::Vandermonde | Family::Hilbert | Family::Lauchli);
            for intercept in [false, true].into_iter().filter(|intercept| !intercept || free) {
                let (x, mut y) = (x.clone(), y.clone());
                if intercept {
                    // An intercept that counts: one that is rounding noise has few digits.
                    let size = y.col(0).iter().fold(T::zero(), |max, y| max.max(y.abs()));
                    y.col_mut(0).iter_mut().for_each(|y| *y += size);
                }
                run(&Problem { family, condition, residual, intercept, x, y });
            }
        }
    }
}

impl<T: Scalar> Problem<T> {
    fn run(
        &self,
        backend: &dyn Backend<T>,
        solver: &LeastSquaresSolver<'_, T>,
        demand: Demand,
    ) -> Result<Fit<T>, Failure> {
        let data = Dataset::new(self.x.view(), self.y.view())?;
        let truth = exact::least_squares(&data, self.intercept);
        fit(backend, solver, &data, self.intercept)
            .map_err(Failure::from)
            .and_then(|fit| judge(&data, &fit, &truth, demand).map(|()| fit))
            .map_err(|failure| failure.within(self))
    }
}

impl<T> fmt::Display for Problem<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { family, condition, residual, .. } = self;
        let which = if self.intercept { "with" } else { "without" };
        write!(f, "{family:?}, κ = {condition:.1e}, {residual:?} residual, {which} intercept")
    }
}
