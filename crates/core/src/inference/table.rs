//! The printed table: coefficients by line, then the fit.

use std::fmt;

use super::text::{self, UNDEFINED};
use super::{CoefficientSummary, Summary};

/// A [`Summary`] as text, as [`Summary::table`] makes it.
///
/// Estimates are shown with a few significant digits, and at least to the third digit of their
/// standard error. Numbers are aligned at the decimal point, names by the columns they take in a
/// terminal. `–` stands for what is undefined.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    summary: &'a Summary,
    stars: bool,
    digits: usize,
    name_width: usize,
}

impl<'a> Table<'a> {
    pub(super) fn new(summary: &'a Summary) -> Self {
        Self { summary, stars: true, digits: 5, name_width: 24 }
    }

    /// Whether to mark significant coefficients and to explain the marks; yes unless set.
    pub fn stars(mut self, stars: bool) -> Self {
        self.stars = stars;
        self
    }

    /// Significant digits of estimates, standard errors and intervals, 1 to 17; 5 unless set.
    pub fn significant_digits(mut self, digits: usize) -> Self {
        self.digits = digits.clamp(1, 17);
        self
    }

    /// Columns that a name may take before its middle is left out; 24 unless set.
    pub fn name_width(mut self, columns: usize) -> Self {
        self.name_width = columns;
        self
    }

    /// A number that is known as well as its standard error says.
    fn estimate(&self, x: f64, standard_error: Option<f64>) -> String {
        let known = standard_error
            .filter(|error| *error > 0.0)
            .map_or(0, |error| text::decimal_exponent(x) - text::decimal_exponent(error) + 3);
        text::significant(x, self.digits.max(usize::try_from(known).unwrap_or(0)))
    }

    fn shows_stars(&self) -> bool {
        let marked = |c: &CoefficientSummary| c.p.is_some_and(|p| !significance(p).is_empty());
        self.stars && self.summary.coefficients.iter().any(marked)
    }

    fn columns(&self) -> Vec<Column> {
        let coefficients = &self.summary.coefficients;
        let column = |header: &str, cell: &dyn Fn(&CoefficientSummary) -> Option<String>| {
            let cells = coefficients.iter().map(|c| cell(c).unwrap_or_else(|| UNDEFINED.into()));
            Column { header: header.into(), cells: cells.collect(), numeric: true }
        };
        let mut columns = vec![
            Column { numeric: false, ..column("", &|c| Some(text::fit(&c.name, self.name_width))) },
            column("Estimate", &|c| Some(self.estimate(c.estimate, c.standard_error))),
            column("Std. error", &|c| {
                c.standard_error.map(|error| text::significant(error, self.digits))
            }),
        ];
        if !self.summary.penalised {
            columns.push(column("t value", &|c| c.t.map(text::statistic)));
            columns.push(column("Pr(>|t|)", &|c| c.p.map(text::p_value)));
            if self.shows_stars() {
                let stars = column("", &|c| Some(c.p.map_or("", significance).into()));
                columns.push(Column { numeric: false, ..stars });
            }
            // Percentages without the rounding errors of 1 − level.
            let outside = 50.0 * (1.0 - self.summary.level);
            let low = text::significant(outside, 10);
            let low = low.trim_end_matches('0').trim_end_matches('.');
            let high = format!("{:.10}", 100.0 - outside);
            let high = high.trim_end_matches('0').trim_end_matches('.');
            let end = |pick: fn((f64, f64)) -> f64| {
                move |c: &CoefficientSummary| {
                    c.interval.map(|interval| self.estimate(pick(interval), c.standard_error))
                }
            };
            columns.push(column(&format!("{low}%"), &end(|interval| interval.0)));
            columns.push(column(&format!("{high}%"), &end(|interval| interval.1)));
        }
        if coefficients.iter().any(|c| c.digits.is_some()) {
            // Rounded down: a digit that does not hold is not shown.
            let digits = |digits: f64| match digits {
                f64::INFINITY => "exact".into(),
                _ => format!("{:.1}", (digits * 10.0).floor() / 10.0),
            };
            columns.push(column("digits", &|c| c.digits.map(digits)));
        }
        columns
    }

    fn write_coefficients(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.summary.coefficients.is_empty() {
            return writeln!(f, "(no coefficients)");
        }
        let columns: Vec<Vec<String>> = self.columns().into_iter().map(Column::aligned).collect();
        for line in 0..=self.summary.coefficients.len() {
            let cells: Vec<&str> = columns.iter().map(|column| column[line].as_str()).collect();
            writeln!(f, "{}", cells.join("  ").trim_end())?;
        }
        Ok(())
    }

    fn write_notes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { coefficients, statistics, covariance, penalised, .. } = self.summary;
        if coefficients.is_empty() {
            return Ok(());
        }
        let mut notes: Vec<String> = Vec::new();
        if self.shows_stars() {
            notes.push("*** p < 0.001   ** p < 0.01   * p < 0.05   . p < 0.1".into());
        }
        if covariance.is_robust() {
            notes.push(format!("Standard errors are heteroscedasticity-robust ({covariance})."));
        }
        if *penalised {
            notes
                .push("Penalised coefficients are biased: they have no tests or intervals.".into());
        }
        let unknown = coefficients.iter().filter(|c| c.standard_error.is_none()).count();
        if statistics.degrees_of_freedom == 0.0 {
            notes.push("No degrees of freedom are left to estimate standard errors from.".into());
        } else if unknown == coefficients.len() && covariance.breaks_at_leverage_one() {
            notes.push(format!("{UNDEFINED} undefined: a row of leverage 1 has no {covariance}."));
        } else if unknown > 0 && !penalised {
            notes.push(format!("{UNDEFINED} not estimable: the column depends on others."));
        }
        if statistics.residual_sum_of_squares == 0.0 {
            notes.push("The fit is perfect: all residuals are zero.".into());
        }
        if !notes.is_empty() {
            writeln!(f)?;
        }
        notes.iter().try_for_each(|note| writeln!(f, "{note}"))
    }

    fn write_statistics(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let statistics = &self.summary.statistics;
        let number =
            |x: Option<f64>, show: &dyn Fn(f64) -> String| x.map_or_else(|| UNDEFINED.into(), show);
        let digits = |x: f64| text::significant(x, self.digits);
        // As many digits as show how far R² is from 1.
        let share = |x: f64| {
            let nines = usize::try_from(-text::decimal_exponent(1.0 - x)).unwrap_or(0);
            text::significant(x, self.digits.max(nines + 2))
        };
        let df = text::count(statistics.degrees_of_freedom);
        let deviation = number(statistics.residual_standard_deviation, &digits);
        let plural = if df == "1" { "degree" } else { "degrees" };
        writeln!(f, "Residual standard deviation: {deviation} on {df} {plural} of freedom")?;
        let kind = if statistics.has_intercept { "" } else { " (uncentred)" };
        let r_squared = number(statistics.r_squared, &share);
        let adjusted = number(statistics.adjusted_r_squared, &share);
        writeln!(f, "R²{kind}: {r_squared}, adjusted R²: {adjusted}")?;
        if let Some(test) = statistics.f_test {
            let (df1, df2) = (text::count(test.df1), text::count(test.df2));
            let (value, p) = (digits(test.statistic), text::p_value(test.p));
            let p = p.strip_prefix('<').map_or(format!("= {p}"), |bound| format!("< {bound}"));
            let kind = if self.summary.covariance.is_robust() { "Robust F" } else { "F" };
            writeln!(f, "{kind}-statistic: {value} on {df1} and {df2} degrees of freedom, p {p}")?;
        }
        let fixed = |x: f64| if x.abs() < 1e9 { format!("{x:.3}") } else { digits(x) };
        let log_likelihood = number(statistics.log_likelihood, &fixed);
        let (aic, bic) = (number(statistics.aic, &fixed), number(statistics.bic, &fixed));
        write!(f, "Log-likelihood: {log_likelihood}, AIC: {aic}, BIC: {bic}")
    }
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let statistics = &self.summary.statistics;
        let (title, effective) = match self.summary.penalised {
            true => ("Penalised least squares", " effective"),
            false => ("Least squares", ""),
        };
        let plural = |x: &str| if x == "1" { "" } else { "s" };
        let (n, p) = (text::count(statistics.observations), text::count(statistics.parameters));
        let (n_s, p_s) = (plural(&n), plural(&p));
        writeln!(f, "{title}: {n} observation{n_s}, {p}{effective} parameter{p_s}\n")?;
        self.write_coefficients(f)?;
        self.write_notes(f)?;
        writeln!(f)?;
        self.write_statistics(f)
    }
}

/// A column of cells, before alignment.
struct Column {
    header: String,
    cells: Vec<String>,
    numeric: bool,
}

impl Column {
    /// Header and cells, padded to one width: text on the left, numbers at their decimal points.
    fn aligned(self) -> Vec<String> {
        let Self { header, cells, numeric } = self;
        let pad =
            |text: &str, columns: usize| " ".repeat(columns.saturating_sub(text::width(text)));
        let cells: Vec<String> = if numeric {
            let point = |cell: &str| match cell.contains(|c: char| c.is_ascii_digit()) {
                true => cell.find(['.', 'e']).unwrap_or(cell.len()),
                false => cell.len(),
            };
            let split = cells.iter().map(|cell| cell.split_at(point(cell)));
            let widest =
                |pick: fn((&str, &str)) -> usize| split.clone().map(pick).max().unwrap_or(0);
            let before = widest(|(whole, _)| text::width(whole));
            let after = widest(|(_, fraction)| text::width(fraction));
            let place = |(whole, fraction): (&str, &str)| {
                format!("{}{whole}{fraction}{}", pad(whole, before), pad(fraction, after))
            };
            split.map(place).collect()
        } else {
            cells
        };
        let lines = std::iter::once(&header).chain(&cells);
        let columns = lines.clone().map(|line| text::width(line)).max().unwrap_or(0);
        let place = |line: &String| match numeric {
            true => pad(line, columns) + line,
            false => line.clone() + &pad(line, columns),
        };
        lines.map(place).collect()
    }
}

/// The customary marks.
fn significance(p: f64) -> &'static str {
    match p {
        p if p < 0.001 => "***",
        p if p < 0.01 => "**",
        p if p < 0.05 => "*",
        p if p < 0.1 => ".",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Covariance, Estimates};
    use super::*;

    fn norris() -> Estimates {
        Estimates {
            names: vec!["(Intercept)".into(), "x".into()],
            coefficients: vec![-0.262323073774029, 1.00211681802045],
            standard_errors: vec![0.232818234301152, 0.429796848199937e-3],
            digits: vec![15.96, 16.2],
            residual_sum_of_squares: 26.6173985294224,
            total_sum_of_squares: 4255980.749722219,
            observations: 36.0,
            parameters: 2.0,
            has_intercept: true,
            ..Estimates::default()
        }
    }

    #[track_caller]
    fn shows(table: impl fmt::Display, expected: &str) {
        let table = table.to_string();
        assert_eq!(table, expected.trim_matches('\n'), "\n{table}\n");
    }

    fn lines(table: impl fmt::Display) -> Vec<String> {
        table.to_string().lines().map(Into::into).collect()
    }

    #[test]
    fn the_table_of_norris() {
        shows(
            norris().summary().unwrap(),
            "
Least squares: 36 observations, 2 parameters

              Estimate  Std. error   t value  Pr(>|t|)            2.5%     97.5%  digits
(Intercept)  -0.26232   0.23282       -1.127  0.268          -0.73547   0.21082     15.9
x             1.002117  0.00042980  2331.606  4.65e-90  ***   1.001243  1.002990    16.2

*** p < 0.001   ** p < 0.01   * p < 0.05   . p < 0.1

Residual standard deviation: 0.88480 on 34 degrees of freedom
R²: 0.99999375, adjusted R²: 0.99999356
F-statistic: 5436386 on 1 and 34 degrees of freedom, p = 4.65e-90
Log-likelihood: -45.647, AIC: 97.293, BIC: 102.044",
        );
    }

    #[test]
    fn more_digits_another_level_and_no_stars() {
        let summary = norris().summary().unwrap().with_level(0.999).unwrap();
        let table = summary.table().stars(false).significant_digits(10);
        let expected = [
            "                  Estimate       Std. error   t value  Pr(>|t|)         0.05%        99.95%  digits",
            "(Intercept)  -0.2623230738  0.2328182343       -1.127  0.268     -1.100635368  0.5759892204    15.9",
            "x             1.002116818   0.0004297968482  2331.606  4.65e-90   1.000569242  1.003664394     16.2",
        ];
        assert_eq!(lines(table)[2..5], expected);
        assert_eq!(format!("{summary:.10}").lines().count(), 12);
    }

    #[test]
    fn columns_that_differ_in_size_and_names_of_any_script() {
        let names =
            ["(Intercept)", "deflator", "gross national product in millions", "人口", "Größe"];
        let estimates = Estimates {
            names: names.map(String::from).into(),
            coefficients: vec![-3482258.63459582, 15.0618722713733, -0.035819179, 1e-12, 2e20],
            standard_errors: vec![
                890420.383607373,
                84.9149257747669,
                0.0334910077,
                3e-13,
                f64::NAN,
            ],
            observations: 16.0,
            parameters: 4.0,
            has_intercept: true,
            residual_sum_of_squares: 836424.0,
            total_sum_of_squares: 836424.0,
            ..Estimates::default()
        };
        shows(
            estimates.summary().unwrap(),
            "
Least squares: 16 observations, 4 parameters

                                 Estimate     Std. error  t value  Pr(>|t|)                   2.5%              97.5%
(Intercept)               -3482259         890420          -3.911   0.00207  **  -5422318           -1542199
deflator                        15.062         84.915       0.177   0.862            -169.95             200.08
gross nation…in millions        -0.035819       0.033491   -1.070   0.306              -0.10879            0.037151
人口                             1e-12          3e-13       3.333   0.00596  **         3.4636e-13         1.6536e-12
Größe                            2e20           –           –       –                   –                  –

*** p < 0.001   ** p < 0.01   * p < 0.05   . p < 0.1
– not estimable: the column depends on others.

Residual standard deviation: 264.01 on 12 degrees of freedom
R²: 0, adjusted R²: -0.25
F-statistic: 0 on 3 and 12 degrees of freedom, p = 1
Log-likelihood: -109.617, AIC: 229.235, BIC: 233.098",
        );
    }

    #[test]
    fn robust_standard_errors_say_so() {
        let robust = Estimates { covariance: Covariance::Hc3, wald: Some(70.0), ..norris() };
        let table = robust.summary().unwrap().to_string();
        assert!(table.contains("Standard errors are heteroscedasticity-robust (HC3)."), "{table}");
        assert!(table.contains("Robust F-statistic: 70 on 1 and 34 degrees"), "{table}");
        let undefined = Estimates { standard_errors: vec![f64::NAN; 2], ..robust };
        let table = undefined.summary().unwrap().to_string();
        assert!(table.contains("– undefined: a row of leverage 1 has no HC3."), "{table}");
    }

    #[test]
    fn what_is_undefined_is_a_dash() {
        let saturated = Estimates {
            observations: 2.0,
            residual_sum_of_squares: 0.0,
            digits: vec![],
            ..norris()
        };
        shows(
            saturated.summary().unwrap(),
            "
Least squares: 2 observations, 2 parameters

             Estimate  Std. error  t value  Pr(>|t|)  2.5%  97.5%
(Intercept)  -0.26232           –        –         –     –      –
x             1.0021            –        –         –     –      –

No degrees of freedom are left to estimate standard errors from.
The fit is perfect: all residuals are zero.

Residual standard deviation: – on 0 degrees of freedom
R²: 1, adjusted R²: –
Log-likelihood: –, AIC: –, BIC: –",
        );
    }

    #[test]
    fn a_perfect_fit_is_infinitely_significant() {
        let perfect = Estimates {
            coefficients: vec![1.0, -1e-20],
            standard_errors: vec![0.0, 0.0],
            digits: vec![f64::INFINITY, 16.0],
            residual_sum_of_squares: 0.0,
            ..norris()
        };
        shows(
            perfect.summary().unwrap(),
            "
Least squares: 36 observations, 2 parameters

             Estimate  Std. error  t value  Pr(>|t|)         2.5%   97.5%   digits
(Intercept)     1               0        ∞   <1e-300  ***   1       1      exact
x              -1e-20           0       -∞   <1e-300  ***  -1e-20  -1e-20     16.0

*** p < 0.001   ** p < 0.01   * p < 0.05   . p < 0.1
The fit is perfect: all residuals are zero.

Residual standard deviation: 0 on 34 degrees of freedom
R²: 1, adjusted R²: 1
F-statistic: ∞ on 1 and 34 degrees of freedom, p < 1e-300
Log-likelihood: –, AIC: –, BIC: –",
        );
    }

    #[test]
    fn a_penalised_fit_has_no_tests() {
        let ridge = Estimates { penalised: true, parameters: 1.75, ..norris() };
        shows(
            ridge.summary().unwrap(),
            "
Penalised least squares: 36 observations, 1.75 effective parameters

              Estimate  Std. error  digits
(Intercept)  -0.26232   0.23282       15.9
x             1.002117  0.00042980    16.2

Penalised coefficients are biased: they have no tests or intervals.

Residual standard deviation: 0.88156 on 34.25 degrees of freedom
R²: 0.99999375, adjusted R²: 0.99999361
Log-likelihood: -45.647, AIC: 96.793, BIC: 101.148",
        );
    }

    #[test]
    fn nothing_at_all() {
        shows(
            Estimates::default().summary().unwrap(),
            "
Least squares: 0 observations, 0 parameters

(no coefficients)

Residual standard deviation: – on 0 degrees of freedom
R² (uncentred): –, adjusted R²: –
Log-likelihood: –, AIC: –, BIC: –",
        );
    }
}
