//! Sample weights: frequencies equal repetition, precisions weigh, zero leaves a row out.

use minrisk_core::{Backend, Dataset, Matrix, Scalar, View};

use super::{Demand, LeastSquaresSolver, fit, judge};
use crate::Outcome;
use crate::check::ensure;
use crate::exact;
use crate::families::{Family, Residual, targets};
use crate::random::Random;

/// A row of frequency c gives what c equal rows give.
pub fn frequencies_equal_repetition<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let (x, y) = problem::<T>(21);
    let counts: Vec<usize> = (0..x.rows()).map(|i| [1, 3, 0, 2, 1, 7][i % 6]).collect();
    let frequencies: Vec<T> = counts.iter().map(|&c| T::from_double(c as f64)).collect();
    let repeated: Vec<usize> =
        counts.iter().enumerate().flat_map(|(i, &count)| std::iter::repeat_n(i, count)).collect();
    let long_x = Matrix::from_fn(repeated.len(), x.cols(), |i, j| x[(repeated[i], j)]);
    let long_y = Matrix::from_fn(repeated.len(), 1, |i, _| y[(repeated[i], 0)]);
    let weighted =
        Dataset::new(x.view(), y.view())?.with_frequencies(View::column_vector(&frequencies))?;
    let plain = Dataset::new(long_x.view(), long_y.view())?;
    for intercept in [false, true] {
        // The exact solution of the repeated rows judges both.
        let truth = exact::least_squares(&plain, intercept);
        for (what, data) in [("weighted", &weighted), ("repeated", &plain)] {
            let fit = fit(backend, solver, data, intercept)?;
            judge(data, &fit, &truth, Demand::Faithful)
                .map_err(|failure| failure.within(format_args!("{what} rows")))?;
        }
    }
    Ok(())
}

/// Precisions of any size weigh the rows as they should.
pub fn precisions_weigh_rows<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    for (spread, seed) in [(0.5, 22), (4.0, 23)] {
        let (x, y) = problem::<T>(seed);
        let mut random = Random::new(seed);
        let precisions: Vec<T> = (0..x.rows())
            .map(|_| T::from_double(10.0_f64.powf(spread * random.signed())))
            .collect();
        let data =
            Dataset::new(x.view(), y.view())?.with_precisions(View::column_vector(&precisions))?;
        for intercept in [false, true] {
            let truth = exact::least_squares(&data, intercept);
            let fit = fit(backend, solver, &data, intercept)?;
            judge(&data, &fit, &truth, Demand::Faithful)
                .map_err(|failure| failure.within(format_args!("precisions 10^±{spread}")))?;
        }
    }
    Ok(())
}

/// A row of weight zero does not count, whatever is in it, and the certificate does not count it.
pub fn rows_of_weight_zero_do_not_count<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let (mut x, mut y) = problem::<T>(24);
    let counts = |i: usize| i % 3 != 1;
    let kept: Vec<usize> = (0..x.rows()).filter(|&i| counts(i)).collect();
    let short_x = Matrix::from_fn(kept.len(), x.cols(), |i, j| x[(kept[i], j)]);
    let short_y = Matrix::from_fn(kept.len(), 1, |i, _| y[(kept[i], 0)]);
    let weights: Vec<T> =
        (0..x.rows()).map(|i| if counts(i) { T::one() } else { T::zero() }).collect();
    let huge = T::max_value().sqrt();
    for i in (0..x.rows()).filter(|&i| !counts(i)) {
        (0..x.cols()).for_each(|j| x[(i, j)] = huge);
        y[(i, 0)] = -huge;
    }
    let short = Dataset::new(short_x.view(), short_y.view())?;
    let weights = View::column_vector(&weights);
    let as_frequencies = Dataset::new(x.view(), y.view())?.with_frequencies(weights)?;
    let as_precisions = Dataset::new(x.view(), y.view())?.with_precisions(weights)?;
    for intercept in [false, true] {
        let truth = exact::least_squares(&short, intercept);
        for data in [&as_frequencies, &as_precisions] {
            let fit = fit(backend, solver, data, intercept)?;
            judge(data, &fit, &truth, Demand::Faithful)?;
            if let Some(certificate) = fit.certificate.least_squares() {
                ensure!(
                    certificate.rows == kept.len(),
                    "{} rows have weight, but the certificate counts {}",
                    kept.len(),
                    certificate.rows
                );
            }
        }
    }
    Ok(())
}

fn problem<T: Scalar>(seed: u64) -> (Matrix<T>, Matrix<T>) {
    let mut random = Random::new(seed);
    let x = Family::Geometric.design(36, 4, 100.0, &mut random);
    let y = targets(&x, 1, Residual::Large, &mut random);
    (x, y)
}
