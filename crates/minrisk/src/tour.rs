//! A tour of what is beside regression: halfspaces, polynomials, curves, likelihood, model selection.
//!
//! # Halfspaces
//!
//! Can a halfspace be right on every row? [`Separation`](crate::halfspace::Separation) proves it either
//! way; where none is, [`MinDisOpt`](crate::halfspace::MinDisOpt) finds the fewest mistakes, with a proof
//! that [`verify`](mod@crate::verify) walks again.
//!
//! ```
//! use minrisk::prelude::*;
//! use minrisk::halfspace::{MinDisOpt, Perceptron, Separability, Separation};
//!
//! let x = [[1.0, 1.0], [2.0, -2.0], [-1.0, -1.5], [-2.0, -1.0], [-2.0, 1.0], [1.5, -0.5]];
//! let y = [1.0, -1.0, -1.0, -1.0, 1.0, 1.0];
//! let data = dataset(&x, &y)?;
//! let perceptron = Perceptron::new().fit(&data)?;
//! assert!(perceptron.margin > Some(0.0));
//! let outcome = Separation::new().decide_on(default_backend(), &data)?;
//! assert!(minrisk::verify::separability(&data, true, &outcome)?.holds);
//!
//! // One label turned round: no halfspace is right on all rows.
//! let y = [1.0, -1.0, 1.0, -1.0, 1.0, 1.0];
//! let data = dataset(&x, &y)?;
//! let outcome = Separation::new().decide_on(default_backend(), &data)?;
//! assert!(matches!(outcome, Separability::NotSeparable(_)));
//! let fit = MinDisOpt::new().fit_on(default_backend(), &data)?;
//! assert!(fit.optimal && fit.mistakes.rows.len() == 1);
//! assert!(minrisk::verify::zero_one(&data, &fit)?.holds);
//! # Ok::<(), Error>(())
//! ```
//!
//! Every search has a [`Budget`](crate::halfspace::Budget) of steps, time and memory, and a
//! [`Stop`](crate::halfspace::Stop) that another thread may use; when it is spent, what is known is
//! returned, with a lower bound that holds.
//!
//! ```
//! use std::time::Duration;
//! use minrisk::prelude::*;
//! use minrisk::halfspace::{Budget, MinDisOpt, Stop};
//!
//! let x: Vec<[f64; 2]> = (0..60).map(|i| [f64::from(i * i % 31), f64::from(i * 7 % 13)]).collect();
//! let y: Vec<f64> = (0..60).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
//! let stop = Stop::new();
//! let budget = Budget::steps(10_000).with_time(Duration::from_secs(1)).with_stop(&stop);
//! let fit = MinDisOpt::new().with_budget(budget).fit_on(default_backend(), &dataset(&x, &y)?)?;
//! assert!(fit.certificate.lower_bound <= fit.mistakes.weight);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Polynomials and model selection
//!
//! The degree that predicts best, and a lasso whose penalty five folds choose, all folds and penalties
//! from one pass over the data:
//!
//! ```
//! use minrisk::prelude::*;
//! use minrisk::polynomial::PolynomialRegression;
//! use minrisk::selection::{Folds, Grid, LassoCv, Score};
//!
//! let x: Vec<f64> = (0..60).map(|i| f64::from(i) / 30.0 - 1.0).collect();
//! let noise = |i: usize| 0.1 * ((i * i % 17) as f64 / 8.0 - 1.0);
//! let y: Vec<f64> = x.iter().enumerate().map(|(i, x)| 2.0 * x.powi(3) - x + noise(i)).collect();
//! let data = dataset(&x, &y)?;
//! let folds = Folds::shuffled(60, 5, 42)?;
//! let grid = Grid::search(&data, &folds, Score::RSquared, 1..=6, |&degree, train| {
//!     PolynomialRegression::new(degree).fit_on(default_backend(), train)
//! })?;
//! assert_eq!(*grid.simplest_candidate(), 3);
//! let curve = grid.curve("degree", |&degree| degree as f64);
//! assert_eq!(curve.lines[0].means.len(), 6);
//!
//! let columns: Vec<[f64; 4]> = x.iter().map(|&x| [x, x * x, x.powi(3), x.powi(4)]).collect();
//! let chosen = LassoCv::new().fit_on(default_backend(), &dataset(&columns, &y)?, &folds)?;
//! let weights = chosen.simplest.model.coefficients();
//! assert!(weights[2] > 0.0 && weights.len() == 4);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Curves
//!
//! Bells find their own starting point; other curves are a few lines of your own, generic over the number
//! type, from which exact derivatives follow: see [`Curve`](crate::curve::Curve).
//!
//! ```
//! use minrisk::prelude::*;
//! use minrisk::curve::{Bells, Curve};
//!
//! let bell = Bells::new(1);
//! let x: Vec<f64> = (0..41).map(|i| f64::from(i) / 10.0).collect();
//! let y: Vec<f64> = x.iter().map(|&x| bell.value(&[x], &[1.5, 2.2, 0.8])).collect();
//! let fit = bell.fit_on(default_backend(), &dataset(&x, &y)?)?;
//! assert!((fit.parameters[1] - 2.2).abs() < 1e-9);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Maximum likelihood and Newton's method
//!
//! ```
//! use minrisk::likelihood::Gaussian;
//! let most_likely = Gaussian::maximum_likelihood(&[9.0, 9.5, 11.0])?;
//! assert!((most_likely.mean() - 29.5 / 3.0).abs() < 1e-14);
//! assert!((most_likely.variance() - 13.0 / 18.0).abs() < 1e-14);
//! # Ok::<(), minrisk::Error>(())
//! ```
