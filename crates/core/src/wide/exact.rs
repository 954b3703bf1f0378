//! Error-free transformations of doubles.
//!
//! two_sum (Knuth): s = fl(a + b), e = a + b − s exactly, for any a, b.
//! two_product: p = fl(a·b), e = a·b − p exactly, barring underflow of e, either by one fused
//! multiply-add or by Veltkamp splitting and Dekker's product. Both give the same bits, so results do
//! not depend on whether the machine has an FMA unit.

/// s + e = a + b exactly, s the rounded sum.
#[inline(always)]
pub(super) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    (sum, error)
}

/// s + e = a + b exactly, provided |a| ≥ |b| or a = 0.
#[inline(always)]
pub(super) fn quick_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// How the error of a product is found.
pub trait ExactProduct: Copy + 'static {
    /// a·b − p exactly, where p is the rounded product a·b.
    fn product_error(a: f64, b: f64, p: f64) -> f64;
}

/// By a fused multiply-add: one instruction where the machine has it, and slow emulation elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Fused;

/// By Veltkamp splitting: 17 plain operations, for |a|, |b| below 2^996.
#[derive(Clone, Copy, Debug)]
pub struct Split;

impl ExactProduct for Fused {
    #[inline(always)]
    fn product_error(a: f64, b: f64, p: f64) -> f64 {
        a.mul_add(b, -p)
    }
}

impl ExactProduct for Split {
    #[inline(always)]
    fn product_error(a: f64, b: f64, p: f64) -> f64 {
        let (a_high, a_low) = halves(a);
        let (b_high, b_low) = halves(b);
        ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low
    }
}

/// Two numbers of at most 26 significant bits whose sum is `a`.
#[inline(always)]
fn halves(a: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0; // 2^27 + 1
    let shifted = SPLITTER * a;
    let high = shifted - (shifted - a);
    (high, a - high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn splitting_and_fusing_agree(a in -1e150..1e150_f64, b in -1e150..1e150_f64) {
            let p = a * b;
            // Products near the underflow threshold have errors that no double holds.
            prop_assume!(p.abs() > 1e-250);
            prop_assert_eq!(Fused::product_error(a, b, p), Split::product_error(a, b, p));
        }

        #[test]
        fn sums_are_error_free(a in -1e10..1e10, b in -1e-10..1e-10) {
            let (s, e) = two_sum(a, b);
            prop_assert_eq!(two_sum(b, a), (s, e));
            prop_assert_eq!(quick_two_sum(a, b), (s, e));
        }
    }
}
