//! One pass over the data, the pattern that everything else is made of: g = Xᵀ(y − Xw) in one reading, and the
//! Gram matrix, beside the libraries' own products in one call each.
//!
//! Answers are judged by sums in double-double: Xᵀ(y − Xw) itself, and for the Gram matrix G the vector
//! Gw = Xᵀy − Xᵀ(y − Xw).

use minrisk_core::wide::Dd;
use minrisk_core::{Backend, Error, GradientPass, Matrix, Rows};

use super::{Judged, Race, Stage, Starter, Title};
use crate::contestants::contestants;
use crate::passes::GramPass;
use crate::problem::{Layout, Problem};
use minrisk_report::record::Measure;

/// Correct digits of the sums, relative to their length, without which a time does not count.
const DIGITS: f64 = 10.0;

const SHAPE: (usize, usize) = (100_000, 50);

pub(super) fn hold(stage: &mut dyn Stage) -> Result<(), String> {
    for layout in Layout::ALL {
        let name = |which: &str| format!("pass/{which}/{}x{}/{}", SHAPE.0, SHAPE.1, layout.name());
        let (fused, gram) = (name("fused"), name("gram"));
        if stage.wants(&fused) {
            hold_fused(stage, fused, &Problem::random(SHAPE.0, SHAPE.1, layout))?;
        }
        if stage.wants(&gram) {
            hold_gram(stage, gram, &Problem::random(SHAPE.0, SHAPE.1, layout))?;
        }
    }
    Ok(())
}

fn hold_fused(stage: &mut dyn Stage, name: String, problem: &Problem) -> Result<(), String> {
    let title = Title {
        name,
        title: format!("Xw and Xᵀr in one pass, {}, {}", problem.shape(), problem.layout().words()),
        accuracy: "10 correct digits of the sums",
        measure: Measure::Digits,
        limit_is: "reading the data once",
        work: problem.readings(1),
        peerless: None,
    };
    let w = &weights(problem);
    let exact = &gradient(problem, w)?;
    let judge = |found: Vec<f64>| judged(&found, exact);
    // That the data is finite is checked by the first pass, which is not timed.
    let data = &problem.data();
    let fused = || {
        let pass = GradientPass { coefficients: &w[..], intercept: 0.0, target: 0 };
        Ok::<_, Error>(Rows::from(data).reduce(&pass)?.gradient().to_vec())
    };
    let mut starters = vec![Starter::ours("minrisk", fused, judge)];
    for contestant in contestants() {
        let products = move || Ok::<_, Error>(two_products(contestant.backend, problem, w));
        let name = format!("{}: two products", contestant.name);
        starters.push(Starter::other(name, products, judge));
    }
    stage.hold(Race { title, problem, starters, peers: None });
    Ok(())
}

fn hold_gram(stage: &mut dyn Stage, name: String, problem: &Problem) -> Result<(), String> {
    let title = Title {
        name,
        title: format!(
            "Gram matrix in one pass, {}, {}",
            problem.shape(),
            problem.layout().words()
        ),
        accuracy: "10 correct digits of the matrix times a vector",
        measure: Measure::Digits,
        limit_is: "its operations at peak, or reading the data once",
        work: problem.gram(),
        peerless: None,
    };
    let w = &weights(problem);
    let (at_zero, at_w) = (gradient(problem, &vec![0.0; w.len()])?, gradient(problem, w)?);
    let exact: Vec<Dd> = at_zero.iter().zip(&at_w).map(|(zero, at)| *zero - *at).collect();
    let judge = |gram: Matrix<f64>| judged(&times_symmetric(&gram, w), &exact);
    let data = &problem.data();
    let mut starters = Vec::new();
    for contestant in contestants() {
        let backend = contestant.backend;
        let pass = move || Rows::from(data).reduce(&GramPass(backend, problem.cols()));
        starters.push(Starter::ours(format!("minrisk on {}", contestant.name), pass, judge));
        let one_call = move || {
            let mut gram = Matrix::zeros(problem.cols(), problem.cols());
            backend.add_gram(problem.design(), gram.view_mut());
            Ok::<_, Error>(gram)
        };
        let name = format!("{}: one call", contestant.name);
        starters.push(Starter::other(name, one_call, judge));
    }
    stage.hold(Race { title, problem, starters, peers: None });
    Ok(())
}

/// Some weights that no column cancels.
fn weights(problem: &Problem) -> Vec<f64> {
    (0..problem.cols()).map(|j| 1.0 / (1.0 + j as f64)).collect()
}

/// Xᵀ(y − Xw) in double-double.
fn gradient(problem: &Problem, w: &[f64]) -> Result<Vec<Dd>, String> {
    let w: Vec<Dd> = w.iter().map(|&w| w.into()).collect();
    let pass = GradientPass { coefficients: &w[..], intercept: 0.0.into(), target: 0 };
    let sums = Rows::from(&problem.data()).reduce(&pass).map_err(|error| error.to_string())?;
    Ok(sums.gradient().to_vec())
}

/// Xᵀ(y − Xw) as a user of a library writes it down: the data is read twice.
fn two_products(backend: &dyn Backend<f64>, problem: &Problem, w: &[f64]) -> Vec<f64> {
    let design = problem.design();
    let w = Matrix::from_fn(w.len(), 1, |j, _| -w[j]);
    let mut r = Matrix::from_fn(problem.rows(), 1, |i, _| problem.y()[i]);
    backend.add_product(design, w.view(), r.view_mut());
    let mut g = Matrix::zeros(problem.cols(), 1);
    backend.add_product(design.transpose(), r.view(), g.view_mut());
    g.col(0).to_vec()
}

/// A matrix, of which the lower triangle is there, times a vector.
fn times_symmetric(a: &Matrix<f64>, w: &[f64]) -> Vec<f64> {
    let entry = |i: usize, j: usize| a[(i.max(j), i.min(j))];
    (0..w.len()).map(|i| (0..w.len()).map(|j| entry(i, j) * w[j]).sum()).collect()
}

/// Digits of a vector relative to its length.
fn judged(found: &[f64], exact: &[Dd]) -> Result<Judged, String> {
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>().sqrt();
    let pairs = found.iter().zip(exact);
    let error = norm(&mut pairs.map(|(found, exact)| (Dd::from(*found) - *exact).to_f64()));
    let relative = error / norm(&mut exact.iter().map(|exact| exact.to_f64()));
    if relative.is_nan() {
        return Err("not a number".to_string());
    }
    let digits = (-relative.log10()).clamp(0.0, 16.0);
    Ok(Judged::reached(digits, digits >= DIGITS))
}
