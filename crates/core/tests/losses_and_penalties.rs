//! What every loss and every penalty must obey, whatever solver uses it.

use minrisk_core::loss::{
    Absolute, AnyLoss, Hinge, Huber, Logistic, Loss, Perceptron, PiecewiseLinear, Quantile,
    Squared, SquaredHinge,
};
use minrisk_core::penalty::{ElasticNet, Terms};
use minrisk_core::wide::Dd;
use proptest::prelude::*;

fn all() -> Vec<AnyLoss> {
    let quantile = Quantile::new(0.3).unwrap();
    let huber = Huber::new(1.5).unwrap();
    [Squared.known(), Absolute.known(), quantile.known(), huber.known(), Logistic.known()]
        .into_iter()
        .chain([Hinge.known(), SquaredHinge.known(), Perceptron.known()])
        .flatten()
        .collect()
}

/// A target that the loss takes: ±1 where it must be a sign.
fn target(loss: &AnyLoss, y: f64) -> f64 {
    if loss.accepts(y) { y } else { y.signum() }
}

proptest! {
    #[test]
    fn derivatives_are_slopes(z in -30.0..30.0, y in -3.0..3.0) {
        for loss in all() {
            let y = target(&loss, y);
            let h = 1e-5;
            let slope = (loss.value(z + h, y) - loss.value(z - h, y)) / (2.0 * h);
            let derivative = loss.derivative(z, y);
            // Near a kink the difference quotient lies between the slopes of both sides.
            let (left, right) = (loss.derivative(z - h, y), loss.derivative(z + h, y));
            let slack = 1e-4 * (1.0 + derivative.abs());
            prop_assert!(slope >= left - slack && slope <= right + slack, "{loss} at {z}, {y}");
            prop_assert!(left <= right + 1e-12, "{loss} is not convex at {z}, {y}");
            if let Some(curvature) = loss.curvature(z, y) {
                let bend = (right - left) / (2.0 * h);
                let smooth = loss.curvature(z - h, y) == loss.curvature(z + h, y)
                    || matches!(loss, AnyLoss::Logistic);
                if smooth {
                    prop_assert!((bend - curvature).abs() <= 1e-4 * (1.0 + curvature), "{loss} at {z}, {y}");
                }
                prop_assert!(curvature <= loss.smoothness().unwrap() * (1.0 + 1e-12));
            }
            if loss.lipschitz().is_finite() {
                prop_assert!(derivative.abs() <= loss.lipschitz() * (1.0 + 1e-12));
            }
        }
    }

    #[test]
    fn conjugates_obey_fenchel(z in -20.0..20.0, other in -20.0..20.0, y in -3.0..3.0) {
        for loss in all() {
            let y = target(&loss, y);
            // Equality at the derivative, inequality everywhere else.
            let u = loss.derivative(z, y);
            let at = loss.conjugate(u, y);
            let size = 1.0 + (u * z).abs() + loss.value(z, y);
            prop_assert!((loss.value(z, y) + at - u * z).abs() <= 1e-12 * size, "{loss} at {z}, {y}");
            prop_assert!(loss.value(other, y) + at >= u * other - 1e-12 * size, "{loss} at {z}, {other}, {y}");
        }
    }

    #[test]
    fn the_prox_beats_its_neighbours(v in -5.0..5.0, step in 0.01..3.0, l1 in 0.0..2.0, l2 in 0.0..2.0) {
        let terms = Terms::new(&ElasticNet::total(l1, l2), 1, Dd::from(1.0)).unwrap();
        let prox = terms.prox(0, v, step);
        let objective = |u: f64| 0.5 * (u - v).powi(2) + step * terms.value(&[u]);
        for k in -1000..=1000 {
            let other = f64::from(k) * 0.006;
            prop_assert!(objective(prox) <= objective(other) + 1e-12);
        }
        prop_assert!(objective(prox) <= objective(0.0));
    }

    #[test]
    fn the_penalty_and_its_conjugate_obey_fenchel(w in -5.0..5.0, v in -5.0..5.0, l1 in 0.0..2.0, l2 in 0.01..2.0) {
        let terms = Terms::new(&ElasticNet::total(l1, l2), 1, Dd::from(1.0)).unwrap();
        prop_assert!(terms.value(&[w]) + terms.conjugate(&[v]) >= v * w - 1e-12);
        let steepest = l1.copysign(w) + 2.0 * l2 * w;
        let equal = terms.value(&[w]) + terms.conjugate(&[steepest]) - steepest * w;
        prop_assert!(equal.abs() <= 1e-9 * (1.0 + steepest.abs()));
    }

    #[test]
    fn kinks_describe_their_losses(z in -9.0..9.0_f64, y in -3.0..3.0_f64) {
        let quantile = Quantile::new(0.8).unwrap();
        let check = |kink: minrisk_core::loss::Kink, value: f64| {
            let found: f64 = if z < kink.at { kink.below * (z - kink.at) } else { kink.above * (z - kink.at) };
            (found - value).abs() <= 1e-12
        };
        prop_assert!(check(Absolute.kink(y), Absolute.value(z, y)));
        prop_assert!(check(quantile.kink(y), quantile.value(z, y)));
        prop_assert!(check(Hinge.kink(y.signum()), Hinge.value(z, y.signum())));
    }
}

#[test]
fn no_finite_prediction_gives_nan() {
    let extremes = [1e308, -1e308, 1e154, -1e154, 710.0, -710.0, 1e-308, -1e-308, 0.0, -0.0];
    for loss in all() {
        for z in extremes {
            for y in [-1.0, 1.0] {
                let value = loss.value(z, y);
                let derivative = loss.derivative(z, y);
                assert!(!value.is_nan() && value >= 0.0, "{loss} at {z}");
                assert!(!derivative.is_nan(), "{loss} at {z}");
                assert!(loss.curvature(z, y).is_none_or(|c| c.is_finite()), "{loss} at {z}");
            }
        }
    }
}

#[test]
fn logistic_tails_keep_their_digits() {
    for z in [30.0_f64, 100.0, 500.0, 700.0, 740.0] {
        let exact = (-z).exp();
        assert!((Logistic.value(z, 1.0) / exact - 1.0).abs() < 1e-12 || z > 708.0, "{z}");
        assert!((Logistic.derivative(z, 1.0) / -exact - 1.0).abs() < 1e-12 || z > 708.0, "{z}");
        assert!(Logistic.value(z, 1.0) > 0.0, "{z}");
        assert!((Logistic.value(z, -1.0) - z - exact).abs() <= 4e-16 * z, "{z}");
    }
}

#[test]
fn the_conjugate_of_logistic_loss_keeps_its_digits() {
    // t ln t + (1 − t) ln(1 − t) with the second term as a series: bounds of fits that are nearly perfect are made of it.
    for t in [1e-5_f64, 1e-8, 1e-11, 1e-30] {
        let expected = t * t.ln() - t * (1.0 - t * (0.5 + t * (1.0 / 6.0 + t / 12.0)));
        let found = Logistic.conjugate(-t, 1.0);
        assert!((found - expected).abs() <= 1e-15 * expected.abs(), "{t}: {found:e}, {expected:e}");
    }
    assert_eq!([0.0, -1.0].map(|u| Logistic.conjugate(u, 1.0)), [0.0, 0.0]);
}
