//! Polynomials: monomials as features, regression in the monomial basis, and the maps that tame it.
//!
//! h(x) = Σ_m a_m x₁^e₁ ⋯ x_p^e_p over all monomials of total degree at most n; there are C(n + p, n)
//! of them, so they are counted before anything is allocated.
//!
//! Powers of doubles are no doubles: a Vandermonde matrix rounded to working precision has lost the
//! answer before a solver sees it (NIST's Filip keeps 7.6 digits of its coefficients). Here powers are
//! kept as sums of two words for the residuals of the refinement, so the coefficients are those of the
//! exact powers of the x that were given.

mod features;
mod model;
mod monomials;
mod regression;
mod rescale;

pub use features::PolynomialFeatures;
pub use model::PolynomialModel;
pub use monomials::Monomials;
pub use regression::{PolynomialFit, PolynomialRegression};
pub use rescale::{Rescale, Rescaling};
