//! Random order that stays the same: on every machine, in every version of every crate.
//!
//! SplitMix64 (Steele, Lea, Flood 2014) and the shuffle of Fisher and Yates.

/// A reproducible source of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// One of 0, 1, …, n − 1, for n > 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        // The high half of the product: unbiased to within n/2⁶⁴.
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Uniform in [−1, 1).
    pub(crate) fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * f64::powi(2.0, -52) - 1.0
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
