//! The problem: empirical risk minimisation, F(w, b) = risk(w, b) + penalty(w).

/// A loss, a penalty and whether there is an intercept.
///
/// ```
/// use minrisk_core::{Erm, loss::Squared, penalty::L2};
/// let ridge = Erm::new(Squared, L2::total(0.5));
/// let through_origin = Erm::new(Squared, L2::total(0.5)).without_intercept();
/// assert!(ridge.intercept && !through_origin.intercept);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Erm<L, P> {
    /// What a wrong prediction costs.
    pub loss: L,
    /// What large weights cost, and the scale of the objective.
    pub penalty: P,
    /// Whether an intercept, never penalised, is fitted.
    pub intercept: bool,
}

impl<L, P> Erm<L, P> {
    /// A problem with an intercept.
    pub fn new(loss: L, penalty: P) -> Self {
        Self { loss, penalty, intercept: true }
    }

    /// The same problem through the origin.
    pub fn without_intercept(self) -> Self {
        Self { intercept: false, ..self }
    }
}
