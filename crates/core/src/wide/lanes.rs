//! Eight numbers side by side: the registers of the streaming kernels.
//!
//! A kernel is written once over [`Precision`], and instantiated for the data's own precision and for
//! each wider one. A wide number in lanes is a structure of arrays (all high words, all low words),
//! which is what vector units want. The lane count is fixed, so that the order of every sum, and with
//! it every bit of a result, does not depend on the instruction set.
//!
//! Accumulation in [`Dd`] and [`Td`] follows Ogita, Rump and Oishi, "Accurate sum and dot product"
//! (2005): errors of the leading sums are carried in the lower words without renormalising at each
//! step. A chain of n steps has error at most (n·u)² (or (n·u)³) times the sum of magnitudes, plus
//! one rounding of the result, with u = 2^−53; kernels keep n at a few hundred per chain.

use super::exact::{ExactProduct, two_sum};
use super::{Dd, Number, Td};

/// Numbers processed side by side.
pub const LANES: usize = 8;

/// A precision in which data of type `T` can be accumulated.
pub trait Precision<T>: Number {
    /// A bound for the error of the kernels' sums, relative to the sum of the magnitudes of their
    /// terms: plain sums run through a block of up to 2048 rows and a tree over the blocks; wide ones
    /// are renormalised after 16 terms, each chain good to (16u)² or (16u)³, and then added up with a
    /// few hundred roundings of their own precision.
    const CHAIN_ERROR: f64;

    /// [`LANES`] numbers.
    type Lanes: Copy + Send + Sync + 'static;

    /// The same number in every lane.
    fn splat(self) -> Self::Lanes;

    /// Data lifted to this precision, exactly.
    fn lift(x: [T; LANES]) -> Self::Lanes;

    /// accumulator + x·factor, lane by lane.
    fn mul_add<E: ExactProduct>(
        accumulator: Self::Lanes,
        x: [T; LANES],
        factor: Self::Lanes,
    ) -> Self::Lanes;

    /// One lane.
    fn lane(lanes: &Self::Lanes, index: usize) -> Self;

    /// Sets one lane.
    fn set_lane(lanes: &mut Self::Lanes, index: usize, value: Self);

    /// Lane i of `sums` plus the sum over the lanes of `rows[i]`, for each i.
    #[inline(always)]
    fn add_transposed<E: ExactProduct>(
        mut sums: Self::Lanes,
        rows: &[Self::Lanes; LANES],
    ) -> Self::Lanes
    where
        T: Number,
    {
        for l in 0..LANES {
            let mut across = Self::splat(Self::ZERO);
            for (i, row) in rows.iter().enumerate() {
                Self::set_lane(&mut across, i, Self::lane(row, l));
            }
            sums = Self::mul_add::<E>(sums, [T::ONE; LANES], across);
        }
        sums
    }

    /// The sum over the lanes, in a fixed order.
    fn sum(lanes: Self::Lanes) -> Self {
        let mut total = Self::lane(&lanes, 0);
        for index in 1..LANES {
            total += Self::lane(&lanes, index);
        }
        total
    }
}

/// Sums over the lanes of eight rows in three halvings: at each, two rows share a register.
macro_rules! transposed_sum {
    ($float:ty, $sums:expr, $rows:expr) => {{
        let (mut sums, rows) = ($sums, $rows);
        let mut fours = [[0.0 as $float; LANES]; 4];
        for i in 0..4 {
            for l in 0..4 {
                fours[i][l] = rows[i][l] + rows[i][l + 4];
                fours[i][l + 4] = rows[i + 4][l] + rows[i + 4][l + 4];
            }
        }
        let mut twos = [[0.0 as $float; LANES]; 2];
        for i in 0..2 {
            for half in [0, 4] {
                for l in 0..2 {
                    twos[i][half + l] = fours[i][half + l] + fours[i][half + l + 2];
                    twos[i][half + l + 2] = fours[i + 2][half + l] + fours[i + 2][half + l + 2];
                }
            }
        }
        for quarter in [0, 2, 4, 6] {
            sums[quarter] += twos[0][quarter] + twos[0][quarter + 1];
            sums[quarter + 1] += twos[1][quarter] + twos[1][quarter + 1];
        }
        sums
    }};
}

macro_rules! plain_lanes {
    ($float:ty) => {
        type Lanes = [$float; LANES];

        #[inline(always)]
        fn splat(self) -> Self::Lanes {
            [self; LANES]
        }

        #[inline(always)]
        fn add_transposed<E: ExactProduct>(
            sums: Self::Lanes,
            rows: &[Self::Lanes; LANES],
        ) -> Self::Lanes {
            transposed_sum!($float, sums, rows)
        }

        #[inline(always)]
        fn lane(lanes: &Self::Lanes, index: usize) -> Self {
            lanes[index]
        }

        #[inline(always)]
        fn set_lane(lanes: &mut Self::Lanes, index: usize, value: Self) {
            lanes[index] = value;
        }
    };
}

impl Precision<f32> for f32 {
    const CHAIN_ERROR: f64 = 4096.0 * f32::EPSILON as f64;

    plain_lanes!(f32);

    #[inline(always)]
    fn lift(x: [f32; LANES]) -> Self::Lanes {
        x
    }

    #[inline(always)]
    fn mul_add<E: ExactProduct>(
        mut accumulator: Self::Lanes,
        x: [f32; LANES],
        factor: Self::Lanes,
    ) -> Self::Lanes {
        for l in 0..LANES {
            accumulator[l] += x[l] * factor[l];
        }
        accumulator
    }
}

impl<T: Number> Precision<T> for f64 {
    const CHAIN_ERROR: f64 = 4096.0 * f64::EPSILON;

    plain_lanes!(f64);

    #[inline(always)]
    fn lift(x: [T; LANES]) -> Self::Lanes {
        x.map(Number::to_double)
    }

    #[inline(always)]
    fn mul_add<E: ExactProduct>(
        mut accumulator: Self::Lanes,
        x: [T; LANES],
        factor: Self::Lanes,
    ) -> Self::Lanes {
        for l in 0..LANES {
            accumulator[l] += x[l].to_double() * factor[l];
        }
        accumulator
    }
}

impl<T: Number> Precision<T> for Dd {
    // 2^−95: (16·2^−53)² is 2^−98.
    const CHAIN_ERROR: f64 = 512.0 * f64::EPSILON * f64::EPSILON;

    type Lanes = [[f64; LANES]; 2];

    #[inline(always)]
    fn splat(self) -> Self::Lanes {
        [[self.to_f64(); LANES], [self.low(); LANES]]
    }

    #[inline(always)]
    fn lift(x: [T; LANES]) -> Self::Lanes {
        [x.map(Number::to_double), [0.0; LANES]]
    }

    #[inline(always)]
    fn mul_add<E: ExactProduct>(
        [mut high, mut low]: Self::Lanes,
        x: [T; LANES],
        factor: Self::Lanes,
    ) -> Self::Lanes {
        for l in 0..LANES {
            let x = x[l].to_double();
            let product = x * factor[0][l];
            let error = E::product_error(x, factor[0][l], product);
            let (sum, sum_error) = two_sum(high[l], product);
            high[l] = sum;
            low[l] += sum_error + (error + x * factor[1][l]);
        }
        [high, low]
    }

    #[inline(always)]
    fn lane(lanes: &Self::Lanes, index: usize) -> Self {
        Self::new(lanes[0][index], lanes[1][index])
    }

    #[inline(always)]
    fn set_lane(lanes: &mut Self::Lanes, index: usize, value: Self) {
        lanes[0][index] = value.to_f64();
        lanes[1][index] = value.low();
    }
}

impl<T: Number> Precision<T> for Td {
    // 2^−144: (16·2^−53)³ is 2^−147.
    const CHAIN_ERROR: f64 = 4096.0 * f64::EPSILON * f64::EPSILON * f64::EPSILON;

    type Lanes = [[f64; LANES]; 3];

    #[inline(always)]
    fn splat(self) -> Self::Lanes {
        self.words().map(|word| [word; LANES])
    }

    #[inline(always)]
    fn lift(x: [T; LANES]) -> Self::Lanes {
        [x.map(Number::to_double), [0.0; LANES], [0.0; LANES]]
    }

    #[inline(always)]
    fn mul_add<E: ExactProduct>(
        [mut high, mut middle, mut low]: Self::Lanes,
        x: [T; LANES],
        factor: Self::Lanes,
    ) -> Self::Lanes {
        for l in 0..LANES {
            let x = x[l].to_double();
            let (p0, p1) = (x * factor[0][l], x * factor[1][l]);
            let e0 = E::product_error(x, factor[0][l], p0);
            let e1 = E::product_error(x, factor[1][l], p1);
            let (s0, t0) = two_sum(high[l], p0);
            let (s1, t1) = two_sum(middle[l], e0);
            let (s1, t2) = two_sum(s1, p1);
            let (s1, t3) = two_sum(s1, t0);
            high[l] = s0;
            middle[l] = s1;
            low[l] += ((t1 + t2) + t3) + (e1 + x * factor[2][l]);
        }
        [high, middle, low]
    }

    #[inline(always)]
    fn lane(lanes: &Self::Lanes, index: usize) -> Self {
        Self::renormalise([lanes[0][index], lanes[1][index], lanes[2][index], 0.0])
    }

    #[inline(always)]
    fn set_lane(lanes: &mut Self::Lanes, index: usize, value: Self) {
        for (lane, word) in lanes.iter_mut().zip(value.words()) {
            lane[index] = word;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Fused, Split};
    use super::*;
    use num_rational::BigRational;
    use num_traits::{Signed, ToPrimitive};
    use proptest::prelude::*;

    fn chain<P: Precision<f64>, E: ExactProduct>(x: &[[f64; LANES]], factor: P) -> P {
        let accumulated =
            x.iter().fold(P::splat(P::ZERO), |sum, &x| P::mul_add::<E>(sum, x, P::splat(factor)));
        P::sum(accumulated)
    }

    fn exact_chain(x: &[[f64; LANES]], words: &[f64]) -> (BigRational, f64) {
        let rational = |v: f64| BigRational::from_float(v).expect("finite");
        let factor: BigRational = words.iter().map(|&w| rational(w)).sum();
        let sum: BigRational = x.iter().flatten().map(|&v| rational(v) * &factor).sum();
        let magnitude = x.iter().flatten().map(|v| v.abs()).sum::<f64>() * words[0].abs();
        (sum, magnitude)
    }

    proptest! {
        #[test]
        fn chains_meet_their_bounds(
            x in prop::collection::vec(prop::array::uniform8(-1e3..1e3), 1..60),
            high in -10.0..10.0, low in -1e-16..1e-16,
        ) {
            let factor = Dd::new(high, low);
            let (truth, magnitude) = exact_chain(&x, &[factor.to_f64(), factor.low()]);
            let rational = |v: f64| BigRational::from_float(v).expect("finite");
            let steps = x.len() as f64 + LANES as f64;

            let dd = chain::<Dd, Fused>(&x, factor);
            prop_assert_eq!(dd, chain::<Dd, Split>(&x, factor));
            let error = (rational(dd.to_f64()) + rational(dd.low()) - &truth).abs();
            let u = f64::EPSILON;
            prop_assert!(error.to_f64().expect("finite") <= (steps * u).powi(2) * magnitude);

            let td = chain::<Td, Fused>(&x, Td::from(factor));
            prop_assert_eq!(td, chain::<Td, Split>(&x, Td::from(factor)));
            let sum: BigRational = td.words().iter().map(|&w| rational(w)).sum();
            let error = (sum - &truth).abs();
            prop_assert!(error.to_f64().expect("finite") <= (steps * u).powi(3) * magnitude);
        }
    }
}
