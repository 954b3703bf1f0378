//! The polynomial sets of NIST, from x alone.

use minrisk_core::polynomial::PolynomialRegression;
use minrisk_core::{Backend, Scalar};
use num_rational::BigRational;
use num_traits::Zero;

use super::{judge_polynomial, training};
use crate::certified::{Certified, nist};
use crate::check::ensure;
use crate::exact::{digits, polynomial_ridge};
use crate::solvers::Demand;
use crate::{Outcome, Tally};

/// Filip has 13.9 digits of its certified coefficients, Wampler2 13.2, the other Wampler sets 15: all
/// that rounding x and y to doubles leaves. Rounded powers would leave 7.6 of Filip.
pub fn nist_polynomials_have_their_digits<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let sets = [
        ("Filip", 13.9),
        ("Wampler1", 15.0),
        ("Wampler2", 13.2),
        ("Wampler3", 15.0),
        ("Wampler4", 15.0),
        ("Wampler5", 15.0),
    ];
    let all = nist::<T>();
    let mut tally = Tally::default();
    for (name, least) in sets {
        let set = all.iter().find(|set| set.name == name).expect("a set of the list");
        tally.add(|| run(backend, set, least).map_err(|failure| failure.within(name)));
    }
    tally.outcome()
}

fn run<T: Scalar>(backend: &dyn Backend<T>, set: &Certified<T>, least: f64) -> Outcome {
    let data = training(set.x.col(0), &set.y)?;
    let degree = set.x.cols();
    let fit = PolynomialRegression::new(degree).fit_on(backend, &data)?;
    let truth = polynomial_ridge(&data, degree, true, &BigRational::zero());
    let single = T::unit_roundoff() > 1e-10;
    // The powers in Filip have a condition of 5·10⁹ after scaling: out of reach for singles.
    let hopeless = single && set.name == "Filip";
    let demand = if hopeless { Demand::Honesty } else { Demand::Faithful };
    judge_polynomial(&data, &fit, &truth, demand)?;
    if single {
        return Ok(());
    }
    let linear = fit.model.linear();
    let found = linear.intercept().into_iter().chain(linear.coefficients().iter().copied());
    for (j, (value, certified)) in found.zip(&set.fits[0].coefficients).enumerate() {
        let digits = digits(value, certified);
        ensure!(digits >= least, "a{j} = {value:e} has {digits:.2} certified digits, not {least}");
    }
    Ok(())
}
