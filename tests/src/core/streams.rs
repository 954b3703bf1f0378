//! Rows from a stream: the same algorithm with another source.

use minrisk_core::least_squares::LeastSquares;
use minrisk_core::{Backend, Dataset, Error, Matrix, RowBuffer, Scalar, Stream, View, WeightKind};

use crate::Outcome;
use crate::check::ensure;
use crate::families::{Residual, targets};
use crate::layouts::Layout;
use crate::random::Random;

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
            let mut stream = Replay { x: x.view(), y: y.view(), weights, next: 0 };
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

/// Matrices read row by row.
struct Replay<'a, T> {
    x: View<'a, T>,
    y: View<'a, T>,
    weights: Option<&'a [T]>,
    next: usize,
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
        true
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
