//! Starting points for bells, read off the data.
//!
//! The tallest peak of the smoothed data gives a height β and a centre μ. Where the data falls to half
//! of it, exp(−d²/σ) = ½, so σ = d²/ln 2; of the two sides the narrower one counts, which is the one
//! that no neighbour widens.

use crate::{Dataset, Design, Error, Names, Scalar};

/// Data sorted by x, with what has been explained taken away.
pub(super) struct Peaks {
    x: Vec<f64>,
    /// y as given, and less what was taken away.
    y: Vec<f64>,
    rest: Vec<f64>,
    floor: f64,
}

impl Peaks {
    /// The first feature and the first target of a dataset; `floored` bells stand on a baseline.
    pub(super) fn of<T: Scalar>(data: &Dataset<'_, T>, floored: bool) -> Self {
        let (x, y) = sorted(data);
        let floor = if floored { quantile(&y, 0.1) } else { 0.0 };
        let rest = y.iter().map(|y| y - floor).collect();
        Self { x, y, rest, floor }
    }

    /// The estimate of a constant baseline.
    pub(super) fn floor(&self) -> f64 {
        self.floor
    }

    /// β, μ, σ of the tallest peak that is left, upwards or downwards.
    pub(super) fn tallest(&self) -> [f64; 3] {
        let smooth = smoothed(&self.rest);
        let sizes = smooth.iter().map(|v| v.abs()).enumerate();
        let top =
            sizes.fold((0, f64::MIN), |best, this| if this.1 > best.1 { this } else { best }).0;
        let height = smooth[top];
        let (first, last) = (self.x[0], self.x[self.x.len() - 1]);
        let below_half = |i: &usize| smooth[*i] * height.signum() < height.abs() / 2.0;
        let right = (top..self.x.len()).find(below_half).map(|i| self.x[i] - self.x[top]);
        let left = (0..=top).rev().find(below_half).map(|i| self.x[top] - self.x[i]);
        let range = (last - first).max(f64::MIN_POSITIVE);
        let gap = range / self.x.len() as f64;
        let half = match (left, right) {
            (Some(a), Some(b)) => a.min(b),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => range / 2.0,
        };
        let half = half.max(gap);
        [height, self.x[top], half * half / std::f64::consts::LN_2]
    }

    /// Subtracts a bell from what is left.
    pub(super) fn take_away(&mut self, [height, centre, width]: [f64; 3]) {
        for (rest, x) in self.rest.iter_mut().zip(&self.x) {
            *rest -= height * (-(x - centre).powi(2) / width).exp();
        }
    }

    /// Leaves what a whole curve does not explain.
    pub(super) fn subtract(&mut self, curve: impl Fn(f64) -> f64) {
        for ((rest, x), y) in self.rest.iter_mut().zip(&self.x).zip(&self.y) {
            *rest = y - curve(*x);
        }
    }
}

/// Fails at the first value of x that is no number: the data has not been through a pass yet.
pub(super) fn check_finite<T: Scalar>(data: &Dataset<'_, T>) -> Result<(), Error> {
    let Design::Dense(x) = data.design();
    match x.col_iter(0).position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(row) => {
            let value = x[(row, 0)].to_string();
            Err(Error::NotFinite { row, column: Names::of(data.names(), 0), value })
        }
    }
}

/// Bells spread evenly over the range of x, as wide as they are apart.
pub(super) fn spread<T: Scalar>(data: &Dataset<'_, T>, count: usize) -> Vec<f64> {
    let (x, y) = sorted(data);
    let (first, last) = (x[0], x[x.len() - 1]);
    let apart = ((last - first) / (count + 1) as f64).max(f64::MIN_POSITIVE);
    let height = y.iter().copied().fold(f64::MIN, f64::max);
    let bell = |k: usize| [height, first + apart * (k + 1) as f64, apart * apart];
    (0..count).flat_map(bell).collect()
}

fn sorted<T: Scalar>(data: &Dataset<'_, T>) -> (Vec<f64>, Vec<f64>) {
    let Design::Dense(x) = data.design();
    let y = data.target_view();
    let pair = |i: usize| (x[(i, 0)].to_double(), y[(i, 0)].to_double());
    let mut pairs: Vec<(f64, f64)> = (0..data.rows()).map(pair).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    pairs.into_iter().unzip()
}

/// Means over a window of about a twentieth of the data, three values at least.
fn smoothed(values: &[f64]) -> Vec<f64> {
    let reach = (values.len() / 40).max(1);
    let mean = |i: usize| {
        let window = &values[i.saturating_sub(reach)..(i + reach + 1).min(values.len())];
        window.iter().sum::<f64>() / window.len() as f64
    };
    (0..values.len()).map(mean).collect()
}

fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}
