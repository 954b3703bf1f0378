//! The check that logistic regression has a minimiser at all, where weights pay no penalty.
//!
//! It has one iff some α > 0 has Σ α_t a_t = 0, a_t = y_t (x_t, 1) in the free columns. With r = Σ α_t a_t of the α_t that
//! the model gives, c_t y_t ℓ′ without its sign, and Newton's step δ from it, α_t − c_t ℓ″_t a_t·δ is such an α where no
//! |a_t·δ| reaches 1. δ comes from the triangle R of √(c ℓ″)·(x, 1) by Givens rotations.
//!
//! Columns that are combinations of others to twelve digits are left out; that they are so exactly is not checked.
//! Where every weight pays, only intercepts can run off, and do where a class has no rows.

use super::Finding;
use super::sums::Sum;
use super::triangle::{eliminate, independent, solve_transposed};
use crate::loss::{AnyLoss, Loss};
use crate::penalty::Terms;
use crate::{Dataset, LinearModel, Scalar, View};

/// Checks that there is a minimiser near the model, whose predictions are z.
pub(super) fn exists<T: Scalar>(
    data: &Dataset<'_, T>,
    model: &LinearModel<T>,
    terms: &Terms,
    z: &[f64],
) -> Finding {
    let crate::Design::Dense(x) = data.design();
    let level = model.intercept().is_some();
    let free = (0..x.cols()).filter(|&j| terms.l1[j] == 0.0 && terms.l2[j] == 0.0);
    let columns: Vec<Option<usize>> = free.map(Some).chain(level.then_some(None)).collect();
    let counted: Vec<usize> = (0..x.rows()).filter(|&t| data.weight_of(t) > 0.0).collect();
    if !columns.iter().any(Option::is_some) {
        let class = |&t: &usize| usize::from(data.target_view()[(t, 0)].to_double() < 0.0);
        return without_free_weights(level, 2, counted.iter().map(class));
    }
    let look = Look { data, x, z, counted };
    let mut triangle = look.triangle(&columns);
    let kept = columns.iter().zip(independent(&triangle)).filter(|(_, kept)| *kept);
    let kept: Vec<Option<usize>> = kept.map(|(column, _)| *column).collect();
    if kept.len() < columns.len() {
        triangle = look.triangle(&kept);
    }
    let step = look.step(&kept, &triangle);
    let moved = |t: &usize| (0..kept.len()).map(|k| look.entry(*t, kept[k]) * step[k]).sum::<f64>();
    let farthest = look.counted.iter().map(|t| moved(t).abs());
    // Not a number is no proof either.
    let farthest = farthest.fold(0.0, |max: f64, v| if v > max || v.is_nan() { v } else { max });
    let positive = look.counted.iter().all(|&t| look.derivatives(t).0 != 0.0);
    Finding {
        holds: positive && farthest < 1.0,
        text: format!("there is a minimiser: a step to it moves predictions by {farthest:.1e}"),
    }
}

/// The finding where every weight pays, for the classes of the rows that count.
pub(super) fn without_free_weights(
    intercepts: bool,
    classes: usize,
    of_rows: impl Iterator<Item = usize>,
) -> Finding {
    let mut present = vec![false; classes];
    of_rows.for_each(|class| present[class] = true);
    Finding {
        holds: !intercepts || present.iter().all(|present| *present),
        text: "there is a minimiser: every weight pays, every class has rows or no intercept"
            .into(),
    }
}

struct Look<'a, T> {
    data: &'a Dataset<'a, T>,
    x: View<'a, T>,
    z: &'a [f64],
    counted: Vec<usize>,
}

impl<T: Scalar> Look<'_, T> {
    /// The value of a column, or the 1 of the intercept.
    fn entry(&self, t: usize, column: Option<usize>) -> f64 {
        column.map_or(1.0, |j| self.x[(t, j)].to_double())
    }

    /// c ℓ′ and c ℓ″ of a row.
    fn derivatives(&self, t: usize) -> (f64, f64) {
        let (c, y) = (self.data.weight_of(t), self.data.target_view()[(t, 0)].to_double());
        let curvature = AnyLoss::Logistic.curvature(self.z[t], y).unwrap_or(0.0);
        (c * AnyLoss::Logistic.derivative(self.z[t], y), c * curvature)
    }

    fn triangle(&self, columns: &[Option<usize>]) -> Vec<Vec<f64>> {
        let mut triangle = vec![vec![0.0; columns.len()]; columns.len()];
        for &t in &self.counted {
            let root = self.derivatives(t).1.sqrt();
            let mut row: Vec<f64> = columns.iter().map(|&j| root * self.entry(t, j)).collect();
            eliminate(&mut triangle, &mut row);
        }
        triangle
    }

    /// −R⁻¹R⁻ᵀg.
    fn step(&self, columns: &[Option<usize>], triangle: &[Vec<f64>]) -> Vec<f64> {
        let slopes: Vec<f64> = self.counted.iter().map(|&t| self.derivatives(t).0).collect();
        let gradient = columns.iter().map(|&j| {
            let mut sum = Sum::default();
            for (&t, slope) in self.counted.iter().zip(&slopes) {
                sum.add_product(-slope, self.entry(t, j));
            }
            sum.value()
        });
        let mut step: Vec<f64> = gradient.collect();
        solve_transposed(triangle, &mut step);
        for k in (0..step.len()).rev() {
            let above: f64 = (k + 1..step.len()).map(|j| triangle[k][j] * step[j]).sum();
            step[k] = (step[k] - above) / triangle[k][k];
        }
        step
    }
}
