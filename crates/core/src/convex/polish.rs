//! The last digits: Newton steps with gradients in double-double.
//!
//! Near the minimiser θ ← θ − H⁻¹g(θ) converges at once, and its accuracy is that of g: so θ is kept in
//! double-double, g = Σ c ℓ′(z)x + 2λ₂w + λ₁·sign(w) is summed in double-double, and H, which only steers,
//! stays as it is. Weights at a corner stay zero; the others keep their signs. Where columns of the support depend on
//! each other, those that depend keep their weights: the others reach every prediction that all of them do.

use super::factor::Factor;
use super::newton::NewtonState;
use super::passes::WidePass;
use super::pivoted::PivotedFactor;
use super::vectors::dot;
use crate::loss::TwiceSmooth;
use crate::wide::Dd;
use crate::{Error, Rows, Scalar};

/// Steps at most; two or three do as a rule.
const MAX_STEPS: usize = 12;

/// What polishing did.
pub(super) struct Polished {
    /// Passes over the data.
    pub(super) passes: usize,
    /// ½gᵀH⁻¹g at the end, where the whole support was free to move.
    pub(super) decrement: Option<f64>,
}

impl<T: Scalar, L: TwiceSmooth> NewtonState<'_, T, L> {
    /// Polishes θ on its support; leaves it alone where there is no factor of its Hessian.
    pub(super) fn polish(&mut self) -> Result<Option<Polished>, Error> {
        let problem = self.problem;
        let features = problem.features();
        let free =
            |j: &usize| *j == features || self.theta[*j] != 0.0 || problem.terms.l1[*j] == 0.0;
        let support: Vec<usize> = (0..problem.unknowns()).filter(free).collect();
        let Some(Movable { support, factor, is_whole }) = self.movable(support) else {
            return Ok(None);
        };
        let mut theta: Vec<Dd> = self.theta.iter().map(|&v| Dd::from(v)).collect();
        let mut last = f64::INFINITY;
        let mut polished = Polished { passes: 0, decrement: is_whole.then_some(f64::INFINITY) };
        while polished.passes < MAX_STEPS {
            let gradient = self.wide_gradient(&theta)?;
            let inner = self.coordinates.wide_gradient(&gradient);
            let side: Vec<f64> = support.iter().map(|&j| -inner[j].to_f64()).collect();
            let step_on_support = factor.solve(&side);
            let mut step = vec![0.0; theta.len()];
            for (&j, &value) in support.iter().zip(&step_on_support) {
                step[j] = value;
            }
            let decrement = dot(&side, &step_on_support);
            let step = self.coordinates.step(&step);
            let moved = |(theta, step): (&Dd, &f64)| (theta.to_f64().abs(), step.abs());
            let size = theta.iter().zip(&step).map(moved).filter(|(size, _)| *size > 0.0);
            let size = size.map(|(size, step)| step / size).fold(0.0, f64::max);
            polished.passes += 1;
            // Not contracting: what is left is rounding, or this is not near a minimiser.
            let contracts = size < 0.5 * last;
            if !contracts {
                break;
            }
            let next: Vec<Dd> = theta.iter().zip(&step).map(|(&v, &s)| v + Dd::from(s)).collect();
            if (0..features).any(|j| problem.terms.l1[j] > 0.0 && flips(theta[j], next[j])) {
                break;
            }
            theta = next;
            polished.decrement = is_whole.then_some(0.5 * decrement.abs());
            last = size;
            if size <= f64::EPSILON / 8.0 {
                break;
            }
        }
        self.theta = theta.into_iter().map(Dd::to_f64).collect();
        Ok(Some(polished))
    }

    /// What of a support can be solved for; `None` where its Hessian has no factor.
    fn movable(&self, support: Vec<usize>) -> Option<Movable<'_>> {
        let terms = self.coordinates.terms(&self.problem.terms);
        let ridge = |j: usize| 2.0 * terms.l2[j];
        let factor = |support: &[usize]| {
            Factor::of_support(self.problem.backend, &self.hessian, support, ridge)
        };
        let curvature = |j: usize| self.hessian[(j, j)] + ridge(j);
        let rounding = 8.0 * support.len() as f64 * f64::EPSILON;
        let whole = factor(&support);
        let whole = whole
            .filter(|factor| factor.least_share(support.iter().map(|&j| curvature(j))) > rounding);
        if let Some(factor) = whole {
            return Some(Movable { support, factor, is_whole: true });
        }
        let unit = |a: usize, b: usize| match (support[a], support[b]) {
            (i, j) if i == j => 1.0,
            (i, j) => self.hessian[(i, j)] / (curvature(i) * curvature(j)).sqrt(),
        };
        let usable = |a: usize| curvature(support[a]) > 0.0;
        let kept = PivotedFactor::of(support.len(), usable, unit, rounding).kept;
        let mut support: Vec<usize> = kept.into_iter().map(|a| support[a]).collect();
        support.sort_unstable();
        let factor = factor(&support)?;
        Some(Movable { support, factor, is_whole: false })
    }

    /// The gradient of F, with λ₁·sign(w) for weights that are not zero.
    fn wide_gradient(&self, theta: &[Dd]) -> Result<Vec<Dd>, Error> {
        let problem = self.problem;
        let (weights, intercept) = problem.split(theta);
        let pass = WidePass { loss: problem.loss, weights, intercept };
        let sums = Rows::Memory(problem.data).reduce(&pass)?;
        let mut gradient = sums.gradient;
        for (j, &w) in weights.iter().enumerate() {
            gradient[j] += w * Dd::from(2.0 * problem.terms.l2[j]);
            if w.to_f64() != 0.0 {
                gradient[j] += Dd::from(problem.terms.l1[j].copysign(w.to_f64()));
            }
        }
        gradient.extend(problem.intercept.then_some(sums.total));
        Ok(gradient)
    }
}

/// Columns of a support that do not depend on each other, and their Hessian.
struct Movable<'a> {
    support: Vec<usize>,
    factor: Factor<'a>,
    /// Whether that is all of the support.
    is_whole: bool,
}

fn flips(from: Dd, to: Dd) -> bool {
    from.to_f64() * to.to_f64() <= 0.0 && from.to_f64() != 0.0
}
