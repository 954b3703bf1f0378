//! Cross-validation of least squares, ridge and lasso over a whole grid of penalties, in about one pass.
//!
//! Training moments of a fold are sums of the moments of the others, and one eigendecomposition of them
//! gives the solutions for every α:
//!
//! XᵀCX = VΛVᵀ,  w(α) = V(Λ + α)⁻¹Vᵀc
//!
//! so k folds and n penalties cost one pass, k eigenproblems and k·n products of size d². The lasso goes
//! down its path on the same moments, [`LassoCv`].

mod choice;
mod fold_moments;
mod held_out;
mod k_fold;
mod lasso;
mod leave_one_out;
mod outcome;
mod sparse_path;
mod spectrum;
mod support;
mod thin;

pub use k_fold::RidgeCrossValidation;
pub use lasso::{LassoCrossValidation, LassoCv, LassoCvFit};
pub use leave_one_out::LeaveOneOut;
