//! Softmax (multinomial logistic) regression: one predictor for each class.
//!
//! F(W, b) = Σ c_t (log Σ_k e^(z_tk) − z_ty) + λ₂‖W‖², z_tk = w_k·x_t + b_k. Newton's method on all K(d + 1)
//! unknowns at once: the Hessian has the blocks Σ c (p_k[k = l] − p_k p_l)·x̃x̃ᵀ, each a Gram matrix. Adding the same
//! number to all z_tk changes nothing, so Σ_k b_k (and Σ_k w_k without a penalty) is free: the objective gets
//! the square of these sums, which is zero at a minimiser and picks the one with sums of zero.
//!
//! The lower bound: u_tk = p_tk − [k = y_t] is a dual point up to Σ_t c_t u_tk = 0, and with λ₂ > 0 its value misses
//! F by ‖∂F/∂W‖²/(4λ₂); else, and for the intercepts, the Newton decrement stands in.

use super::coordinates::Coordinates;
use super::factor::Factor;
use super::run::{Control, Run};
use super::vectors::{dot, largest};
use crate::certificate::SoftmaxCertificate;
use crate::kernels::Packed;
use crate::loss::Softmax;
use crate::{
    Backend, Block, Certificate, Dataset, Design, Error, Fit, KernelError, Labels, LinearModel,
    Matrix, Reduction, Report, Rows, Scalar, Status, View,
};

/// Steps unless the control says otherwise.
const LIMIT: usize = 100;
/// The most unknowns: their square is the memory of the Hessian.
const MAX_UNKNOWNS: usize = 6_000;
/// The fraction of the promised decrease that a step must bring.
const ARMIJO: f64 = 1e-4;

/// Softmax regression with a ridge penalty, total scale.
///
/// ```
/// use minrisk_core::convex::SoftmaxRegression;
/// let estimator = SoftmaxRegression::l2(0.5);
/// ```
#[derive(Clone, Debug)]
pub struct SoftmaxRegression {
    l2: f64,
    intercept: bool,
    control: Control,
}

impl SoftmaxRegression {
    /// Σ c_t ℓ + λ₂‖W‖².
    pub fn l2(lambda: f64) -> Self {
        Self { l2: lambda, intercept: true, control: Control::default() }
    }

    /// The same through the origin.
    pub fn without_intercept(self) -> Self {
        Self { intercept: false, ..self }
    }

    /// The same with another stopping rule, a trace or an observer.
    pub fn control(self, control: Control) -> Self {
        Self { control, ..self }
    }

    /// Fits labels of any ordered type; the dataset's own target is not looked at.
    pub fn classify_on<T: Scalar, C: Ord + Clone>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
        labels: &Labels<C>,
    ) -> Result<SoftmaxClassifier<T, C>, Error> {
        labels.check_rows(data.rows())?;
        let codes: Vec<T> =
            labels.codes().iter().map(|&code| T::from_double(code as f64)).collect();
        let mut coded = Dataset::new(data.design(), View::column_vector(&codes))?;
        if let Some(names) = data.names() {
            coded = coded.with_names(names.as_slice().iter().cloned())?;
        }
        let coded = data.weigh_like(coded)?;
        let fit = self.fit_on(backend, &coded, labels.classes().len())?;
        Ok(SoftmaxClassifier { fit, classes: labels.classes().to_vec() })
    }

    /// Fits targets 0, 1, …, classes − 1. The model has one target for each class.
    pub fn fit_on<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
        classes: usize,
    ) -> Result<Fit<T>, Error> {
        self.check(data, classes)?;
        let mut run = Run::new(&self.control, LIMIT);
        run.tighten(1e-6);
        let mut newton = SoftmaxNewton::new(self, backend, data, classes);
        let (status, objective, gap) = newton.iterate(&mut run)?;
        newton.finish(status, objective, gap, run)
    }

    fn check<T: Scalar>(&self, data: &Dataset<'_, T>, classes: usize) -> Result<(), Error> {
        if !(self.l2.is_finite() && self.l2 >= 0.0) {
            let (what, value) = ("λ₂", self.l2.to_string());
            return Err(Error::BadParameter { what, value, expected: "finite and not negative" });
        }
        if data.offsets().is_some() || data.targets() != 1 {
            let reason = "it takes one column of classes and no offsets";
            return Err(Error::Unsupported { solver: "softmax regression", reason });
        }
        let unknowns = (data.cols() + 1).saturating_mul(classes);
        if unknowns > MAX_UNKNOWNS {
            let count = unknowns as u128 * unknowns as u128;
            return Err(Error::TooLarge { what: "the Hessian of softmax regression", count });
        }
        let y = data.target_view();
        let in_range = |y: f64| y >= 0.0 && y < classes as f64 && y.fract() == 0.0;
        match y.col_iter(0).position(|y| !in_range(y.to_double())) {
            None => Ok(()),
            Some(row) => Err(Error::TargetOutsideDomain {
                row,
                value: y[(row, 0)].to_string(),
                loss: "softmax",
                domain: "0, 1, …, classes − 1",
            }),
        }
    }
}

/// A fitted predictor of one of several labels.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SoftmaxClassifier<T, C> {
    /// One target for each class, in the order of the labels.
    pub fit: Fit<T>,
    classes: Vec<C>,
}

impl<T: Scalar, C: Clone> SoftmaxClassifier<T, C> {
    /// The labels, sorted.
    pub fn classes(&self) -> &[C] {
        &self.classes
    }

    /// The probability of every class (columns) for every row.
    pub fn probabilities<'a>(
        &self,
        design: impl Into<Design<'a, T>>,
    ) -> Result<Matrix<f64>, Error> {
        let scores = self.fit.model.predict(design)?;
        let mut probabilities = Matrix::zeros(scores.rows(), scores.cols());
        let mut row = vec![0.0; scores.cols()];
        for i in 0..scores.rows() {
            row.iter_mut().enumerate().for_each(|(k, z)| *z = scores[(i, k)].to_double());
            Softmax::probabilities(&mut row);
            row.iter().enumerate().for_each(|(k, &p)| probabilities[(i, k)] = p);
        }
        Ok(probabilities)
    }

    /// The most probable label of every row; the first wins a tie.
    pub fn predict<'a>(&self, design: impl Into<Design<'a, T>>) -> Result<Vec<C>, Error> {
        let scores = self.fit.model.predict(design)?;
        let best = |i: usize| {
            let better =
                |best: usize, k: usize| if scores[(i, k)] > scores[(i, best)] { k } else { best };
            (1..scores.cols()).fold(0, better)
        };
        Ok((0..scores.rows()).map(|i| self.classes[best(i)].clone()).collect())
    }
}

/// Newton's method in well-scaled coordinates; unknowns are ordered class by class.
struct SoftmaxNewton<'a, T: Scalar> {
    settings: &'a SoftmaxRegression,
    backend: &'a dyn Backend<T>,
    data: &'a Dataset<'a, T>,
    coordinates: Coordinates<T>,
    classes: usize,
    /// v of every class, one after the other.
    v: Vec<f64>,
    passes: usize,
}

impl<'a, T: Scalar> SoftmaxNewton<'a, T> {
    fn new(
        settings: &'a SoftmaxRegression,
        backend: &'a dyn Backend<T>,
        data: &'a Dataset<'a, T>,
        classes: usize,
    ) -> Self {
        let coordinates = Coordinates::of(data, settings.intercept);
        let v = vec![0.0; classes * coordinates.unknowns()];
        Self { settings, backend, data, coordinates, classes, v, passes: 0 }
    }

    fn iterate(&mut self, run: &mut Run<'_>) -> Result<(Status, f64, f64), Error> {
        let (mut objective, mut gradient, mut hessian) = self.model(&self.v.clone())?;
        let mut length = 0.0;
        loop {
            let step = self.step(&hessian, &gradient)?;
            let slope = dot(&step, &gradient);
            let norm = largest(&gradient);
            let gap = (-0.5 * slope).max(0.0);
            if let Some(status) = run.report(objective, norm, length, gap) {
                if status == Status::Solved {
                    // The step is known and gains less than the tolerance.
                    self.v.iter_mut().zip(&step).for_each(|(v, s)| *v += s);
                    let (objective, gradient, hessian) = self.model(&self.v.clone())?;
                    let last = self.step(&hessian, &gradient)?;
                    let slope = dot(&last, &gradient);
                    return Ok((status, objective, (-0.5 * slope).max(0.0)));
                }
                return Ok((status, objective, gap));
            }
            length = 1.0;
            loop {
                let trial: Vec<f64> =
                    self.v.iter().zip(&step).map(|(v, s)| v + length * s).collect();
                let next = self.model(&trial)?;
                if next.0 <= objective + ARMIJO * length * slope {
                    (objective, gradient, hessian) = next;
                    self.v = trial;
                    break;
                }
                if length * slope.abs() <= 1e-15 * objective.abs() {
                    return Ok((Status::Solved, objective, gap));
                }
                length *= 0.5;
            }
        }
    }

    /// F, its gradient and its Hessian at v.
    fn model(&mut self, v: &[f64]) -> Result<(f64, Vec<f64>, Matrix<T>), Error> {
        self.passes += 1;
        let unknowns = self.coordinates.unknowns();
        let features = self.data.cols();
        let pass = SoftmaxPass {
            backend: self.backend,
            coordinates: &self.coordinates,
            weights: Matrix::from_fn(unknowns, self.classes, |j, k| {
                T::from_double(v[k * unknowns + j])
            }),
        };
        let SoftmaxSums { value, gradient, mut hessian, .. } =
            Rows::Memory(self.data).reduce(&pass)?;
        let mut objective = value;
        let mut gradient: Vec<f64> = gradient.as_slice().iter().map(|g| g.to_double()).collect();
        let ridge = |j: usize| {
            if j < features { self.settings.l2 * self.coordinates.scale(j).powi(2) } else { 0.0 }
        };
        let gauge = self.data.total_weight().to_f64() / self.classes as f64;
        for j in 0..unknowns {
            let sum: f64 = (0..self.classes).map(|k| v[k * unknowns + j]).sum();
            objective += 0.5 * gauge * sum * sum;
            for k in 0..self.classes {
                let at = k * unknowns + j;
                objective += ridge(j) * v[at] * v[at];
                gradient[at] += 2.0 * ridge(j) * v[at] + gauge * sum;
                hessian[(at, at)] += T::from_double(2.0 * ridge(j));
                for l in 0..=k {
                    hessian[(at, l * unknowns + j)] += T::from_double(gauge);
                }
            }
        }
        Ok((objective, gradient, hessian))
    }

    /// −H⁻¹g, with the diagonal lifted where the Hessian is singular.
    fn step(&self, hessian: &Matrix<T>, gradient: &[f64]) -> Result<Vec<f64>, Error> {
        let factor = Factor::lifted(self.backend, hessian);
        let factor = factor.ok_or(KernelError::NotPositiveDefinite { pivot: 0 })?;
        Ok(factor.solve(gradient).iter().map(|s| -s).collect())
    }

    fn finish(
        self,
        status: Status,
        objective: f64,
        gap: f64,
        run: Run<'_>,
    ) -> Result<Fit<T>, Error> {
        let (unknowns, features) = (self.coordinates.unknowns(), self.data.cols());
        let (mut weights, mut intercepts) = (Vec::new(), Vec::new());
        for v in self.v.chunks(unknowns) {
            let theta: Vec<T> = self.coordinates.step(v).into_iter().map(T::from_double).collect();
            weights.push(theta[..features].to_vec());
            intercepts.extend(theta.get(features).copied());
        }
        let intercepts = self.settings.intercept.then_some(intercepts);
        let gap = gap + 16.0 * f64::EPSILON * objective.abs();
        let relative_gap = gap / objective.abs().max(f64::MIN_POSITIVE);
        let good = relative_gap <= run.tolerance().max(1e-10).max(1e3 * T::unit_roundoff());
        let status =
            if status == Status::Solved && !good { Status::LimitedAccuracy } else { status };
        let l2 = self.settings.l2;
        let certificate = SoftmaxCertificate { l2, objective, gap, relative_gap };
        Ok(Fit {
            model: LinearModel::new(weights, intercepts, self.data.names().cloned())?,
            report: Report {
                status,
                solver: "Newton".into(),
                backend: self.backend.name().to_string(),
                iterations: run.iterations.saturating_sub(1),
                passes: self.passes,
                objective: vec![objective],
                trace: run.trace,
            },
            certificate: Certificate::Softmax(certificate),
        })
    }
}

/// Σ c ℓ, its gradient and its Hessian.
struct SoftmaxPass<'a, T: Scalar> {
    backend: &'a dyn Backend<T>,
    coordinates: &'a Coordinates<T>,
    /// v, one column for each class.
    weights: Matrix<T>,
}

struct SoftmaxSums<T> {
    value: f64,
    /// One column for each class.
    gradient: Matrix<T>,
    /// Lower triangle of K × K blocks.
    hessian: Matrix<T>,
    gram: Matrix<T>,
    x: Packed<T>,
    scaled: Packed<T>,
}

impl<T: Scalar> Reduction<T> for SoftmaxPass<'_, T> {
    type State = SoftmaxSums<T>;

    fn start(&self) -> SoftmaxSums<T> {
        let (unknowns, classes) = (self.weights.rows(), self.weights.cols());
        SoftmaxSums {
            value: 0.0,
            gradient: Matrix::zeros(unknowns, classes),
            hessian: Matrix::zeros(unknowns * classes, unknowns * classes),
            gram: Matrix::zeros(unknowns, unknowns),
            x: Packed::default(),
            scaled: Packed::default(),
        }
    }

    fn absorb(&self, sums: &mut SoftmaxSums<T>, block: &Block<'_, T>) {
        let (rows, classes) = (block.x.rows(), self.weights.cols());
        let unknowns = self.weights.rows();
        let ones = vec![T::one(); rows];
        let x = self.coordinates.pack(&mut sums.x, block.x, View::column_vector(&ones));
        let mut z = Matrix::zeros(rows, classes);
        self.backend.add_product(x, self.weights.view(), z.view_mut());
        // Probabilities, and the derivatives in their place.
        let mut probabilities = Matrix::<f64>::zeros(rows, classes);
        let mut row = vec![0.0; classes];
        for i in 0..rows {
            let c = block.weights.map_or(1.0, |c| c[(i, 0)].to_double());
            let class = block.y[(i, 0)].to_double() as usize;
            row.iter_mut().enumerate().for_each(|(k, value)| *value = z[(i, k)].to_double());
            let of_class = row[class];
            sums.value += c * (Softmax::probabilities(&mut row) - of_class);
            for (k, &p) in row.iter().enumerate() {
                probabilities[(i, k)] = p;
                let slope = if k == class { p - 1.0 } else { p };
                z[(i, k)] = T::from_double(c * slope);
            }
        }
        self.backend.add_product(x.transpose(), z.view(), sums.gradient.view_mut());
        for k in 0..classes {
            for l in 0..=k {
                let weight = |i: usize| {
                    let c = block.weights.map_or(1.0, |c| c[(i, 0)].to_double());
                    let (p, q) = (probabilities[(i, k)], probabilities[(i, l)]);
                    T::from_double(c * p * if k == l { 1.0 - p } else { q })
                };
                let weights: Vec<T> = (0..rows).map(weight).collect();
                let scaled =
                    self.coordinates.pack(&mut sums.scaled, block.x, View::column_vector(&weights));
                sums.gram.as_mut_slice().fill(T::zero());
                self.backend.add_gram(scaled, sums.gram.view_mut());
                let sign = if k == l { T::one() } else { -T::one() };
                for j in 0..unknowns {
                    for i in 0..unknowns {
                        let value = sums.gram[(i.max(j), i.min(j))];
                        sums.hessian[(k * unknowns + i, l * unknowns + j)] += sign * value;
                    }
                }
            }
        }
    }

    fn merge(&self, left: &mut SoftmaxSums<T>, right: SoftmaxSums<T>) {
        let add = |into: &mut Matrix<T>, from: &Matrix<T>| {
            into.as_mut_slice().iter_mut().zip(from.as_slice()).for_each(|(a, &b)| *a += b);
        };
        left.value += right.value;
        add(&mut left.gradient, &right.gradient);
        add(&mut left.hessian, &right.hessian);
    }
}
