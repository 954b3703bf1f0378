//! All backends agree: where coefficients are certified as correctly rounded they are the same bits,
//! elsewhere they are within the bounds that each of them states.

#[path = "loops/backend.rs"]
mod loops;

use minrisk_conformance::Random;
use minrisk_conformance::families::{Family, Residual, targets};
use minrisk_core::{Backend, Dataset, Fit, LeastSquares, Ridge, Scalar};
use minrisk_faer::Faer;
use minrisk_nalgebra::Nalgebra;

fn fits<T: Scalar>(
    backends: &[&dyn Backend<T>],
    fit: impl Fn(&dyn Backend<T>) -> Fit<T>,
) -> Vec<Fit<T>> {
    backends.iter().map(|backend| fit(*backend)).collect()
}

fn expect_agreement<T: Scalar>(case: &str, fits: &[Fit<T>]) {
    let [first, others @ ..] = fits else { return };
    for other in others {
        let names = (&first.report.backend, &other.report.backend);
        let claims = [first, other].map(|fit| fit.certificate.least_squares().expect("certified"));
        assert_eq!(claims[0].rank, claims[1].rank, "{case}: {names:?}");
        if claims.iter().all(|claim| claim.correctly_rounded) {
            assert_eq!(first.model, other.model, "{case}: {names:?}");
        }
        let pairs = first.model.coefficients().iter().zip(other.model.coefficients());
        for (j, (&a, &b)) in pairs.enumerate() {
            let allowed: f64 = claims.iter().map(|claim| claim.coefficient_bounds[0][j]).sum();
            let distance = (a.to_double() - b.to_double()).abs();
            assert!(
                distance <= allowed * (1.0 + 1e-12),
                "{case}: coefficient {j} is {a:e} and {b:e} on {names:?}, {distance:e} apart where {allowed:e} is allowed"
            );
        }
    }
}

fn all_backends_agree<T: Scalar>(backends: &[&dyn Backend<T>]) {
    for family in Family::ALL {
        for power in [0.1, 0.4, 0.7, 0.85] {
            for residual in Residual::ALL {
                let condition = T::unit_roundoff().powf(-power);
                let mut random = Random::new(7);
                let x = family.design::<T>(60, 6, condition, &mut random);
                let y = targets(&x, 1, residual, &mut random);
                let data = Dataset::new(x.view(), y.view()).expect("sound data");
                let case = format!("{family:?}, κ = {condition:.1e}, {residual:?} residual");
                let least_squares = LeastSquares::new().without_intercept();
                let fitted = fits(backends, |b| least_squares.fit_on(b, &data).expect(&case));
                expect_agreement(&case, &fitted);
                let ridge = Ridge::total(0.25);
                let fitted = fits(backends, |b| ridge.fit_on(b, &data).expect(&case));
                expect_agreement(&format!("{case}, ridge"), &fitted);
            }
        }
    }
}

#[test]
fn all_backends_agree_in_double_precision() {
    all_backends_agree::<f64>(&[&Faer, &Nalgebra, &loops::Loops]);
}

#[test]
fn all_backends_agree_in_single_precision() {
    all_backends_agree::<f32>(&[&Faer, &Nalgebra, &loops::Loops]);
}
