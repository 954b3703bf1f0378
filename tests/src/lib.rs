//! The conformance suite of minrisk: what every backend and every least-squares solver has to do.
//!
//! A backend in any repository runs all of it with two lines in a test file:
//!
//! ```
//! use minrisk_faer::Faer;
//! minrisk_conformance::suite!(Faer);
//! # fn main() {}
//! ```
//!
//! with its own type in place of `Faer`, which makes a `#[test]` of every [`Check`], in double and in single precision. A solver of one's own
//! is put to the same questions with [`solver_suite!`]. The checks are plain functions
//! ([`kernels`], [`solvers`], [`mod@core`]) and a list ([`checks`]), so they can be called one by one
//! and shown as a table. A check goes through all of its cases and reports how many fail, with figures.
//!
//! # How things are judged
//! - **Kernels** by one rule, LAPACK's: residual / (norm · n · ε) < 30, with the residual computed in
//!   double-double ([`measure`]); on every [layout](layouts::Layout), with NaN in all memory that is
//!   not theirs.
//! - **Solvers** by the [exact] solution, in rational numbers, of the floats that they were given: one of
//!   the two floats next to it is asked for. Their certificates may claim less than what holds, never
//!   more. The problems come from [certified] data sets and from [families] of designs whose condition
//!   is prescribed, up to 10¹³.
//!
//! Everything is reproducible from seeds ([`Random`]). That the suite finds mistakes is tested as well:
//! this crate's own tests hold backends and solvers with one fault each, and the check that rejects it.
//!
//! Without the feature `suite` there are only the modules that know the answers ([`certified`], [`exact`],
//! [`families`]), for benchmarks and tests of one's own.
//!
//! # What the modules are
//! | module | idea |
//! |---|---|
//! | [`exact`] | rational numbers from floats, exact least squares and ridge, correct digits |
//! | [`families`] | designs of prescribed condition, targets with small and large residuals |
//! | [`layouts`] | one matrix in every layout |
//! | [`measure`] | test ratios |
//! | [`certified`] | NIST's linear sets, and ridge on two data sets |
//! | [`kernels`] | a file for each kernel of the contract |
//! | [`solvers`] | a file for each thing that is asked of a solver |
//! | [`halfspace`] | perceptron, separability, fewest mistakes, on certified sets and by brute force |
//! | [`mod@core`] | what core builds on both |
//! | [`convex`] | every loss × penalty × solver, judged by certified data and by `verify` |
//! | [`curve`] | nonlinear least squares on NIST's sets, bells from automatic starts |
//! | [`selection`] | cross-validation, judged by refits |
//! | [`newton`] | roots, minima, quadratic convergence |
//! | [`polynomial`] | polynomial regression, judged by exact powers |

pub mod certified;
pub mod exact;
pub mod families;
mod random;

pub use random::Random;

#[cfg(feature = "suite")]
mod check;
#[cfg(feature = "suite")]
pub mod convex;
#[cfg(feature = "suite")]
pub mod core;
#[cfg(feature = "suite")]
pub mod curve;
#[cfg(feature = "suite")]
pub mod halfspace;
#[cfg(feature = "suite")]
pub mod kernels;
#[cfg(feature = "suite")]
pub mod layouts;
#[cfg(feature = "suite")]
pub mod measure;
#[cfg(feature = "suite")]
pub mod newton;
#[cfg(feature = "suite")]
pub mod polynomial;
#[cfg(feature = "suite")]
pub mod selection;
#[cfg(feature = "suite")]
pub mod solvers;
#[cfg(feature = "suite")]
#[cfg_attr(test, allow(dead_code, unreachable_pub, reason = "unit tests are of the tools alone"))]
mod suite;
#[cfg(feature = "suite")]
pub use check::{Check, Failure, Group, Outcome, SolverSubject, Subject, Tally, caught};
// Not for the unit tests: what is public is compiled, and the checks take minutes.
#[cfg(all(feature = "suite", not(test)))]
pub use suite::{check, checks};
