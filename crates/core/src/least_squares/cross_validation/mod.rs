//! Cross-validation of least squares and ridge over a whole grid of penalties, in about one pass.
//!
//! Training moments of a fold are sums of the moments of the others, and one eigendecomposition of them
//! gives the solutions for every α:
//!
//! XᵀCX = VΛVᵀ,  w(α) = V(Λ + α)⁻¹Vᵀc
//!
//! so k folds and n penalties cost one pass, k eigenproblems and k·n products of size d².

mod fold_moments;
mod k_fold;
mod leave_one_out;
mod spectrum;

pub use k_fold::RidgeCrossValidation;
pub use leave_one_out::LeaveOneOut;
