//! Sums of exact products for the checker: Dot2 of Ogita, Rump and Oishi (2005), one term at a time.

/// A running sum that keeps about 32 digits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    high: f64,
    low: f64,
    magnitude: f64,
}

impl Sum {
    /// Adds a·b.
    pub(super) fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.add_exact(product, a.mul_add(b, -product));
    }

    /// Adds the product of `a` and the sum `b`.
    pub(super) fn add_scaled(&mut self, a: f64, b: &Sum) {
        self.add_product(a, b.high);
        self.add_product(a, b.low);
    }

    /// The sum times a factor.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        let Self { high, low, magnitude } = *self;
        Self { high: factor * high, low: factor * low, magnitude }
    }

    fn add_exact(&mut self, value: f64, error: f64) {
        let (sum, lost) = exact_sum(self.high, value);
        // Kept normalised, so that the high word is the rounded sum even after cancellation.
        (self.high, self.low) = exact_sum(sum, self.low + (lost + error));
        self.magnitude += value.abs();
    }

    /// The sum rounded to a double.
    pub(super) fn value(&self) -> f64 {
        self.high
    }

    /// What rounding the sum to a double leaves out.
    pub(super) fn low(&self) -> f64 {
        self.low
    }

    /// Σ|terms|.
    pub(super) fn magnitude(&self) -> f64 {
        self.magnitude
    }
}

/// a + b rounded, and what rounding lost.
fn exact_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}
