//! Softmax regression: judged by logistic regression, by `verify`, and by what has no minimiser.

use minrisk_core::convex::{ClassWeights, LogisticRegression, SoftmaxRegression};
use minrisk_core::verify::verify;
use minrisk_core::{Backend, Certificate, Dataset, Labels, Matrix, Scalar, Status, View};

use crate::check::{Failure, Outcome, Tally, ensure};
use crate::random::Random;

/// Rows of any classes with features of different sizes, of which three matter, and numbers to be added.
pub(super) struct Coded<T> {
    pub(super) x: Matrix<T>,
    pub(super) codes: Vec<T>,
    pub(super) offsets: Matrix<T>,
    pub(super) classes: usize,
}

impl<T: Scalar> Coded<T> {
    pub(super) fn new(seed: u64, rows: usize, cols: usize, classes: usize) -> Self {
        let mut random = Random::new(seed);
        let x = Matrix::from_fn(rows, cols, |_, j| {
            T::from_double((random.normal() + 0.5) * [1.0, 8.0, 0.25][j % 3])
        });
        let offsets = Matrix::from_fn(rows, classes, |_, _| T::from_double(random.normal()));
        let codes = (0..rows)
            .map(|i| {
                let score = |k: usize| {
                    let weight = |j: usize| ((j + 2 * k) as f64).sin() / [1.0, 8.0, 0.25][j % 3];
                    (0..cols.min(3)).map(|j| x[(i, j)].to_double() * weight(j)).sum::<f64>()
                };
                let noisy: Vec<f64> =
                    (0..classes).map(|k| 1.5 * score(k) + random.normal()).collect();
                let best = |a: usize, b: usize| if noisy[b] > noisy[a] { b } else { a };
                T::from_double((0..classes).fold(0, best) as f64)
            })
            .collect();
        Self { x, codes, offsets, classes }
    }

    pub(super) fn data(&self) -> Result<Dataset<'_, T>, Failure> {
        Ok(Dataset::new(self.x.view(), View::column_vector(&self.codes))?)
    }

    pub(super) fn shifted(&self) -> Result<Dataset<'_, T>, Failure> {
        Ok(self.data()?.with_offsets(self.offsets.view())?)
    }
}

/// Rows of three classes around three centres, the first `apart` away from the others.
struct Classes<T> {
    x: Matrix<T>,
    nothing: Vec<T>,
    labels: Vec<&'static str>,
}

impl<T: Scalar> Classes<T> {
    fn new(seed: u64, rows: usize, apart: f64) -> Self {
        let mut random = Random::new(seed);
        // Not sorted by class, and classes of different sizes.
        let class = |i: usize| [0, 2, 1, 2, 0, 2][i % 6];
        let centre = [[apart, 0.0], [-1.0, 1.0], [-1.0, -1.0]];
        let x = Matrix::from_fn(rows, 2, |i, j| {
            T::from_double(centre[class(i)][j] + random.normal().clamp(-2.0, 2.0))
        });
        let labels = (0..rows).map(|i| ["oak", "elm", "fir"][class(i)]).collect();
        Self { x, nothing: vec![T::zero(); rows], labels }
    }

    fn data(&self) -> Result<Dataset<'_, T>, Failure> {
        Ok(Dataset::new(self.x.view(), View::column_vector(&self.nothing))?)
    }

    /// The data with the numbers of the classes as its target, which is what a fit is verified on.
    fn coded<'a>(&'a self, codes: &'a [T]) -> Result<Dataset<'a, T>, Failure> {
        Ok(Dataset::new(self.x.view(), View::column_vector(codes))?)
    }
}

fn codes<T: Scalar, C>(labels: &Labels<C>) -> Vec<T>
where
    C: Ord + Clone,
{
    labels.codes().iter().map(|&code| T::from_double(code as f64)).collect()
}

/// Two classes with λ₂ are logistic regression with λ₂/2, its weights split in two opposite halves.
pub(crate) fn two_classes_are_logistic<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let classes = Classes::<T>::new(11, 90, 0.5);
    let digits = if T::unit_roundoff() < 1e-10 { 1e-9 } else { 1e-3 };
    let mut tally = Tally::default();
    for (lambda, intercept) in [(0.5, true), (3.0, false), (20.0, true)] {
        tally.add(|| {
            let names: Vec<bool> = classes.labels.iter().map(|&name| name == "fir").collect();
            let (data, labels) = (classes.data()?, Labels::new(&names)?);
            let (mut softmax, mut logistic) =
                (SoftmaxRegression::l2(lambda), LogisticRegression::l2(lambda / 2.0));
            if !intercept {
                (softmax, logistic) = (softmax.without_intercept(), logistic.without_intercept());
            }
            let many = softmax.classify_on(backend, &data, &labels)?;
            let two = logistic.classify_on(backend, &data, &labels, &ClassWeights::Uniform)?;
            let expected = two.fit.model.coefficients();
            for (class, sign) in [(0, -0.5), (1, 0.5)] {
                for (found, w) in many.fit.model.coefficients_of(class).iter().zip(expected) {
                    let (found, expected) = (found.to_double(), sign * w.to_double());
                    ensure!(
                        (found - expected).abs() <= digits * (1.0 + expected.abs()),
                        "λ = {lambda}, class {class}: {found} for {expected}"
                    );
                }
            }
            Ok(())
        });
    }
    tally.outcome()
}

/// Three classes: the gap is small and confirmed; class weights are weights of rows.
pub(crate) fn softmax_is_solved<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let classes = Classes::<T>::new(12, 120, 0.5);
    let mut tally = Tally::default();
    for lambda in [0.0, 0.1, 5.0] {
        tally.add(|| {
            let labels = Labels::new(&classes.labels)?;
            ensure!(labels.classes() == ["elm", "fir", "oak"], "classes {:?}", labels.classes());
            let softmax = SoftmaxRegression::l2(lambda);
            let fitted = softmax.classify_on(backend, &classes.data()?, &labels)?;
            ensure!(
                fitted.fit.report.status == Status::Solved,
                "λ = {lambda}: {:?}",
                fitted.fit.report.status
            );
            let codes = codes(&labels);
            let verdict = verify(&classes.coded(&codes)?, &fitted.fit)?;
            ensure!(verdict.holds, "λ = {lambda}: verify denies {:?}", verdict.findings);
            let sums: Vec<f64> = {
                let probabilities = fitted.probabilities(classes.x.view())?;
                let row = |i: usize| (0..3).map(|k| probabilities[(i, k)]).sum();
                (0..probabilities.rows()).map(row).collect()
            };
            ensure!(
                sums.iter().all(|sum| (sum - 1.0).abs() < 1e-12),
                "probabilities sum to {sums:?}"
            );
            Ok(())
        });
    }
    tally.add(|| {
        let labels = Labels::new(&classes.labels)?;
        // 20 elms, 60 firs, 40 oaks: balance weighs them 2, 2/3 and 1.
        let balanced = SoftmaxRegression::l2(1.0).class_weights(ClassWeights::Balanced);
        let balanced = balanced.classify_on(backend, &classes.data()?, &labels)?;
        let factors: Vec<T> = labels
            .codes()
            .iter()
            .map(|&code| T::from_double([2.0, 2.0 / 3.0, 1.0][code]))
            .collect();
        let weighted = classes.data()?.with_precisions(View::column_vector(&factors))?;
        let weighted = SoftmaxRegression::l2(1.0).classify_on(backend, &weighted, &labels)?;
        ensure!(balanced.fit.model == weighted.fit.model, "balanced classes are not weighted rows");
        Ok(())
    });
    tally.outcome()
}

/// Classes that can be told apart, all or some, leave nothing to minimise.
pub(crate) fn classes_apart_have_no_minimiser<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    let overlapping = Classes::<T>::new(13, 60, 30.0);
    let mut apart = Classes::<T>::new(13, 60, 30.0);
    for (i, name) in apart.labels.iter().enumerate() {
        // The second coordinate of two classes is pulled apart as well.
        let shift = ["oak", "elm", "fir"].iter().position(|other| other == name).unwrap_or(0);
        apart.x[(i, 1)] += T::from_double([0.0, 8.0, -8.0][shift]);
    }
    for (classes, complete) in [(apart, true), (overlapping, false)] {
        tally.add(|| {
            let labels = Labels::new(&classes.labels)?;
            let data = classes.data()?;
            let fitted = SoftmaxRegression::unpenalised().classify_on(backend, &data, &labels)?;
            ensure!(
                fitted.fit.report.status == Status::NoMinimiser,
                "complete: {complete}, ended as {:?}",
                fitted.fit.report.status
            );
            let Certificate::SoftmaxSeparated(separation) = &fitted.fit.certificate else {
                return Err(Failure::new("no direction in the certificate"));
            };
            ensure!(separation.complete == complete, "complete: {}", separation.complete);
            let codes = codes(&labels);
            let verdict = verify(&classes.coded(&codes)?, &fitted.fit)?;
            ensure!(verdict.holds, "verify denies the direction: {:?}", verdict.findings);
            let fitted = SoftmaxRegression::l2(0.1).classify_on(backend, &data, &labels)?;
            ensure!(fitted.fit.report.status == Status::Solved, "a penalty does not help");
            Ok(())
        });
    }
    tally.outcome()
}
