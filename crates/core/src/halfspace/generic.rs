//! The generic linear predictor h(x) = argmax_y θ·φ(x, y), and its perceptron.
//!
//! φ is any joint feature map that a user supplies, with its own argmax: outputs may be sequences,
//! trees or rankings, far too many to list. A mistake is a row whose own output does not beat the best
//! other one ŷ, and θ ← θ + η(φ(x, y) − φ(x, ŷ)) (Collins 2002).

use super::Budget;
use super::perceptron::Ending;
use crate::Error;
use crate::random::Random;

/// A joint feature map φ(x, y) with its argmax.
///
/// ```
/// use minrisk_core::halfspace::{GenericPerceptron, JointFeatures};
///
/// /// Is a number a multiple of three? One feature per remainder and output.
/// struct Remainders;
///
/// impl JointFeatures for Remainders {
///     type Input = u32;
///     type Output = bool;
///     fn dimension(&self) -> usize { 6 }
///     fn features(&self, x: &u32, y: &bool, phi: &mut [f64]) {
///         phi[(x % 3) as usize + 3 * usize::from(*y)] = 1.0;
///     }
///     fn argmax(&self, theta: &[f64], x: &u32, except: Option<&bool>) -> Option<bool> {
///         let score = |y: bool| theta[(x % 3) as usize + 3 * usize::from(y)];
///         match except {
///             Some(y) => Some(!y),
///             None => Some(score(true) > score(false)),
///         }
///     }
/// }
///
/// let examples: Vec<(u32, bool)> = (0..20).map(|n| (n, n % 3 == 0)).collect();
/// let fit = GenericPerceptron::new().fit(&Remainders, &examples)?;
/// assert_eq!(Remainders.argmax(&fit.theta, &300, None), Some(true));
/// # Ok::<(), minrisk_core::Error>(())
/// ```
pub trait JointFeatures {
    /// What is predicted from.
    type Input;
    /// What is predicted.
    type Output;

    /// Number of features.
    fn dimension(&self) -> usize;

    /// Writes φ(x, y) into `phi`, which is all zeros on entry.
    fn features(&self, x: &Self::Input, y: &Self::Output, phi: &mut [f64]);

    /// The y that maximises θ·φ(x, y), or the best one other than `except`; `None` if there is none.
    fn argmax(
        &self,
        theta: &[f64],
        x: &Self::Input,
        except: Option<&Self::Output>,
    ) -> Option<Self::Output>;
}

/// The perceptron over a joint feature map, and its options.
#[derive(Clone, Debug, PartialEq)]
pub struct GenericPerceptron {
    /// The learning rate η > 0.
    pub rate: f64,
    /// A new random order of the rows in every epoch, from this seed; cyclic if `None`.
    pub shuffle: Option<u64>,
    /// The most epochs.
    pub epochs: u64,
    /// Limits: steps are updates.
    pub budget: Budget,
}

/// What the generic perceptron returns.
#[derive(Clone, Debug, PartialEq)]
pub struct GenericFit {
    /// θ.
    pub theta: Vec<f64>,
    /// Whether the last epoch was clean.
    pub ending: Ending,
    /// Number of updates.
    pub updates: u64,
    /// Epochs begun, the clean one included.
    pub epochs: u64,
}

impl GenericPerceptron {
    /// From zero with rate 1, for at most a million updates in 10,000 epochs.
    pub fn new() -> Self {
        Self { rate: 1.0, shuffle: None, epochs: 10_000, budget: Budget::steps(1_000_000) }
    }

    /// Trains on pairs (x, y).
    pub fn fit<F: JointFeatures>(
        &self,
        map: &F,
        examples: &[(F::Input, F::Output)],
    ) -> Result<GenericFit, Error> {
        if examples.is_empty() {
            return Err(Error::NoRows);
        }
        if !(self.rate > 0.0 && self.rate.is_finite()) {
            return Err(Error::BadParameter {
                what: "the learning rate",
                value: self.rate.to_string(),
                expected: "positive and finite",
            });
        }
        let mut step = Step::new(map)?;
        let clock = self.budget.start();
        let mut random = self.shuffle.map(Random::new);
        let mut order: Vec<usize> = (0..examples.len()).collect();
        let (mut updates, mut epochs, mut ending) = (0, 0, Ending::BudgetSpent);
        'epochs: while epochs < self.epochs {
            if let Some(random) = &mut random {
                random.shuffle(&mut order);
            }
            epochs += 1;
            let before = updates;
            for &t in &order {
                if clock.is_spent(updates) {
                    break 'epochs;
                }
                let (x, y) = &examples[t];
                updates += u64::from(step.visit(map, x, y, self.rate, t)?);
            }
            if updates == before {
                ending = Ending::Clean;
                break;
            }
        }
        Ok(GenericFit { theta: step.theta, ending, updates, epochs })
    }
}

impl Default for GenericPerceptron {
    fn default() -> Self {
        Self::new()
    }
}

/// θ and room for two feature vectors.
struct Step {
    theta: Vec<f64>,
    own: Vec<f64>,
    other: Vec<f64>,
}

impl Step {
    fn new<F: JointFeatures>(map: &F) -> Result<Self, Error> {
        let zeros = || {
            let dimension = map.dimension();
            let mut zeros = Vec::new();
            zeros.try_reserve_exact(dimension).map_err(|_| Error::TooLarge {
                what: "a joint feature vector",
                count: dimension as u128,
            })?;
            zeros.resize(dimension, 0.0);
            Ok::<_, Error>(zeros)
        };
        Ok(Self { theta: zeros()?, own: zeros()?, other: zeros()? })
    }

    /// Visits an example; whether it was a mistake.
    fn visit<F: JointFeatures>(
        &mut self,
        map: &F,
        x: &F::Input,
        y: &F::Output,
        rate: f64,
        row: usize,
    ) -> Result<bool, Error> {
        let Some(rival) = map.argmax(&self.theta, x, Some(y)) else {
            return Ok(false);
        };
        self.own.fill(0.0);
        self.other.fill(0.0);
        map.features(x, y, &mut self.own);
        map.features(x, &rival, &mut self.other);
        for phi in [&self.own, &self.other] {
            if let Some(column) = phi.iter().position(|v| !v.is_finite()) {
                let (value, column) = (phi[column].to_string(), column.to_string());
                return Err(Error::NotFinite { row, column, value });
            }
        }
        let score = |phi: &[f64]| phi.iter().zip(&self.theta).map(|(p, t)| p * t).sum::<f64>();
        if score(&self.own) > score(&self.other) {
            return Ok(false);
        }
        let features = self.own.iter().zip(&self.other);
        for (theta, (own, other)) in self.theta.iter_mut().zip(features) {
            *theta += rate * (own - other);
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Perceptron;
    use super::*;
    use crate::{Dataset, Matrix, View};
    use proptest::prelude::*;

    /// φ(x, y) = ½·y·(x, 1): the perceptron for two classes.
    struct Signed;

    impl JointFeatures for Signed {
        type Input = Vec<f64>;
        type Output = f64;

        fn dimension(&self) -> usize {
            3
        }

        fn features(&self, x: &Vec<f64>, y: &f64, phi: &mut [f64]) {
            phi.iter_mut().zip(x.iter().chain([&1.0])).for_each(|(phi, x)| *phi = 0.5 * y * x);
        }

        fn argmax(&self, theta: &[f64], x: &Vec<f64>, except: Option<&f64>) -> Option<f64> {
            let score: f64 = theta.iter().zip(x.iter().chain([&1.0])).map(|(t, x)| t * x).sum();
            Some(except.map_or(if score > 0.0 { 1.0 } else { -1.0 }, |y| -y))
        }
    }

    proptest! {
        #[test]
        fn with_two_outputs_it_is_the_perceptron(
            entries in prop::collection::vec(-3..4_i32, 2..24),
            signs in prop::collection::vec(prop::bool::ANY, 12), shuffle in prop::option::of(0..9_u64),
        ) {
            let m = entries.len() / 2;
            let x = Matrix::from_fn(m, 2, |i, j| f64::from(entries[2 * i + j]));
            let y: Vec<f64> = signs[..m].iter().map(|&s| if s { 1.0 } else { -1.0 }).collect();
            let examples: Vec<(Vec<f64>, f64)> =
                (0..m).map(|i| (vec![x[(i, 0)], x[(i, 1)]], y[i])).collect();
            let budget = Budget::steps(300);
            let generic =
                GenericPerceptron { shuffle, budget: budget.clone(), ..GenericPerceptron::new() };
            let found = generic.fit(&Signed, &examples).unwrap();
            let perceptron = Perceptron { shuffle, budget, ..Perceptron::new() };
            let data = Dataset::new(x.view(), View::column_vector(&y)).unwrap();
            let expected = perceptron.fit(&data).unwrap();
            prop_assert_eq!(found.updates, expected.updates);
            prop_assert_eq!(found.ending, expected.ending);
            let weights: Vec<f64> =
                expected.model.coefficients().iter().copied().chain(expected.model.intercept()).collect();
            prop_assert_eq!(found.theta, weights);
        }
    }

    /// The output that comes next: φ counts, of 5 outputs, the one that x points at.
    struct Pointing;

    impl JointFeatures for Pointing {
        type Input = usize;
        type Output = usize;

        fn dimension(&self) -> usize {
            25
        }

        fn features(&self, x: &usize, y: &usize, phi: &mut [f64]) {
            phi[5 * x + y] = if *x == 4 { f64::INFINITY } else { 1.0 };
        }

        fn argmax(&self, theta: &[f64], x: &usize, except: Option<&usize>) -> Option<usize> {
            let outputs = (0..5).filter(|y| Some(y) != except);
            outputs.max_by(|a, b| theta[5 * x + a].total_cmp(&theta[5 * x + b]))
        }
    }

    #[test]
    fn outputs_are_learned_and_bad_features_located() {
        let examples: Vec<(usize, usize)> = (0..4).map(|x| (x, (3 * x + 1) % 5)).collect();
        let fit = GenericPerceptron::new().fit(&Pointing, &examples).unwrap();
        assert_eq!(fit.ending, Ending::Clean);
        assert!(examples.iter().all(|(x, y)| Pointing.argmax(&fit.theta, x, None) == Some(*y)));
        let bad = GenericPerceptron::new().fit(&Pointing, &[(0, 1), (4, 1)]);
        assert!(matches!(bad, Err(Error::NotFinite { row: 1, .. })));
        assert_eq!(GenericPerceptron::new().fit(&Pointing, &[]), Err(Error::NoRows));
        let still = GenericPerceptron { rate: 0.0, ..GenericPerceptron::new() };
        assert!(matches!(still.fit(&Pointing, &examples), Err(Error::BadParameter { .. })));
    }
}
