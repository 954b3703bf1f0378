//! The perceptron (Rosenblatt 1958).
//!
//! Rows are visited in cyclic order. A row with y_t (w·x_t + b) ≤ 0 is a mistake and moves the
//! weights, w ← w + ηy_t x_t and b ← b + ηy_t, until an epoch passes without one. On separable data
//! that happens after at most (R·B)² updates from w = 0 (Novikoff 1962; see
//! [`MistakeBound`]); on other data never, so there is a budget.
//!
//! The averaged variant returns the mean of the weights over all visits (Freund and Schapire 1999).
//! An epoch costs m·d products and reads the data once.

use super::bound::MistakeBound;
use super::examples::{Examples, refuse_weights};
use super::margin::Margin;
use super::training::Training;
use super::walk::Walk;
use super::{Budget, geometry};
use crate::by_rows::ByRows;
use crate::{Backend, Dataset, Error, LinearModel, Scalar};

/// The perceptron and its options.
///
/// ```
/// use minrisk_core::halfspace::Perceptron;
/// let perceptron = Perceptron::new().with_rate(0.5).shuffled(7).averaged();
/// assert!(perceptron.intercept && perceptron.average);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Perceptron<T = f64> {
    /// Whether there is an intercept.
    pub intercept: bool,
    /// The learning rate η > 0.
    pub rate: T,
    /// The weights to start from, the intercept last where there is one; zero if `None`.
    pub start: Option<Vec<T>>,
    /// A new random order of the rows in every epoch, from this seed; cyclic if `None`.
    pub shuffle: Option<u64>,
    /// Whether every row (x_t, 1) is first divided by its length.
    pub normalise: bool,
    /// Whether the mean of the weights over all visits is returned in place of the last ones.
    pub average: bool,
    /// Limits: steps are updates.
    pub budget: Budget,
    /// The most epochs.
    pub epochs: u64,
    /// How many updates to record with the weights after them.
    pub trace: usize,
}

/// One update.
#[derive(Clone, Debug, PartialEq)]
pub struct Update<T> {
    /// The epoch, counted from 0.
    pub epoch: u64,
    /// The row on which the mistake was made.
    pub row: usize,
    /// The weights after the update.
    pub weights: Vec<T>,
    /// The intercept after the update; zero for a halfspace through the origin.
    pub intercept: T,
}

/// How a perceptron ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Ending {
    /// The last epoch was without a mistake: the weights separate the data.
    Clean,
    /// The budget of updates, epochs or time was spent before that.
    BudgetSpent,
}

/// What a perceptron returns.
#[derive(Clone, Debug, PartialEq)]
pub struct PerceptronFit<T> {
    /// The halfspace.
    pub model: LinearModel<T>,
    /// Whether the last epoch was clean.
    pub ending: Ending,
    /// Number of updates M.
    pub updates: u64,
    /// Epochs begun, the clean one included.
    pub epochs: u64,
    /// The first updates, as many as were asked for.
    pub trace: Vec<Update<T>>,
    /// The geometric margin of the model, min_t y_t (w·x_t + b)/‖w‖; negative where it errs, `None`
    /// for w = 0.
    pub margin: Option<f64>,
}

impl<T: Scalar> Perceptron<T> {
    /// From zero with rate 1 and an intercept, for at most a million updates in 10,000 epochs.
    pub fn new() -> Self {
        Self {
            intercept: true,
            rate: T::one(),
            start: None,
            shuffle: None,
            normalise: false,
            average: false,
            budget: Budget::steps(1_000_000),
            epochs: 10_000,
            trace: 0,
        }
    }

    /// Through the origin.
    pub fn without_intercept(self) -> Self {
        Self { intercept: false, ..self }
    }

    /// With another learning rate.
    pub fn with_rate(self, rate: T) -> Self {
        Self { rate, ..self }
    }

    /// From these weights; the intercept is the last of them, where there is one.
    pub fn starting_at(self, start: Vec<T>) -> Self {
        Self { start: Some(start), ..self }
    }

    /// With a new order of the rows in every epoch.
    pub fn shuffled(self, seed: u64) -> Self {
        Self { shuffle: Some(seed), ..self }
    }

    /// With every row divided by its length.
    pub fn normalised(self) -> Self {
        Self { normalise: true, ..self }
    }

    /// With the mean of the weights as the result.
    pub fn averaged(self) -> Self {
        Self { average: true, ..self }
    }

    /// With limits: updates, and time.
    pub fn with_budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// For at most so many epochs.
    pub fn with_epochs(self, epochs: u64) -> Self {
        Self { epochs, ..self }
    }

    /// With the first updates recorded.
    pub fn with_trace(self, updates: usize) -> Self {
        Self { trace: updates, ..self }
    }

    /// Trains on targets −1 and +1.
    ///
    /// The worked example of the notes, η = 0.2 from (b, w) = (0, 1, 0.5):
    ///
    /// ```
    /// use minrisk_core::{Dataset, View};
    /// use minrisk_core::halfspace::{Ending, Perceptron};
    /// let x = [[1.0, 1.0], [2.0, -2.0], [-1.0, -1.5], [-2.0, -1.0], [-2.0, 1.0], [1.5, -0.5]];
    /// let y = [1.0_f64, -1.0, -1.0, -1.0, 1.0, 1.0];
    /// let data = Dataset::new(View::from_arrays(&x), View::column_vector(&y))?;
    /// let perceptron = Perceptron::new().with_rate(0.2).starting_at(vec![1.0, 0.5, 0.0]);
    /// let fit = perceptron.fit(&data)?;
    /// assert_eq!((fit.updates, fit.ending), (3, Ending::Clean));
    /// assert!((fit.model.coefficients()[0] - 0.5).abs() < 1e-15);
    /// # Ok::<(), minrisk_core::Error>(())
    /// ```
    pub fn fit(&self, data: &Dataset<'_, T>) -> Result<PerceptronFit<T>, Error> {
        refuse_weights(data, "the perceptron")?;
        let examples = Examples::new(data, self.intercept)?;
        let start = self.checked_start(&examples)?;
        let y: Vec<T> = examples.y.col_iter(0).copied().collect();
        let (rows, intercept) = self.rows(&examples)?;
        let walk = Walk { x: rows.view(), y: &y, order: None, intercept, rate: self.rate };
        let mut training = Training::new(self, start, intercept);
        let ending = training.run(&walk);
        let (updates, epochs) = (training.updates, training.epochs);
        let trace = std::mem::take(&mut training.trace);
        let (coefficients, b) = examples.split(training.result());
        let model =
            LinearModel::new(vec![coefficients], b.map(|b| vec![b]), data.names().cloned())?;
        let margin = Margin::of(&model, data)?.geometric;
        Ok(PerceptronFit { model, ending, updates, epochs, trace, margin })
    }

    /// The bound on the updates of any run with these options on separable data, from the separator
    /// of least norm; `None` where the data is not separable, or not shown to be.
    pub fn mistake_bound_on(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
    ) -> Result<Option<MistakeBound>, Error> {
        let examples = Examples::new(data, self.intercept)?;
        let start: Vec<f64> =
            self.checked_start(&examples)?.iter().map(|w| w.to_double()).collect();
        let rate = self.rate.to_double();
        if !self.normalise {
            return MistakeBound::on(backend, data, self.intercept, &start, rate);
        }
        let (rows, intercept) = self.rows(&examples)?;
        let data = Dataset::new(rows.view(), examples.y)?;
        MistakeBound::on(backend, &data, intercept, &start, rate)
    }

    /// The rows to walk over, and whether the intercept is beside them. Normalised rows carry it as a
    /// column of their own, which is normalised too.
    fn rows<'a>(&self, examples: &Examples<'a, T>) -> Result<(ByRows<'a, T>, bool), Error> {
        match self.normalise {
            true => Ok((normalised(examples)?, false)),
            false => Ok((ByRows::new(examples.x)?, self.intercept)),
        }
    }

    fn checked_start(&self, examples: &Examples<'_, T>) -> Result<Vec<T>, Error> {
        if !(self.rate > T::zero() && self.rate.is_finite()) {
            return Err(Error::BadParameter {
                what: "the learning rate",
                value: self.rate.to_string(),
                expected: "positive and finite",
            });
        }
        let expected = examples.dimension();
        match &self.start {
            None => Ok(vec![T::zero(); expected]),
            Some(start) if start.len() != expected => Err(Error::LengthMismatch {
                what: "the start of the perceptron",
                per: "feature, and the intercept last where there is one",
                expected,
                found: start.len(),
            }),
            Some(start) => match start.iter().find(|w| !w.is_finite()) {
                None => Ok(start.clone()),
                Some(bad) => Err(Error::BadParameter {
                    what: "a weight of the start",
                    value: bad.to_string(),
                    expected: "finite",
                }),
            },
        }
    }
}

impl<T: Scalar> Default for Perceptron<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Rows (x_t, 1)/‖(x_t, 1)‖; zero rows stay as they are.
fn normalised<'a, T: Scalar>(examples: &Examples<'a, T>) -> Result<ByRows<'a, T>, Error> {
    let (x, rows, cols) = (examples.x, examples.rows(), examples.dimension());
    let value = |i: usize, j: usize| if j < x.cols() { x[(i, j)] } else { T::one() };
    let lengths: Vec<f64> = (0..rows)
        .map(|i| geometry::norm((0..cols).map(|j| value(i, j).to_double())))
        .map(|length| if length == 0.0 { 1.0 } else { length })
        .collect();
    ByRows::copy(rows, cols, |i, j| T::from_double(value(i, j).to_double() / lengths[i]))
}

#[cfg(test)]
mod tests {
    use super::super::plain::Plain;
    use super::*;
    use crate::{Matrix, View};

    /// The example of the notes.
    fn notes() -> ([[f64; 2]; 6], [f64; 6]) {
        let x = [[1.0, 1.0], [2.0, -2.0], [-1.0, -1.5], [-2.0, -1.0], [-2.0, 1.0], [1.5, -0.5]];
        (x, [1.0, -1.0, -1.0, -1.0, 1.0, 1.0])
    }

    /// z_i = e_i − Σ_{j<i} e_j.
    fn nested(d: usize) -> Matrix<f64> {
        Matrix::from_fn(d, d, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Greater => -1.0,
            std::cmp::Ordering::Less => 0.0,
        })
    }

    #[test]
    fn the_worked_example_goes_as_in_the_notes() {
        let (x, y) = notes();
        let data = Dataset::new(View::from_arrays(&x), View::column_vector(&y)).unwrap();
        let perceptron = Perceptron::new().with_rate(0.2).starting_at(vec![1.0, 0.5, 0.0]);
        let fit = perceptron.clone().with_trace(10).fit(&data).unwrap();
        let expected = [[-0.2, 0.6, 0.9], [0.0, 0.2, 1.1], [0.2, 0.5, 1.0]];
        assert_eq!((fit.updates, fit.epochs, fit.ending), (3, 2, Ending::Clean));
        assert_eq!(fit.trace.iter().map(|u| u.row).collect::<Vec<_>>(), [1, 4, 5]);
        for (update, expected) in fit.trace.iter().zip(expected) {
            let found = [update.intercept, update.weights[0], update.weights[1]];
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        }
        let bound = perceptron.mistake_bound_on(&Plain, &data).unwrap().unwrap();
        assert!(bound.holds_for(fit.updates));
        // Whatever is recorded, the result is the same.
        let quiet = perceptron.fit(&data).unwrap();
        assert_eq!(
            (quiet.model, quiet.updates, quiet.epochs),
            (fit.model, fit.updates, fit.epochs)
        );
    }

    #[test]
    fn the_bound_is_attained_on_nested_rows() {
        for (d, updates) in [(1, 1), (2, 5), (5, 341), (8, 21_845)] {
            let (x, y) = (nested(d), vec![1.0; d]);
            let data = Dataset::new(x.view(), View::column_vector(&y)).unwrap();
            let perceptron = Perceptron::new().without_intercept().with_epochs(u64::MAX);
            let fit = perceptron.fit(&data).unwrap();
            assert_eq!((fit.updates, fit.ending), (updates, Ending::Clean), "d = {d}");
            let bound = perceptron.mistake_bound_on(&Plain, &data).unwrap().unwrap();
            assert!(bound.holds_for(fit.updates));
            let b_squared = (4_f64.powi(d as i32) - 1.0) / 3.0;
            assert!((bound.b * bound.b / b_squared - 1.0).abs() < 1e-12);
            assert!((bound.radius * bound.radius - d as f64).abs() < 1e-12);
        }
    }

    #[test]
    fn budgets_end_what_would_not_end() {
        let (x, y) = ([[1.0], [1.0]], [1.0, -1.0]);
        let data = Dataset::new(View::from_arrays(&x), View::column_vector(&y)).unwrap();
        let perceptron = Perceptron::new().with_budget(Budget::steps(17));
        let fit = perceptron.fit(&data).unwrap();
        assert_eq!((fit.updates, fit.ending), (17, Ending::BudgetSpent));
        assert_eq!(perceptron.mistake_bound_on(&Plain, &data).unwrap(), None);
        let fit = Perceptron::new().with_epochs(3).fit(&data).unwrap();
        assert_eq!((fit.epochs, fit.ending), (3, Ending::BudgetSpent));
    }

    #[test]
    fn variants_separate_too() {
        let (x, y) = notes();
        let data = Dataset::new(View::from_arrays(&x), View::column_vector(&y)).unwrap();
        for perceptron in [
            Perceptron::new().shuffled(3),
            Perceptron::new().normalised(),
            Perceptron::new().normalised().shuffled(1).starting_at(vec![-3.0, 2.0, 5.0]),
        ] {
            let fit = perceptron.fit(&data).unwrap();
            assert_eq!(fit.ending, Ending::Clean);
            assert!(fit.margin.unwrap() > 0.0);
            let bound = perceptron.mistake_bound_on(&Plain, &data).unwrap().unwrap();
            assert!(bound.holds_for(fit.updates), "{} of {bound:?}", fit.updates);
        }
    }

    #[test]
    fn the_average_is_that_of_all_visits() {
        let (x, y) = notes();
        let data = Dataset::new(View::from_arrays(&x), View::column_vector(&y)).unwrap();
        let perceptron = Perceptron::new().with_rate(0.5).averaged();
        let fit = perceptron.fit(&data).unwrap();
        // The same by hand, visit by visit.
        let (mut w, mut sum, mut visits) = ([0.0; 3], [0.0; 3], 0.0);
        for _ in 0..fit.epochs {
            for (x, y) in x.iter().zip(y) {
                if y * (w[0] * x[0] + w[1] * x[1] + w[2]) <= 0.0 {
                    w = [w[0] + 0.5 * y * x[0], w[1] + 0.5 * y * x[1], w[2] + 0.5 * y];
                }
                (0..3).for_each(|j| sum[j] += w[j]);
                visits += 1.0;
            }
        }
        let found = [fit.model.coefficients(), &[fit.model.intercept().unwrap()]].concat();
        for (found, sum) in found.iter().zip(sum) {
            assert!((found - sum / visits).abs() < 1e-12, "{found} {}", sum / visits);
        }
    }

    #[test]
    fn bad_options_are_refused() {
        let (x, y) = notes();
        let data = Dataset::new(View::from_arrays(&x), View::column_vector(&y)).unwrap();
        assert!(Perceptron::new().with_rate(0.0).fit(&data).is_err());
        assert!(Perceptron::new().starting_at(vec![1.0, 2.0]).fit(&data).is_err());
        assert!(Perceptron::new().starting_at(vec![1.0, 2.0, f64::NAN]).fit(&data).is_err());
        let labels = [0.0, 1.0, 1.0, 0.0, 1.0, 0.0];
        let data = Dataset::new(View::from_arrays(&x), View::column_vector(&labels)).unwrap();
        let error = Perceptron::new().fit(&data).unwrap_err();
        assert!(matches!(error, Error::TargetOutsideDomain { row: 0, .. }));
    }
}
