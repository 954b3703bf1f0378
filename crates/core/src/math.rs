//! Exponential and logarithm without branches, so that loops over them become vector code.
//!
//! Same bits on every machine: nothing here depends on the platform's mathematical library or on
//! whether it fuses products into sums. Errors stay below two units in the last place.

use std::f64::consts::LN_2;

/// ln 2 in two parts: k·LN_2_HIGH is exact for |k| < 2^20.
const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// 1/n! for n = 2, 3, …, 13: Taylor's series is good to 2^−57 for |r| ≤ ln 2 / 2.
const INVERSE_FACTORIALS: [f64; 12] = [
    0.5,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];

/// e^x for x ≤ 0, subnormal results included.
///
/// x = k·ln 2 + r with |r| ≤ ln 2 / 2, and e^x = 2^k·e^r.
#[inline(always)]
pub(crate) fn exp_of_negative(x: f64) -> f64 {
    /// Adding and subtracting it rounds to a whole number, which then stands in the lowest bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let x = if x < -746.0 { -746.0 } else { x };
    let shifted = x * (1.0 / LN_2) + ROUND;
    let k = shifted - ROUND;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    let square = r * r;
    let power = 1.0 + (r + square * series(r, square));
    // 2^k in two factors, because 2^−1074 is not a normal number.
    let k = shifted.to_bits().wrapping_sub(ROUND.to_bits()) as i64;
    let half = k >> 1;
    power * power_of_two(half) * power_of_two(k - half)
}

/// Σ r^(n−2)/n! in pairs, and pairs of them (Estrin 1960): a third of the steps that wait for one another in
/// Horner's scheme, which is what a single exponential costs.
#[inline(always)]
fn series(r: f64, square: f64) -> f64 {
    let c = &INVERSE_FACTORIALS;
    let fourth = square * square;
    let four = |k: usize| (c[k] + c[k + 1] * r) + (c[k + 2] + c[k + 3] * r) * square;
    (four(0) + four(4) * fourth) + four(8) * (fourth * fourth)
}

#[inline(always)]
fn power_of_two(k: i64) -> f64 {
    f64::from_bits(((k + 1023) << 52) as u64)
}

/// log(1 + u) for 0 ≤ u ≤ 1.
///
/// With f = u, or f = (1 + u)/2 − 1 where 1 + u > √2, and s = f/(2 + f):
/// log(1 + f) = f − f²/2 + s(f²/2 + R(s²)), R of degree 7 (after Sun's fdlibm, e_log.c, 1993).
#[inline(always)]
pub(crate) fn log_one_plus(u: f64) -> f64 {
    const R: [f64; 7] = [
        1.479_819_860_511_658_6e-1,
        1.531_383_769_920_937_3e-1,
        1.818_357_216_161_805e-1,
        2.222_219_843_214_978_4e-1,
        2.857_142_874_366_239e-1,
        3.999_999_999_940_942e-1,
        6.666_666_666_666_735e-1,
    ];
    let upper = u > std::f64::consts::SQRT_2 - 1.0;
    let f = if upper { 0.5 * (u - 1.0) } else { u };
    let (high, low) = if upper { (LN_2_HIGH, LN_2_LOW) } else { (0.0, 0.0) };
    let s = f / (2.0 + f);
    let z = s * s;
    let mut remainder = R[0];
    for &coefficient in &R[1..] {
        remainder = remainder * z + coefficient;
    }
    let half_square = 0.5 * f * f;
    high - ((half_square - (s * (half_square + remainder * z) + low)) - f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ulps(found: f64, truth: f64) -> f64 {
        let ulp = (f64::EPSILON * truth.abs()).max(5e-324);
        (found - truth).abs() / ulp
    }

    proptest! {
        #[test]
        fn exponentials_are_good_to_two_ulps(x in -744.0..0.0) {
            prop_assert!(ulps(exp_of_negative(x), x.exp()) <= 2.0);
        }

        #[test]
        fn logarithms_are_good_to_two_ulps(u in 0.0..=1.0_f64, e in 0..900_i32) {
            prop_assert!(ulps(log_one_plus(u), u.ln_1p()) <= 2.0);
            let tiny = u * 2.0_f64.powi(-e);
            prop_assert!(ulps(log_one_plus(tiny), tiny.ln_1p()) <= 2.0);
        }
    }

    #[test]
    fn edges() {
        assert_eq!(exp_of_negative(0.0), 1.0);
        assert_eq!(exp_of_negative(-0.0), 1.0);
        assert_eq!(exp_of_negative(f64::NEG_INFINITY), 0.0);
        assert_eq!(exp_of_negative(-1e308), 0.0);
        assert!(exp_of_negative(-744.0) > 0.0);
        assert_eq!(log_one_plus(0.0), 0.0);
    }
}
