//! The checks for softmax fits: the objective, and the distance from its minimum.
//!
//! With λ₂ > 0 the objective is 2λ₂-strongly convex in the weights, so F − F* ≤ ‖∂F/∂W‖²/(4λ₂) at the best
//! intercepts; what their gradient misses zero by is added at its size. Without a penalty only the gradient
//! itself can be looked at.

use super::sums::Sum;
use super::{Finding, Verdict};
use crate::certificate::{SoftmaxCertificate, SoftmaxSeparation};
use crate::loss::Softmax;
use crate::{Dataset, Error, LinearModel, Scalar};

/// Checks the claims of a certificate.
pub(super) fn check<T: Scalar>(
    data: &Dataset<'_, T>,
    model: &LinearModel<T>,
    certificate: &SoftmaxCertificate,
) -> Result<Verdict, Error> {
    let crate::Design::Dense(x) = data.design();
    let (classes, features) = (model.targets(), model.features());
    let mut objective = Sum::default();
    let mut gradient = vec![vec![Sum::default(); features + 1]; classes];
    for t in 0..x.rows() {
        let c = data.weight_of(t);
        let class = data.target_view()[(t, 0)].to_double() as usize;
        if class >= classes {
            let text = format!("row {t} has class {class}, the model has {classes}");
            return Ok(Verdict::of(vec![Finding { holds: false, text }], 0.0));
        }
        let score = |k: usize| {
            let mut z = Sum::default();
            z.add_product(1.0, model.intercept_of(k).map_or(0.0, |b| b.to_double()));
            for (j, w) in model.coefficients_of(k).iter().enumerate() {
                z.add_product(x[(t, j)].to_double(), w.to_double());
            }
            z.value()
        };
        let mut z: Vec<f64> = (0..classes).map(score).collect();
        let of_class = z[class];
        objective.add_product(c, Softmax::probabilities(&mut z) - of_class);
        for (k, p) in z.iter().enumerate() {
            let slope = c * if k == class { p - 1.0 } else { *p };
            for (j, g) in gradient[k].iter_mut().enumerate() {
                g.add_product(slope, if j < features { x[(t, j)].to_double() } else { 1.0 });
            }
        }
    }
    let (mut squares, mut levels, mut size) = (0.0, 0.0, 0.0_f64);
    for (k, gradient) in gradient.iter_mut().enumerate() {
        for (j, w) in model.coefficients_of(k).iter().enumerate() {
            let w = w.to_double();
            objective.add_product(certificate.l2 * w, w);
            gradient[j].add_product(2.0 * certificate.l2, w);
            squares += gradient[j].value().powi(2);
        }
        size = gradient.iter().fold(size, |size, g| size.max(g.magnitude()));
        if let Some(b) = model.intercept_of(k) {
            levels += (gradient[features].value() * b.to_double()).abs();
        }
    }
    let found = objective.value();
    let gap =
        if certificate.l2 > 0.0 { squares / (4.0 * certificate.l2) + 2.0 * levels } else { 0.0 };
    // Rounding the coefficients to the data's precision moves the objective to second order only.
    let allowed = certificate.gap + (1e-11 + 1e2 * T::unit_roundoff()) * found.abs();
    let flat = squares.sqrt() <= 1e-6_f64.max(1e3 * T::unit_roundoff()) * size;
    let findings = vec![
        Finding {
            holds: (found - certificate.objective).abs()
                <= (1e-11 + 1e2 * T::unit_roundoff()) * found.abs(),
            text: format!("the objective is {:e} ({found:e} found)", certificate.objective),
        },
        Finding {
            holds: gap <= allowed.max(1e-9 * found.abs()) && flat,
            text: format!("the gap is at most {:e} ({gap:e} found)", certificate.gap),
        },
    ];
    Ok(Verdict::of(findings, -certificate.relative_gap.max(f64::EPSILON / 8.0).log10()))
}

/// The direction of a separation leaves no class behind another on a row of its own.
pub(super) fn check_separation<T: Scalar>(
    data: &Dataset<'_, T>,
    model: &LinearModel<T>,
    separation: &SoftmaxSeparation,
) -> Result<Verdict, Error> {
    let crate::Design::Dense(x) = data.design();
    let SoftmaxSeparation { weights, intercepts, complete } = separation;
    let classes = model.targets();
    let levels = intercepts.as_ref().map_or(classes, Vec::len);
    let fits = weights.iter().all(|weights| weights.len() == model.features());
    if weights.len() != classes || levels != classes || !fits {
        let text = "the direction has another shape than the model".into();
        return Ok(Verdict::of(vec![Finding { holds: false, text }], 0.0));
    }
    let score = |t: usize, k: usize| {
        let mut z = Sum::default();
        z.add_product(1.0, intercepts.as_ref().map_or(0.0, |b| b[k]));
        for (j, w) in weights[k].iter().enumerate() {
            z.add_product(x[(t, j)].to_double(), *w);
        }
        z
    };
    let counts = |t: &usize| data.weight_of(*t) > 0.0;
    let mut leads = Vec::new();
    for t in (0..x.rows()).filter(counts) {
        let class = data.target_view()[(t, 0)].to_double();
        let known = class >= 0.0 && class < classes as f64 && class.fract() == 0.0;
        if !known {
            let text = format!("row {t} has class {class}, the model has {classes}");
            return Ok(Verdict::of(vec![Finding { holds: false, text }], 0.0));
        }
        let class = class as usize;
        let own = score(t, class).value();
        leads.extend((0..classes).filter(|&k| k != class).map(|k| own - score(t, k).value()));
    }
    let largest = leads.iter().fold(0.0, |max: f64, lead| max.max(lead.abs()));
    // A direction that only part of the rows follow is known up to rounding.
    let slack = if *complete { 0.0 } else { 1e-6_f64.max(1e4 * T::unit_roundoff()) * largest };
    let ahead = leads.iter().filter(|lead| **lead > slack).count();
    let behind = leads.iter().filter(|lead| **lead < -slack).count();
    let ties = leads.len() - ahead - behind;
    let holds = behind == 0 && ahead > 0 && (ties == 0 || !complete);
    let text =
        format!("along the direction {ahead} comparisons are won, {ties} tied, {behind} lost");
    Ok(Verdict::of(vec![Finding { holds, text }], 0.0))
}
