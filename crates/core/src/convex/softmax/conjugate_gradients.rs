//! Conjugate gradients for Hs = b from products with H alone, preconditioned by its diagonal D.
//!
//! All happens in a subspace, with P the orthogonal projection on it: the system is PHPs = b, the preconditioner is
//! PD⁻¹P, and the residual r = b − PHPs is measured by √(rᵀPD⁻¹Pr). With a start of zero every iterate is a direction of
//! descent for ½sᵀHs − b·s, whenever one stops (Hestenes and Stiefel, 1952; Nocedal and Wright, "Numerical
//! Optimization", 7.1).

use crate::Error;
use crate::convex::vectors::{add_multiple, dot};

/// Products at most; a step that is stopped there is still one of descent.
const MOST_PRODUCTS: usize = 1_000;

/// A symmetric system, positive definite in a subspace, known by its diagonal.
pub(super) struct ConjugateGradients<'a> {
    /// Positive.
    pub(super) diagonal: &'a [f64],
    /// P.
    pub(super) project: &'a dyn Fn(&mut [f64]),
}

/// An approximate solution.
pub(super) struct Solution {
    pub(super) step: Vec<f64>,
    /// Products that were made.
    pub(super) products: usize,
}

impl ConjugateGradients<'_> {
    /// Solves until the residual is `tolerance` times the side, which is in the subspace.
    pub(super) fn solve(
        &self,
        side: &[f64],
        tolerance: f64,
        product: impl Fn(&[f64]) -> Result<Vec<f64>, Error>,
    ) -> Result<Solution, Error> {
        let mut step = vec![0.0; side.len()];
        let mut residual = side.to_vec();
        let mut direction = self.preconditioned(&residual);
        let mut square = dot(&residual, &direction);
        let goal = tolerance * tolerance * square;
        let mut products = 0;
        while square > goal && products < MOST_PRODUCTS {
            let mut image = product(&direction)?;
            (self.project)(&mut image);
            products += 1;
            let curvature = dot(&direction, &image);
            // Rounding may leave nothing of the curvature of a system that is close to singular.
            let length = square / curvature;
            if !(curvature > 0.0 && length.is_finite()) {
                break;
            }
            add_multiple(&mut step, length, &direction);
            add_multiple(&mut residual, -length, &image);
            let next = self.preconditioned(&residual);
            let before = std::mem::replace(&mut square, dot(&residual, &next));
            let share = square / before;
            direction.iter_mut().zip(&next).for_each(|(d, z)| *d = z + share * *d);
        }
        Ok(Solution { step, products })
    }

    /// PD⁻¹r, for r in the subspace.
    fn preconditioned(&self, r: &[f64]) -> Vec<f64> {
        let mut scaled: Vec<f64> = r.iter().zip(self.diagonal).map(|(r, d)| r / d).collect();
        (self.project)(&mut scaled);
        scaled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two classes of two unknowns, H = [A −A; −A A], A = [2 ½; ½ 1], among vectors of sum zero over the classes.
    #[test]
    fn a_small_system_is_solved() -> Result<(), Error> {
        let project = |v: &mut [f64]| {
            let (a, b) = ((v[0] - v[2]) / 2.0, (v[1] - v[3]) / 2.0);
            v.copy_from_slice(&[a, b, -a, -b]);
        };
        let system = ConjugateGradients { diagonal: &[2.0, 1.0, 2.0, 1.0], project: &project };
        let product = |v: &[f64]| {
            let (a, b) = (v[0] - v[2], v[1] - v[3]);
            let (p, q) = (2.0 * a + 0.5 * b, 0.5 * a + b);
            Ok(vec![p, q, -p, -q])
        };
        let Solution { step, products } = system.solve(&[7.0, 7.0, -7.0, -7.0], 1e-12, product)?;
        for (found, expected) in step.iter().zip([1.0, 3.0, -1.0, -3.0]) {
            assert!((found - expected).abs() < 1e-13, "{step:?}");
        }
        assert_eq!(products, 2);
        Ok(())
    }

    #[test]
    fn nothing_is_done_for_nothing() -> Result<(), Error> {
        let system = ConjugateGradients { diagonal: &[1.0, 1.0], project: &|_| {} };
        let solved = system.solve(&[0.0, 0.0], 0.1, |_| Ok(vec![f64::NAN; 2]))?;
        assert_eq!((solved.step, solved.products), (vec![0.0, 0.0], 0));
        Ok(())
    }
}
