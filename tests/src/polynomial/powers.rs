//! Weights, penalties and maps of the variable.

use minrisk_core::least_squares::{LeastSquares, Ridge};
use minrisk_core::polynomial::{PolynomialRegression, Rescaling};
use minrisk_core::{Backend, Scalar, View};
use num_rational::BigRational;
use num_traits::Zero;

use super::{judge_polynomial, training};
use crate::check::ensure;
use crate::exact::{polynomial_ridge, rational};
use crate::random::Random;
use crate::solvers::Demand;
use crate::{Failure, Outcome, Tally};

/// With and without weights, penalty and constant, every coefficient is one of the two floats next to
/// the exact solution for exact powers.
pub fn polynomials_are_refined_on_exact_powers<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for (seed, degree) in [(1, 1), (2, 3), (3, 5), (4, 8)] {
        // What the condition of the powers leaves of singles.
        if T::unit_roundoff() > 1e-10 && degree > 5 {
            continue;
        }
        let mut random = Random::new(seed);
        let x: Vec<T> = (0..60).map(|_| T::from_double(3.0 * random.unit())).collect();
        let y: Vec<T> = x.iter().map(|x| x.sin() + T::from_double(0.1 * random.normal())).collect();
        let weights: Vec<T> = x.iter().map(|_| T::from_double(random.unit() + 0.01)).collect();
        for weighted in [false, true] {
            for constant in [false, true] {
                for alpha in [None, Some(0.25)] {
                    let case = format!("degree {degree}, {weighted}, {constant}, {alpha:?}");
                    let run = || -> Outcome {
                        let mut data = training(&x, &y)?;
                        if weighted {
                            data = data.with_precisions(View::column_vector(&weights))?;
                        }
                        let fit = match alpha {
                            None => {
                                let plain = LeastSquares::new();
                                let plain =
                                    if constant { plain } else { plain.without_intercept() };
                                PolynomialRegression::of(degree, plain).fit_on(backend, &data)
                            }
                            Some(alpha) => {
                                let ridge = Ridge::total(alpha);
                                let ridge =
                                    if constant { ridge } else { ridge.without_intercept() };
                                PolynomialRegression::of(degree, ridge).fit_on(backend, &data)
                            }
                        }?;
                        let alpha = alpha.map_or(BigRational::zero(), rational);
                        let truth = polynomial_ridge(&data, degree, constant, &alpha);
                        judge_polynomial(&data, &fit, &truth, Demand::Faithful)
                    };
                    tally.add(|| run().map_err(|failure: Failure| failure.within(&case)));
                }
            }
        }
    }
    tally.outcome()
}

/// A polynomial of rescaled variables, multiplied out, is the polynomial of the variables.
pub fn rescaled_polynomials_multiply_out<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let x: Vec<T> = (0..40).map(|i| T::from_double(5.0 + 0.125 * f64::from(i))).collect();
    let y: Vec<T> = x.iter().map(|x| *x * *x * *x - *x).collect();
    let data = training(&x, &y)?;
    let direct = PolynomialRegression::new(3).fit_on(backend, &data)?;
    for rescaling in [Rescaling::Standard, Rescaling::UnitInterval] {
        let fit = PolynomialRegression::new(3).rescaled(rescaling).fit_on(backend, &data)?;
        let expanded = fit.model.in_original_units()?;
        let near = |a: T, b: T, scale: f64| {
            let difference = (a.to_double() - b.to_double()).abs();
            difference <= 1e4 * T::unit_roundoff() * scale
        };
        let pairs =
            expanded.linear().coefficients().iter().zip(direct.model.linear().coefficients());
        for (k, (&a, &b)) in pairs.enumerate() {
            // Terms of 10³ cancel in the lower coefficients.
            ensure!(near(a, b, 1e3), "{rescaling:?}: a{} is {a}, directly {b}", k + 1);
        }
        let (one, other) = (fit.model.predict(View::column_vector(&x))?, &y);
        for (&z, &y) in one.as_slice().iter().zip(other) {
            ensure!(near(z, y, y.to_double()), "{rescaling:?}: {z} is predicted for {y}");
        }
    }
    Ok(())
}
