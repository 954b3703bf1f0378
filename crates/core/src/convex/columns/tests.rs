//! The loops over blocks of columns, beside sums written down plainly.

use super::*;

const ROWS: usize = 1_100;

/// A design whose fourth column has a value that is beyond single precision, and coordinates from its first rows.
fn design() -> Matrix<f64> {
    Matrix::from_fn(ROWS, 11, |i, j| match (i, j) {
        (700, 3) => 1e60,
        _ => ((i * (j + 3)) as f64 * 0.7).sin() + j as f64,
    })
}

fn groups<S: Number>(value: impl Fn(usize) -> f64) -> Vec<Group<S>> {
    let value = |t: usize| if t < ROWS { S::from_double(value(t)) } else { S::ZERO };
    (0..ROWS.div_ceil(WIDTH)).map(|g| std::array::from_fn(|l| value(g * WIDTH + l))).collect()
}

fn products_are_those_of_the_columns<S: Number>() {
    let x = design();
    let targets = vec![0.0; ROWS];
    let data = crate::Dataset::new(x.view(), View::column_vector(&targets)).expect("data");
    let coordinates = Coordinates::of(&data, true);
    let mut columns = Columns::<S>::new(ROWS);
    columns.append(x.view(), &coordinates, &[0, 3, 5]).expect("room");
    columns.append(x.view(), &coordinates, &[1, 2, 4, 6, 7, 8, 9, 10]).expect("room");
    columns.reorder(&[1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    let order = [3, 0, 5, 1, 2, 4, 6, 7, 8, 9, 10];
    let standardised = |i: usize, k: usize| {
        let (shift, scale) = coordinates.standardisation(order[k]);
        (x[(i, order[k])] - shift) * scale
    };
    let (r, h) = (|i: usize| (i as f64 * 0.3).cos(), |i: usize| 1.0 + (i % 3) as f64);
    let tolerance = 1e3 * S::UNIT;
    let close = |found: f64, terms: &dyn Fn(usize) -> f64| {
        let (sum, size) = (0..ROWS).map(terms).fold((0.0, 0.0), |(s, a), v| (s + v, a + v.abs()));
        assert!((found - sum).abs() <= tolerance * size, "{found} for {sum}");
    };
    assert_eq!(columns.blocks(), 2);
    for k in 0..order.len() {
        let dots = columns.dots(k / BLOCK, &groups(r));
        close(dots[k % BLOCK], &|i| standardised(i, k) * r(i));
        let gram = columns.gram(k / BLOCK, &groups(h));
        close(gram.sums[k % BLOCK], &|i| standardised(i, k) * h(i));
        for j in k / BLOCK * BLOCK..=k {
            let terms = |i: usize| standardised(i, j) * h(i) * standardised(i, k);
            close(gram.products[k % BLOCK][j % BLOCK], &terms);
            close(gram.products[j % BLOCK][k % BLOCK], &terms);
        }
    }
    let (mut s, mut slopes) = (columns.zeros(), groups::<S>(r));
    let change = std::array::from_fn(|k| if k == 0 { 1e-60 } else { k as f64 });
    let total = columns.shift(0, &change, 0.5, &groups(h), &mut s, &mut slopes);
    let moved = |i: usize| 0.5 + (0..BLOCK).map(|k| change[k] * standardised(i, k)).sum::<f64>();
    close(total, &|i| r(i) + h(i) * moved(i));
    for i in [0, 17, 700, ROWS - 1] {
        let found = s.as_flattened()[i].to_double();
        assert!((found - moved(i)).abs() <= tolerance * 100.0, "{found} for {}", moved(i));
    }
}

#[test]
fn products_are_those_of_the_columns_in_single_precision() {
    products_are_those_of_the_columns::<f32>();
}

#[test]
fn products_are_those_of_the_columns_in_double_precision() {
    products_are_those_of_the_columns::<f64>();
}
