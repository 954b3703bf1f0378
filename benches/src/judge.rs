//! How far coefficients are from the minimum, whoever found them.
//!
//! A fit of ours, to all digits, brings a dual point u and with it a lower bound L of the objective F. For
//! any other (w, b) then (F(w, b) − L)/F(w, b) bounds the relative distance from the minimum, and
//! [`verify`](minrisk_core::verify) re-checks both numbers with sums of its own.

use minrisk_core::loss::{AnyLoss, Loss, Risk};
use minrisk_core::verify::verify;
use minrisk_core::{Certificate, ConvexCertificate, Dataset, Error, Fit, LinearModel};

/// A judge of one convex problem.
pub struct Judge<'a> {
    data: Dataset<'a, f64>,
    loss: AnyLoss,
    reference: Fit<f64>,
    certificate: ConvexCertificate,
}

impl<'a> Judge<'a> {
    /// The judge whom a fit of ours makes possible, once its own claims are verified.
    pub fn new(data: Dataset<'a, f64>, reference: Fit<f64>) -> Result<Self, String> {
        let verdict = verify(&data, &reference).map_err(|error| error.to_string())?;
        if let Some(finding) = verdict.findings.iter().find(|finding| !finding.holds) {
            return Err(format!("our own fit is not what it claims: {}", finding.text));
        }
        let Some(certificate) = reference.certificate.convex() else {
            return Err("our own fit has no lower bound".to_string());
        };
        let Some(loss) = certificate.loss else {
            return Err("the loss is not one that can be verified".to_string());
        };
        let mut certificate = certificate.clone();
        if certificate.dual.is_none() {
            certificate.dual = Some(derivatives(&data, &reference.model, loss)?);
        }
        Ok(Self { data, loss, reference, certificate })
    }

    /// The relative gap of some coefficients.
    pub fn gap(&self, coefficients: &[f64], intercept: Option<f64>) -> Result<f64, String> {
        let model = LinearModel::from_coefficients(coefficients.to_vec(), intercept);
        let model = model.map_err(|error| error.to_string())?;
        let objective = self.objective(&model).map_err(|error| error.to_string())?;
        Ok((objective - self.certificate.lower_bound) / objective)
    }

    /// Whether `verify` agrees with that gap.
    pub fn confirms(&self, coefficients: &[f64], intercept: Option<f64>) -> Result<(), String> {
        let model = LinearModel::from_coefficients(coefficients.to_vec(), intercept);
        let model = model.map_err(|error| error.to_string())?;
        let objective = self.objective(&model).map_err(|error| error.to_string())?;
        let certificate = ConvexCertificate {
            objective,
            relative_gap: (objective - self.certificate.lower_bound) / objective,
            nonzero: coefficients.iter().filter(|w| **w != 0.0).count(),
            // Nothing is said of the slopes: the dual point is that of other coefficients.
            optimality: f64::INFINITY,
            ..self.certificate.clone()
        };
        let certificate = Certificate::Convex(Box::new(certificate));
        let fit = Fit { model, certificate, ..self.reference.clone() };
        let verdict = verify(&self.data, &fit).map_err(|error| error.to_string())?;
        match verdict.findings.into_iter().find(|finding| !finding.holds) {
            None => Ok(()),
            Some(finding) => Err(format!("not confirmed: {}", finding.text)),
        }
    }

    fn objective(&self, model: &LinearModel<f64>) -> Result<f64, Error> {
        let risk = Risk::of(model, &self.loss, &self.data)?.total[0];
        Ok(risk + self.certificate.terms.value(model.coefficients()))
    }
}

/// The derivative of the loss in every row: the dual point of a fit without one.
fn derivatives(
    data: &Dataset<'_, f64>,
    model: &LinearModel<f64>,
    loss: AnyLoss,
) -> Result<Vec<f64>, String> {
    let z = model.predict(data.design()).map_err(|error| error.to_string())?;
    let rows = z.col(0).iter().enumerate();
    Ok(rows.map(|(t, &z)| loss.derivative(z, data.target_view()[(t, 0)])).collect())
}
