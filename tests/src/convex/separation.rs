//! Whether logistic regression has a minimiser: data that has none, data that has one, and what lies just between.

use minrisk_core::convex::{Auto, Lbfgs, Newton};
use minrisk_core::loss::Logistic;
use minrisk_core::penalty::{L2, Unpenalised};
use minrisk_core::verify::verify;
use minrisk_core::{Backend, Certificate, Dataset, Erm, Fit, Matrix, Scalar, Solver, Status, View};

use super::sample::{judge, tolerance};
use crate::check::{Failure, Outcome, Tally, ensure};
use crate::random::Random;

/// What there is to be found.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Truth {
    /// A halfspace has all rows on their right side.
    Separable,
    /// A halfspace has some there and no row on the wrong one.
    QuasiSeparable,
    /// No halfspace has.
    Minimiser,
}

/// Rows with labels, and how they are to be fitted.
#[derive(Clone)]
struct Case<T> {
    name: &'static str,
    x: Matrix<T>,
    y: Vec<T>,
    weights: Option<Vec<T>>,
    offsets: Option<Vec<T>>,
    intercept: bool,
    truth: Truth,
}

impl<T: Scalar> Case<T> {
    fn new(name: &'static str, rows: &[(Vec<f64>, f64)], truth: Truth) -> Self {
        let x = Matrix::from_fn(rows.len(), rows[0].0.len(), |i, j| T::from_double(rows[i].0[j]));
        let y = rows.iter().map(|(_, y)| T::from_double(*y)).collect();
        Self { name, x, y, weights: None, offsets: None, intercept: true, truth }
    }

    fn with_weights(self, weight: impl Fn(usize) -> f64) -> Self {
        let weights = (0..self.y.len()).map(|t| T::from_double(weight(t))).collect();
        Self { weights: Some(weights), ..self }
    }

    fn with_offsets(self, offset: impl Fn(usize) -> f64) -> Self {
        let offsets = (0..self.y.len()).map(|t| T::from_double(offset(t))).collect();
        Self { offsets: Some(offsets), ..self }
    }

    fn without_intercept(self) -> Self {
        Self { intercept: false, ..self }
    }

    /// The same with the first column once more.
    fn with_copy(self) -> Self {
        let (rows, cols) = (self.x.rows(), self.x.cols());
        let x = Matrix::from_fn(rows, cols + 1, |i, j| self.x[(i, if j == cols { 0 } else { j })]);
        Self { x, ..self }
    }

    fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    fn data(&self) -> Result<Dataset<'_, T>, Failure> {
        let mut data = Dataset::new(self.x.view(), View::column_vector(&self.y))?;
        if let Some(weights) = &self.weights {
            data = data.with_precisions(View::column_vector(weights))?;
        }
        if let Some(offsets) = &self.offsets {
            data = data.with_offsets(View::column_vector(offsets))?;
        }
        Ok(data)
    }

    fn problem(&self) -> Erm<Logistic, Unpenalised> {
        Erm { loss: Logistic, penalty: Unpenalised, intercept: self.intercept }
    }

    /// Passes a fit that finds the truth.
    fn judge(&self, fit: &Fit<T>) -> Outcome {
        let data = self.data()?;
        if self.truth == Truth::Minimiser {
            return judge(&data, fit, tolerance::<T>());
        }
        judge_separated(&data, fit)?;
        if let Certificate::Separated(separation) = &fit.certificate {
            let complete = self.truth == Truth::Separable;
            ensure!(separation.complete == complete, "complete: {}", separation.complete);
        }
        Ok(())
    }
}

/// Passes a fit that says that there is no minimiser, with a direction that `verify` confirms.
pub fn judge_separated<T: Scalar>(data: &Dataset<'_, T>, fit: &Fit<T>) -> Outcome {
    ensure!(
        fit.report.status == Status::NoMinimiser,
        "{} ended as {:?}",
        fit.report.solver,
        fit.report.status
    );
    ensure!(
        matches!(fit.certificate, Certificate::Separated(_)),
        "no direction in the certificate of {}",
        fit.report.solver
    );
    let verdict = verify(data, fit)?;
    ensure!(verdict.holds, "verify denies the direction: {:?}", verdict.findings);
    Ok(())
}

/// Rows of one column.
fn line(x: &[f64], y: &[f64]) -> Vec<(Vec<f64>, f64)> {
    x.iter().zip(y).map(|(&x, &y)| (vec![x], y)).collect()
}

/// A category of which all rows have one label, beside columns on which labels overlap.
fn with_category(seed: u64, count: usize, cols: usize) -> Vec<(Vec<f64>, f64)> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|t| {
            let mut x: Vec<f64> = (1..cols).map(|_| random.normal()).collect();
            let inside = t % 7 == 3;
            let y = if inside || x[0] + 2.0 * random.normal() > 0.0 { 1.0 } else { -1.0 };
            x.push(f64::from(u8::from(inside)));
            (x, y)
        })
        .collect()
}

/// Three points that lie on any plane that separates, each with both labels, and rows off the plane through them.
///
/// The plane is what three arbitrary points define, so its coefficients are not numbers of the data's kind.
struct OnAPlane {
    rows: Vec<(Vec<f64>, f64)>,
    /// The normal of the plane, of unit length, and a point on it.
    normal: [f64; 3],
    point: [f64; 3],
}

impl OnAPlane {
    fn new<T: Scalar>(seed: u64, scales: [f64; 3]) -> Self {
        let mut random = Random::new(seed);
        let mut arbitrary =
            || -> [f64; 3] { scales.map(|s| T::from_double(s * random.normal()).to_double()) };
        let [p, q, r] = [arbitrary(), arbitrary(), arbitrary()];
        let (a, b): ([f64; 3], [f64; 3]) =
            (std::array::from_fn(|j| q[j] - p[j]), std::array::from_fn(|j| r[j] - p[j]));
        let cross: [f64; 3] = std::array::from_fn(|j| {
            let (k, l) = ((j + 1) % 3, (j + 2) % 3);
            a[k] * b[l] - a[l] * b[k]
        });
        let length = cross.iter().map(|c| c * c).sum::<f64>().sqrt();
        let normal = cross.map(|c| c / length);
        let height = |x: &[f64; 3]| (0..3).map(|j| normal[j] * (x[j] - p[j])).sum::<f64>();
        let reach = (0..3).map(|j| (normal[j] * scales[j]).abs()).sum::<f64>();
        let mut rows: Vec<(Vec<f64>, f64)> =
            [p, q, r].iter().flat_map(|x| [1.0, -1.0].map(|y| (x.to_vec(), y))).collect();
        while rows.len() < 30 {
            let x = arbitrary();
            if height(&x).abs() > 0.1 * reach {
                rows.push((x.to_vec(), height(&x).signum()));
            }
        }
        Self { rows, normal, point: p }
    }

    /// The same with one more row of label +1, this far from the plane.
    fn and_a_row_at(&self, distance: f64) -> Vec<(Vec<f64>, f64)> {
        let x = (0..3).map(|j| self.point[j] + distance * self.normal[j]).collect();
        let mut rows = self.rows.clone();
        rows.push((x, 1.0));
        rows
    }
}

fn cases<T: Scalar>() -> Vec<Case<T>> {
    use Truth::{Minimiser, QuasiSeparable, Separable};
    let signs = [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0];
    let apart = Case::new("apart", &line(&[-3.0, -2.0, -1.0, 1.0, 2.0, 4.0], &signs), Separable);
    let touching =
        Case::new("touching", &line(&[-3.0, -2.0, 0.0, 0.0, 2.0, 4.0], &signs), QuasiSeparable);
    // The second column tells one row from the others, the first overlaps on those.
    let tail = [-9.0, 1.0, 2.0, 3.0, 4.0, 5.0].iter().enumerate();
    let tail: Vec<_> =
        tail.map(|(t, &x)| (vec![x, f64::from(u8::from(t == 5))], [-1.0, 1.0][t % 2])).collect();
    let overlap: Vec<_> = line(&[-3.0, 0.5, -1.0, -0.5, 2.0, 4.0], &signs);
    let category = with_category(3, 60, 4);
    let mut mixed = category.clone();
    mixed[3].1 = -1.0;
    let plane = OnAPlane::new::<T>(5, [1.0; 3]);
    let ill_scaled = OnAPlane::new::<T>(6, [1e-3, 1.0, 1e5]);
    let one_class = line(&[1.0, 2.0, 3.0], &[-1.0; 3]);
    let shift = |t: usize| [0.5, -2.0, 7.0][t % 3];
    vec![
        apart.clone(),
        // The row that does not count is on the wrong side.
        Case::new(
            "apart but for a row of weight zero",
            &line(&[-3.0, -2.0, 5.0, 1.0, 2.0, 4.0], &signs),
            Separable,
        )
        .with_weights(|t| if t == 2 { 0.0 } else { 0.5 }),
        apart.clone().with_offsets(shift).named("apart, with offsets"),
        apart.without_intercept().named("apart, without an intercept"),
        touching.clone(),
        touching.clone().with_offsets(shift).named("touching, with offsets"),
        touching.clone().with_copy().named("touching, with a copy of the column"),
        Case { truth: Separable, ..touching.clone() }
            .with_weights(|t| if t == 2 { 0.0 } else { 3.0 })
            .named("touching rows of which one has weight zero"),
        touching.without_intercept().named("touching, without an intercept"),
        Case::new("a tail", &tail, QuasiSeparable),
        Case::new("a category of one class", &category, QuasiSeparable),
        Case::new("a category of one class", &category, QuasiSeparable).with_copy(),
        Case::new(
            "many rows with a category of one class",
            &with_category(4, 6000, 8),
            QuasiSeparable,
        ),
        Case::new("ties on a plane", &plane.rows, QuasiSeparable),
        Case::new("ties on a plane, columns ill scaled", &ill_scaled.rows, QuasiSeparable),
        Case::new("one class", &one_class, Separable),
        Case::new("one class", &one_class, Separable).without_intercept(),
        Case::new("one row", &one_class[..1], Separable),
        Case::new("overlap", &overlap, Minimiser),
        Case::new("overlap, with offsets", &overlap, Minimiser).with_offsets(shift),
        Case::new("overlap, without an intercept", &overlap, Minimiser).without_intercept(),
        Case::new("overlap, with a copy of the column", &overlap, Minimiser).with_copy(),
        Case::new("a category of both classes", &mixed, Minimiser),
        Case::new("a category of both classes, with a copy", &mixed, Minimiser).with_copy(),
    ]
}

/// Separable and quasi-separable data have no maximum-likelihood fit, and the fit says so; other data has.
pub(crate) fn separable_data_has_no_minimiser<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for case in cases::<T>() {
        let problem = case.problem();
        for (solver, fit) in [
            ("Auto", Auto::default().solve(backend, &problem, &case.data()?)),
            ("Newton", Newton::default().solve(backend, &problem, &case.data()?)),
            ("L-BFGS", Lbfgs::default().solve(backend, &problem, &case.data()?)),
        ] {
            tally.add(|| {
                case.judge(&fit?)
                    .map_err(|failure| failure.within(format_args!("{}, {solver}", case.name)))
            });
        }
        // With a penalty there is a minimiser, unless the intercept alone can run off.
        let penalised = Erm { loss: Logistic, penalty: L2::total(0.1), intercept: case.intercept };
        let one_class = case.y.iter().all(|y| *y == case.y[0]);
        tally.add(|| {
            let fit = Auto::default().solve(backend, &penalised, &case.data()?)?;
            let outcome = if one_class && case.intercept {
                judge_separated(&case.data()?, &fit)
            } else {
                judge(&case.data()?, &fit, 1e-6_f64.max(2e3 * T::unit_roundoff()))
            };
            outcome.map_err(|failure| failure.within(format_args!("{}, penalised", case.name)))
        });
    }
    tally.outcome()
}

/// A row on the wrong side of the only plane that might separate gives a minimiser, however near it is; on the
/// right side it gives none.
pub(crate) fn minimisers_far_away_exist<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    let distance = 1e-9_f64.max(200.0 * T::unit_roundoff());
    for (seed, scales) in [(11, [1.0; 3]), (12, [1.0; 3]), (13, [0.25, 1.0, 16.0])] {
        let plane = OnAPlane::new::<T>(seed, scales);
        let clean = Case::<T>::new("clean", &plane.rows, Truth::QuasiSeparable);
        let wrong = Case::<T>::new("wrong", &plane.and_a_row_at(-distance), Truth::Minimiser);
        let right = Case::<T>::new("right", &plane.and_a_row_at(distance), Truth::QuasiSeparable);
        tally.add(|| {
            let separated = Auto::default().solve(backend, &clean.problem(), &clean.data()?)?;
            clean.judge(&separated)?;
            let fit = Auto::default().solve(backend, &wrong.problem(), &wrong.data()?)?;
            match fit.report.status {
                Status::Solved => wrong.judge(&fit)?,
                Status::LimitedAccuracy => {}
                other => return Err(Failure::new(format!("a row across the plane: {other:?}"))),
            }
            // The direction of the others is not one of these rows.
            let verdict = verify(&wrong.data()?, &separated)?;
            ensure!(!verdict.holds, "verify does not see the row: {:?}", verdict.findings);
            let fit = Auto::default().solve(backend, &right.problem(), &right.data()?)?;
            match fit.report.status {
                Status::NoMinimiser => right.judge(&fit),
                Status::LimitedAccuracy => Ok(()),
                other => Err(Failure::new(format!("a row on this side: {other:?}"))),
            }
        });
    }
    tally.outcome()
}
