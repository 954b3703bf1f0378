//! Conjugate gradients for Hs = b from products with H alone, preconditioned by its diagonal D.
//!
//! The residual r = b − Hs is measured by √(rᵀD⁻¹r). With a start of zero every iterate is a direction of descent for
//! ½sᵀHs − b·s, whenever one stops (Hestenes and Stiefel, 1952; Nocedal and Wright, "Numerical Optimization", 7.1).

use crate::Error;
use crate::convex::vectors::{add_multiple, dot};

/// Products at most; a step that is stopped there is still one of descent.
const MOST_PRODUCTS: usize = 2_000;

/// A symmetric positive definite system, known by its diagonal.
pub(super) struct ConjugateGradients<'a> {
    /// Positive.
    pub(super) diagonal: &'a [f64],
}

/// An approximate solution.
pub(super) struct Preconditioned {
    pub(super) solution: Vec<f64>,
    /// Products that were made.
    pub(super) products: usize,
}

impl ConjugateGradients<'_> {
    /// √(rᵀD⁻¹r).
    pub(super) fn norm(&self, r: &[f64]) -> f64 {
        dot(r, &self.preconditioned(r)).sqrt()
    }

    /// Solves until the residual is `tolerance` times the side.
    pub(super) fn solve(
        &self,
        side: &[f64],
        tolerance: f64,
        product: impl Fn(&[f64]) -> Result<Vec<f64>, Error>,
    ) -> Result<Preconditioned, Error> {
        let mut solution = vec![0.0; side.len()];
        let mut residual = side.to_vec();
        let mut direction = self.preconditioned(&residual);
        let mut square = dot(&residual, &direction);
        let goal = tolerance * tolerance * square;
        let mut products = 0;
        while square > goal && products < MOST_PRODUCTS {
            let image = product(&direction)?;
            products += 1;
            let curvature = dot(&direction, &image);
            // Rounding may leave nothing of the curvature of a system that is close to singular.
            let length = square / curvature;
            if !(curvature > 0.0 && length.is_finite()) {
                break;
            }
            add_multiple(&mut solution, length, &direction);
            add_multiple(&mut residual, -length, &image);
            let next = self.preconditioned(&residual);
            let before = std::mem::replace(&mut square, dot(&residual, &next));
            let share = square / before;
            direction.iter_mut().zip(&next).for_each(|(d, z)| *d = z + share * *d);
        }
        Ok(Preconditioned { solution, products })
    }

    /// D⁻¹r.
    fn preconditioned(&self, r: &[f64]) -> Vec<f64> {
        r.iter().zip(self.diagonal).map(|(r, d)| r / d).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_system_is_solved() {
        let system = ConjugateGradients { diagonal: &[4.0, 3.0] };
        let product = |v: &[f64]| Ok(vec![4.0 * v[0] + v[1], v[0] + 3.0 * v[1]]);
        let Ok(solved) = system.solve(&[1.0, 2.0], 1e-12, product) else { panic!("no solution") };
        let Preconditioned { solution, products } = solved;
        assert!((solution[0] - 1.0 / 11.0).abs() < 1e-14);
        assert!((solution[1] - 7.0 / 11.0).abs() < 1e-14);
        assert_eq!(products, 2);
    }

    #[test]
    fn nothing_is_done_for_nothing() {
        let system = ConjugateGradients { diagonal: &[1.0] };
        let Ok(solved) = system.solve(&[0.0], 0.1, |_| Ok(vec![f64::NAN])) else { panic!() };
        assert_eq!((solved.solution, solved.products), (vec![0.0], 0));
    }
}
