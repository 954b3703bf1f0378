//! Softmax without a penalty on classes that can be told apart has no minimiser.
//!
//! If some W, b has z_ty ≥ z_tk for every row t of class y and every other class k, and > for some, the loss falls for
//! ever along it. Where all are > it is seen from the iterate itself; where the rest are ties, Newton's steps
//! converge to the direction, each of them as long as the last, and ties show up to what rounding leaves. A class far
//! from all others leaves no curvature to see that by: it is told from the rest exactly.
//!
//! Intercepts pay no penalty: a class without rows leaves no minimiser whatever the weights pay, for its intercept
//! falls for ever.

use super::problem::SoftmaxProblem;
use crate::certificate::SoftmaxSeparation;
use crate::convex::coordinates::Coordinates;
use crate::convex::separation::on_hyperplane;
use crate::convex::vectors::largest;
use crate::halfspace::{Budget, Separability, Separation};
use crate::{Dataset, Design, Error, Scalar, View};

/// Cycles that are spent on telling a class from the rest.
const CYCLES: u64 = 10_000;
/// How far a step goes where weights run off, at least, in coordinates of unit deviation.
const STRIDE: f64 = 0.01;
/// Weights below this, in such coordinates, are far from running off.
const RUN_OFF: f64 = 2.0;

/// A direction of endless descent, if there is one: the intercept of a class without rows; the weights themselves where
/// all classes are told apart; else what the steps converge to where some are, if they still go anywhere; else one
/// class against the rest.
pub(super) fn find<T: Scalar>(
    problem: &SoftmaxProblem<'_, T>,
    theta: &[f64],
    step: Option<&[f64]>,
) -> Result<Option<Box<SoftmaxSeparation>>, Error> {
    if problem.intercept
        && let Some(direction) = of_missing_classes(problem)
    {
        return Ok(Some(direction));
    }
    if !problem.terms.is_zero() {
        return Ok(None);
    }
    let coordinates = Coordinates::of(problem.data, problem.intercept);
    let size = |theta: &[f64]| {
        let of_class = |theta: &[f64]| largest(&coordinates.inner(theta));
        theta.chunks(problem.unknowns()).map(of_class).fold(0.0, f64::max)
    };
    let step = step.filter(|step| size(step) > STRIDE);
    let along_step = || step.and_then(|step| along(problem, step, false));
    match along(problem, theta, true).or_else(along_step) {
        None if size(theta) > RUN_OFF => of_one_class(problem),
        found => Ok(found),
    }
}

/// The intercepts of classes that no row counts for, if there are any.
fn of_missing_classes<T: Scalar>(
    problem: &SoftmaxProblem<'_, T>,
) -> Option<Box<SoftmaxSeparation>> {
    let counts = problem.class_weights();
    let missing = counts.iter().filter(|&&count| count == 0.0).count();
    let intercepts = counts.iter().map(|&count| if count == 0.0 { -1.0 } else { 0.0 }).collect();
    (missing > 0).then(|| {
        Box::new(SoftmaxSeparation {
            weights: vec![vec![0.0; problem.features()]; problem.classes],
            intercepts: Some(intercepts),
            // Where more than one class has rows, those stay as they are among themselves.
            complete: missing + 1 == problem.classes,
        })
    })
}

/// A class that a halfspace tells from all others: its own predictions grow for ever, the others tie.
fn of_one_class<T: Scalar>(
    problem: &SoftmaxProblem<'_, T>,
) -> Result<Option<Box<SoftmaxSeparation>>, Error> {
    let SoftmaxProblem { backend, data, classes, intercept, .. } = *problem;
    for class in 0..classes {
        let sign = |y: &T| if y.to_double() == class as f64 { T::one() } else { -T::one() };
        let signs: Vec<T> = data.target_view().col_iter(0).map(sign).collect();
        let against = data.count_like(Dataset::new(data.design(), View::column_vector(&signs))?)?;
        let separation = Separation { intercept, budget: Budget::steps(CYCLES) };
        if let Separability::Separable(separator) = separation.decide_on(backend, &against)? {
            let mut direction = vec![0.0; classes * problem.unknowns()];
            let own = &mut direction[class * problem.unknowns()..][..problem.unknowns()];
            let model = &separator.model;
            let theta = model.coefficients().iter().copied().chain(model.intercept());
            own.iter_mut().zip(theta).for_each(|(to, from)| *to = from.to_double());
            // Rounded coefficients may miss a margin that exact ones have.
            if let Some(separation) = along(problem, &direction, false) {
                return Ok(Some(separation));
            }
        }
    }
    Ok(None)
}

/// The direction as a certificate, if it is one of endless descent.
pub(super) fn along<T: Scalar>(
    problem: &SoftmaxProblem<'_, T>,
    direction: &[f64],
    complete: bool,
) -> Option<Box<SoftmaxSeparation>> {
    let data = problem.data;
    let (weights, intercepts) = problem.by_class(direction);
    let Design::Dense(x) = data.design();
    let counts = |t: &usize| data.weight_of(*t) > 0.0;
    let (mut least, mut largest) = (f64::INFINITY, 0.0_f64);
    let mut z = vec![0.0; weights.len()];
    for t in (0..data.rows()).filter(counts) {
        for (k, z) in z.iter_mut().enumerate() {
            let products = weights[k].iter().enumerate().map(|(j, w)| w * x[(t, j)].to_double());
            *z = products.sum::<f64>() + intercepts.as_ref().map_or(0.0, |b| b[k]);
        }
        let class = problem.class_of(t);
        for k in (0..z.len()).filter(|&k| k != class) {
            least = least.min(z[class] - z[k]);
            largest = largest.max(z[class] - z[k]);
        }
    }
    let slack = if complete { 0.0 } else { on_hyperplane::<T>() * largest };
    let holds = largest > 0.0 && least > -slack;
    holds.then(|| Box::new(SoftmaxSeparation { weights, intercepts, complete }))
}
