//! Scaling by powers of two, which rounds nothing unless it leaves the range.

use minrisk_core::Scalar;

/// Scales so that the largest magnitude is between ½ and 1, and returns the exponent of the way back.
pub(crate) fn scale_to_one<T: Scalar>(values: &mut [T]) -> i32 {
    let larger = |most: T, x: &T| if x.magnitude() > most { x.magnitude() } else { most };
    let exponent = values.iter().fold(T::ZERO, larger).exponent();
    scale(values, -exponent);
    exponent
}

/// Multiplies by 2^exponent.
pub(crate) fn scale<T: Scalar>(values: &mut [T], exponent: i32) {
    if exponent == 0 {
        return;
    }
    // In two factors, each in range even where their product is not.
    let first = T::power_of_two(exponent / 2);
    let second = T::power_of_two(exponent - exponent / 2);
    for value in values {
        *value = *value * first * second;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_come_back() {
        for extreme in [f64::MAX, f64::MIN_POSITIVE, 5e-324, 1.0, 0.0] {
            let mut values = [extreme, -extreme];
            let exponent = scale_to_one(&mut values);
            assert!(values[0] == 0.0 || (0.5..1.0).contains(&values[0]), "{extreme}");
            scale(&mut values, exponent);
            assert_eq!(values, [extreme, -extreme]);
        }
    }
}
