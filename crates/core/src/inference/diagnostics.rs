//! Which rows pull at the fit: studentised residuals and what leaving a row out would change.
//!
//! The residual e of a row of leverage h has variance σ²(1 − h). Divided by its estimate it is
//! *internally* studentised, r = e/(σ̂√(1 − h)); with the σ̂ of the fit without the row, it is
//! *externally* studentised and has Student's t distribution with n − p − 1 degrees of freedom:
//! ```text
//!   t = r √((n − p − 1)/(n − p − r²)),
//!   Cook's distance = r²/p · h/(1 − h),     DFFITS = t √(h/(1 − h)).
//! ```
//! Cook's distance is how far the fitted values move, in units of pσ̂², when the row is left out;
//! DFFITS is how far its own fitted value moves, in standard errors. All are undefined (NaN) for a row
//! of leverage 1, which the fit must pass through.
//!
//! For rows with precision c, give √c·e and c·xᵀ(XᵀCX)⁻¹x. For ridge, give the diagonal of the hat
//! matrix and effective parameters: the formulas are then approximations.
//!
//! Reference: Cook and Weisberg (1982), *Residuals and Influence in Regression*.

/// The residual over its estimated standard deviation, which all rows, this one too, contribute to.
///
/// ```
/// use minrisk_core::inference::internally_studentised;
/// assert_eq!(internally_studentised(3.0, 0.75, 2.0), 3.0);
/// ```
pub fn internally_studentised(residual: f64, leverage: f64, standard_deviation: f64) -> f64 {
    let scale = standard_deviation * (1.0 - leverage).sqrt();
    if scale > 0.0 { residual / scale } else { f64::NAN }
}

/// The residual over its standard deviation as the other rows estimate it, from the internally
/// studentised residual and the residual degrees of freedom n − p of the fit.
///
/// It has Student's t distribution with n − p − 1 degrees of freedom, and is infinite where the other
/// rows are fitted perfectly.
///
/// ```
/// use minrisk_core::inference::externally_studentised;
/// let t = externally_studentised(2.0, 12.0);
/// assert!((t - 2.0 * (11.0_f64 / 8.0).sqrt()).abs() < 1e-15);
/// ```
pub fn externally_studentised(internal: f64, degrees_of_freedom: f64) -> f64 {
    if degrees_of_freedom <= 1.0 {
        return f64::NAN;
    }
    // r² ≤ n − p in exact arithmetic.
    let rest = (degrees_of_freedom - internal * internal).max(0.0);
    internal * ((degrees_of_freedom - 1.0) / rest).sqrt()
}

/// Cook's distance, from the internally studentised residual, the leverage and the parameters p.
///
/// ```
/// use minrisk_core::inference::cooks_distance;
/// assert_eq!(cooks_distance(2.0, 0.5, 2.0), 2.0);
/// ```
pub fn cooks_distance(internal: f64, leverage: f64, parameters: f64) -> f64 {
    internal * internal / parameters * odds(leverage)
}

/// DFFITS, from the externally studentised residual and the leverage.
///
/// ```
/// use minrisk_core::inference::dffits;
/// assert_eq!(dffits(2.0, 0.8), 4.0);
/// ```
pub fn dffits(external: f64, leverage: f64) -> f64 {
    external * odds(leverage).sqrt()
}

fn odds(leverage: f64) -> f64 {
    if leverage < 1.0 { leverage / (1.0 - leverage) } else { f64::NAN }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Row 49 of R's `cars` (speed 24, distance 120), in 40-digit arithmetic; the externally
    /// studentised residual from the fit without the row.
    #[test]
    fn the_outlier_of_the_cars_data() {
        let (e, h) = (43.20128467153285, 0.07398540145985401);
        let r = internally_studentised(e, h, 15.379586748819907);
        let t = externally_studentised(r, 48.0);
        let close = |x: f64, y: f64| assert!((x / y - 1.0).abs() < 1e-14, "{x} {y}");
        close(r, 2.9190603831255206);
        close(t, 3.184992840075446);
        close(cooks_distance(r, h, 2.0), 0.3403959336064384);
        close(dffits(t, h), 0.900269549775839);
    }

    #[test]
    fn a_row_of_leverage_one_has_no_diagnostics() {
        assert!(internally_studentised(0.0, 1.0, 2.0).is_nan());
        assert!(cooks_distance(f64::NAN, 1.0, 2.0).is_nan());
        assert!(dffits(1.0, 1.0).is_nan());
        assert!(internally_studentised(0.0, 0.2, 0.0).is_nan());
        assert!(externally_studentised(1.0, 1.0).is_nan());
        assert_eq!(externally_studentised(2.0, 4.0), f64::INFINITY);
    }
}
