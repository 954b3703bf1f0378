//! Softmax without a penalty on classes that can be told apart has no minimiser.
//!
//! If some W, b has z_ty ≥ z_tk for every row t of class y and every other class k, and > for some, the loss falls for
//! ever along it. Where all are > it is seen from the iterate itself; where the rest are ties, Newton's steps
//! converge to the direction, each of them as long as the last, and ties show up to what rounding leaves. A class far
//! from all others leaves no curvature to see that by: it is told from the rest exactly.

use crate::certificate::SoftmaxSeparation;
use crate::convex::separation::on_hyperplane;
use crate::halfspace::{Budget, Separability, Separation};
use crate::{Backend, Dataset, Design, Error, Scalar, View};

/// Cycles that are spent on telling a class from the rest.
const CYCLES: u64 = 10_000;

/// A class that a halfspace tells from all others: its own predictions grow for ever, the others tie.
pub(super) fn of_one_class<T: Scalar>(
    backend: &dyn Backend<T>,
    data: &Dataset<'_, T>,
    classes: usize,
    intercept: bool,
) -> Result<Option<Box<SoftmaxSeparation>>, Error> {
    for class in 0..classes {
        let sign = |y: &T| if y.to_double() == class as f64 { T::one() } else { -T::one() };
        let signs: Vec<T> = data.target_view().col_iter(0).map(sign).collect();
        let against = data.weigh_like(Dataset::new(data.design(), View::column_vector(&signs))?)?;
        let separation = Separation { intercept, budget: Budget::steps(CYCLES) };
        if let Separability::Separable(separator) = separation.decide_on(backend, &against)? {
            let mut weights = vec![vec![0.0; data.cols()]; classes];
            let mut intercepts = vec![0.0; classes];
            let model = &separator.model;
            weights[class] = model.coefficients().iter().map(|w| w.to_double()).collect();
            intercepts[class] = model.intercept().map_or(0.0, |b| b.to_double());
            let intercepts = intercept.then_some(intercepts);
            // Rounded coefficients may miss a margin that exact ones have.
            if let Some(separation) = along(data, weights, intercepts, false) {
                return Ok(Some(separation));
            }
        }
    }
    Ok(None)
}

/// The direction as a certificate, if it is one of endless descent.
pub(super) fn along<T: Scalar>(
    data: &Dataset<'_, T>,
    weights: Vec<Vec<f64>>,
    intercepts: Option<Vec<f64>>,
    complete: bool,
) -> Option<Box<SoftmaxSeparation>> {
    let Design::Dense(x) = data.design();
    let counts = |t: &usize| data.weight_of(*t) > 0.0;
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
        largest > 0.0 && least > -on_hyperplane::<T>() * largest
    };
    holds.then(|| Box::new(SoftmaxSeparation { weights, intercepts, complete }))
}
