//! How far coefficients are from the minimiser: w − w* = A⁻¹·g, from the data and the coefficients alone.

use super::Finding;
use super::sums::Sum;
use super::triangle::{eliminate, solve_transposed};
use crate::{Dataset, LeastSquaresCertificate, LinearModel, Matrix, RidgePenalty, Scalar, View};

/// The data as the checker sees it: columns scaled to unit length, weights, the kept columns.
pub(super) struct Problem<'a, T> {
    data: &'a Dataset<'a, T>,
    x: View<'a, T>,
    /// What rounding left out of x; the triangle can do without it.
    low: Option<&'a Matrix<f64>>,
    intercept: bool,
    kept: Vec<usize>,
    penalty: RidgePenalty,
    /// Powers of two near the length of every column.
    scales: Vec<f64>,
    target_scales: Vec<f64>,
    means: Vec<f64>,
    /// Upper triangle by rows: the intercept first, then the kept columns, centred and scaled.
    triangle: Vec<Vec<f64>>,
}

impl<'a, T: Scalar> Problem<'a, T> {
    pub(super) fn new(
        data: &'a Dataset<'a, T>,
        x: View<'a, T>,
        low: Option<&'a Matrix<f64>>,
        intercept: bool,
        kept: Vec<usize>,
        penalty: RidgePenalty,
    ) -> Self {
        let scale = |v: View<'_, T>, j: usize| {
            let largest = v.col_iter(j).map(|v| v.to_double().abs()).fold(0.0, f64::max);
            if largest > 0.0 {
                f64::power_of_two(largest.exponent().clamp(-1000, 1000))
            } else {
                1.0
            }
        };
        let y = data.target_view();
        let mut problem = Self {
            data,
            x,
            low,
            intercept,
            penalty,
            scales: (0..x.cols()).map(|j| scale(x, j)).collect(),
            target_scales: (0..y.cols()).map(|k| scale(y, k)).collect(),
            means: vec![0.0; x.cols()],
            triangle: Vec::new(),
            kept,
        };
        if intercept {
            let total: f64 = (0..x.rows()).map(|t| problem.weight(t)).sum();
            for j in 0..x.cols() {
                let mut sum = Sum::default();
                for t in 0..x.rows() {
                    sum.add_product(problem.weight(t), problem.entry(t, j));
                }
                problem.means[j] = sum.value() / total;
            }
        }
        problem.triangle = problem.rotate();
        problem
    }

    fn weight(&self, t: usize) -> f64 {
        self.data.weight_of(t)
    }

    fn entry(&self, t: usize, j: usize) -> f64 {
        self.x[(t, j)].to_double() / self.scales[j]
    }

    /// The low word of an entry; zero where there are none.
    fn low_entry(&self, t: usize, j: usize) -> f64 {
        self.low.map_or(0.0, |low| low[(t, j)] / self.scales[j])
    }

    fn unknowns(&self) -> usize {
        self.kept.len() + usize::from(self.intercept)
    }

    /// R by Givens rotations, a row at a time.
    fn rotate(&self) -> Vec<Vec<f64>> {
        let size = self.unknowns();
        let offset = usize::from(self.intercept);
        let mut triangle = vec![vec![0.0; size]; size];
        let mut row = vec![0.0; size];
        for t in 0..self.x.rows() {
            let root = self.weight(t).sqrt();
            if root == 0.0 {
                continue;
            }
            row[..offset].fill(root);
            for (k, &j) in self.kept.iter().enumerate() {
                row[k + offset] = root * (self.entry(t, j) - self.means[j]);
            }
            eliminate(&mut triangle, &mut row);
        }
        if self.penalty.is_positive() {
            let alpha = self.penalty.value * self.penalty.scale;
            for (k, &j) in self.kept.iter().enumerate() {
                row.fill(0.0);
                row[k + offset] = alpha.sqrt() / self.scales[j];
                eliminate(&mut triangle, &mut row);
            }
        }
        triangle
    }

    /// How far the coefficients of a target are from the minimiser, against what is claimed.
    pub(super) fn distance(
        &self,
        model: &LinearModel<T>,
        certificate: &LeastSquaresCertificate,
        target: usize,
    ) -> (Finding, f64) {
        let wide = self.data.rows() < self.unknowns() && !self.penalty.is_positive();
        if wide {
            return self.interpolates(model, certificate, target);
        }
        let Some(error) = self.error(model, target) else {
            let text = format!(
                "target {target}: the kept columns are not independent in double precision"
            );
            return (Finding { holds: false, text }, 0.0);
        };
        let offset = usize::from(self.intercept);
        let unit = self.target_scales[target];
        let mut digits = f64::INFINITY;
        let mut excess: f64 = 0.0;
        let reserve = 1.0 + 1e-6;
        let resolution = self.resolution(model, target);
        let mut compare = |found: f64, bound: f64, value: f64, unseen: f64| {
            if found > reserve * bound + unseen {
                excess = excess.max(found / bound);
            }
            if value != 0.0 {
                digits = digits.min(-(found / value.abs()).log10());
            }
        };
        for (k, &j) in self.kept.iter().enumerate() {
            let found = error[k + offset].abs() * unit / self.scales[j];
            // With relations the kept columns carry γ = w + C·w_dependent, not w itself.
            let bound = self.kept_bound(certificate, target, j);
            let unseen = resolution[k + offset] * unit / self.scales[j];
            compare(found, bound, model.coefficients_of(target)[j].to_double(), unseen);
        }
        if let Some(intercept) = model.intercept_of(target) {
            let shifted: f64 =
                self.kept.iter().enumerate().map(|(k, &j)| error[k + 1] * self.means[j]).sum();
            let found = (error[0] - shifted).abs() * unit;
            let bound = self.intercept_bound(certificate, target);
            let carried: f64 = self
                .kept
                .iter()
                .enumerate()
                .map(|(k, &j)| resolution[k + 1] * self.means[j].abs())
                .sum();
            compare(found, bound, intercept.to_double(), (resolution[0] + carried) * unit);
        }
        let text = if excess > 0.0 {
            format!(
                "target {target}: a coefficient is {excess:.1e} times its bound away from the minimiser"
            )
        } else {
            format!(
                "target {target}: every coefficient is within its bound; {digits:.1} digits in the worst"
            )
        };
        (Finding { holds: excess == 0.0, text }, digits)
    }

    /// What this check cannot see: how far the rounding of its own sums, some 2^−100 of their terms,
    /// can move each unknown. |A⁻¹| ≤ s·sᵀ with s the row norms of R⁻¹.
    fn resolution(&self, model: &LinearModel<T>, target: usize) -> Vec<f64> {
        let offset = usize::from(self.intercept);
        let rows = (self.data.rows() as f64).sqrt();
        let unit = self.target_scales[target];
        let weights = model.coefficients_of(target);
        // Scaled columns and targets have entries of at most 1.
        let terms = 1.0
            + model.intercept_of(target).map_or(0.0, |b| b.to_double().abs() / unit)
            + (0..weights.len())
                .map(|j| weights[j].to_double().abs() / unit * self.scales[j])
                .sum::<f64>();
        let norms = self.inverse_row_norms();
        let total: f64 = norms.iter().sum::<f64>() * rows * rows * terms;
        let largest = (0..self.data.rows()).map(|t| self.weight(t)).fold(0.0, f64::max);
        (0..offset + self.kept.len())
            .map(|k| f64::power_of_two(-100) * largest * norms[k] * total)
            .collect()
    }

    /// ‖e_kᵀR⁻¹‖ by back substitution, a row of the inverse at a time.
    fn inverse_row_norms(&self) -> Vec<f64> {
        let r = &self.triangle;
        let size = r.len();
        let mut norms = vec![0.0; size];
        for column in 0..size {
            let mut solution = vec![0.0; column + 1];
            for k in (0..=column).rev() {
                let rest: f64 = (k + 1..=column).map(|j| r[k][j] * solution[j]).sum();
                let right = if k == column { 1.0 } else { 0.0 };
                solution[k] = (right - rest) / r[k][k];
                norms[k] += solution[k] * solution[k];
            }
        }
        norms.into_iter().map(f64::sqrt).collect()
    }

    /// The bound for γ_j = w_j + Σ_d C_jd·w_d that the claimed bounds imply.
    fn kept_bound(&self, certificate: &LeastSquaresCertificate, target: usize, j: usize) -> f64 {
        let bounds = &certificate.coefficient_bounds[target];
        certificate.relations.iter().fold(bounds[j], |sum, relation| {
            let factor = relation.terms.iter().find(|(i, _, _)| *i == j).map_or(0.0, |t| t.2);
            sum + factor.abs() * bounds[relation.column]
        })
    }

    fn intercept_bound(&self, certificate: &LeastSquaresCertificate, target: usize) -> f64 {
        let bounds = &certificate.coefficient_bounds[target];
        certificate.relations.iter().fold(certificate.intercept_bounds[target], |sum, relation| {
            sum + relation.constant.abs() * bounds[relation.column]
        })
    }

    /// The minimiser minus the coefficients, in scaled and centred coordinates: the step that the
    /// gradient asks for, corrected by the gradient that is left after it.
    fn error(&self, model: &LinearModel<T>, target: usize) -> Option<Vec<f64>> {
        let mut total = vec![0.0; self.unknowns()];
        for _ in 0..3 {
            let step = self.solve(self.gradient(model, target, &total))?;
            total.iter_mut().zip(step).for_each(|(sum, step)| *sum += step);
        }
        Some(total)
    }

    /// −½∂F at the coefficients plus a step, in scaled and centred coordinates: XᵀC(y − Xw − b) − αw
    /// for the kept columns.
    fn gradient(&self, model: &LinearModel<T>, target: usize, step: &[f64]) -> Vec<f64> {
        let offset = usize::from(self.intercept);
        let unit = self.target_scales[target];
        let mut sums = vec![Sum::default(); self.unknowns()];
        for t in 0..self.x.rows() {
            let weight = self.weight(t);
            if weight == 0.0 {
                continue;
            }
            let mut residual = self.residual(model, target, t);
            if self.intercept {
                residual.add_product(-1.0, step[0]);
            }
            for (k, &j) in self.kept.iter().enumerate() {
                residual.add_product(-step[k + offset], self.entry(t, j));
                residual.add_product(-step[k + offset], self.low_entry(t, j));
                residual.add_product(step[k + offset], self.means[j]);
            }
            let mut weighted = Sum::default();
            weighted.add_scaled(weight, &residual);
            if self.intercept {
                sums[0].add_scaled(1.0, &weighted);
            }
            for (k, &j) in self.kept.iter().enumerate() {
                sums[k + offset].add_scaled(self.entry(t, j), &weighted);
                sums[k + offset].add_scaled(self.low_entry(t, j), &weighted);
            }
        }
        if self.penalty.is_positive() {
            for (k, &j) in self.kept.iter().enumerate() {
                // In scaled coordinates the penalty is (α/scale²)·w′, w′ = w·scale/unit.
                let square = self.scales[j] * self.scales[j];
                let w = model.coefficients_of(target)[j].to_double() / unit * self.scales[j];
                let mut alpha = Sum::default();
                alpha.add_product(self.penalty.value / square, self.penalty.scale);
                alpha.add_product(self.penalty.value / square, self.penalty.scale_rest);
                sums[k + offset].add_scaled(-w, &alpha);
                sums[k + offset].add_scaled(-step[k + offset], &alpha);
            }
        }
        if self.intercept {
            let total = sums[0];
            for (k, &j) in self.kept.iter().enumerate() {
                sums[k + 1].add_scaled(-self.means[j], &total);
            }
        }
        sums.iter().map(Sum::value).collect()
    }

    /// (y_t − w·x_t − b) in units of the target's scale.
    fn residual(&self, model: &LinearModel<T>, target: usize, t: usize) -> Sum {
        let unit = self.target_scales[target];
        let mut residual = Sum::default();
        residual.add_product(1.0, self.data.target_view()[(t, target)].to_double() / unit);
        for (j, w) in model.coefficients_of(target).iter().enumerate() {
            // Powers of two on both sides: the product is exact before it is added.
            let scaled = (w.to_double() / unit) * self.scales[j];
            residual.add_product(-self.entry(t, j), scaled);
            residual.add_product(-self.low_entry(t, j), scaled);
        }
        if let Some(intercept) = model.intercept_of(target) {
            residual.add_product(-1.0, intercept.to_double() / unit);
        }
        residual
    }

    /// RᵀR δ = g.
    fn solve(&self, mut g: Vec<f64>) -> Option<Vec<f64>> {
        let r = &self.triangle;
        solve_transposed(r, &mut g);
        for k in (0..g.len()).rev() {
            let rest: f64 = (k + 1..g.len()).map(|j| r[k][j] * g[j]).sum();
            g[k] = (g[k] - rest) / r[k][k];
        }
        g.iter().all(|v| v.is_finite()).then_some(g)
    }

    /// Fewer rows than unknowns: the residual must vanish to within the claimed bounds.
    fn interpolates(
        &self,
        model: &LinearModel<T>,
        certificate: &LeastSquaresCertificate,
        target: usize,
    ) -> (Finding, f64) {
        let unit = self.target_scales[target];
        let bounds = &certificate.coefficient_bounds[target];
        let mut worst: f64 = 0.0;
        for t in (0..self.x.rows()).filter(|&t| self.weight(t) > 0.0) {
            let found = self.residual(model, target, t).value().abs() * unit;
            let allowed = certificate.intercept_bounds.get(target).copied().unwrap_or(0.0)
                + (0..bounds.len())
                    .map(|j| bounds[j] * self.x[(t, j)].to_double().abs())
                    .sum::<f64>();
            if found > 1.001 * allowed {
                worst = worst.max(found / allowed);
            }
        }
        let digits = certificate.digits[target].iter().copied().fold(f64::INFINITY, f64::min);
        let text = if worst > 0.0 {
            format!("target {target}: a residual is {worst:.1e} times what the bounds allow")
        } else {
            format!("target {target}: every row is interpolated to within the bounds")
        };
        (Finding { holds: worst == 0.0, text }, digits)
    }
}
