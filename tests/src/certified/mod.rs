//! Data with certified answers: the linear and nonlinear NIST sets; ridge, lasso and logistic regression
//! on real data.
//!
//! Read from the decimals of the source. Polynomial sets come with the design that a user would hand
//! in: the powers of x, each rounded once.

mod models;

use minrisk_core::{Dataset, Error, Matrix, Scalar, View};
use num_rational::BigRational;
use serde_json::Value;

use crate::exact::{approximate, decimal, rational};

pub use models::Model;

/// A data set and the answers that others have certified for it.
#[derive(Clone, Debug)]
pub struct Certified<T> {
    /// Its name.
    pub name: String,
    /// The design, without a column of ones.
    pub x: Matrix<T>,
    /// The target.
    pub y: Vec<T>,
    /// The certified fits.
    pub fits: Vec<CertifiedFit>,
}

impl<T: Scalar> Certified<T> {
    /// The data as a training set.
    pub fn dataset(&self) -> Result<Dataset<'_, T>, Error> {
        Dataset::new(self.x.view(), View::column_vector(&self.y))
    }
}

/// Certified numbers of one model on a data set.
#[derive(Clone, Debug)]
pub struct CertifiedFit {
    /// Whether the model has an intercept, which is then the first coefficient.
    pub intercept: bool,
    /// The ridge penalty α on the total scale, as the decimal number in the file; 0 for least squares.
    pub alpha: BigRational,
    /// The coefficients, as certified.
    pub coefficients: Vec<BigRational>,
    /// Their standard errors; empty where none are certified.
    pub standard_errors: Vec<BigRational>,
    /// The digits of the coefficients that rounding the data to double leaves.
    pub ceiling: f64,
}

macro_rules! csv {
    ($folder:literal: $($name:literal),*) => {
        [$(($name, include_str!(concat!("../../data/", $folder, "/", $name, ".csv")))),*]
    };
}

/// The eleven linear sets of the NIST Statistical Reference Datasets.
///
/// # Panics
/// If the data that is compiled into this crate is damaged.
pub fn nist<T: Scalar>() -> Vec<Certified<T>> {
    let files = csv!("nist-linear": "Norris", "Pontius", "NoInt1", "NoInt2", "Filip", "Longley",
        "Wampler1", "Wampler2", "Wampler3", "Wampler4", "Wampler5");
    let json = parsed(include_str!("../../data/nist-linear/certified.json"));
    let sets = files.iter().map(|(name, csv)| {
        let entry = list(&json["datasets"]).iter().find(|entry| entry["name"] == *name);
        let entry = entry.expect("an entry for every file");
        let intercept = entry["intercept"].as_bool().expect("a truth value");
        let numbers = |value: &Value| list(value).iter().map(number).collect::<Vec<_>>();
        let coefficients = numbers(&entry["coef"]);
        let (columns, y) = read::<T>(csv);
        let features = coefficients.len() - usize::from(intercept);
        let x = if columns.len() == features {
            Matrix::from_fn(y.len(), features, |i, j| columns[j][i])
        } else {
            Matrix::from_fn(y.len(), features, |i, j| power(columns[0][i], j + 1))
        };
        let ceiling = &entry["conditioning"]["lre_exact_solve_of_double_vandermonde"];
        let fit = CertifiedFit {
            intercept,
            alpha: BigRational::from_integer(0.into()),
            coefficients,
            standard_errors: numbers(&entry["std_err"]),
            ceiling: ceiling.as_f64().expect("a number"),
        };
        Certified { name: (*name).into(), x, y, fits: vec![fit] }
    });
    sets.collect()
}

/// Diabetes and Longley with ridge penalties from 0 to 1000, with and without intercept.
///
/// # Panics
/// If the data that is compiled into this crate is damaged.
pub fn ridge<T: Scalar>() -> Vec<Certified<T>> {
    let files = csv!("ridge": "diabetes_scaled", "longley");
    penalised(&files, include_str!("../../data/ridge/certified.json"))
}

/// O-rings, iris and breast cancer with logistic coefficients; targets are −1 and +1.
///
/// The penalty of a fit is `alpha`·‖w‖²/2 beside the sum of the losses.
///
/// # Panics
/// If the data that is compiled into this crate is damaged.
pub fn logistic<T: Scalar>() -> Vec<Certified<T>> {
    let files = csv!("logistic": "oring_temp", "iris_vv", "wdbc3", "wdbc");
    let mut sets = penalised(&files, include_str!("../../data/logistic/certified.json"));
    for y in sets.iter_mut().flat_map(|set| &mut set.y) {
        *y = if *y > T::zero() { T::one() } else { -T::one() };
    }
    sets
}

/// Diabetes with lasso coefficients; the penalty of a fit is 2·`alpha`·‖w‖₁ beside the sum of squares.
///
/// # Panics
/// If the data that is compiled into this crate is damaged.
pub fn lasso<T: Scalar>() -> Vec<Certified<T>> {
    penalised(&csv!("ridge": "diabetes_scaled"), include_str!("../../data/lasso/certified.json"))
}

/// The knots of the diabetes lasso path: λ for half the sum of squares, the feature, whether it enters.
///
/// # Panics
/// If the data that is compiled into this crate is damaged.
pub fn lasso_knots() -> Vec<(BigRational, String, bool)> {
    let json = parsed(include_str!("../../data/lasso/certified.json"));
    let knots = list(&json["datasets"][0]["path_knots"]).iter();
    let text = |value: &Value| value.as_str().expect("a string").to_string();
    knots
        .map(|knot| (number(&knot["lam"]), text(&knot["feature"]), knot["event"] == "enter"))
        .collect()
}

/// Sets with penalised fits, which have an intercept unless they say otherwise.
fn penalised<T: Scalar>(files: &[(&str, &str)], json: &str) -> Vec<Certified<T>> {
    let json = parsed(json);
    let sets = files.iter().map(|(name, csv)| {
        let entry = list(&json["datasets"]).iter().find(|entry| entry["name"] == *name);
        let fits = list(&entry.expect("an entry for every file")["fits"]).iter();
        let fits = fits.map(|fit| CertifiedFit {
            intercept: fit["intercept"].as_bool().unwrap_or(true),
            alpha: number(&fit["lam"]),
            coefficients: list(&fit["coef"]).iter().map(number).collect(),
            standard_errors: Vec::new(),
            ceiling: 0.0,
        });
        let (columns, y) = read::<T>(csv);
        let x = Matrix::from_fn(y.len(), columns.len(), |i, j| columns[j][i]);
        Certified { name: (*name).into(), x, y, fits: fits.collect() }
    });
    sets.collect()
}

/// A nonlinear set of NIST, as doubles, with its certified answers.
#[derive(Clone, Debug)]
pub struct NonlinearSet {
    /// Its name.
    pub name: String,
    /// Whether NIST rates its difficulty as lower.
    pub lower: bool,
    /// The predictor columns.
    pub columns: Vec<Vec<f64>>,
    /// The response; for Nelson its logarithm, as in NIST's model.
    pub y: Vec<f64>,
    /// Both starting points.
    pub starts: [Vec<f64>; 2],
    /// The parameters, to 25 digits.
    pub parameters: Vec<BigRational>,
    /// Their standard errors.
    pub standard_errors: Vec<BigRational>,
    /// The residual sum of squares.
    pub squares: BigRational,
}

impl NonlinearSet {
    /// The predictors and the response, rounded to a type.
    pub fn rounded<T: Scalar>(&self) -> (Matrix<T>, Vec<T>) {
        let entry = |i: usize, j: usize| T::from_double(self.columns[j][i]);
        let x = Matrix::from_fn(self.y.len(), self.columns.len(), entry);
        (x, self.y.iter().map(|&y| T::from_double(y)).collect())
    }
}

/// Sixteen nonlinear sets of the NIST Statistical Reference Datasets.
///
/// # Panics
/// If the data that is compiled into this crate is damaged.
pub fn nist_nonlinear() -> Vec<NonlinearSet> {
    let files = csv!("nist-nonlinear": "BoxBOD", "Chwirut1", "Chwirut2", "DanWood", "Eckerle4",
        "Gauss1", "Gauss2", "Kirby2", "Lanczos3", "MGH09", "MGH10", "Misra1a", "Misra1b", "Nelson",
        "Rat42", "Thurber");
    let json = parsed(include_str!("../../data/nist-nonlinear/certified.json"));
    let sets = files.iter().map(|(name, csv)| {
        let entry = list(&json["datasets"]).iter().find(|entry| entry["name"] == *name);
        let entry = entry.expect("an entry for every file");
        let (columns, mut y) = read::<f64>(csv);
        if *name == "Nelson" {
            y.iter_mut().for_each(|y| *y = y.ln());
        }
        let numbers = |value: &Value| list(value).iter().map(number).collect::<Vec<_>>();
        let start = |key: &str| numbers(&entry[key]).iter().map(approximate).collect();
        NonlinearSet {
            name: (*name).into(),
            lower: entry["level"] == "Lower",
            columns,
            y,
            starts: [start("start1"), start("start2")],
            parameters: numbers(&entry["refined"]["params"]),
            standard_errors: numbers(&entry["refined"]["std_dev"]),
            squares: number(&entry["refined"]["rss"]),
        }
    });
    sets.collect()
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).expect("well-formed JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn number(value: &Value) -> BigRational {
    value.as_str().and_then(decimal).expect("a decimal number in a string")
}

/// The columns of the features and the target, which is the first column of the file.
fn read<T: Scalar>(csv: &str) -> (Vec<Vec<T>>, Vec<T>) {
    let mut lines = csv.lines();
    let width = lines.next().expect("a header").split(',').count();
    let mut columns = vec![Vec::new(); width];
    for line in lines {
        for (column, cell) in columns.iter_mut().zip(line.split(',')) {
            let value = T::from_str_radix(cell.trim(), 10).ok().expect("a decimal number");
            column.push(value);
        }
    }
    let y = columns.remove(0);
    (columns, y)
}

/// x^k, rounded once.
fn power<T: Scalar>(x: T, k: usize) -> T {
    T::from_double(approximate(&rational(x).pow(k as i32)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{digits, least_squares};

    #[test]
    fn decimals_are_read_as_the_nearest_floats() {
        let (columns, y) = read::<f64>("y,x\n.11019,150000\n760.,-6.860120914\n1E5,83.0\n");
        assert_eq!(y, [0.11019, 760.0, 1e5]);
        assert_eq!(columns, [[150000.0, -6.860120914, 83.0]]);
    }

    #[test]
    fn the_ceilings_are_what_exact_arithmetic_finds() {
        for set in nist::<f64>() {
            let fit = &set.fits[0];
            let exact = &least_squares(&set.dataset().unwrap(), fit.intercept)[0];
            let found = exact.intercept.iter().chain(&exact.coefficients);
            let worst = found
                .zip(&fit.coefficients)
                .map(|(found, certified)| digits(approximate(found), certified))
                .fold(f64::INFINITY, f64::min);
            let expected = fit.ceiling.min(15.0);
            assert!(worst > expected - 0.15, "{}: {worst:.2} digits, {expected} stated", set.name);
        }
    }
}
