//! Wilcoxon's signed-rank test, with the estimate of Hodges and Lehmann and the interval that belongs to it.
//!
//! Of x₁ … xₙ nothing is assumed but that each is as likely to lie some way above θ as that way below. With the
//! |xᵢ| ranked, let W be the sum of the ranks of those of one sign. If θ = 0, every sign is a fair coin, so that
//!
//! ```text
//! P(W ≤ w) = #{sets of ranks whose sum is w or less} / 2ⁿ
//! ```
//!
//! exactly, for any distribution and any n: there is no variance to estimate and no outlier to fear. θ is
//! estimated by the median of the averages (xᵢ + xⱼ)/2, i ≤ j, and lies between the c-th from below and the c-th
//! from above with the probability 1 − 2·P(W < c).

use crate::Timing;

/// An interval holds θ with this probability, or more.
const CONFIDENCE: f64 = 0.95;

/// Where some numbers lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The estimate of θ.
    pub estimate: f64,
    /// Where it lies with 95 % probability; anywhere, of fewer than six numbers.
    pub interval: (f64, f64),
    /// The probability of numbers that lie so much to one side, if θ is zero.
    pub chance: f64,
}

impl Place {
    /// Of some numbers; `None` of none.
    pub fn of(numbers: &[f64]) -> Option<Self> {
        let averages = averages(numbers);
        let estimate = Timing::of(averages.clone())?.median;
        Some(Self {
            estimate,
            interval: interval(numbers.len(), &averages),
            chance: chance(numbers),
        })
    }
}

/// (xᵢ + xⱼ)/2 for i ≤ j, in order.
fn averages(numbers: &[f64]) -> Vec<f64> {
    let with =
        |(i, x): (usize, &f64)| numbers[i..].iter().map(|y| (x + y) / 2.0).collect::<Vec<_>>();
    let mut averages: Vec<f64> = numbers.iter().enumerate().flat_map(with).collect();
    averages.sort_unstable_by(f64::total_cmp);
    averages
}

fn interval(count: usize, averages: &[f64]) -> (f64, f64) {
    let ranks: Vec<usize> = (1..=count).collect();
    let below = at_most(&ranks, averages.len());
    let left_out = below.iter().take_while(|&&chance| chance <= (1.0 - CONFIDENCE) / 2.0).count();
    match left_out {
        0 => (f64::NEG_INFINITY, f64::INFINITY),
        c => (averages[c - 1], averages[averages.len() - c]),
    }
}

fn chance(numbers: &[f64]) -> f64 {
    // What is exactly zero has no sign.
    let mut signed: Vec<f64> = numbers.iter().copied().filter(|x| *x != 0.0).collect();
    signed.sort_unstable_by(|x, y| x.abs().total_cmp(&y.abs()));
    // Twice the ranks, so that the mean of those that are equal is whole.
    let mut ranks = Vec::with_capacity(signed.len());
    for equal in signed.chunk_by(|x, y| x.abs() == y.abs()) {
        let rank = 2 * ranks.len() + 1 + equal.len();
        ranks.extend(std::iter::repeat_n(rank, equal.len()));
    }
    let sum = |side: fn(f64) -> bool| -> usize {
        let of_side = signed.iter().zip(&ranks).filter(|(x, _)| side(**x));
        of_side.map(|(_, rank)| rank).sum()
    };
    let least = sum(|x| x > 0.0).min(sum(|x| x < 0.0));
    (2.0 * at_most(&ranks, least)[least]).min(1.0)
}

/// P(W ≤ w) for w = 0 … most, where every rank is in the sum or not, each as likely.
fn at_most(ranks: &[usize], most: usize) -> Vec<f64> {
    let mut exactly = vec![0.0; most + 1];
    exactly[0] = 1.0;
    for &rank in ranks {
        for sum in (0..=most).rev() {
            let without = exactly[sum];
            let with = sum.checked_sub(rank).map_or(0.0, |rest| exactly[rest]);
            exactly[sum] = (without + with) / 2.0;
        }
    }
    let mut total = 0.0;
    exactly
        .into_iter()
        .map(|chance| {
            total += chance;
            total
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Darwin's maize: how much taller a crossed plant grew than a self-fertilised one of the same pot, in
    /// eighths of an inch (Fisher, The Design of Experiments, 1935).
    const MAIZE: [f64; 15] =
        [49.0, -67.0, 8.0, 16.0, 6.0, 23.0, 28.0, 41.0, 14.0, 29.0, 56.0, 24.0, 75.0, 60.0, -48.0];

    #[test]
    fn darwins_maize_is_placed_as_textbooks_place_it() {
        let found = Place::of(&MAIZE).expect("numbers");
        // W = 24, and 1352 of the 2¹⁵ choices of signs are as one-sided.
        assert_eq!(found.chance, 1352.0 / 32768.0);
        // The 26th of the 120 averages from below and from above, and the median.
        assert_eq!((found.interval, found.estimate), ((4.0, 41.5), 25.0));
    }

    #[test]
    fn tables_of_critical_values_are_met() {
        // The largest W that is significant at 5 %, both sides, from Wilcoxon's table.
        for (count, critical) in [(6, 0), (7, 2), (8, 3), (10, 8), (12, 13), (16, 29), (20, 52)] {
            let ranks: Vec<usize> = (1..=count).collect();
            let below = at_most(&ranks, critical + 1);
            assert!(2.0 * below[critical] <= 0.05 && 2.0 * below[critical + 1] > 0.05, "{count}");
        }
    }

    /// Numbers of these sizes with every choice of signs.
    fn all_signs(sizes: &[f64]) -> Vec<Place> {
        let sign = |signs: usize, k: usize| if signs >> k & 1 == 0 { 1.0 } else { -1.0 };
        let signed = |signs: usize| -> Vec<f64> {
            sizes.iter().enumerate().map(|(k, x)| x * sign(signs, k)).collect()
        };
        (0..1 << sizes.len()).filter_map(|signs| Place::of(&signed(signs))).collect()
    }

    #[test]
    fn a_chance_is_the_share_of_signs_that_are_as_one_sided() {
        for sizes in [&[1.0, 2.0, 2.0, 2.0, 7.0][..], &[0.1, 0.3, 0.4, 0.8, 1.1, 5.0]] {
            let all = all_signs(sizes);
            for place in &all {
                let so_sure = all.iter().filter(|other| other.chance <= place.chance).count();
                assert_eq!(so_sure as f64 / all.len() as f64, place.chance, "{sizes:?}");
            }
        }
    }

    #[test]
    fn the_interval_leaves_zero_out_where_the_test_is_sure() {
        for place in all_signs(&[0.1, 0.3, 0.4, 0.8, 1.1, 5.0, 5.2, 7.0]) {
            let (low, high) = place.interval;
            assert_eq!(low > 0.0 || high < 0.0, place.chance <= 1.0 - CONFIDENCE, "{place:?}");
            assert!(low <= place.estimate && place.estimate <= high, "{place:?}");
        }
    }

    #[test]
    fn few_numbers_say_little() {
        assert!(Place::of(&[]).is_none());
        let two = Place::of(&[0.1, 0.2]).expect("numbers");
        assert_eq!((two.chance, two.interval), (0.5, (f64::NEG_INFINITY, f64::INFINITY)));
        let nothing = Place::of(&[0.0; 9]).expect("numbers");
        assert_eq!((nothing.estimate, nothing.chance), (0.0, 1.0));
    }
}
