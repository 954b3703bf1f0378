//! Rows from a stream: the same algorithm with another source.

use minrisk_core::least_squares::{ClosedForm, LeastSquares};
use minrisk_core::loss::Squared;
use minrisk_core::penalty::Unpenalised;
use minrisk_core::{
    Backend, Dataset, Erm, Error, Matrix, RowBuffer, Scalar, Stream, View, WeightKind,
};

use crate::check::ensure;
use crate::exact;
use crate::families::{Family, Residual, targets};
use crate::layouts::Layout;
use crate::random::Random;
use crate::solvers::{Demand, judge};
use crate::{Outcome, Tally};

/// A stream that can be read again gives the bits that the same rows give in memory, by rows.
pub fn streams_equal_memory<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(91);
    for (rows, weighted) in [(1, false), (700, true), (30_000, false), (30_000, true)] {
        let x: Matrix<T> = random.matrix(rows, 4);
        let y = targets(&x, 2, Residual::Large, &mut random);
        let precisions: Vec<T> = (0..rows).map(|_| T::from_double(random.unit() + 0.1)).collect();
        let weights = weighted.then_some(precisions.as_slice());
        // By rows, as they come from the stream: sums run along memory.
        let (by_rows, y_by_rows) = (Layout::ByRows.store(&x), Layout::ByRows.store(&y));
        let data = Dataset::new(by_rows.view(), y_by_rows.view())?;
        let data = match weights {
            Some(weights) => data.with_precisions(View::column_vector(weights))?,
            None => data,
        };
        for estimator in [LeastSquares::new(), LeastSquares::new().without_intercept()] {
            let in_memory = estimator.fit_on(backend, &data)?;
            let mut stream = Replay { x: x.view(), y: y.view(), weights, next: 0, again: true };
            let streamed = estimator.fit_stream_on(backend, &mut stream, None)?;
            // With fewer rows than columns memory has a way of its own, and only the answer is the same.
            let same_way = rows < 4 || in_memory.certificate == streamed.certificate;
            ensure!(
                in_memory.model == streamed.model && same_way,
                "{rows} rows from a stream give {streamed:?}, from memory {in_memory:?}",
            );
        }
    }
    Ok(())
}

/// A stream that can be read only once gives an answer that is right, or says how far it is.
pub fn streams_read_once_are_honest<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for power in [0.0, 0.25, 0.4, 0.5, 0.7] {
        let condition = T::unit_roundoff().powf(-power);
        let mut random = Random::new(92);
        let x: Matrix<T> = Family::Geometric.design(300, 4, condition, &mut random);
        let mut y = targets(&x, 1, Residual::Large, &mut random);
        y.as_mut_slice().iter_mut().for_each(|y| *y += T::one());
        let run = |intercept: bool| {
            let data = Dataset::new(x.view(), y.view())?;
            let truth = exact::least_squares(&data, intercept);
            let once = Replay { x: x.view(), y: y.view(), weights: None, next: 0, again: false };
            let problem = Erm { loss: Squared, penalty: Unpenalised, intercept };
            let fitted = ClosedForm::default().solve_stream(backend, &problem, &mut { once }, None);
            match fitted {
                Err(Error::TooIllConditioned { .. }) if power > 0.4 => Ok(()),
                Err(error) => Err(error.into()),
                // One pass has the wide precision for κ², which leaves all digits up to 1/√u.
                Ok(fit) if power <= 0.4 => judge(&data, &fit, &truth, Demand::Faithful),
                Ok(fit) => judge(&data, &fit, &truth, Demand::Honesty),
            }
        };
        for intercept in [false, true] {
            tally.add(|| {
                run(intercept).map_err(|failure| {
                    let which = if intercept { "with" } else { "without" };
                    failure.within(format_args!("κ = {condition:.1e}, {which} intercept"))
                })
            });
        }
    }
    tally.outcome()
}

/// Matrices read row by row.
struct Replay<'a, T> {
    x: View<'a, T>,
    y: View<'a, T>,
    weights: Option<&'a [T]>,
    next: usize,
    /// Whether it can be read again.
    again: bool,
}

impl<T: Scalar> Stream<T> for Replay<'_, T> {
    fn cols(&self) -> usize {
        self.x.cols()
    }

    fn targets(&self) -> usize {
        self.y.cols()
    }

    fn weight_kind(&self) -> WeightKind {
        if self.weights.is_some() { WeightKind::Precisions } else { WeightKind::Unweighted }
    }

    fn can_rewind(&self) -> bool {
        self.again
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.next = 0;
        Ok(())
    }

    fn read(&mut self, buffer: &mut RowBuffer<T>) -> Result<(), Error> {
        let row = |view: View<'_, T>, i: usize| -> Vec<T> {
            (0..view.cols()).map(|j| view[(i, j)]).collect()
        };
        while !buffer.is_full() && self.next < self.x.rows() {
            let i = self.next;
            buffer.push(&row(self.x, i), &row(self.y, i), self.weights.map(|w| w[i]))?;
            self.next += 1;
        }
        Ok(())
    }
}
