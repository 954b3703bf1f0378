//! The crate's one source of random numbers, the same on every machine and in every version: SplitMix64
//! (Steele, Lea, Flood 2014), indices drawn without bias (Lemire 2019), the shuffle of Fisher and Yates.

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
        let n = n as u64;
        let unbiased_from = n.wrapping_neg() % n;
        loop {
            let product = u128::from(self.bits()) * u128::from(n);
            if product as u64 >= unbiased_from {
                return (product >> 64) as usize;
            }
        }
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

    /// The numbers 0, …, n − 1 in an order that depends on the seed alone.
    pub(crate) fn order(n: usize, seed: u64) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        Self::new(seed).shuffle(&mut order);
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_permutations_that_seeds_decide() {
        let mut order = Random::order(1000, 7);
        assert_eq!(order, Random::order(1000, 7));
        assert_ne!(order, Random::order(1000, 8));
        order.sort_unstable();
        assert!(order.into_iter().eq(0..1000));
        // The reference value of SplitMix64 for seed 0.
        assert_eq!(Random::new(0).bits(), 0xE220_A839_7B1D_CDAF);
    }

    #[test]
    fn draws_are_uniform() {
        let mut random = Random::new(3);
        let mut counts = [0_u32; 6];
        (0..60_000).for_each(|_| counts[random.below(6)] += 1);
        assert!(counts.iter().all(|count| (9_600..10_400).contains(count)), "{counts:?}");
        let mean = (0..60_000).map(|_| random.signed()).sum::<f64>() / 60_000.0;
        assert!(mean.abs() < 0.01, "{mean}");
    }
}
