//! A seeded order of rows, the same on every machine: SplitMix64 (Steele, Lea, Flood 2014) and the
//! shuffle of Fisher and Yates, indices drawn without bias (Lemire 2019).

/// The numbers 0, …, n − 1 in an order that depends on the seed alone.
pub(super) fn shuffled(n: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    let mut source = SplitMix(seed);
    for last in (1..n).rev() {
        order.swap(last, source.below(last as u64 + 1) as usize);
    }
    order
}

struct SplitMix(u64);

impl SplitMix {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in 0, …, n − 1.
    fn below(&mut self, n: u64) -> u64 {
        let unbiased_from = n.wrapping_neg() % n;
        loop {
            let product = u128::from(self.bits()) * u128::from(n);
            if product as u64 >= unbiased_from {
                return (product >> 64) as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_permutations_that_seeds_decide() {
        let mut order = shuffled(1000, 7);
        assert_eq!(order, shuffled(1000, 7));
        assert_ne!(order, shuffled(1000, 8));
        order.sort_unstable();
        assert!(order.into_iter().eq(0..1000));
        // The reference value of SplitMix64 for seed 0.
        assert_eq!(SplitMix(0).bits(), 0xE220_A839_7B1D_CDAF);
    }

    #[test]
    fn draws_are_uniform() {
        let mut source = SplitMix(3);
        let mut counts = [0_u32; 6];
        (0..60_000).for_each(|_| counts[source.below(6) as usize] += 1);
        assert!(counts.iter().all(|count| (9_600..10_400).contains(count)), "{counts:?}");
    }
}
