//! S = LLᵀ of a positive semidefinite matrix with a unit diagonal, the largest pivot first.
//!
//! Rows that have no pivot above a threshold are combinations of the others, as far as doubles tell; they are left
//! out.

/// The Cholesky factor of the rows and columns that have a pivot.
pub(super) struct PivotedFactor {
    /// The rows, in the order of their pivots.
    pub(super) kept: Vec<usize>,
    /// The columns of L, in the order of the matrix; column k starts with its pivot at `kept[k]`.
    columns: Vec<Vec<f64>>,
}

impl PivotedFactor {
    /// Of a matrix given by its entries; rows that are not usable are left out.
    pub(super) fn of(
        size: usize,
        usable: impl Fn(usize) -> bool,
        entry: impl Fn(usize, usize) -> f64,
        threshold: f64,
    ) -> Self {
        let mut rest: Vec<f64> = (0..size).map(|j| f64::from(u8::from(usable(j)))).collect();
        let mut factor = Self { kept: Vec::new(), columns: Vec::new() };
        while let Some(pivot) = (0..size).max_by(|&i, &j| rest[i].total_cmp(&rest[j]))
            && rest[pivot] > threshold
        {
            let mut column: Vec<f64> =
                (0..size).map(|i| if rest[i] > 0.0 { entry(i, pivot) } else { 0.0 }).collect();
            for other in &factor.columns {
                let factor = other[pivot];
                column.iter_mut().zip(other).for_each(|(c, o)| *c -= factor * o);
            }
            let root = rest[pivot].sqrt();
            for (i, c) in column.iter_mut().enumerate() {
                *c = if rest[i] > 0.0 { *c / root } else { 0.0 };
                rest[i] -= *c * *c;
            }
            column[pivot] = root;
            rest[pivot] = 0.0;
            factor.kept.push(pivot);
            factor.columns.push(column);
        }
        factor
    }

    /// S⁻¹b on the rows kept, and bᵀS⁻¹b.
    pub(super) fn solve(&self, b: &[f64]) -> (Vec<f64>, f64) {
        let mut x = self.solve_lower(b, 0);
        let square = x.iter().map(|v| v * v).sum();
        for k in (0..x.len()).rev() {
            let column = &self.columns[k];
            let below: f64 = (k + 1..x.len()).map(|i| column[self.kept[i]] * x[i]).sum();
            x[k] = (x[k] - below) / column[self.kept[k]];
        }
        (x, square)
    }

    /// tr S⁻¹ = ‖L⁻¹‖².
    pub(super) fn trace_of_inverse(&self) -> f64 {
        let size = self.kept.len();
        let mut unit = vec![0.0; size];
        let mut trace = 0.0;
        for k in 0..size {
            unit[k] = 1.0;
            trace += self.solve_lower(&unit, k).iter().map(|v| v * v).sum::<f64>();
            unit[k] = 0.0;
        }
        trace
    }

    /// L⁻¹b, where b is zero before `first`.
    fn solve_lower(&self, b: &[f64], first: usize) -> Vec<f64> {
        let mut x = b.to_vec();
        for k in first..x.len() {
            let column = &self.columns[k];
            x[k] /= column[self.kept[k]];
            for i in k + 1..x.len() {
                x[i] -= column[self.kept[i]] * x[k];
            }
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependent_rows_are_left_out() {
        // Unit vectors at angles; the last is the first again.
        let angles: [f64; 3] = [0.1, 1.0, 0.1];
        let entry = |i: usize, j: usize| (angles[i] - angles[j]).cos();
        let factor = PivotedFactor::of(3, |_| true, entry, 1e-12);
        assert_eq!(factor.kept.len(), 2);
        let b = [0.3, -0.7];
        let (x, square) = factor.solve(&b);
        for (i, b) in b.iter().enumerate() {
            let row: f64 = (0..2).map(|j| entry(factor.kept[i], factor.kept[j]) * x[j]).sum();
            assert!((row - b).abs() < 1e-14);
        }
        assert!((square - (b[0] * x[0] + b[1] * x[1])).abs() < 1e-14);
        let sine = 0.9_f64.sin();
        assert!((factor.trace_of_inverse() - 2.0 / (sine * sine)).abs() < 1e-12);
    }
}
