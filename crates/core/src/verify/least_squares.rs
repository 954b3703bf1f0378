//! The checks for least squares and ridge.

use super::distance::Problem;
use super::sums::Sum;
use super::{Finding, Verdict};
use crate::{Dataset, Error, LeastSquaresCertificate, LinearModel, Matrix, Relation, Scalar, View};

/// Checks every claim of a certificate, for the design of a dataset or for that plus low words.
pub(super) fn check<T: Scalar>(
    data: &Dataset<'_, T>,
    low: Option<&Matrix<f64>>,
    model: &LinearModel<T>,
    certificate: &LeastSquaresCertificate,
) -> Result<Verdict, Error> {
    let crate::Design::Dense(x) = data.design();
    if let Some((row, column)) = first_bad(x) {
        return Err(Error::NotFinite {
            row,
            column: column.to_string(),
            value: x[(row, column)].to_string(),
        });
    }
    let mut findings = shape(model, certificate);
    if findings.iter().any(|finding| !finding.holds) {
        return Ok(Verdict::of(findings, 0.0));
    }
    findings.extend(certificate.relations.iter().map(|r| relation_holds(data, x, r)));
    let dependent: Vec<usize> = certificate.relations.iter().map(|r| r.column).collect();
    let kept: Vec<usize> = (0..x.cols()).filter(|j| !dependent.contains(j)).collect();
    findings.push(rank(data, model, certificate, kept.len()));
    let intercept = model.intercept().is_some();
    let problem = Problem::new(data, x, low, intercept, kept, certificate.penalty);
    let mut digits = f64::INFINITY;
    for target in 0..model.targets() {
        let (finding, found) = problem.distance(model, certificate, target);
        findings.push(finding);
        digits = digits.min(found);
        if !certificate.relations.is_empty() {
            findings.push(least_norm(model, certificate, target));
        }
    }
    Ok(Verdict::of(findings, digits))
}

fn first_bad<T: Scalar>(x: View<'_, T>) -> Option<(usize, usize)> {
    let all = (0..x.rows()).flat_map(|i| (0..x.cols()).map(move |j| (i, j)));
    all.into_iter().find(|&at| !x[at].is_finite())
}

/// The certificate speaks of as many coefficients as there are.
fn shape<T: Scalar>(model: &LinearModel<T>, certificate: &LeastSquaresCertificate) -> Vec<Finding> {
    let intercepts = if model.intercept().is_some() { model.targets() } else { 0 };
    let complete = certificate.coefficient_bounds.len() == model.targets()
        && certificate.digits.len() == model.targets()
        && certificate.coefficient_bounds.iter().all(|b| b.len() == model.features())
        && certificate.digits.iter().all(|d| d.len() == model.features())
        && certificate.intercept_bounds.len() == intercepts
        && certificate.intercept_digits.len() == intercepts
        && certificate.relations.iter().all(|relation| {
            relation.column < model.features()
                && relation.terms.iter().all(|(j, _, _)| *j < model.features())
        });
    let consistent = complete
        && (0..model.targets()).all(|target| {
            let claims =
                certificate.digits[target].iter().zip(&certificate.coefficient_bounds[target]);
            claims.zip(model.coefficients_of(target)).all(|((&digits, &bound), w)| {
                bound >= 0.0
                    && bound <= 1.001 * 10f64.powf(-digits) * w.to_double().abs().max(bound)
                    || digits <= 0.0
            })
        });
    vec![Finding {
        holds: complete && consistent,
        text: if complete {
            "digits and error bounds agree with each other".into()
        } else {
            "the certificate does not describe as many coefficients as the model has".into()
        },
    }]
}

/// A relation holds in every row that counts, within the rounding of its terms.
fn relation_holds<T: Scalar>(
    data: &Dataset<'_, T>,
    x: View<'_, T>,
    relation: &Relation,
) -> Finding {
    let u = T::unit_roundoff();
    let mut worst: f64 = 0.0;
    for t in 0..x.rows() {
        if data.weights().is_some_and(|c| c[(t, 0)] == T::zero()) {
            continue;
        }
        let mut sum = Sum::default();
        sum.add_product(1.0, x[(t, relation.column)].to_double());
        for (j, _, factor) in &relation.terms {
            sum.add_product(-factor, x[(t, *j)].to_double());
        }
        sum.add_product(-1.0, relation.constant);
        if sum.value() != 0.0 {
            worst = worst.max(sum.value().abs() / (u * sum.magnitude()));
        }
    }
    // The factors are shown rounded, which adds one unit a term to what the relation may miss by.
    let allowed = (6 + 2 * relation.terms.len()) as f64;
    Finding {
        holds: worst <= allowed,
        text: format!(
            "{relation} misses by at most {worst:.1} units of rounding ({allowed} allowed)"
        ),
    }
}

fn rank<T: Scalar>(
    data: &Dataset<'_, T>,
    model: &LinearModel<T>,
    certificate: &LeastSquaresCertificate,
    kept: usize,
) -> Finding {
    let rows = match data.weights() {
        None => data.rows(),
        Some(weights) => weights.col_iter(0).filter(|c| **c > T::zero()).count(),
    };
    let unknowns = kept + usize::from(model.intercept().is_some());
    // With fewer rows than unknowns and no penalty the rank is bounded by the rows, not by relations.
    let wide = rows < unknowns && certificate.relations.is_empty();
    let expected = if wide && !certificate.penalty.is_positive() {
        rows - usize::from(model.intercept().is_some())
    } else {
        kept
    };
    let holds = certificate.rows == rows
        && (certificate.rank == expected || certificate.penalty.is_positive());
    Finding {
        holds,
        text: format!(
            "rank {} of {} columns over {} rows ({expected} and {rows} found)",
            certificate.rank,
            model.features(),
            certificate.rows
        ),
    }
}

/// Of all coefficients that predict the same, these have the least norm: they are orthogonal to every
/// null vector (relation) of the design.
fn least_norm<T: Scalar>(
    model: &LinearModel<T>,
    certificate: &LeastSquaresCertificate,
    target: usize,
) -> Finding {
    let w = model.coefficients_of(target);
    let bounds = &certificate.coefficient_bounds[target];
    let u = T::unit_roundoff();
    let mut worst: f64 = 0.0;
    for relation in &certificate.relations {
        let mut along = Sum::default();
        along.add_product(1.0, w[relation.column].to_double());
        let mut allowed = bounds[relation.column];
        for (j, _, factor) in &relation.terms {
            along.add_product(-factor, w[*j].to_double());
            allowed += factor.abs() * bounds[*j];
        }
        allowed += 4.0 * u * along.magnitude();
        if along.value().abs() > allowed {
            worst = worst.max(along.value().abs() / allowed);
        }
    }
    Finding {
        holds: worst == 0.0,
        text: if worst == 0.0 {
            format!("target {target}: the solution has the least norm")
        } else {
            format!(
                "target {target}: the solution is {worst:.1e} times its bounds away from the least norm"
            )
        },
    }
}
