//! Decisions against an enumeration, and relations between columns.

use num_rational::Ratio;
use proptest::prelude::*;

use super::*;
use crate::halfspace::plain::Plain;
use crate::loss::Logistic;
use crate::penalty::{L2, Terms, Unpenalised};
use crate::verify::verify;
use crate::{
    Certificate, Dataset, Erm, Fit, LinearModel, Matrix, Report, Separation, SoftmaxSeparation,
    Status, View,
};

type Rational = Ratio<i128>;

/// A basis of the null space of rows, by Gauss and Jordan.
fn null_basis(rows: &[Vec<i64>], width: usize) -> Vec<Vec<Rational>> {
    let exact = |row: &Vec<i64>| row.iter().map(|&v| Rational::from(i128::from(v))).collect();
    let mut a: Vec<Vec<Rational>> = rows.iter().map(exact).collect();
    let mut pivots: Vec<usize> = Vec::new();
    for col in 0..width {
        let rank = pivots.len();
        let zero = Rational::from(0);
        let Some(at) = (rank..a.len()).find(|&i| a[i][col] != zero) else { continue };
        a.swap(rank, at);
        let pivot = a[rank][col];
        a[rank].iter_mut().for_each(|v| *v /= pivot);
        let above = a[rank].clone();
        for (_, row) in a.iter_mut().enumerate().filter(|(i, _)| *i != rank) {
            let factor = row[col];
            row.iter_mut().zip(&above).for_each(|(v, p)| *v -= factor * p);
        }
        pivots.push(col);
    }
    let free = (0..width).filter(|col| !pivots.contains(col));
    free.map(|col| {
        let mut v = vec![Rational::from(0); width];
        v[col] = Rational::from(1);
        for (i, &pivot) in pivots.iter().enumerate() {
            v[pivot] = -a[i][col];
        }
        v
    })
    .collect()
}

/// Whether some w has a·w ≥ 0 for all rows and > 0 for some. If there is one, there is one in the null space of
/// some rows, fewer than there are columns, that is in no larger one of all rows: ± a basis vector of it.
fn runs_off(rows: &[Vec<i64>]) -> bool {
    let width = rows[0].len();
    let subsets = (0..1_u32 << rows.len()).filter(|set| (set.count_ones() as usize) < width);
    subsets
        .flat_map(|set| {
            let chosen = (0..rows.len()).filter(|t| set >> t & 1 == 1).map(|t| rows[t].clone());
            null_basis(&chosen.collect::<Vec<_>>(), width)
        })
        .any(|w| {
            let margin = |row: &Vec<i64>| -> Rational {
                row.iter().zip(&w).map(|(&a, w)| Rational::from(i128::from(a)) * w).sum()
            };
            let margins: Vec<Rational> = rows.iter().map(margin).collect();
            let zero = Rational::from(0);
            let one_sided = |sign: Rational| margins.iter().all(|m| *m * sign >= zero);
            let signs = [Rational::from(1), Rational::from(-1)];
            margins.iter().any(|m| *m != zero) && signs.into_iter().any(one_sided)
        })
}

/// What is decided from θ = 0; a direction is given to `verify`.
fn decided<T: Scalar>(x: &Matrix<T>, y: &[T], intercept: bool) -> &'static str {
    let data = Dataset::new(x.view(), View::column_vector(y)).unwrap();
    let erm = Erm { loss: Logistic, penalty: Unpenalised, intercept };
    let problem = Problem::new(&Plain, &erm, &data).unwrap();
    let question = Question::of_logistic(&problem, &vec![0.0; problem.unknowns()]);
    let in_integers = match SignedRows::of(&question).face() {
        Face::Closed => "there is one",
        Face::Open(_) => "there is none",
        Face::Spent => "unproven",
    };
    let found = match decide(&question, true).unwrap() {
        Minimiser::Near | Minimiser::At { .. } => "there is one",
        Minimiser::Unproven => "unproven",
        Minimiser::Absent(endless) => {
            let separation = separation(&problem, endless);
            assert!(holds(&data, separation), "verify denies the direction");
            "there is none"
        }
    };
    assert_eq!(found, in_integers, "not as in integers alone");
    found
}

fn separation<T: Scalar, L>(problem: &Problem<'_, T, L>, endless: Endless) -> Separation {
    let mut weights = endless.blocks.concat();
    let intercept = weights.split_off(problem.data.cols()).first().copied();
    Separation { terms: problem.terms.clone(), weights, intercept, complete: endless.complete }
}

fn holds<T: Scalar>(data: &Dataset<'_, T>, separation: Separation) -> bool {
    let intercept = separation.intercept.is_some();
    confirmed(data, intercept, 1, Certificate::Separated(Box::new(separation)))
}

/// Whether `verify` confirms a certificate that there is no minimiser.
fn confirmed<T: Scalar>(
    data: &Dataset<'_, T>,
    intercept: bool,
    predictions: usize,
    certificate: Certificate,
) -> bool {
    let intercepts = intercept.then(|| vec![T::zero(); predictions]);
    let report = Report {
        status: Status::NoMinimiser,
        solver: String::new(),
        backend: String::new(),
        iterations: 0,
        passes: 0,
        objective: vec![0.0],
        trace: Vec::new(),
    };
    let weights = vec![vec![T::zero(); data.cols()]; predictions];
    let model = LinearModel::new(weights, intercepts, None).unwrap();
    verify(data, &Fit { model, report, certificate }).unwrap().holds
}

fn as_matrix<T: Scalar>(entries: &[i64], rows: usize, cols: usize) -> Matrix<T> {
    Matrix::from_fn(rows, cols, |i, j| T::from_double(entries[i * cols + j] as f64))
}

#[test]
fn relations_hold_exactly_or_not_at_all() {
    let third = 1.0 / 3.0;
    let rank = |entries: &[[f64; 3]]| {
        let x = Matrix::from_fn(entries.len(), 3, |i, j| entries[i][j]);
        let y = vec![1.0; entries.len()];
        let data = Dataset::new(x.view(), View::column_vector(&y)).unwrap();
        let erm = Erm::new(Logistic, Unpenalised);
        let problem = Problem::new(&Plain, &erm, &data).unwrap();
        let question = Question::of_logistic(&problem, &[0.0; 4]);
        let rows = SignedRows::of(&question);
        (1..4).find(|&rank| rows.span_at_most(rank))
    };
    // The third column is half of the first and three times the second.
    let related = |a: f64, b: f64| [a, b, 0.5 * a + 3.0 * b];
    let mut entries = vec![related(1.0, 2.0), related(5.0, -1.0), related(0.25, 8.0)];
    entries.extend([related(-7.0, 4.0), related(0.0, 0.0)]);
    assert_eq!(rank(&entries), Some(3));
    entries[3][2] += f64::EPSILON;
    assert_eq!(rank(&entries), Some(3), "the sum of 8.5 does not see it");
    entries[3][2] += 64.0 * f64::EPSILON;
    assert_eq!(rank(&entries), None);
    // All columns are the intercept times something.
    assert_eq!(rank(&[[third, 2.0, 0.0]; 4]), Some(1));
}

#[test]
fn with_penalties_only_the_intercept_runs_off() {
    let x = [[1.0], [2.0], [-1.0]];
    for (y, weights, absent) in [
        ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], true),
        ([1.0, 1.0, -1.0], [1.0, 1.0, 0.0], true),
        ([1.0, 1.0, -1.0], [1.0, 1.0, 0.5], false),
    ] {
        let data = Dataset::new(View::from_arrays(&x), View::column_vector(&y)).unwrap();
        let data = data.with_precisions(View::column_vector(&weights)).unwrap();
        let erm = Erm::new(Logistic, L2::total(1.0));
        let problem = Problem::new(&Plain, &erm, &data).unwrap();
        match decide(&Question::of_logistic(&problem, &[0.0, 0.0]), true).unwrap() {
            Minimiser::Absent(endless) => {
                let separation = separation(&problem, endless);
                assert!(absent && separation.complete);
                assert!(holds(&data, separation.clone()));
                let held = Separation { weights: vec![0.5], ..separation };
                assert!(!holds(&data, held), "a weight that pays runs off");
            }
            _ => assert!(!absent),
        }
    }
}

/// Signed rows of classes, all but the last with a block of their own.
fn kesler(rows: &[Vec<i64>], labels: &[usize], classes: usize) -> Vec<Vec<i64>> {
    let width = rows[0].len();
    let mut signed = Vec::new();
    for (x, &class) in rows.iter().zip(labels) {
        for other in (0..classes).filter(|&k| k != class) {
            let mut row = vec![0; width * (classes - 1)];
            for (k, sign) in [(class, 1), (other, -1)].into_iter().filter(|(k, _)| k + 1 < classes)
            {
                (0..width).for_each(|j| row[k * width + j] = sign * x[j]);
            }
            signed.push(row);
        }
    }
    signed
}

/// What is decided of three classes, from zero; the first column pays a penalty, or not.
fn decided_of_three<T: Scalar>(
    x: &Matrix<T>,
    labels: &[usize],
    intercept: bool,
    penalised: bool,
) -> &'static str {
    let y: Vec<T> = labels.iter().map(|&k| T::from_double(k as f64)).collect();
    let data = Dataset::new(x.view(), View::column_vector(&y)).unwrap();
    let mut terms = Terms { l1: vec![0.0; x.cols()], l2: vec![0.0; x.cols()] };
    terms.l2[0] = f64::from(u8::from(penalised));
    let zero = vec![vec![0.0; x.cols() + usize::from(intercept)]; 2];
    let question = Question::new(&Plain, &data, &terms, intercept, labels.to_vec(), zero);
    match decide(&question, true).unwrap() {
        Minimiser::Near | Minimiser::At { .. } => "there is one",
        // There is one, but the weight that pays would have to follow.
        Minimiser::Unproven if penalised => "there is one",
        Minimiser::Unproven => "unproven",
        Minimiser::Absent(Endless { mut blocks, complete }) => {
            blocks.push(vec![0.0; blocks[0].len()]);
            let levels = blocks.iter_mut().map(|block| block.split_off(x.cols()));
            let levels: Vec<f64> = levels.flatten().collect();
            let intercepts = intercept.then_some(levels);
            let separation = SoftmaxSeparation { terms, weights: blocks, intercepts, complete };
            let certificate = Certificate::SoftmaxSeparated(Box::new(separation));
            assert!(confirmed(&data, intercept, 3, certificate), "verify denies the direction");
            "there is none"
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn small_whole_numbers_of_three_classes_are_decided_as_by_force(
        cols in 1..3_usize, rows in 1..8_usize, intercept in prop::bool::ANY,
        penalised in prop::bool::ANY,
        entries in prop::collection::vec(-2..3_i64, 14),
        labels in prop::collection::vec(0..3_usize, 7),
    ) {
        let labels = &labels[..rows];
        let row = |t: usize| {
            let features = entries[t * cols + usize::from(penalised)..(t + 1) * cols].iter().copied();
            features.chain(intercept.then_some(1)).collect::<Vec<i64>>()
        };
        let signed = kesler(&(0..rows).map(row).collect::<Vec<_>>(), labels, 3);
        let runs_off = !signed[0].is_empty() && runs_off(&signed);
        let expected = if runs_off { "there is none" } else { "there is one" };
        let x = as_matrix::<f64>(&entries, rows, cols);
        prop_assert_eq!(decided_of_three(&x, labels, intercept, penalised), expected);
        let x = as_matrix::<f32>(&entries, rows, cols);
        prop_assert_eq!(decided_of_three(&x, labels, intercept, penalised), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn small_whole_numbers_are_decided_as_by_force(
        cols in 1..4_usize, rows in 1..11_usize, intercept in prop::bool::ANY,
        entries in prop::collection::vec(-2..3_i64, 30),
        signs in prop::collection::vec(prop::bool::ANY, 10),
    ) {
        let signs: Vec<i64> = signs[..rows].iter().map(|&s| if s { 1 } else { -1 }).collect();
        let signed = |t: usize| {
            let features = entries[t * cols..(t + 1) * cols].iter().map(|v| v * signs[t]);
            features.chain(intercept.then_some(signs[t])).collect::<Vec<i64>>()
        };
        let rows_signed: Vec<Vec<i64>> = (0..rows).map(signed).collect();
        let expected = if runs_off(&rows_signed) { "there is none" } else { "there is one" };
        let doubles: Vec<f64> = signs.iter().map(|&s| s as f64).collect();
        let singles: Vec<f32> = signs.iter().map(|&s| s as f32).collect();
        let found = decided::<f64>(&as_matrix(&entries, rows, cols), &doubles, intercept);
        prop_assert_eq!(found, expected);
        let found = decided::<f32>(&as_matrix(&entries, rows, cols), &singles, intercept);
        prop_assert_eq!(found, expected);
    }
}
