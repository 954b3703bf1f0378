//! An updated QR factorisation of a few points: the affine minimiser of Wolfe's method.
//!
//! The point of least norm in the affine hull of the columns of P is P·a with Σa = 1. Up to its scale,
//! a is the least-squares solution of [s·1ᵀ; P]·a = s·e₀ for any s > 0: the normal equations
//! (PᵀP + s²11ᵀ)a = s²1 say that PᵀPa is constant. So the condition of P is not squared. A point is
//! appended by Gram–Schmidt, twice; taken out by Givens rotations. Both cost O(d·k).

/// Orthonormal columns Q and upper triangular R with [s·1ᵀ; P] = Q·R.
#[derive(Clone, Debug)]
pub(crate) struct ActiveSet {
    q: Vec<Vec<f64>>,
    /// Columns of R, column j with j + 1 entries.
    r: Vec<Vec<f64>>,
    scale: f64,
}

impl ActiveSet {
    /// No points; `scale` is about the length of those to come.
    pub(crate) fn new(scale: f64) -> Self {
        Self { q: Vec::new(), r: Vec::new(), scale }
    }

    pub(crate) fn len(&self) -> usize {
        self.r.len()
    }

    /// Appends a point; false, and no change, if it is numerically in the affine hull of the others.
    pub(crate) fn push(&mut self, point: &[f64]) -> bool {
        let mut column = Vec::with_capacity(point.len() + 1);
        column.push(self.scale);
        column.extend_from_slice(point);
        let length = dot(&column, &column).sqrt();
        let mut coefficients = vec![0.0; self.len()];
        for _ in 0..2 {
            for (q, total) in self.q.iter().zip(&mut coefficients) {
                let part = dot(q, &column);
                *total += part;
                column.iter_mut().zip(q).for_each(|(c, q)| *c -= part * q);
            }
        }
        let rest = dot(&column, &column).sqrt();
        if rest.is_nan() || rest <= 1e-13 * length {
            return false;
        }
        column.iter_mut().for_each(|c| *c /= rest);
        coefficients.push(rest);
        self.q.push(column);
        self.r.push(coefficients);
        true
    }

    /// Takes out point `at`.
    pub(crate) fn remove(&mut self, at: usize) {
        self.r.remove(at);
        // Columns behind it have an entry below the diagonal, which a rotation of two rows of R and
        // two columns of Q takes away.
        for k in at..self.r.len() {
            let (a, b) = (self.r[k][k], self.r[k][k + 1]);
            let length = a.hypot(b);
            let (cosine, sine) = if length == 0.0 { (1.0, 0.0) } else { (a / length, b / length) };
            for column in &mut self.r[k..] {
                let (a, b) = (column[k], column[k + 1]);
                column[k] = cosine * a + sine * b;
                column[k + 1] = cosine * b - sine * a;
            }
            self.r[k].truncate(k + 1);
            let (left, right) = self.q.split_at_mut(k + 1);
            for (a, b) in left[k].iter_mut().zip(&mut right[0]) {
                (*a, *b) = (cosine * *a + sine * *b, cosine * *b - sine * *a);
            }
        }
        self.q.truncate(self.r.len());
    }

    /// The weights, of sum 1, of the point of least norm in the affine hull.
    pub(crate) fn affine_minimiser(&self) -> Vec<f64> {
        let k = self.len();
        let mut a: Vec<f64> = self.q.iter().map(|q| self.scale * q[0]).collect();
        for i in (0..k).rev() {
            a[i] /= self.r[i][i];
            let value = a[i];
            for (above, r) in a.iter_mut().zip(&self.r[i]).take(i) {
                *above -= value * r;
            }
        }
        let sum: f64 = a.iter().sum();
        a.iter_mut().for_each(|a| *a /= sum);
        a
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn minimisers_have_equal_products(
            points in prop::collection::vec(prop::array::uniform6(-1.0..1.0_f64), 5), out in 0..5_usize,
        ) {
            let mut set = ActiveSet::new(1.0);
            for point in &points {
                prop_assume!(set.push(point));
            }
            let mut kept = points.clone();
            set.remove(out);
            kept.remove(out);
            let a = set.affine_minimiser();
            let x: Vec<f64> =
                (0..6).map(|j| kept.iter().zip(&a).map(|(p, a)| a * p[j]).sum()).collect();
            let square = dot(&x, &x);
            let worst = a.iter().fold(1.0, |worst: f64, a| worst.max(a.abs()));
            for point in &kept {
                prop_assert!((dot(point, &x) - square).abs() < 1e-10 * worst * worst);
            }
        }
    }
}
