//! Multiclass halfspaces: h(x) = argmax_y (w_y·x + b_y), and their perceptron.
//!
//! A row is a mistake unless its own class beats every other one: a tie is a mistake. At a mistake
//! against the rival r (the first of the best others) w_y ← w_y + ηx and w_r ← w_r − ηx. This is the
//! perceptron on Kesler's construction: for each row and each other class r the vector with x in the
//! block of y and −x in the block of r (Duda, Hart 1973), whose bound it inherits. The same
//! construction decides separability with a certificate.

use super::Budget;
use super::examples::finite_design;
use super::perceptron::Ending;
use super::random::Random;
use super::separability::{Separability, Separation};
use super::walk::dot;
use crate::by_rows::ByRows;
use crate::{Backend, Dataset, Design, Error, Labels, LinearModel, Matrix, Scalar, View};

/// The multiclass perceptron and its options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MulticlassPerceptron<T = f64> {
    /// Whether every class has an intercept.
    pub intercept: bool,
    /// The learning rate η > 0.
    pub rate: T,
    /// A new random order of the rows in every epoch, from this seed; cyclic if `None`.
    pub shuffle: Option<u64>,
    /// The most epochs.
    pub epochs: u64,
    /// Limits: steps are updates.
    pub budget: Budget,
}

/// What the multiclass perceptron returns.
#[derive(Clone, Debug, PartialEq)]
pub struct MulticlassFit<T, L> {
    /// The predictor.
    pub model: MulticlassModel<T, L>,
    /// Whether the last epoch was clean.
    pub ending: Ending,
    /// Number of updates.
    pub updates: u64,
    /// Epochs begun, the clean one included.
    pub epochs: u64,
    /// Rows whose class does not beat all others.
    pub mistakes: usize,
}

/// argmax_y (w_y·x + b_y) over labelled classes; the first label wins a tie.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MulticlassModel<T, L> {
    /// One target per class, in the order of the classes.
    pub scores: LinearModel<T>,
    /// The classes, sorted.
    pub classes: Vec<L>,
}

impl<T: Scalar, L: Clone> MulticlassModel<T, L> {
    /// A predictor from known scores, one target per class.
    pub fn new(scores: LinearModel<T>, classes: Vec<L>) -> Result<Self, Error> {
        if classes.len() != scores.targets() {
            return Err(Error::LengthMismatch {
                what: "the list of classes",
                per: "target of the scores",
                expected: scores.targets(),
                found: classes.len(),
            });
        }
        Ok(Self { scores, classes })
    }

    /// The label of every row.
    pub fn predict<'a>(&self, design: impl Into<Design<'a, T>>) -> Result<Vec<L>, Error> {
        let scores = self.scores.predict(design)?;
        let label = |i: usize| {
            let best = (1..self.classes.len())
                .fold(0, |best, y| if scores[(i, y)] > scores[(i, best)] { y } else { best });
            self.classes[best].clone()
        };
        Ok((0..scores.rows()).map(label).collect())
    }
}

impl<T: Scalar> MulticlassPerceptron<T> {
    /// From zero with rate 1 and intercepts, for at most a million updates in 10,000 epochs.
    pub fn new() -> Self {
        Self {
            intercept: true,
            rate: T::one(),
            shuffle: None,
            epochs: 10_000,
            budget: Budget::steps(1_000_000),
        }
    }

    /// Without intercepts.
    pub fn without_intercept(self) -> Self {
        Self { intercept: false, ..self }
    }

    /// With another learning rate.
    pub fn with_rate(self, rate: T) -> Self {
        Self { rate, ..self }
    }

    /// With a new order of the rows in every epoch.
    pub fn shuffled(self, seed: u64) -> Self {
        Self { shuffle: Some(seed), ..self }
    }

    /// For at most so many epochs.
    pub fn with_epochs(self, epochs: u64) -> Self {
        Self { epochs, ..self }
    }

    /// With limits: updates, and time.
    pub fn with_budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// Trains on labels of any ordered type.
    ///
    /// ```
    /// use minrisk_core::{Labels, View};
    /// use minrisk_core::halfspace::MulticlassPerceptron;
    /// let x = [[0.0, 0.0], [5.0, 0.0], [0.0, 5.0], [1.0, 0.5], [5.0, 1.0], [1.0, 6.0]];
    /// let labels = Labels::new(&["low", "right", "up", "low", "right", "up"])?;
    /// let fit = MulticlassPerceptron::new().fit(View::from_arrays(&x), &labels)?;
    /// assert_eq!(fit.mistakes, 0);
    /// assert_eq!(fit.model.predict(View::from_arrays(&[[9.0, 1.0]]))?, ["right"]);
    /// # Ok::<(), minrisk_core::Error>(())
    /// ```
    pub fn fit<'a, L: Ord + Clone>(
        &self,
        design: impl Into<Design<'a, T>>,
        labels: &Labels<L>,
    ) -> Result<MulticlassFit<T, L>, Error> {
        if !(self.rate > T::zero() && self.rate.is_finite()) {
            return Err(Error::BadParameter {
                what: "the learning rate",
                value: self.rate.to_string(),
                expected: "positive and finite",
            });
        }
        let x = checked(design.into(), labels)?;
        let rows = ByRows::new(x)?;
        let classes = labels.classes().len();
        let mut scores = Scores::zero(classes, x.cols(), self.intercept)?;
        let (updates, epochs, ending) = self.train(rows.view(), labels.codes(), &mut scores);
        let wrong = |t: &usize| scores.rival(rows.view(), *t, labels.codes()[*t]).is_some();
        let mistakes = (0..x.rows()).filter(wrong).count();
        let model = MulticlassModel::new(scores.into_model()?, labels.classes().to_vec())?;
        Ok(MulticlassFit { model, ending, updates, epochs, mistakes })
    }

    fn train(&self, x: View<'_, T>, codes: &[usize], scores: &mut Scores<T>) -> (u64, u64, Ending) {
        let clock = self.budget.start();
        let mut random = self.shuffle.map(Random::new);
        let mut order: Vec<usize> = (0..x.rows()).collect();
        let (mut updates, mut epochs) = (0, 0);
        while epochs < self.epochs {
            if let Some(random) = &mut random {
                random.shuffle(&mut order);
            }
            epochs += 1;
            let before = updates;
            for &t in &order {
                if let Some(rival) = scores.rival(x, t, codes[t]) {
                    if clock.is_spent(updates) {
                        return (updates, epochs, Ending::BudgetSpent);
                    }
                    scores.add(x, t, codes[t], self.rate);
                    scores.add(x, t, rival, -self.rate);
                    updates += 1;
                }
            }
            if updates == before {
                return (updates, epochs, Ending::Clean);
            }
        }
        (updates, epochs, Ending::BudgetSpent)
    }
}

impl<T: Scalar> Default for MulticlassPerceptron<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl Separation {
    /// Whether argmax_y (w_y·x + b_y) can be right on every row, with a certificate either way.
    ///
    /// The certificate is that of the two-class routine on Kesler's rows: for each row and each other
    /// class in order, the vector with (x, 1) in the block of its own class and −(x, 1) in the block of
    /// the other, m·(k − 1) rows of k blocks.
    pub fn decide_multiclass_on<'a, T: Scalar, L: Ord + Clone>(
        &self,
        backend: &dyn Backend<T>,
        design: impl Into<Design<'a, T>>,
        labels: &Labels<L>,
    ) -> Result<Separability<T>, Error> {
        let x = checked(design.into(), labels)?;
        let rows = kesler(x, labels, self.intercept)?;
        let one = [T::one()];
        let data = Dataset::new(rows.view().transpose(), View::constant(&one, rows.cols()))?;
        Self { intercept: false, ..*self }.decide_on(backend, &data)
    }
}

/// Kesler's rows, as columns.
fn kesler<T: Scalar, L: Ord + Clone>(
    x: View<'_, T>,
    labels: &Labels<L>,
    intercept: bool,
) -> Result<Matrix<T>, Error> {
    let classes = labels.classes().len();
    let block = x.cols() + usize::from(intercept);
    let mut rows = Matrix::try_filled(classes * block, x.rows() * (classes - 1), T::zero())?;
    let mut next = 0;
    for (t, &own) in labels.codes().iter().enumerate() {
        for other in (0..classes).filter(|&other| other != own) {
            let column = rows.col_mut(next);
            for j in 0..block {
                let value = if j < x.cols() { x[(t, j)] } else { T::one() };
                column[own * block + j] = value;
                column[other * block + j] = -value;
            }
            next += 1;
        }
    }
    Ok(rows)
}

fn checked<'a, T: Scalar, L: Ord + Clone>(
    design: Design<'a, T>,
    labels: &Labels<L>,
) -> Result<View<'a, T>, Error> {
    labels.check_rows(design.rows())?;
    let zero = [T::zero()];
    let data = Dataset::new(design, View::constant(&zero, design.rows()))?;
    finite_design(&data)?;
    let Design::Dense(x) = design;
    Ok(x)
}

/// Weights and intercept of every class.
struct Scores<T> {
    weights: Matrix<T>,
    intercepts: Vec<T>,
    intercept: bool,
}

impl<T: Scalar> Scores<T> {
    fn zero(classes: usize, cols: usize, intercept: bool) -> Result<Self, Error> {
        let weights = Matrix::try_filled(cols, classes, T::zero())?;
        Ok(Self { weights, intercepts: vec![T::zero(); classes], intercept })
    }

    /// The first of the best other classes, if it is not beaten.
    fn rival(&self, x: View<'_, T>, t: usize, own: usize) -> Option<usize> {
        let row = x.row_slice(t).expect("rows are contiguous");
        let score = |y: usize| dot(row, self.weights.col(y)) + self.intercepts[y];
        let others = (0..self.intercepts.len()).filter(|&y| y != own).map(|y| (y, score(y)));
        let (rival, best) =
            others.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
        (score(own) <= best).then_some(rival)
    }

    fn add(&mut self, x: View<'_, T>, t: usize, class: usize, step: T) {
        let row = x.row_slice(t).expect("rows are contiguous");
        self.weights.col_mut(class).iter_mut().zip(row).for_each(|(w, &x)| *w += step * x);
        if self.intercept {
            self.intercepts[class] += step;
        }
    }

    fn into_model(self) -> Result<LinearModel<T>, Error> {
        let coefficients = self.weights.columns().map(<[T]>::to_vec).collect();
        LinearModel::new(coefficients, self.intercept.then_some(self.intercepts), None)
    }
}
