//! Conjugate gradients for Hs = b from products with H alone, preconditioned by its diagonal D.
//!
//! All happens among vectors whose unknowns have sum zero over the classes, a space that H maps into itself: with P the
//! projection on it, the preconditioner is PD⁻¹P, and the residual r = b − Hs is measured by √(rᵀPD⁻¹Pr). With a
//! start of zero every iterate is a direction of descent for ½sᵀHs − b·s, whenever one stops (Hestenes and Stiefel,
//! 1952; Nocedal and Wright, "Numerical Optimization", 7.1).

use super::newton::remove_sums;
use crate::Error;
use crate::convex::vectors::{add_multiple, dot};

/// Products at most; a step that is stopped there is still one of descent.
const MOST_PRODUCTS: usize = 2_000;

/// A symmetric positive definite system, known by its diagonal.
pub(super) struct ConjugateGradients<'a> {
    /// Positive.
    pub(super) diagonal: &'a [f64],
    /// Unknowns of a class.
    pub(super) unknowns: usize,
}

/// An approximate solution.
pub(super) struct Preconditioned {
    pub(super) solution: Vec<f64>,
    /// Products that were made.
    pub(super) products: usize,
}

impl ConjugateGradients<'_> {
    /// √(rᵀPD⁻¹Pr).
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

    /// PD⁻¹r, for r of sums zero.
    fn preconditioned(&self, r: &[f64]) -> Vec<f64> {
        let mut scaled: Vec<f64> = r.iter().zip(self.diagonal).map(|(r, d)| r / d).collect();
        remove_sums(&mut scaled, self.unknowns);
        scaled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two classes of two unknowns: H = [A −A; −A A], A = [2 ½; ½ 1].
    #[test]
    fn a_small_system_is_solved() -> Result<(), Error> {
        let system = ConjugateGradients { diagonal: &[2.0, 1.0, 2.0, 1.0], unknowns: 2 };
        let product = |v: &[f64]| {
            let (a, b) = (v[0] - v[2], v[1] - v[3]);
            let (p, q) = (2.0 * a + 0.5 * b, 0.5 * a + b);
            Ok(vec![p, q, -p, -q])
        };
        let Preconditioned { solution, products } =
            system.solve(&[7.0, 7.0, -7.0, -7.0], 1e-12, product)?;
        for (found, expected) in solution.iter().zip([1.0, 3.0, -1.0, -3.0]) {
            assert!((found - expected).abs() < 1e-13, "{solution:?}");
        }
        assert_eq!(products, 2);
        Ok(())
    }

    #[test]
    fn nothing_is_done_for_nothing() -> Result<(), Error> {
        let system = ConjugateGradients { diagonal: &[1.0, 1.0], unknowns: 1 };
        let solved = system.solve(&[0.0, 0.0], 0.1, |_| Ok(vec![f64::NAN; 2]))?;
        assert_eq!((solved.solution, solved.products), (vec![0.0, 0.0], 0));
        Ok(())
    }
}
