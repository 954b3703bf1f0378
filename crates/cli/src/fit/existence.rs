//! Whether softmax regression without a penalty has a minimiser.
//!
//! If a halfspace tells one class from all the others without a mistake, the loss falls for ever along its
//! weights (Albert and Anderson 1984). That is decided exactly, class by class.

use std::time::Duration;

use minrisk::halfspace::{Budget, Separability, Separation};
use minrisk::{Backend, Dataset, Error, View, dataset};

/// Time for each class.
const PATIENCE: Duration = Duration::from_secs(5);

/// The first class that a halfspace tells from all the others; the target holds codes of classes.
pub(super) fn separable_class(
    backend: &dyn Backend<f64>,
    data: &Dataset<'_, f64>,
    classes: usize,
    intercept: bool,
) -> Result<Option<usize>, Error> {
    let budget = Budget::steps(100_000).with_time(PATIENCE);
    let Some(x) = data.design().dense() else { return Ok(None) };
    for class in 0..classes {
        let sign = |code: &f64| if *code == class as f64 { 1.0 } else { -1.0 };
        let signs: Vec<f64> = data.target_view().col_iter(0).map(sign).collect();
        let mut one_against_all = dataset(x, View::column_vector(&signs))?;
        if let Some(weights) = data.weights() {
            one_against_all = one_against_all.with_precisions(weights)?;
        }
        let outcome = Separation { intercept, budget }.decide_on(backend, &one_against_all)?;
        if matches!(outcome, Separability::Separable(_)) {
            return Ok(Some(class));
        }
    }
    Ok(None)
}
