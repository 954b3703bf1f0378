//! The guide: from "I have a CSV" to "I wrote my own loss" and "I wrote my own backend".
//!
//! | chapter | when |
//! |---|---|
//! | [`program`] | you have a CSV file and a terminal |
//! | [`first_fit`] | you have numbers in a Rust program |
//! | [`the_problem`] | you want to know what is minimised, and by whom |
//! | [`classes`] | you predict labels: logistic, softmax, support vectors, halfspaces |
//! | [`certificates`] | you want to know what is proven, and check it |
//! | [`choosing`] | you have to choose a penalty, a degree, a curve |
//! | [`large_data`] | your data is larger than memory |
//! | [`own_loss`] | your loss is not there |
//! | [`own_backend`] | your linear algebra is not there |
//!
//! Every piece of Rust in it is compiled and run by the tests.

#[doc = include_str!("program.md")]
pub mod program {}

#[doc = include_str!("first_fit.md")]
pub mod first_fit {}

#[doc = include_str!("the_problem.md")]
pub mod the_problem {}

#[doc = include_str!("classes.md")]
pub mod classes {}

#[doc = include_str!("certificates.md")]
pub mod certificates {}

#[doc = include_str!("choosing.md")]
pub mod choosing {}

#[doc = include_str!("large_data.md")]
pub mod large_data {}

#[doc = include_str!("own_loss.md")]
pub mod own_loss {}

#[doc = include_str!("own_backend.md")]
pub mod own_backend {}
