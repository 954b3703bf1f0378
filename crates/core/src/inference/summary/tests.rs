//! The table on the sets it was checked by hand for.

use super::*;

#[track_caller]
fn close(value: f64, exact: f64, digits: f64) {
    let error = if exact == 0.0 { value.abs() } else { (value / exact - 1.0).abs() };
    assert!(error <= 10_f64.powf(-digits), "{value:e}, exactly {exact:e}: off by {error:.1e}");
}

fn norris() -> Estimates {
    Estimates {
        names: vec!["(Intercept)".into(), "x".into()],
        coefficients: vec![-0.262323073774029, 1.00211681802045],
        standard_errors: vec![0.232818234301152, 0.429796848199937e-3],
        residual_sum_of_squares: 26.6173985294224,
        total_sum_of_squares: 4255954.13232369 + 26.6173985294224,
        observations: 36.0,
        parameters: 2.0,
        has_intercept: true,
        ..Estimates::default()
    }
}

fn cars() -> Estimates {
    Estimates {
        names: vec!["(Intercept)".into(), "speed".into()],
        coefficients: vec![-17.57909489051095, 3.932408759124088],
        standard_errors: vec![6.758440169379236, 0.4155127766571223],
        residual_sum_of_squares: 11353.52105109489,
        total_sum_of_squares: 32538.98,
        observations: 50.0,
        parameters: 2.0,
        has_intercept: true,
        ..Estimates::default()
    }
}

/// Certified values of NIST StRD; p-values from its exact values with 40 digits.
#[test]
fn nist_norris() {
    let summary = norris().summary().unwrap();
    let statistics = &summary.statistics;
    assert_eq!(statistics.degrees_of_freedom, 34.0);
    close(statistics.residual_standard_deviation.unwrap(), 0.884796396144373, 14.0);
    close(statistics.r_squared.unwrap(), 0.999993745883712, 14.0);
    let test = statistics.f_test.unwrap();
    close(test.statistic, 5436385.54079785, 13.5);
    assert_eq!((test.df1, test.df2), (1.0, 34.0));
    close(test.p, 4.65404085247241e-90, 11.5);
    close(summary.coefficients[0].p.unwrap(), 0.26774674233320234, 13.5);
}

#[test]
fn nist_longley() {
    let names = ["(Intercept)", "x1", "x2", "x3", "x4", "x5", "x6"];
    let estimates = Estimates {
        names: names.map(String::from).into(),
        coefficients: vec![
            -3482258.63459582,
            15.0618722713733,
            -0.358191792925910e-1,
            -2.02022980381683,
            -1.03322686717359,
            -0.511041056535807e-1,
            1829.15146461355,
        ],
        standard_errors: vec![
            890420.383607373,
            84.9149257747669,
            0.334910077722432e-1,
            0.488399681651699,
            0.214274163161675,
            0.226073200069370,
            455.478499142212,
        ],
        residual_sum_of_squares: 836424.055505915,
        total_sum_of_squares: 184172401.944494 + 836424.055505915,
        observations: 16.0,
        parameters: 7.0,
        has_intercept: true,
        ..Estimates::default()
    };
    let summary = estimates.summary().unwrap();
    let statistics = &summary.statistics;
    close(statistics.residual_standard_deviation.unwrap(), 304.854073561965, 14.0);
    close(statistics.r_squared.unwrap(), 0.995479004577296, 14.0);
    close(statistics.adjusted_r_squared.unwrap(), 0.992465007628826, 14.0);
    close(statistics.log_likelihood.unwrap(), -109.61743480848055, 14.0);
    close(statistics.aic.unwrap(), 235.2348696169611, 14.0);
    close(statistics.bic.unwrap(), 241.41557939487936, 14.0);
    let test = statistics.f_test.unwrap();
    close(test.statistic, 330.285339234588, 13.5);
    assert_eq!((test.df1, test.df2), (6.0, 9.0));
    close(test.p, 4.98403052872479e-10, 13.0);
    let exact = [
        0.003560403663726231,
        0.8631408328092145,
        0.3126810610927111,
        0.002535091734111279,
        0.0009443667641617935,
        0.826211795763647,
        0.003036803341630289,
    ];
    for (coefficient, exact) in summary.coefficients.iter().zip(exact) {
        close(coefficient.p.unwrap(), exact, 13.0);
    }
    let (low, high) = summary.coefficient("x1").unwrap().interval.unwrap();
    close(low, -177.0290352984937, 13.0);
    close(high, 207.1527798412403, 13.0);
}

/// Without an intercept R² is uncentred and F counts every parameter.
#[test]
fn nist_noint1() {
    let estimates = Estimates {
        names: vec!["x".into()],
        coefficients: vec![2.07438016528926],
        standard_errors: vec![0.165289256198347e-1],
        residual_sum_of_squares: 127.272727272727,
        total_sum_of_squares: 200457.727272727 + 127.272727272727,
        observations: 11.0,
        parameters: 1.0,
        ..Estimates::default()
    };
    let summary = estimates.summary().unwrap();
    let statistics = &summary.statistics;
    close(statistics.residual_standard_deviation.unwrap(), 3.56753034006338, 14.0);
    close(statistics.r_squared.unwrap(), 0.999365492298663, 14.0);
    close(statistics.adjusted_r_squared.unwrap(), 1.0 - 127.272727272727 / 200585.0 * 1.1, 14.0);
    let test = statistics.f_test.unwrap();
    close(test.statistic, 15750.25, 13.5);
    assert_eq!((test.df1, test.df2), (1.0, 10.0));
    close(test.p, 2.5316281865829478e-17, 12.5);
}

/// R: `logLik(lm(dist ~ speed, cars))` is −206.5784 (df = 3), AIC 419.1569, BIC 424.8929; more
/// digits from exact sums.
#[test]
fn cars_as_in_r() {
    let summary = cars().summary().unwrap();
    let statistics = &summary.statistics;
    close(statistics.log_likelihood.unwrap(), -206.57843151367663, 14.5);
    close(statistics.aic.unwrap(), 419.1568630273532, 14.5);
    close(statistics.bic.unwrap(), 424.89293204363764, 14.5);
    close(statistics.adjusted_r_squared.unwrap(), 0.6438102011907144, 14.0);
    let speed = summary.coefficient("speed").unwrap();
    close(speed.t.unwrap(), 9.46398999029837, 14.0);
    close(speed.p.unwrap(), 1.4898364962950851e-12, 13.0);
    let (low, high) = speed.interval.unwrap();
    close(low, 3.0969643281403227, 14.0);
    close(high, 4.767853190107853, 14.0);
    close(summary.coefficients[0].p.unwrap(), 0.01231881615380881, 13.5);
    assert!(summary.coefficient("weight").is_none());
}

/// `lm(dist ~ speed, cars, weights = speed)`: precisions enter the likelihood through Σ ln c.
#[test]
fn precisions_enter_the_likelihood() {
    let estimates = Estimates {
        residual_sum_of_squares: 198907.22715046367,
        total_sum_of_squares: 518007.57922077924,
        log_weights: 133.10033554376076,
        ..cars()
    };
    let statistics = estimates.summary().unwrap().statistics;
    close(statistics.log_likelihood.unwrap(), -211.61102874715084, 14.5);
    close(statistics.residual_standard_deviation.unwrap(), 64.37313543423731, 14.5);
}

#[test]
fn the_level_widens_intervals() {
    let width = |level: f64| {
        let summary = cars().summary().unwrap().with_level(level).unwrap();
        let (low, high) = summary.coefficients[1].interval.unwrap();
        high - low
    };
    close(width(0.95), 4.767853190107853 - 3.0969643281403227, 13.5);
    assert!(width(0.99) > width(0.95) && width(0.5) < width(0.9));
    for level in [0.0, 1.0, -0.5, 95.0, f64::NAN] {
        let error = cars().summary().unwrap().with_level(level).unwrap_err();
        assert!(matches!(error, Error::BadParameter { .. }), "{error}");
    }
}

#[test]
fn no_degrees_of_freedom() {
    let estimates = Estimates { observations: 2.0, residual_sum_of_squares: 0.0, ..cars() };
    let summary = estimates.summary().unwrap();
    assert_eq!(summary.statistics.degrees_of_freedom, 0.0);
    assert_eq!(summary.statistics.residual_standard_deviation, None);
    assert_eq!(summary.statistics.adjusted_r_squared, None);
    assert_eq!(summary.statistics.f_test, None);
    assert_eq!(summary.statistics.r_squared, Some(1.0));
    for c in &summary.coefficients {
        assert_eq!((c.standard_error, c.t, c.p, c.interval), (None, None, None, None));
    }
}

#[test]
fn a_perfect_fit() {
    let estimates = Estimates {
        coefficients: vec![0.0, 3.0],
        standard_errors: vec![0.0, 0.0],
        residual_sum_of_squares: 0.0,
        ..cars()
    };
    let summary = estimates.summary().unwrap();
    let [zero, three] = &summary.coefficients[..] else { panic!() };
    assert_eq!((zero.t, zero.p), (None, None));
    assert_eq!((three.t, three.p), (Some(f64::INFINITY), Some(0.0)));
    assert_eq!(three.interval, Some((3.0, 3.0)));
    let test = summary.statistics.f_test.unwrap();
    assert_eq!((test.statistic, test.p), (f64::INFINITY, 0.0));
    assert_eq!(summary.statistics.log_likelihood, None);
    assert_eq!(summary.statistics.aic, None);
}

#[test]
fn a_constant_target_has_no_r_squared() {
    let estimates = Estimates { total_sum_of_squares: 0.0, residual_sum_of_squares: 0.0, ..cars() };
    let statistics = estimates.summary().unwrap().statistics;
    assert_eq!((statistics.r_squared, statistics.adjusted_r_squared), (None, None));
    assert_eq!(statistics.f_test, None);
}

#[test]
fn only_an_intercept_and_nothing_at_all() {
    let estimates = Estimates {
        names: vec!["(Intercept)".into()],
        coefficients: vec![42.98],
        standard_errors: vec![3.644434],
        residual_sum_of_squares: 32538.98,
        parameters: 1.0,
        ..cars()
    };
    let statistics = estimates.summary().unwrap().statistics;
    assert_eq!((statistics.r_squared, statistics.adjusted_r_squared), (Some(0.0), Some(0.0)));
    assert_eq!(statistics.f_test, None);

    let nothing = Estimates::default().summary().unwrap();
    assert!(nothing.coefficients.is_empty());
    assert_eq!(nothing.statistics.r_squared, None);
    assert_eq!(nothing.statistics.log_likelihood, None);
}

#[test]
fn a_dependent_column_has_no_standard_error() {
    let mut estimates = cars();
    estimates.standard_errors[1] = f64::NAN;
    let summary = estimates.summary().unwrap();
    assert_eq!(summary.coefficients[1].standard_error, None);
    assert_eq!(summary.coefficients[1].p, None);
    assert!(summary.coefficients[0].p.is_some());
}

#[test]
fn robust_and_penalised_fits_have_no_classical_f() {
    let robust = Estimates { covariance: Covariance::Hc3, ..cars() };
    assert_eq!(robust.summary().unwrap().statistics.f_test, None);
    let wald = Estimates { wald: Some(70.0), ..robust };
    let test = wald.summary().unwrap().statistics.f_test.unwrap();
    assert_eq!(test.statistic, 70.0);
    close(test.p, f_upper_tail(70.0, 1.0, 48.0), 15.0);

    let ridge = Estimates { penalised: true, parameters: 1.75, ..cars() };
    let summary = ridge.summary().unwrap();
    assert_eq!(summary.statistics.degrees_of_freedom, 48.25);
    assert_eq!(summary.statistics.f_test, None);
    let slope = &summary.coefficients[1];
    assert_eq!((slope.t, slope.p, slope.interval), (None, None, None));
    assert_eq!(slope.standard_error, Some(0.4155127766571223));
    close(summary.statistics.aic.unwrap(), 419.1568630273532 - 0.5, 14.0);
}

#[test]
fn bad_input_is_an_error() {
    let short = Estimates { standard_errors: vec![1.0], ..cars() };
    assert_eq!(
        short.summary().unwrap_err().to_string(),
        "the list of standard errors has length 1, but 2 was expected: one entry for each coefficient"
    );
    assert!(Estimates { digits: vec![15.0], ..cars() }.summary().is_err());
    assert!(Estimates { names: vec![], ..cars() }.summary().is_err());
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(Estimates { residual_sum_of_squares: bad, ..cars() }.summary().is_err());
        assert!(Estimates { observations: bad, ..cars() }.summary().is_err());
    }
}
