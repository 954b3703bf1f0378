//! Sums over vectors of doubles, and of rows of data with them, in a fixed order.

use crate::wide::Number;

/// Σ x_j w_j in eight chains.
#[inline(always)]
pub(super) fn dot<N: Number>(x: &[N], weights: &[f64]) -> f64 {
    let (groups, rest) = x.as_chunks::<8>();
    let (weight_groups, weight_rest) = weights.as_chunks::<8>();
    let mut lanes = [0.0; 8];
    for (x, w) in groups.iter().zip(weight_groups) {
        for l in 0..8 {
            lanes[l] += x[l].to_double() * w[l];
        }
    }
    let tail: f64 = rest.iter().zip(weight_rest).map(|(x, w)| x.to_double() * w).sum();
    lanes.iter().sum::<f64>() + tail
}

/// sum ← sum + factor·x.
#[inline(always)]
pub(super) fn add_multiple<N: Number>(sum: &mut [f64], factor: f64, x: &[N]) {
    sum.iter_mut().zip(x).for_each(|(s, x)| *s += factor * x.to_double());
}

/// max |v_j|.
pub(super) fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |max: f64, v| max.max(v.abs()))
}

/// √Σ v_j².
pub(super) fn norm(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}

/// a ← a + b.
pub(super) fn add<N: std::ops::AddAssign + Copy>(into: &mut [N], from: &[N]) {
    into.iter_mut().zip(from).for_each(|(a, &b)| *a += b);
}

/// A sum whose error grows with the logarithm of its length.
pub(super) fn pairwise_sum(terms: &[f64]) -> f64 {
    if terms.len() <= 32 {
        return terms.iter().sum();
    }
    let (left, right) = terms.split_at(terms.len() / 2);
    pairwise_sum(left) + pairwise_sum(right)
}
