//! A training set that stays in its file: the stream of rows that least squares reads again and again.

use minrisk::{Error, RowBuffer, Stream, WeightKind};

use super::{Training, Weights};
use crate::failure::Outcome;
use crate::input::Scan;

/// The rows of a training set, one after another.
pub(crate) struct CellStream<'t> {
    training: &'t Training,
    scan: Scan<'t>,
    features: Vec<f64>,
    width: usize,
    row: usize,
}

impl Training {
    pub(crate) fn stream(&self) -> Outcome<CellStream<'_>> {
        let (scan, width) = (self.table.cells.scan()?, self.encoder.names().len());
        Ok(CellStream { training: self, scan, features: Vec::new(), width, row: 0 })
    }
}

impl Stream<f64> for CellStream<'_> {
    fn cols(&self) -> usize {
        self.width
    }

    fn targets(&self) -> usize {
        1
    }

    fn weight_kind(&self) -> WeightKind {
        match (self.training.weights, self.training.choice.weights_are) {
            (None, _) => WeightKind::Unweighted,
            (Some(_), Weights::Precisions) => WeightKind::Precisions,
            (Some(_), Weights::Frequencies) => WeightKind::Frequencies,
        }
    }

    fn can_rewind(&self) -> bool {
        true
    }

    fn rewind(&mut self) -> Result<(), Error> {
        let row = self.row;
        let scan = self.training.table.cells.scan();
        self.scan = scan.map_err(|failure| Error::Stream { row, reason: failure.to_string() })?;
        self.row = 0;
        Ok(())
    }

    fn read(&mut self, buffer: &mut RowBuffer<f64>) -> Result<(), Error> {
        while !buffer.is_full() {
            let row = self.row;
            let next = self.scan.next();
            let next =
                next.map_err(|failure| Error::Stream { row, reason: failure.to_string() })?;
            let Some(cells) = next else { break };
            if cells.iter().any(|value| value.is_nan()) {
                continue;
            }
            self.features.clear();
            self.training.binding.encode(cells, &mut self.features);
            let weight = self.training.weights.map(|at| cells[at]);
            buffer.push(&self.features, &[cells[self.training.target]], weight)?;
            self.row += 1;
        }
        Ok(())
    }
}
