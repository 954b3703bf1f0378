//! The eleven linear NIST sets, to the last digit.

use minrisk_core::{Backend, Fit, Scalar};

use super::{Demand, LeastSquaresSolver, fit, judge};
use crate::certified::{Certified, nist};
use crate::check::ensure;
use crate::exact;
use crate::{Outcome, Tally};

/// Every coefficient is one of the two floats next to the exact solution of the data as given; in
/// double precision it has besides the digits of the certified value that rounding the data leaves.
pub fn nist_sets_are_solved_to_the_last_digit<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let single = T::unit_roundoff() > 1e-10;
    let run = |set: &Certified<T>| {
        let data = set.dataset()?;
        let intercept = set.fits[0].intercept;
        let truth = exact::least_squares(&data, intercept);
        // The powers in Filip have a condition of 5·10⁹ after scaling: out of reach for singles.
        let hopeless = single && set.name == "Filip";
        let demand = if hopeless { Demand::Honesty } else { Demand::Faithful };
        let fit = fit(backend, solver, &data, intercept)?;
        judge(&data, &fit, &truth, demand)?;
        if single { Ok(()) } else { expect_certified(set, &fit) }
    };
    let mut tally = Tally::default();
    for set in nist() {
        tally.add(|| run(&set).map_err(|failure| failure.within(&set.name)));
    }
    tally.outcome()
}

fn expect_certified<T: Scalar>(set: &Certified<T>, fit: &Fit<T>) -> Outcome {
    let certified = &set.fits[0];
    let intercept = fit.model.intercept();
    let found = intercept.iter().chain(fit.model.coefficients());
    // What rounding leaves, to one decimal; 15 where all digits can be had.
    let least = ((certified.ceiling * 10.0).floor() / 10.0).min(15.0);
    for (j, (&value, exact)) in found.zip(&certified.coefficients).enumerate() {
        let digits = exact::digits(value, exact);
        ensure!(
            digits >= least,
            "parameter {j} is {value:e} with {digits:.2} certified digits; the data has {least:.1}"
        );
    }
    Ok(())
}
