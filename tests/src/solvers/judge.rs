//! How a fit is judged: against the truth, and against what it says about itself.

use minrisk_core::verify::verify;
use minrisk_core::{Dataset, Fit, LeastSquaresCertificate, Scalar, Status};
use num_rational::BigRational;

use crate::check::ensure;
use crate::exact::{self, Solution};
use crate::{Failure, Outcome};

/// What is asked of every coefficient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Demand {
    /// One of the two floats next to the exact value.
    Faithful,
    /// The same, or as many digits at least where the fit says that it fell short.
    FaithfulOr(f64),
    /// Whatever it is, the certificate must not claim more.
    Honesty,
}

impl Demand {
    /// The digits that all but the last bit or two of a type make: 15 for doubles, 6.3 for singles.
    pub fn nearly_faithful<T: Scalar>() -> Self {
        Demand::FaithfulOr(-T::unit_roundoff().log10() - 0.95)
    }
}

/// Judges a fit by the exact solutions of its targets.
///
/// Whatever the demand, a certificate must be true: no error above its bound, no digit that is not
/// there, no rounding called correct that is not, the rank as it is; and `verify` must confirm it.
pub fn judge<T: Scalar>(
    data: &Dataset<'_, T>,
    fit: &Fit<T>,
    truth: &[Solution],
    demand: Demand,
) -> Outcome {
    judge_by_truth(data, fit, truth, demand)?;
    // What is true by exact arithmetic must be so for those who only have floats to check it with.
    let verdict = verify(data, fit)?;
    let wrong: Vec<&str> =
        verdict.findings.iter().filter(|f| !f.holds).map(|f| f.text.as_str()).collect();
    ensure!(verdict.holds, "the certificate is true, but verify denies it: {wrong:?}");
    Ok(())
}

/// As [`judge`], without asking `verify`: for fits whose features are not the columns of the dataset.
pub(crate) fn judge_by_truth<T: Scalar>(
    data: &Dataset<'_, T>,
    fit: &Fit<T>,
    truth: &[Solution],
    demand: Demand,
) -> Outcome {
    let model = &fit.model;
    ensure!(
        (model.targets(), model.features()) == (data.targets(), data.cols()),
        "the model has {} targets and {} features, the data {} and {}",
        model.targets(),
        model.features(),
        data.targets(),
        data.cols()
    );
    let demand = match demand {
        Demand::FaithfulOr(_) if fit.report.status == Status::Solved => Demand::Faithful,
        demand => demand,
    };
    let certificate = fit.certificate.least_squares();
    for (target, exact) in truth.iter().enumerate() {
        let claims = certificate.map(|certificate| Claims { certificate, target });
        for (j, (&value, exact)) in
            model.coefficients_of(target).iter().zip(&exact.coefficients).enumerate()
        {
            let claim = claims.as_ref().map(|claims| claims.coefficient(j));
            judge_number(value, exact, claim, demand)
                .map_err(|f| f.within(format_args!("coefficient {j} of target {target}")))?;
        }
        match (model.intercept_of(target), &exact.intercept) {
            (Some(value), Some(exact)) => {
                let claim = claims.as_ref().map(Claims::intercept);
                judge_number(value, exact, claim, demand)
                    .map_err(|f| f.within(format_args!("intercept of target {target}")))?;
            }
            (found, expected) => ensure!(
                found.is_some() == expected.is_some(),
                "an intercept was {}, but the model has {found:?}",
                if expected.is_some() { "asked for" } else { "not asked for" }
            ),
        }
        if let Some(certificate) = certificate {
            ensure!(
                certificate.rank == exact.rank || certificate.penalty.is_positive(),
                "the rank is {}, but the certificate says {}",
                exact.rank,
                certificate.rank
            );
        }
    }
    Ok(())
}

/// What a certificate says about one target.
struct Claims<'a> {
    certificate: &'a LeastSquaresCertificate,
    target: usize,
}

/// What a certificate says about one number.
#[derive(Clone, Copy, Debug)]
struct Claim {
    bound: f64,
    digits: f64,
    nearest: bool,
}

impl Claims<'_> {
    fn coefficient(&self, j: usize) -> Claim {
        Claim {
            bound: self.certificate.coefficient_bounds[self.target][j],
            digits: self.certificate.digits[self.target][j],
            nearest: self.certificate.correctly_rounded,
        }
    }

    fn intercept(&self) -> Claim {
        Claim {
            bound: self.certificate.intercept_bounds[self.target],
            digits: self.certificate.intercept_digits[self.target],
            nearest: self.certificate.correctly_rounded,
        }
    }
}

fn judge_number<T: Scalar>(
    value: T,
    exact: &BigRational,
    claim: Option<Claim>,
    demand: Demand,
) -> Outcome {
    ensure!(value.is_finite(), "the value is {value}");
    let found = exact::digits(value, exact);
    let shown = || format!("{value:e} has {found:.2} digits of {:e}", exact::approximate(exact));
    match demand {
        Demand::Faithful => ensure!(
            exact::is_faithful(value, exact),
            "{}; one of the two floats next to it is asked for",
            shown()
        ),
        Demand::FaithfulOr(least) => {
            ensure!(found >= least, "{}; at least {least:.2} are asked for", shown());
        }
        Demand::Honesty => {}
    }
    let Some(claim) = claim else { return Ok(()) };
    let error = exact::error(value, exact);
    // An infinite bound claims nothing.
    let within = !claim.bound.is_finite() || error <= exact::rational(claim.bound);
    ensure!(
        within,
        "{}: the error is {:.3e}, but the certificate bounds it by {:.3e}, which is too little by {:.1e}",
        shown(),
        exact::approximate(&error),
        claim.bound,
        exact::approximate(&(&error - exact::rational(claim.bound)))
    );
    // Digits are a logarithm that was rounded; a claim of none claims nothing.
    ensure!(
        claim.digits <= 0.0 || found >= claim.digits - 1e-9,
        "{}, but the certificate claims {:.2}",
        shown(),
        claim.digits
    );
    ensure!(
        !claim.nearest || exact::is_correctly_rounded(value, exact),
        "{}, which is not the nearest float, but the certificate says so",
        shown()
    );
    Ok(())
}

/// Passes if the certificate claims at least so many digits of every coefficient.
pub(super) fn expect_claimed<T>(fit: &Fit<T>, least: f64) -> Outcome {
    let certificate = fit.certificate.least_squares();
    let claimed =
        certificate.ok_or_else(|| Failure::new("there is no certificate"))?.worst_digits();
    ensure!(claimed >= least, "the certificate claims {claimed:.2} digits where {least:.2} hold");
    Ok(())
}
