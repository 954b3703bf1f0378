//! A backend in plain Rust loops, as someone outside this repository might write it.
//!
//! Textbook algorithms, one a kernel (Golub and Van Loan, Matrix Computations, 4th edition): no
//! blocking, no vector instructions, nothing but the public API of minrisk-core.

use minrisk_core::{Backend, KernelError, Matrix, Scalar, View, ViewMut};

/// Linear algebra in plain loops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loops;

impl<T: Scalar> Backend<T> for Loops {
    fn name(&self) -> &'static str {
        "plain loops"
    }

    fn doubles(&self) -> &dyn Backend<f64> {
        self
    }

    fn add_product(&self, a: View<'_, T>, b: View<'_, T>, mut c: ViewMut<'_, T>) {
        // Copies, for what takes most of the time: a loop over two slices.
        let (rows, columns) = (Matrix::from_view(a.transpose()), Matrix::from_view(b));
        for i in 0..a.rows() {
            for j in 0..b.cols() {
                c[(i, j)] += dot(rows.col(i), columns.col(j));
            }
        }
    }

    fn cholesky(&self, mut a: ViewMut<'_, T>) -> Result<(), KernelError> {
        for j in 0..a.rows() {
            let known: T = (0..j).map(|k| a[(j, k)] * a[(j, k)]).sum();
            let pivot = a[(j, j)] - known;
            // NaN is not positive either.
            if pivot.is_nan() || pivot <= T::zero() {
                return Err(KernelError::NotPositiveDefinite { pivot: j });
            }
            let root = pivot.sqrt();
            a[(j, j)] = root;
            for i in j + 1..a.rows() {
                let known: T = (0..j).map(|k| a[(i, k)] * a[(j, k)]).sum();
                a[(i, j)] = (a[(i, j)] - known) / root;
            }
        }
        Ok(())
    }

    /// The reflection of column j mixes row j of R with the whole block and leaves the rest of R
    /// alone: its vector is (1, v) with v as long as the block.
    fn stack_qr(&self, mut r: ViewMut<'_, T>, mut block: ViewMut<'_, T>) {
        let (cols, rows) = (r.cols(), block.rows());
        for j in 0..cols {
            (j + 1..cols).for_each(|i| r[(i, j)] = T::zero());
            let below: T = (0..rows).map(|i| block[(i, j)] * block[(i, j)]).sum();
            if below == T::zero() {
                continue;
            }
            let head = r[(j, j)];
            let norm = (head * head + below).sqrt();
            let beta = if head > T::zero() { -norm } else { norm };
            let (tau, scale) = ((beta - head) / beta, T::one() / (head - beta));
            r[(j, j)] = beta;
            (0..rows).for_each(|i| block[(i, j)] *= scale);
            for k in j + 1..cols {
                let dot: T = (0..rows).map(|i| block[(i, j)] * block[(i, k)]).sum();
                let step = tau * (r[(j, k)] + dot);
                r[(j, k)] -= step;
                for i in 0..rows {
                    let v = block[(i, j)];
                    block[(i, k)] -= step * v;
                }
            }
        }
    }

    /// One-sided Jacobi: rotates pairs of columns until all are orthogonal.
    fn svd(
        &self,
        a: View<'_, T>,
        mut u: ViewMut<'_, T>,
        s: &mut [T],
        mut v: ViewMut<'_, T>,
    ) -> Result<(), KernelError> {
        if a.rows() < a.cols() {
            return self.svd(a.transpose(), v, s, u);
        }
        let mut work = Matrix::from_view(a);
        let mut rotations = Matrix::<T>::identity(a.cols());
        let tolerance = T::epsilon() * T::from_double(a.rows() as f64).sqrt();
        // Columns below this are rounding errors of others: zero for all that can be known.
        let floor = T::epsilon() * dot(work.as_slice(), work.as_slice()).sqrt();
        sweep_until(a.cols(), |p, q| {
            let [pp, qq, pq] = [(p, p), (q, q), (p, q)].map(|(i, j)| dot(work.col(i), work.col(j)));
            if pq.abs() <= tolerance * pp.sqrt().max(floor) * qq.sqrt().max(floor) {
                return false;
            }
            let angle = rotation(pp, qq, pq);
            rotate_columns(&mut work, p, q, angle);
            rotate_columns(&mut rotations, p, q, angle);
            true
        })?;
        let norms: Vec<T> = work.columns().map(|column| dot(column, column).sqrt()).collect();
        for (k, &from) in descending(&norms).iter().enumerate() {
            s[k] = norms[from];
            (0..a.cols()).for_each(|i| v[(i, k)] = rotations[(i, from)]);
            if s[k] > floor {
                (0..a.rows()).for_each(|i| u[(i, k)] = work[(i, from)] / s[k]);
            } else {
                complete(&mut u, k);
            }
        }
        Ok(())
    }

    /// Jacobi: rotates rows and columns until the matrix is diagonal.
    fn symmetric_eigen(
        &self,
        a: View<'_, T>,
        values: &mut [T],
        mut vectors: ViewMut<'_, T>,
    ) -> Result<(), KernelError> {
        let n = a.rows();
        let mut work = Matrix::from_fn(n, n, |i, j| a[(i.max(j), i.min(j))]);
        let mut rotations = Matrix::<T>::identity(n);
        let size = dot(work.as_slice(), work.as_slice()).sqrt();
        sweep_until(n, |p, q| {
            if work[(p, q)].abs() <= T::epsilon() * size / T::from_double(n as f64) {
                return false;
            }
            let angle = rotation(work[(p, p)], work[(q, q)], work[(p, q)]);
            rotate_columns(&mut work, p, q, angle);
            rotate_rows(&mut work, p, q, angle);
            (work[(p, q)], work[(q, p)]) = (T::zero(), T::zero());
            rotate_columns(&mut rotations, p, q, angle);
            true
        })?;
        let diagonal: Vec<T> = (0..n).map(|j| work[(j, j)]).collect();
        for (k, &from) in descending(&diagonal).iter().rev().enumerate() {
            values[k] = diagonal[from];
            (0..n).for_each(|i| vectors[(i, k)] = rotations[(i, from)]);
        }
        Ok(())
    }

    fn solve_lower(&self, l: View<'_, T>, mut b: ViewMut<'_, T>) {
        for j in 0..b.cols() {
            for i in 0..l.rows() {
                let known: T = (0..i).map(|k| l[(i, k)] * b[(k, j)]).sum();
                b[(i, j)] = (b[(i, j)] - known) / l[(i, i)];
            }
        }
    }

    fn solve_upper(&self, u: View<'_, T>, mut b: ViewMut<'_, T>) {
        for j in 0..b.cols() {
            for i in (0..u.rows()).rev() {
                let known: T = (i + 1..u.rows()).map(|k| u[(i, k)] * b[(k, j)]).sum();
                b[(i, j)] = (b[(i, j)] - known) / u[(i, i)];
            }
        }
    }
}

fn dot<T: Scalar>(x: &[T], y: &[T]) -> T {
    x.iter().zip(y).map(|(&x, &y)| x * y).sum()
}

/// Visits all pairs p < q again and again until a sweep has changed nothing.
fn sweep_until(n: usize, mut visit: impl FnMut(usize, usize) -> bool) -> Result<(), KernelError> {
    for _ in 0..60 {
        let mut changed = false;
        for p in 0..n {
            for q in p + 1..n {
                changed |= visit(p, q);
            }
        }
        if !changed {
            return Ok(());
        }
    }
    Err(KernelError::NoConvergence)
}

/// Cosine and sine of the rotation that makes [pp pq; pq qq] diagonal.
fn rotation<T: Scalar>(pp: T, qq: T, pq: T) -> (T, T) {
    let two = T::one() + T::one();
    let zeta = (qq - pp) / (two * pq);
    let tangent = zeta.signum() / (zeta.abs() + T::one().hypot(zeta));
    let cosine = T::one() / T::one().hypot(tangent);
    (cosine, cosine * tangent)
}

fn rotate_columns<T: Scalar>(a: &mut Matrix<T>, p: usize, q: usize, (cosine, sine): (T, T)) {
    for i in 0..a.rows() {
        let (x, y) = (a[(i, p)], a[(i, q)]);
        a[(i, p)] = cosine * x - sine * y;
        a[(i, q)] = sine * x + cosine * y;
    }
}

fn rotate_rows<T: Scalar>(a: &mut Matrix<T>, p: usize, q: usize, (cosine, sine): (T, T)) {
    for j in 0..a.cols() {
        let (x, y) = (a[(p, j)], a[(q, j)]);
        a[(p, j)] = cosine * x - sine * y;
        a[(q, j)] = sine * x + cosine * y;
    }
}

fn descending<T: Scalar>(values: &[T]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[j].partial_cmp(&values[i]).expect("finite"));
    order
}

/// Makes column k a unit vector orthogonal to the columns before it.
fn complete<T: Scalar>(u: &mut ViewMut<'_, T>, k: usize) {
    let rows = u.rows();
    let column =
        |u: &ViewMut<'_, T>, j: usize| -> Vec<T> { (0..rows).map(|i| u[(i, j)]).collect() };
    let candidates = (0..rows).map(|unit| {
        let mut x: Vec<T> = (0..rows).map(|i| T::from_double(f64::from(i == unit))).collect();
        for _ in 0..2 {
            for j in 0..k {
                let other = column(u, j);
                let overlap = dot(&x, &other);
                x.iter_mut().zip(other).for_each(|(x, o)| *x -= overlap * o);
            }
        }
        let norm = dot(&x, &x).sqrt();
        x.iter_mut().for_each(|x| *x /= norm);
        (norm, x)
    });
    let longest = candidates.max_by(|(a, _), (b, _)| a.partial_cmp(b).expect("finite"));
    let (_, x) = longest.expect("more rows than columns before this one");
    x.into_iter().enumerate().for_each(|(i, x)| u[(i, k)] = x);
}
