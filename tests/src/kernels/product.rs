//! C ← C + A·B, within 30·k·ε·(|C| + |A||B|) of the exact result, element by element.

use minrisk_core::wide::Dd;
use minrisk_core::{Backend, Matrix, Scalar, View};

use super::{SIZES, expect_inside, expect_untouched, scaled};
use crate::layouts::Layout;
use crate::measure::{self, difference, doubles, product, product_scale};
use crate::random::Random;
use crate::{Outcome, Tally};

/// Every size, every kind of shape: the error is within the bound of the contract.
pub fn product_is_accurate<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let small = &SIZES[..5];
    let mut shapes: Vec<[usize; 3]> = vec![[130; 3]];
    for (at, &m) in SIZES.iter().enumerate() {
        let next = |step: usize| SIZES[(at + step) % SIZES.len()];
        shapes.extend((1..SIZES.len()).map(|step| [m, next(step), next(2 * step)]));
    }
    for &m in small {
        shapes.extend(small.iter().flat_map(|&k| small.iter().map(move |&n| [m, k, n])));
    }
    let mut tally = Tally::default();
    for shape in shapes {
        tally.add(|| Case::random(shape).run(backend, [Layout::ByColumns; 3], [0; 2]));
    }
    tally.outcome()
}

/// All combinations of layouts of A, B and C, views without elements included.
pub fn product_takes_any_layout<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for shape in [[4, 5, 3], [7, 2, 1], [1, 6, 1], [3, 0, 2], [0, 2, 3], [2, 3, 0]] {
        let case = Case::random(shape);
        for a in Layout::ALL {
            for b in Layout::ALL {
                for c in Layout::ALL {
                    tally.add(|| case.run(backend, [a, b, c], [0; 2]));
                }
            }
        }
    }
    // Large enough that a library takes its blocked path.
    let case = Case::random([61, 70, 37]);
    for at in 0..Layout::ALL.len() {
        let layout = |step: usize| Layout::ALL[(at * step + step) % Layout::ALL.len()];
        tally.add(|| case.run(backend, [layout(1), layout(3), layout(5)], [0; 2]));
    }
    tally.outcome()
}

/// A view may show one row many times over (stride 0), as a column of ones does.
pub fn product_takes_repeated_rows<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let row: Matrix<T> = Random::new(3).matrix(1, 20);
    let run = |rows: usize| {
        let repeated = View::strided(row.as_slice(), 0, rows, 20, 0, 1)?;
        let mut c = Matrix::zeros(20, 20);
        backend.add_product(repeated.transpose(), repeated, c.view_mut());
        let (a, b) = (Matrix::from_view(repeated.transpose()), Matrix::from_view(repeated));
        Case::new(a, b, Matrix::zeros(20, 20))
            .judge(&c, [0; 2])
            .map_err(|failure| failure.within(format_args!("a row repeated {rows} times")))
    };
    let mut tally = Tally::default();
    for rows in [1, 4, 40] {
        tally.add(|| run(rows));
    }
    tally.outcome()
}

/// Elements near the ends of the range, their products inside it.
pub fn product_survives_extreme_scales<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    let top = T::max_value().exponent();
    let (half, most) = (top * 45 / 100, top * 80 / 100);
    for exponents in [[half, half], [-half, -half], [most, -most], [-most, most]] {
        for shape in [[3, 5, 2], [33, 50, 10]] {
            tally.add(|| Case::random(shape).run(backend, [Layout::ByColumns; 3], exponents));
        }
    }
    tally.outcome()
}

/// Operands, C + A·B and |C| + |A||B|.
struct Case<T> {
    a: Matrix<T>,
    b: Matrix<T>,
    c: Matrix<T>,
    exact: Matrix<Dd>,
    scale: Matrix<f64>,
}

impl<T: Scalar> Case<T> {
    fn random([m, k, n]: [usize; 3]) -> Self {
        let mut random = Random::new((m * 1_000_000 + k * 1000 + n) as u64);
        Self::new(random.matrix(m, k), random.matrix(k, n), random.matrix(m, n))
    }

    fn new(a: Matrix<T>, b: Matrix<T>, c: Matrix<T>) -> Self {
        let [wide_a, wide_b, wide_c] = [&a, &b, &c].map(|matrix| doubles(matrix.view()));
        let exact = product(&wide_c, &wide_a, &wide_b);
        let scale = product_scale(&wide_c, &wide_a, &wide_b);
        Self { a, b, c, exact, scale }
    }

    /// Runs the kernel on 2^p·A and 2^q·B.
    fn run(&self, backend: &dyn Backend<T>, layouts: [Layout; 3], [p, q]: [i32; 2]) -> Outcome {
        let case = || {
            let (m, k, n) = (self.a.rows(), self.a.cols(), self.b.cols());
            format!("{m} × {k} times {k} × {n}, layouts {layouts:?}, scales 2^{p}, 2^{q}")
        };
        let (a, b) = (scaled(&self.a, p), scaled(&self.b, q));
        let (stored_a, stored_b) = (layouts[0].store(&a), layouts[1].store(&b));
        let mut stored_c = layouts[2].store(&scaled(&self.c, p + q));
        backend.add_product(stored_a.view(), stored_b.view(), stored_c.view_mut());
        self.judge(&stored_c.to_matrix(), [p, q])
            .and_then(|()| expect_untouched("A", &stored_a, &a))
            .and_then(|()| expect_untouched("B", &stored_b, &b))
            .and_then(|()| expect_inside("C", &stored_c))
            .map_err(|failure| failure.within(case()))
    }

    fn judge(&self, computed: &Matrix<T>, [p, q]: [i32; 2]) -> Outcome {
        let computed = doubles(scaled(computed, -(p + q)).view());
        let error = difference(&self.exact, &computed);
        let ratio =
            measure::elementwise_ratio::<T>(&error, &self.scale, self.a.cols(), |_, _| true);
        measure::expect_small("the error of the product", ratio)
    }
}
