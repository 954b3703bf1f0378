//! The exact minimiser of Σ c_t (w·x_t + b − y_t)² + α‖w‖², in rational numbers.
//!
//! Columns, targets and weights are scaled by powers of two until they are integers. The intercept is
//! eliminated first: with s = Σ c_t,
//!
//! (s·XᵀCX − (XᵀC1)(XᵀC1)ᵀ + s·α·I) w = s·XᵀCy − (XᵀC1)(1ᵀCy),  b = (1ᵀCy − (1ᵀCX)w) / s
//!
//! so that the penalty does not touch it, and so that "minimum norm" means that of w. Where the matrix
//! on the left is singular, the solution with the smallest ‖w‖ is taken: any solution p less its
//! component in the null space N, w = p − N(NᵀN)⁻¹Nᵀp.

use minrisk_core::{Dataset, Scalar, View};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::elimination::Echelon;
use super::{decode, rational};

/// The exact answer for one target.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The weights w; of minimum norm where they are not determined.
    pub coefficients: Vec<BigRational>,
    /// The intercept b, where there is one.
    pub intercept: Option<BigRational>,
    /// The rank of the (centred, where there is an intercept) design.
    pub rank: usize,
}

/// Least squares, for every target of a training set.
///
/// # Panics
/// If a value of the data is not finite.
pub fn least_squares<T: Scalar>(data: &Dataset<'_, T>, intercept: bool) -> Vec<Solution> {
    ridge(data, intercept, &BigRational::zero())
}

/// Ridge, for every target of a training set. `alpha` is on the total scale.
///
/// # Panics
/// If a value of the data is not finite.
pub fn ridge<T: Scalar>(
    data: &Dataset<'_, T>,
    intercept: bool,
    alpha: &BigRational,
) -> Vec<Solution> {
    let x = data.design().dense().expect("a dense design");
    let columns = (0..x.cols()).map(|j| Integers::of(x, j)).collect();
    solve(columns, data, intercept, alpha)
}

/// Ridge on the exact powers x, x², …, x^degree of the first column of a training set.
///
/// # Panics
/// If a value of the data is not finite.
pub fn polynomial_ridge<T: Scalar>(
    data: &Dataset<'_, T>,
    degree: usize,
    intercept: bool,
    alpha: &BigRational,
) -> Vec<Solution> {
    let x = Integers::of(data.design().dense().expect("a dense design"), 0);
    let columns = (1..=degree).map(|power| x.pow(power)).collect();
    solve(columns, data, intercept, alpha)
}

/// Ridge on columns of any rational numbers, with the targets and weights of a training set.
fn solve<T: Scalar>(
    columns: Vec<Integers>,
    data: &Dataset<'_, T>,
    intercept: bool,
    alpha: &BigRational,
) -> Vec<Solution> {
    let (rows, cols) = (data.rows(), columns.len());
    let targets: Vec<Integers> =
        (0..data.targets()).map(|k| Integers::of(data.target_view(), k)).collect();
    let weights = match data.weights() {
        Some(weights) => Integers::of(weights, 0),
        None => Integers { values: vec![BigInt::one(); rows], exponent: 0 },
    };

    // Moments Σ c·a·b, and centred, s·Σ c·a·b − Σ c·a · Σ c·b, all in scaled units.
    let total: BigInt = weights.values.iter().sum();
    let sum =
        |a: &Integers| -> BigInt { a.values.iter().zip(&weights.values).map(|(a, c)| a * c).sum() };
    let column_sums: Vec<BigInt> = columns.iter().map(sum).collect();
    let target_sums: Vec<BigInt> = targets.iter().map(sum).collect();
    let moment = |(a, sum_a): (&Integers, &BigInt), (b, sum_b): (&Integers, &BigInt)| {
        let terms = a.values.iter().zip(&b.values).zip(&weights.values);
        let raw: BigInt = terms.map(|((a, b), c)| a * b * c).sum();
        if intercept { raw * &total - sum_a * sum_b } else { raw }
    };

    // In scaled units w'_j = w_j·2^(e_j − e_y), and c'·2^e_c = c: the penalty of w'_j has the factor
    // α·2^(−2e_j − e_c), times s' where the moments are.
    let penalties: Vec<BigRational> = columns
        .iter()
        .map(|column| {
            let penalty = alpha * power_of_two(-2 * column.exponent - weights.exponent);
            if intercept { penalty * &total } else { penalty }
        })
        .collect();
    let denominator =
        penalties.iter().fold(BigInt::one(), |common, penalty| multiple(common, penalty.denom()));
    let sides: Vec<(&Integers, &BigInt)> =
        columns.iter().zip(&column_sums).chain(targets.iter().zip(&target_sums)).collect();
    let mut system = vec![vec![BigInt::zero(); sides.len()]; cols];
    for i in 0..cols {
        for (k, &side) in sides.iter().enumerate().skip(i) {
            let value = moment(sides[i], side) * &denominator;
            if k < cols {
                system[k][i] = value.clone();
            }
            system[i][k] = value;
        }
        system[i][i] += (&penalties[i] * &denominator).to_integer();
    }
    let echelon = Echelon::of(system, cols);
    let mean = |(a, sum): (&Integers, &BigInt)| {
        BigRational::new(sum.clone(), total.clone()) * power_of_two(a.exponent)
    };
    let solution = |(k, y): (usize, &Integers)| {
        let unscale =
            |value: BigRational, j: usize| value * power_of_two(y.exponent - columns[j].exponent);
        let coefficients = minimum_norm(&echelon, cols, k, &unscale);
        let intercept = intercept.then(|| {
            let explained = sides.iter().zip(&coefficients).map(|(&column, w)| mean(column) * w);
            mean((y, &target_sums[k])) - explained.fold(BigRational::zero(), |sum, term| sum + term)
        });
        Solution { coefficients, intercept, rank: echelon.rank() }
    };
    targets.iter().enumerate().map(solution).collect()
}

/// Σ c_t.
pub fn total_weight<T: Scalar>(data: &Dataset<'_, T>) -> BigRational {
    match data.weights() {
        Some(weights) => weights.col_iter(0).map(|&c| rational(c)).sum(),
        None => BigRational::from_integer(data.rows().into()),
    }
}

/// Σ c_t (w·x_t + b − y_t)² at a least-squares solution: Σ c·y² − Σ w·Σ c·x·y − b·Σ c·y, because the
/// residual is orthogonal to the columns.
pub fn residual_sum_of_squares<T: Scalar>(
    data: &Dataset<'_, T>,
    target: usize,
    solution: &Solution,
) -> BigRational {
    let x = data.design().dense().expect("a dense design");
    let weight = |t: usize| data.weights().map_or_else(BigRational::one, |c| rational(c[(t, 0)]));
    let y: Vec<BigRational> =
        (0..data.rows()).map(|t| rational(data.target_view()[(t, target)])).collect();
    let with_y = |value: &dyn Fn(usize) -> BigRational| -> BigRational {
        y.iter().enumerate().map(|(t, y)| y * value(t) * weight(t)).sum()
    };
    let explained: BigRational = solution
        .coefficients
        .iter()
        .enumerate()
        .map(|(j, w)| w * with_y(&|t| rational(x[(t, j)])))
        .sum();
    let constant = solution.intercept.iter().map(|b| b * with_y(&|_| BigRational::one()));
    with_y(&|t| y[t].clone()) - explained - constant.sum::<BigRational>()
}

/// The diagonal of (ZᵀCZ)⁻¹ with Z = [1, X], or X without an intercept; `None` where it is singular.
///
/// # Panics
/// If a value of the data is not finite.
pub fn inverse_gram_diagonal<T: Scalar>(
    data: &Dataset<'_, T>,
    intercept: bool,
) -> Option<Vec<BigRational>> {
    let x = data.design().dense().expect("a dense design");
    let ones = Integers { values: vec![BigInt::one(); data.rows()], exponent: 0 };
    let mut columns: Vec<Integers> = (0..x.cols()).map(|j| Integers::of(x, j)).collect();
    let weights = data.weights().map_or(ones.clone(), |weights| Integers::of(weights, 0));
    if intercept {
        columns.insert(0, ones);
    }
    let size = columns.len();
    let moment = |a: &Integers, b: &Integers| -> BigInt {
        let terms = a.values.iter().zip(&b.values).zip(&weights.values);
        terms.map(|((a, b), c)| a * b * c).sum()
    };
    let system = (0..size).map(|i| {
        let unit = (0..size).map(|j| BigInt::from(i32::from(i == j)));
        columns.iter().map(|column| moment(&columns[i], column)).chain(unit).collect()
    });
    let echelon = Echelon::of(system.collect(), size);
    (echelon.rank() == size).then(|| {
        let entry = |j: usize| {
            let scaled = BigRational::new(echelon.rows[j][size + j].clone(), echelon.pivot.clone());
            scaled * power_of_two(-2 * columns[j].exponent - weights.exponent)
        };
        (0..size).map(entry).collect()
    })
}

/// A column as integers times a common power of two.
#[derive(Clone)]
struct Integers {
    values: Vec<BigInt>,
    exponent: i32,
}

impl Integers {
    fn of<T: Scalar>(view: View<'_, T>, col: usize) -> Self {
        let parts: Vec<(BigInt, i32)> = view
            .col_iter(col)
            .map(|&value| {
                assert!(value.is_finite(), "{value} is not a number with a value");
                let (mantissa, exponent) = decode(value);
                // Odd mantissas keep the integers as short as they can be.
                let zeros = mantissa.trailing_zeros().unwrap_or(0);
                (mantissa >> zeros, exponent + zeros as i32)
            })
            .collect();
        let nonzero = parts.iter().filter(|(mantissa, _)| !mantissa.is_zero());
        let exponent = nonzero.map(|(_, exponent)| *exponent).min().unwrap_or(0);
        let shift = |(mantissa, e): (BigInt, i32)| {
            if mantissa.is_zero() { mantissa } else { mantissa << (e - exponent) }
        };
        Self { values: parts.into_iter().map(shift).collect(), exponent }
    }

    fn pow(&self, power: usize) -> Self {
        let values = self.values.iter().map(|value| value.pow(power as u32)).collect();
        Self { values, exponent: self.exponent * power as i32 }
    }
}

/// The solution of smallest norm for a right-hand side, in the units that `unscale` leads back to.
fn minimum_norm(
    echelon: &Echelon,
    cols: usize,
    side: usize,
    unscale: &impl Fn(BigRational, usize) -> BigRational,
) -> Vec<BigRational> {
    let entry = |row: usize, col: usize| {
        BigRational::new(echelon.rows[row][col].clone(), echelon.pivot.clone())
    };
    // One solution: the free columns have weight zero.
    let mut particular = vec![BigRational::zero(); cols];
    for (row, &col) in echelon.pivot_columns.iter().enumerate() {
        particular[col] = unscale(entry(row, cols + side), col);
    }
    // One null vector for each free column.
    let free = (0..cols).filter(|col| !echelon.pivot_columns.contains(col));
    let null: Vec<Vec<BigRational>> = free
        .map(|free| {
            let mut vector = vec![BigRational::zero(); cols];
            vector[free] = unscale(BigRational::one(), free);
            for (row, &col) in echelon.pivot_columns.iter().enumerate() {
                vector[col] = -unscale(entry(row, free), col);
            }
            vector
        })
        .collect();
    project_out(particular, &null)
}

/// p − N(NᵀN)⁻¹Nᵀp.
fn project_out(p: Vec<BigRational>, null: &[Vec<BigRational>]) -> Vec<BigRational> {
    if null.is_empty() {
        return p;
    }
    let dot = |a: &[BigRational], b: &[BigRational]| -> BigRational {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    };
    let system: Vec<Vec<BigInt>> = null
        .iter()
        .map(|n| {
            let row: Vec<BigRational> =
                null.iter().chain([&p]).map(|other| dot(n, other)).collect();
            let common = row.iter().fold(BigInt::one(), |common, v| multiple(common, v.denom()));
            row.iter().map(|v| (v * &common).to_integer()).collect()
        })
        .collect();
    let echelon = Echelon::of(system, null.len());
    let mut w = p;
    for (row, n) in null.iter().enumerate() {
        let factor = BigRational::new(echelon.rows[row][null.len()].clone(), echelon.pivot.clone());
        w.iter_mut().zip(n).for_each(|(w, n)| *w -= &factor * n);
    }
    debug_assert!(null.iter().all(|n| dot(n, &w).abs().is_zero()));
    w
}

/// The least common multiple of two positive integers.
fn multiple(a: BigInt, b: &BigInt) -> BigInt {
    let reduced = BigRational::new(a.clone(), b.clone());
    a * reduced.denom()
}

fn power_of_two(exponent: i32) -> BigRational {
    BigRational::from_integer(BigInt::from(2)).pow(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use minrisk_core::Matrix;

    fn fraction(numerator: i64, denominator: i64) -> BigRational {
        BigRational::new(numerator.into(), denominator.into())
    }

    fn zero() -> BigRational {
        BigRational::zero()
    }

    #[test]
    fn a_line_through_three_points() {
        let (x, y) = ([0.0, 1.0, 2.0], [1.0, 2.0, 4.0]);
        let data = Dataset::new(View::column_vector(&x), View::column_vector(&y)).unwrap();
        let [line] = &least_squares(&data, true)[..] else { panic!("one target") };
        assert_eq!(line.coefficients, [fraction(3, 2)]);
        assert_eq!(line.intercept, Some(fraction(5, 6)));
        assert_eq!(residual_sum_of_squares(&data, 0, line), fraction(1, 6));
        // [3 3; 3 5]⁻¹ has 5/6 and 1/2 on its diagonal.
        let inverse = inverse_gram_diagonal(&data, true);
        assert_eq!(inverse, Some(vec![fraction(5, 6), fraction(1, 2)]));
        let origin = &least_squares(&data, false)[0];
        assert_eq!((&origin.coefficients, &origin.intercept), (&vec![fraction(2, 1)], &None));
        // (Σx² + α) w = Σxy with α = 5, and with intercept (2 + 2) w = 3.
        assert_eq!(ridge(&data, false, &fraction(5, 1))[0].coefficients, [fraction(1, 1)]);
        assert_eq!(ridge(&data, true, &fraction(2, 1))[0].coefficients, [fraction(3, 4)]);
    }

    #[test]
    fn minimum_norm_is_shared_between_equal_columns() {
        let x = [[1.0, 1.0, 0.0], [2.0, 2.0, 0.0], [4.0, 4.0, 0.0]];
        let y = [3.0, 6.0, 12.0];
        let data = Dataset::new(View::from_arrays(&x), View::column_vector(&y)).unwrap();
        let exact = &least_squares(&data, false)[0];
        assert_eq!(exact.rank, 1);
        assert_eq!(exact.coefficients, [fraction(3, 2), fraction(3, 2), zero()]);
    }

    #[test]
    fn solutions_satisfy_the_normal_equations() {
        let mut random = Random::new(1);
        // The middle column is tiny, the last one the sum of two others; d > m in the second case.
        for (rows, cols) in [(9, 4), (3, 5)] {
            let mut x: Matrix<f64> = random.matrix(rows, cols);
            x.col_mut(1).iter_mut().for_each(|v| *v *= 1e-200);
            for i in 0..rows {
                x[(i, 0)] = (x[(i, 0)] * 64.0).round();
                x[(i, 2)] = (x[(i, 2)] * 64.0).round();
                x[(i, cols - 1)] = x[(i, 0)] + x[(i, 2)];
            }
            let y: Matrix<f64> = random.matrix(rows, 1);
            let c: Vec<f64> = (0..rows).map(|_| random.unit()).collect();
            let data = Dataset::new(x.view(), y.view())
                .unwrap()
                .with_precisions(View::column_vector(&c))
                .unwrap();
            for (intercept, alpha) in [(false, zero()), (true, zero()), (true, fraction(1, 7))] {
                let exact = &ridge(&data, intercept, &alpha)[0];
                let residual = |t: usize| {
                    let products = exact.coefficients.iter().enumerate();
                    let z: BigRational = products.map(|(j, w)| w * rational(x[(t, j)])).sum();
                    rational(y[(t, 0)]) - z - exact.intercept.clone().unwrap_or_else(zero)
                };
                for j in 0..cols {
                    let gradient: BigRational =
                        (0..rows).map(|t| rational(x[(t, j)]) * residual(t) * rational(c[t])).sum();
                    assert_eq!(gradient, &alpha * &exact.coefficients[j]);
                }
                if intercept {
                    let sum: BigRational = (0..rows).map(|t| residual(t) * rational(c[t])).sum();
                    assert_eq!(sum, zero());
                }
                // (1, 0, 1, …, −1) is a null vector, and w is orthogonal to it.
                if alpha.is_zero() {
                    let w = &exact.coefficients;
                    assert_eq!(&w[0] + &w[2], w[cols - 1]);
                }
            }
        }
    }
}
