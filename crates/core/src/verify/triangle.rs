//! Triangles by Givens rotations, a row at a time.

/// Rotates a row into the triangle; the row is zero afterwards.
pub(super) fn eliminate(triangle: &mut [Vec<f64>], row: &mut [f64]) {
    for k in 0..row.len() {
        if row[k] == 0.0 {
            continue;
        }
        let hypotenuse = triangle[k][k].hypot(row[k]);
        let (cosine, sine) = (triangle[k][k] / hypotenuse, row[k] / hypotenuse);
        for j in k..row.len() {
            let (above, below) = (triangle[k][j], row[j]);
            triangle[k][j] = cosine * above + sine * below;
            row[j] = cosine * below - sine * above;
        }
    }
}

/// g ← R⁻ᵀg; not finite where a pivot is zero.
pub(super) fn solve_transposed(triangle: &[Vec<f64>], g: &mut [f64]) {
    for k in 0..g.len() {
        let rest: f64 = (0..k).map(|i| triangle[i][k] * g[i]).sum();
        g[k] = (g[k] - rest) / triangle[k][k];
    }
}

/// What is left of a column beside those before it, relative to it, where it counts as a combination of them.
const DEPENDENT: f64 = 1e-12;

/// Which columns are no combinations of those before them, to twelve digits.
pub(super) fn independent(triangle: &[Vec<f64>]) -> Vec<bool> {
    let size = |j: usize| triangle.iter().map(|row| row[j] * row[j]).sum::<f64>().sqrt();
    (0..triangle.len()).map(|j| triangle[j][j].abs() > DEPENDENT * size(j)).collect()
}
