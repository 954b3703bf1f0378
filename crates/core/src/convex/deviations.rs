//! The standard deviation of every column, in one pass: √(Σ c_t (x_tj − μ_j)²/Σ c_t).
//!
//! Sums of squares around means are merged as Chan, Golub and LeVeque (1979) do, so no digits are lost
//! to columns far from zero.

use crate::kernels::column_means;
use crate::{Block, Dataset, Error, Reduction, Rows, Scalar};

/// The standard deviations of the columns.
pub(super) fn deviations<T: Scalar>(data: &Dataset<'_, T>) -> Result<Vec<f64>, Error> {
    let spread = Rows::Memory(data).reduce(&SpreadPass { cols: data.cols() })?;
    Ok(spread.squares.iter().map(|squares| (squares / spread.weight).sqrt()).collect())
}

struct SpreadPass {
    cols: usize,
}

struct Spread {
    weight: f64,
    means: Vec<f64>,
    squares: Vec<f64>,
}

impl Spread {
    fn add(&mut self, weight: f64, means: &[f64], squares: &[f64]) {
        let total = self.weight + weight;
        if weight == 0.0 {
            return;
        }
        for j in 0..means.len() {
            let step = means[j] - self.means[j];
            self.squares[j] += squares[j] + step * step * (self.weight * weight / total);
            self.means[j] += step * (weight / total);
        }
        self.weight = total;
    }
}

impl<T: Scalar> Reduction<T> for SpreadPass {
    type State = Spread;

    fn start(&self) -> Spread {
        Spread { weight: 0.0, means: vec![0.0; self.cols], squares: vec![0.0; self.cols] }
    }

    fn absorb(&self, spread: &mut Spread, block: &Block<'_, T>) {
        let weight = |i: usize| block.weight_of(i);
        let total: f64 = (0..block.x.rows()).map(weight).sum();
        if total == 0.0 {
            return;
        }
        let mut means = Vec::new();
        column_means(block.x, block.weights, &mut means);
        let means: Vec<f64> = means.iter().map(|mean| mean.to_double()).collect();
        let mut squares = vec![0.0; self.cols];
        for i in 0..block.x.rows() {
            for (j, square) in squares.iter_mut().enumerate() {
                *square += weight(i) * (block.x[(i, j)].to_double() - means[j]).powi(2);
            }
        }
        spread.add(total, &means, &squares);
    }

    fn merge(&self, left: &mut Spread, right: Spread) {
        left.add(right.weight, &right.means, &right.squares);
    }
}
