//! Benign or malignant by mean area and mean concavity (University of Wisconsin): the halfspace with the
//! fewest mistakes, proven, beside logistic regression.
//!
//! `cargo run --release -p minrisk --example breast_cancer`

use minrisk::convex::{ClassWeights, LogisticRegression};
use minrisk::halfspace::{MinDisOpt, Mistakes, Separability, Separation, ZeroOneFit};
use minrisk::prelude::*;
use minrisk::{Labels, View};

/// mean_area, mean_concavity, diagnosis; a header first.
const TABLE: &str = include_str!("../../../data/breast_cancer.csv");

/// The two features of every row, and +1 for malignant.
pub(crate) fn rows() -> (Vec<[f64; 2]>, Vec<f64>) {
    let row = |line: &str| {
        let mut cells = line.split(',');
        let mut number = || cells.next().and_then(|cell| cell.parse().ok()).unwrap_or(f64::NAN);
        let features = [number(), number()];
        (features, if line.ends_with("malignant") { 1.0 } else { -1.0 })
    };
    TABLE.lines().skip(1).map(row).unzip()
}

/// Whether the classes are separable, and the halfspace with the fewest mistakes.
pub(crate) fn fewest_mistakes() -> Result<(bool, ZeroOneFit<f64>), Error> {
    let (x, y) = rows();
    let data = dataset(x.as_slice(), &y)?.with_names(["mean_area", "mean_concavity"])?;
    let separable = Separation::new().decide_on(default_backend(), &data)?;
    let separable = matches!(separable, Separability::Separable(_));
    Ok((separable, MinDisOpt::new().fit_on(default_backend(), &data)?))
}

/// The mistakes of logistic regression.
pub(crate) fn logistic_mistakes() -> Result<usize, Error> {
    let (x, y) = rows();
    let data = dataset(x.as_slice(), &y)?;
    let labels = Labels::new(&y.iter().map(|y| *y > 0.0).collect::<Vec<bool>>())?;
    let classifier = LogisticRegression::unpenalised().classify_on(
        default_backend(),
        &data,
        &labels,
        &ClassWeights::Uniform,
    )?;
    let probabilities = classifier.probabilities(View::from_arrays(&[[1000.0, 0.2]]))?;
    println!(
        "An area of 1000 with concavity 0.2 is malignant with probability {:.3}",
        probabilities[0]
    );
    Ok(Mistakes::of(&classifier.fit.model, &data)?.rows.len())
}

pub(crate) fn main() -> Result<(), Error> {
    let (separable, fit) = fewest_mistakes()?;
    println!("separable: {separable}");
    let w = fit.model.coefficients();
    println!(
        "{} mistakes in {} rows by sgn({:.4e}·area + {:.4e}·concavity + {:.4e}); no halfspace makes fewer than {}",
        fit.mistakes.weight,
        rows().1.len(),
        w[0],
        w[1],
        fit.model.intercept().unwrap_or(0.0),
        fit.certificate.lower_bound,
    );
    println!("logistic regression makes {}", logistic_mistakes()?);
    Ok(())
}
