//! The pocket algorithm with ratchet (Gallant 1990): a perceptron for data that is not separable.
//!
//! The perceptron walks over the rows in random order. Whenever its weights have been right on more
//! rows in a row than the weights in the pocket ever were, their mistakes on all rows are counted, and
//! they are put into the pocket if they make fewer (the ratchet). So the pocket only ever improves, and
//! with enough steps it holds an optimum with probability as close to 1 as one likes.

use super::Budget;
use super::examples::{Examples, refuse_weights};
use super::random::Random;
use super::walk::{Walk, Weights};
use crate::by_rows::ByRows;
use crate::{Dataset, Error, LinearModel, Scalar};

/// The pocket algorithm and its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pocket {
    /// Whether there is an intercept.
    pub intercept: bool,
    /// The seed of the random order.
    pub seed: u64,
    /// The most epochs.
    pub epochs: u64,
    /// Limits: steps are updates.
    pub budget: Budget,
}

/// What the pocket held at the end.
#[derive(Clone, Debug, PartialEq)]
pub struct PocketFit<T> {
    /// The halfspace.
    pub model: LinearModel<T>,
    /// Rows with y (w·x + b) ≤ 0.
    pub mistakes: usize,
    /// Mistakes over rows: the empirical 0-1 risk.
    pub risk: f64,
    /// Updates of the perceptron.
    pub updates: u64,
    /// Epochs begun.
    pub epochs: u64,
}

impl Pocket {
    /// With an intercept, for 100 epochs and at most a million updates.
    pub fn new() -> Self {
        Self { intercept: true, seed: 0, epochs: 100, budget: Budget::steps(1_000_000) }
    }

    /// Through the origin.
    pub fn without_intercept(self) -> Self {
        Self { intercept: false, ..self }
    }

    /// With another random order.
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// For at most so many epochs.
    pub fn with_epochs(self, epochs: u64) -> Self {
        Self { epochs, ..self }
    }

    /// With limits: updates, and time.
    pub fn with_budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// Trains on targets −1 and +1.
    ///
    /// ```
    /// use minrisk_core::{Dataset, View};
    /// use minrisk_core::halfspace::Pocket;
    /// let x = [0.0, 1.0, 2.0, 3.0, 4.0];
    /// let y = [-1.0, -1.0, 1.0, -1.0, 1.0];
    /// let data = Dataset::new(View::column_vector(&x), View::column_vector(&y))?;
    /// let fit = Pocket::new().fit(&data)?;
    /// assert_eq!((fit.mistakes, fit.risk), (1, 0.2));
    /// # Ok::<(), minrisk_core::Error>(())
    /// ```
    pub fn fit<T: Scalar>(&self, data: &Dataset<'_, T>) -> Result<PocketFit<T>, Error> {
        refuse_weights(data, "the pocket algorithm")?;
        let examples = Examples::new(data, self.intercept)?;
        let y: Vec<T> = examples.y.col_iter(0).copied().collect();
        let rows = ByRows::new(examples.x)?;
        let (intercept, rate) = (self.intercept, T::one());
        let walk = Walk { x: rows.view(), y: &y, order: None, intercept, rate };
        let found = self.run(&walk);
        let Weights { w, b } = found.weights;
        let intercepts = self.intercept.then(|| vec![b]);
        Ok(PocketFit {
            model: LinearModel::new(vec![w], intercepts, data.names().cloned())?,
            mistakes: found.mistakes,
            risk: found.mistakes as f64 / y.len() as f64,
            updates: found.updates,
            epochs: found.epochs,
        })
    }

    fn run<T: Scalar>(&self, cyclic: &Walk<'_, T>) -> Held<T> {
        let clock = self.budget.start();
        let rows = cyclic.y.len();
        let mut random = Random::new(self.seed);
        let mut order: Vec<usize> = (0..rows).collect();
        let mut weights = Weights { w: vec![T::zero(); cyclic.x.cols()], b: T::zero() };
        let mut held = Held::new(cyclic, weights.clone());
        let (mut run, mut longest) = (0, 0);
        while held.epochs < self.epochs && held.mistakes > 0 && !clock.is_spent(held.updates) {
            random.shuffle(&mut order);
            held.epochs += 1;
            let walk = Walk { order: Some(&order), ..*cyclic };
            let mut at = 0;
            while at < rows && held.mistakes > 0 && !clock.is_spent(held.updates) {
                let before = weights.clone();
                let next = walk.next_mistake(at, rows, &mut weights);
                run += next.unwrap_or(rows) - at;
                // A run that goes on into the next epoch is looked at when it ends.
                if run > longest && (next.is_some() || run >= rows) {
                    longest = run;
                    held.offer(cyclic, &before);
                }
                if let Some(position) = next {
                    held.updates += 1;
                    run = 0;
                    at = position + 1;
                } else {
                    at = rows;
                }
            }
        }
        held.offer(cyclic, &weights);
        held
    }
}

impl Default for Pocket {
    fn default() -> Self {
        Self::new()
    }
}

/// The pocket.
struct Held<T> {
    weights: Weights<T>,
    mistakes: usize,
    updates: u64,
    epochs: u64,
}

impl<T: Scalar> Held<T> {
    fn new(walk: &Walk<'_, T>, weights: Weights<T>) -> Self {
        let mistakes = walk.mistakes(&weights);
        Self { weights, mistakes, updates: 0, epochs: 0 }
    }

    /// The ratchet.
    fn offer(&mut self, walk: &Walk<'_, T>, weights: &Weights<T>) {
        let mistakes = walk.mistakes(weights);
        if mistakes < self.mistakes {
            self.mistakes = mistakes;
            self.weights.clone_from(weights);
        }
    }
}
