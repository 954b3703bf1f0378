//! The same bits on any number of threads.

use minrisk_core::{Backend, Dataset, Fit, Matrix, Scalar};

use super::{LeastSquaresSolver, fit};
use crate::check::ensure;
use crate::families::{Residual, targets};
use crate::random::Random;
use crate::{Failure, Outcome};

/// Pools of 1, 2 and 3 threads give the same fit to the last bit.
pub fn threads_do_not_change_a_bit<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let mut random = Random::new(51);
    // Long enough for several segments of the partition; nearly collinear in the second round.
    let mut x: Matrix<T> = random.matrix(40_000, 6);
    for round in 0..2 {
        if round == 1 {
            let close = T::from_double(T::unit_roundoff().powf(0.6));
            for i in 0..x.rows() {
                x[(i, 5)] = x[(i, 0)] + close * x[(i, 5)];
            }
        }
        let y = targets(&x, 1, Residual::Large, &mut random);
        let data = Dataset::new(x.view(), y.view())?;
        let on = |threads: usize| -> Result<Fit<T>, Failure> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|error| Failure::new(error.to_string()))?;
            Ok(pool.install(|| fit(backend, solver, &data, true))?)
        };
        let one = on(1)?;
        for threads in [2, 3] {
            let more = on(threads)?;
            ensure!(
                one == more,
                "1 and {threads} threads differ: {:?} and {:?}",
                one.model,
                more.model
            );
        }
    }
    Ok(())
}
