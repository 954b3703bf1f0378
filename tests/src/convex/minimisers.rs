//! What is claimed about minimisers of logistic and softmax regression: ties beside penalties, fits that run off, fits that
//! are cut short, copies of columns, columns of extreme size.

use minrisk_core::convex::{Auto, Control, Newton, SoftmaxRegression};
use minrisk_core::loss::Logistic;
use minrisk_core::penalty::{Factors, L2, PerFeature, Unpenalised};
use minrisk_core::verify::verify;
use minrisk_core::{
    Backend, Bound, Certificate, Dataset, Erm, Fit, Matrix, Scalar, Solver, Status, View,
};

use crate::check::{Failure, Outcome, Tally, ensure};
use crate::random::Random;

/// Rows of classes, of which it is known whether softmax regression has a minimiser.
struct Known<T> {
    name: &'static str,
    x: Matrix<T>,
    codes: Vec<T>,
    has_minimiser: bool,
}

impl<T: Scalar> Known<T> {
    /// Small whole numbers in three classes: points of all classes, which hold each other, and others in a further
    /// column; the columns mixed, so that no column is what it was.
    fn new(name: &'static str, seed: u64, others: &[(f64, usize)], has_minimiser: bool) -> Self {
        let mut random = Random::new(seed);
        let mut whole = || (3.0 * random.normal()).round().clamp(-6.0, 6.0);
        let mut rows: Vec<([f64; 3], usize)> = Vec::new();
        for _ in 0..4 {
            let point = [whole(), whole(), 0.0];
            rows.extend((0..3).map(|class| (point, class)));
        }
        rows.extend(others.iter().map(|&(x, class)| ([whole(), whole(), x], class)));
        let mixed = |x: &[f64; 3], j: usize| [x[0] + 2.0 * x[2], x[1] - x[0], x[2] + x[1]][j];
        Self {
            name,
            x: Matrix::from_fn(rows.len(), 3, |t, j| T::from_double(mixed(&rows[t].0, j))),
            codes: rows.iter().map(|(_, class)| T::from_double(*class as f64)).collect(),
            has_minimiser,
        }
    }

    fn judge(&self, backend: &dyn Backend<T>) -> Outcome {
        let data = Dataset::new(self.x.view(), View::column_vector(&self.codes))?;
        for intercept in [true, false] {
            let softmax = SoftmaxRegression::unpenalised();
            let softmax = if intercept { softmax } else { softmax.without_intercept() };
            let fit = softmax.fit_on(backend, &data, 3)?;
            let expected = if self.has_minimiser { Status::Solved } else { Status::NoMinimiser };
            confirmed(&data, &fit, expected)?;
        }
        Ok(())
    }
}

/// Passes a fit that has ended as it should, and that `verify` confirms.
fn confirmed<T: Scalar>(data: &Dataset<'_, T>, fit: &Fit<T>, expected: Status) -> Outcome {
    let status = fit.report.status;
    ensure!(status == expected, "ended as {status:?}, not as {expected:?}");
    let verdict = verify(data, fit)?;
    ensure!(verdict.holds, "verify denies a fit that is {status:?}: {:?}", verdict.findings);
    Ok(())
}

/// Classes that touch, in part or as a whole, leave no minimiser; classes that hold each other do.
pub(crate) fn classes_are_decided_exactly<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for seed in 0..12 {
        for known in [
            Known::<T>::new("one class further out", seed, &[(1.0, 0)], false),
            Known::new("one class on both sides", seed, &[(1.0, 1), (-2.0, 1)], true),
            Known::new("two classes on one side", seed, &[(1.0, 0), (3.0, 1)], false),
            Known::new("two classes on two sides", seed, &[(1.0, 0), (-3.0, 2)], false),
            Known::new("all on one side", seed, &[(1.0, 0), (2.0, 1), (1.0, 2)], true),
            Known::new("nothing further", seed, &[], true),
        ] {
            let within = |failure: Failure| failure.within(format_args!("{}, {seed}", known.name));
            tally.add(|| known.judge(backend).map_err(within));
        }
    }
    tally.add(|| ties_beside_a_penalty(backend));
    tally.outcome()
}

/// Points with both labels on the only line that might separate, whose weights are no numbers of the data's kind, rows
/// off it on their right sides, and a column of noise that pays: the direction is one of the other columns alone.
fn ties_beside_a_penalty<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let (p, q) = ([0.1, 0.7], [1.3, 0.2]);
    let mut rows: Vec<([f64; 2], f64)> =
        [p, q].iter().flat_map(|&x| [(x, 1.0), (x, -1.0)]).collect();
    for (k, side) in [(1, 1.0), (2, -1.0), (3, 1.0), (4, -1.0)] {
        let at = |j: usize| p[j] + 0.3 * f64::from(k) * (q[j] - p[j]);
        rows.push(([at(0) + 0.5 * side, at(1) + 1.2 * side], side));
    }
    let noise = [0.3, -1.1, 0.9, 0.4, -0.2, 0.8, -0.5, 1.0];
    let x =
        Matrix::from_fn(8, 3, |t, j| T::from_double(if j < 2 { rows[t].0[j] } else { noise[t] }));
    let signs: Vec<T> = rows.iter().map(|(_, y)| T::from_double(*y)).collect();
    let penalty = PerFeature::new(L2::total(0.5), Factors::new([0.0, 0.0, 1.0])?);
    let data = Dataset::new(x.view(), View::column_vector(&signs))?;
    let fit = Auto::default().solve(backend, &Erm::new(Logistic, penalty.clone()), &data)?;
    confirmed(&data, &fit, Status::NoMinimiser)?;
    let codes = codes(&signs);
    let data = Dataset::new(x.view(), View::column_vector(&codes))?;
    let fit = SoftmaxRegression::new(penalty).fit_on(backend, &data, 2)?;
    confirmed(&data, &fit, Status::NoMinimiser)
}

/// 0 and 1 for −1 and 1.
fn codes<T: Scalar>(signs: &[T]) -> Vec<T> {
    signs.iter().map(|y| T::from_double(if y.to_double() > 0.0 { 1.0 } else { 0.0 })).collect()
}

/// One column with two labels.
struct Line<T> {
    x: Vec<T>,
    signs: Vec<T>,
    codes: Vec<T>,
}

impl<T: Scalar> Line<T> {
    fn new(x: &[f64], signs: &[f64]) -> Self {
        let convert = |v: &[f64]| v.iter().map(|&v| T::from_double(v)).collect::<Vec<T>>();
        let signs = convert(signs);
        Self { x: convert(x), codes: codes(&signs), signs }
    }

    fn signed(&self) -> Result<Dataset<'_, T>, Failure> {
        Ok(Dataset::new(View::column_vector(&self.x), View::column_vector(&self.signs))?)
    }

    fn coded(&self) -> Result<Dataset<'_, T>, Failure> {
        Ok(Dataset::new(View::column_vector(&self.x), View::column_vector(&self.codes))?)
    }
}

/// Nothing is claimed that is not there: of fits that run off, that are cut short, of dependent columns.
pub(crate) fn claims_about_minimisers_hold<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let signs = [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, -1.0];
    let mut tally = Tally::default();
    tally.add(|| a_fit_that_runs_off(backend));
    tally.add(|| {
        let line = Line::<T>::new(&[-3.0, -2.0, 0.5, 0.0, 2.0, 4.0, -1.0, 1.5], &signs);
        let control = Control { max_iterations: Some(1), ..Control::default() };
        let newton = Newton { control: control.clone() };
        let data = line.signed()?;
        let fit = newton.solve(backend, &Erm::new(Logistic, Unpenalised), &data)?;
        confirmed(&data, &fit, Status::IterationLimit)?;
        let data = line.coded()?;
        let fit = SoftmaxRegression::unpenalised().control(control).fit_on(backend, &data, 2)?;
        confirmed(&data, &fit, Status::IterationLimit)
    });
    tally.add(|| {
        // Pivots of copies are exactly zero.
        let x = [[0.0, 0.0, 1.0], [2.0, 2.0, 2.0], [-2.0, -2.0, -3.0], [-3.0, -3.0, 1.0]];
        let x = Matrix::from_fn(4, 3, |t, j| T::from_double(x[t][j]));
        let offsets = [-1.25, 0.5, -0.75, -2.0].map(T::from_double);
        let signs = [-T::one(); 4];
        let data = Dataset::new(x.view(), View::column_vector(&signs))?;
        let data = data.with_offsets(View::column_vector(&offsets))?;
        let erm = Erm::new(Logistic, Unpenalised).without_intercept();
        confirmed(&data, &Auto::default().solve(backend, &erm, &data)?, Status::Solved)
    });
    tally.add(|| weights_that_do_not_fit(backend));
    tally.add(|| predictions_that_cancel(backend));
    let powers: &[i32] =
        if T::unit_roundoff() < 1e-10 { &[-996, -500, 500, 996] } else { &[-110, 110] };
    for &power in powers {
        tally.add(|| {
            let column = [-3.0, -2.0, 0.5, 0.25, 2.0, 4.0, -1.0, 1.5];
            let line = Line::<T>::new(&column.map(|x| x * 2.0_f64.powi(power)), &signs);
            columns_of_extreme_size(backend, &line)
                .map_err(|failure| failure.within(format_args!("a column of 2^{power}")))
        });
    }
    tally.outcome()
}

/// Columns that only rounding keeps from being dependent: weights in single precision are too coarse for any point near
/// the minimiser.
fn weights_that_do_not_fit<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let first = [1.0_f64, 1.7, 2.6, 0.7, 2.5, 0.4, 1.3, 3.0, 1.2];
    let column =
        |j: usize, x: f64| f64::from(if j == 0 { x as f32 } else { (2.0 * x + 999.0) as f32 });
    let x = Matrix::from_fn(9, 2, |t, j| T::from_double(column(j, first[t])));
    let signs = [-1.0, 1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0].map(T::from_double);
    let weights = [2.75, 9.15, 69.0, 0.39, 0.0, 0.0, 3.5, 1.09, 0.83].map(T::from_double);
    let data = Dataset::new(x.view(), View::column_vector(&signs))?;
    let data = data.with_precisions(View::column_vector(&weights))?;
    let fit = Auto::default().solve(backend, &Erm::new(Logistic, Unpenalised), &data)?;
    confirmed(&data, &fit, fit.report.status)
}

/// A constant column beside the intercepts, whose weights are large and cancel: what is said of the objective holds.
fn predictions_that_cancel<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let x = [
        [11e3, 9993.0],
        [-99e3, 10021.0],
        [101e3, 10012.0],
        [31e3, 10001.0],
        [-29e3, 9991.0],
        [21e3, 9997.0],
        [-59e3, 1e4],
        [-49e3, 10021.0],
        [111000.00000000001, 10004.0],
        [-29e3, 9991.0],
    ];
    let constant = 2_000_010_000.0;
    let x = Matrix::from_fn(10, 3, |t, j| T::from_double(if j < 2 { x[t][j] } else { constant }));
    let codes = [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0].map(T::from_double);
    let data = Dataset::new(x.view(), View::column_vector(&codes))?;
    let control = Control { max_iterations: Some(3), ..Control::default() };
    let fit = SoftmaxRegression::unpenalised().control(control).fit_on(backend, &data, 2)?;
    confirmed(&data, &fit, fit.report.status)
}

fn columns_of_extreme_size<T: Scalar>(backend: &dyn Backend<T>, line: &Line<T>) -> Outcome {
    let data = line.signed()?;
    let fit = Auto::default().solve(backend, &Erm::new(Logistic, Unpenalised), &data)?;
    confirmed(&data, &fit, Status::Solved)?;
    let data = line.coded()?;
    confirmed(&data, &SoftmaxRegression::unpenalised().fit_on(backend, &data, 2)?, Status::Solved)?;
    // Whatever is claimed with a penalty, which is next to nothing beside such columns or all there is.
    let fit = SoftmaxRegression::l2(1.0).fit_on(backend, &data, 2)?;
    confirmed(&data, &fit, fit.report.status)?;
    let data = line.signed()?;
    let fit = Auto::default().solve(backend, &Erm::new(Logistic, L2::total(1.0)), &data)?;
    confirmed(&data, &fit, fit.report.status)
}

/// Classes that touch, fitted with next to no penalty, and certified as if there were none: Newton's decrement is small
/// so far out, but no minimiser is near.
fn a_fit_that_runs_off<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    // Weights in single precision are too coarse for less.
    let lambda = if T::unit_roundoff() < 1e-10 { 1e-10 } else { 1e-5 };
    let line =
        Line::<T>::new(&[-3.0, -2.0, 0.0, 0.0, 2.0, 4.0], &[-1.0, -1.0, -1.0, 1.0, 1.0, 1.0]);
    let data = line.coded()?;
    let mut fit = SoftmaxRegression::l2(lambda).fit_on(backend, &data, 2)?;
    ensure!(fit.report.status == Status::Solved, "a penalty does not help");
    let Certificate::Softmax(certificate) = &mut fit.certificate else {
        return Err(Failure::new("no bound in the certificate"));
    };
    let weights = (0..2).flat_map(|k| fit.model.coefficients_of(k));
    let paid: f64 = weights.map(|w| lambda * w.to_double().powi(2)).sum();
    certificate.terms.l2.fill(0.0);
    certificate.objective -= paid;
    certificate.lower_bound = certificate.objective * (1.0 - 1e-6);
    certificate.relative_gap = 1e-6;
    certificate.bound = Bound::NewtonDecrement;
    let verdict = verify(&data, &fit)?;
    let denies = |text: &str| text.contains("minimiser");
    let mut denied = verdict.findings.iter().filter(|finding| !finding.holds);
    ensure!(
        denied.any(|finding| denies(&finding.text)),
        "verify sees a minimiser: {:?}",
        verdict.findings
    );
    Ok(())
}
