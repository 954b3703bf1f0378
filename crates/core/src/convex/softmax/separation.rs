//! Softmax without a penalty on classes that can be told apart has no minimiser.
//!
//! If some W, b has z_ty ≥ z_tk for every row t of class y and every other class k, and > for some, the loss falls for
//! ever along it. Where all are > it is seen from the iterate itself; where the rest are ties, Newton's steps
//! converge to the direction, each of them as long as the last, and ties show up to what rounding leaves.

use crate::certificate::SoftmaxSeparation;
use crate::convex::separation::on_hyperplane;
use crate::{Dataset, Design, Scalar};

/// How far a step moves the predictions of rows that run off, at least.
const STRIDE: f64 = 0.1;

/// The direction as a certificate, if it is one of endless descent.
pub(super) fn along<T: Scalar>(
    data: &Dataset<'_, T>,
    weights: Vec<Vec<f64>>,
    intercepts: Option<Vec<f64>>,
    complete: bool,
) -> Option<Box<SoftmaxSeparation>> {
    let Design::Dense(x) = data.design();
    let counts = |t: &usize| data.weights().is_none_or(|c| c[(*t, 0)] > T::zero());
    let (mut least, mut largest) = (f64::INFINITY, 0.0_f64);
    let mut z = vec![0.0; weights.len()];
    for t in (0..data.rows()).filter(counts) {
        for (k, z) in z.iter_mut().enumerate() {
            let products = weights[k].iter().enumerate().map(|(j, w)| w * x[(t, j)].to_double());
            *z = products.sum::<f64>() + intercepts.as_ref().map_or(0.0, |b| b[k]);
        }
        let class = data.target_view()[(t, 0)].to_double() as usize;
        for k in (0..z.len()).filter(|&k| k != class) {
            least = least.min(z[class] - z[k]);
            largest = largest.max(z[class] - z[k]);
        }
    }
    let holds = if complete {
        least > 0.0
    } else {
        largest > STRIDE && least > -on_hyperplane::<T>() * largest
    };
    holds.then(|| Box::new(SoftmaxSeparation { weights, intercepts, complete }))
}
