//! Bad input, degenerate input, budgets: clear errors or right answers, no panic, no hang.

use std::time::Duration;

use minrisk_core::halfspace::{
    Budget, Ending, MinDisOpt, Perceptron, Pocket, Separability, Separation, Stop, zero_one::Method,
};
use minrisk_core::{Backend, Dataset, Error, Labels, Matrix, Scalar, View, verify};

use crate::check::ensure;
use crate::random::Random;
use crate::{Failure, Outcome};

/// Labels outside −1 and +1, none, or of one class; missing values; weights for the perceptron.
pub fn bad_halfspace_input_is_refused<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let number = T::from_double;
    let mut x = Matrix::from_fn(3, 2, |i, j| number((i * i + j) as f64));
    let zeros_and_ones = [0.0, 1.0, 1.0].map(number);
    let signs = [-1.0, 1.0, 1.0].map(number);
    let data = Dataset::new(x.view(), View::column_vector(&zeros_and_ones))?;
    let outside =
        |error: Option<Error>| matches!(error, Some(Error::TargetOutsideDomain { row: 0, .. }));
    ensure!(outside(Perceptron::new().fit(&data).err()), "perceptron: labels 0 and 1 accepted");
    ensure!(outside(Pocket::new().fit(&data).err()), "pocket: labels 0 and 1 accepted");
    ensure!(outside(Separation::new().decide_on(backend, &data).err()), "separation");
    ensure!(outside(MinDisOpt::new().fit_on(backend, &data).err()), "fewest mistakes");
    ensure!(Labels::new(&[7, 7]) == Err(Error::OneClass { rows: 2 }), "one class");
    let missing = Labels::from_options([Some("a"), None]);
    ensure!(missing == Err(Error::MissingLabel { row: 1 }), "a missing label");
    let weights = [1.0, 2.0, 0.0].map(number);
    let weighted = Dataset::new(x.view(), View::column_vector(&signs))?
        .with_precisions(View::column_vector(&weights))?;
    ensure!(
        matches!(Perceptron::new().fit(&weighted), Err(Error::Unsupported { .. })),
        "weights accepted"
    );
    let none = Matrix::<T>::zeros(3, 0);
    let empty = Dataset::new(none.view(), View::column_vector(&signs))?;
    ensure!(
        Perceptron::new().without_intercept().fit(&empty) == Err(Error::NothingToFit),
        "nothing to fit"
    );
    x[(2, 1)] = T::nan();
    let data = Dataset::new(x.view(), View::column_vector(&signs))?;
    let located = |error: Option<Error>| matches!(error, Some(Error::NotFinite { row: 2, .. }));
    ensure!(located(Perceptron::new().fit(&data).err()), "perceptron: NaN accepted");
    ensure!(located(Separation::new().decide_on(backend, &data).err()), "separation: NaN accepted");
    ensure!(located(MinDisOpt::new().fit_on(backend, &data).err()), "fewest: NaN accepted");
    Ok(())
}

/// One class only, all rows the same with both labels, zero rows, very long rows: right answers.
pub fn degenerate_halfspace_input_is_answered<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let (plus, minus) = (T::one(), -T::one());
    let x: Matrix<T> = Random::new(63).matrix(6, 2);
    let one_class = [plus; 6];
    let data = Dataset::new(x.view(), View::column_vector(&one_class))?;
    let outcome = Separation::new().decide_on(backend, &data)?;
    ensure!(outcome.is_separable() == Some(true), "one class is not separable: {outcome:?}");
    ensure!(MinDisOpt::new().fit_on(backend, &data)?.mistakes.weight == 0.0, "one class");
    ensure!(Perceptron::new().fit(&data)?.ending == Ending::Clean, "one class");
    let same = Matrix::from_fn(6, 2, |_, j| T::from_double(0.3 + j as f64));
    let both = [plus, minus, plus, minus, plus, plus];
    let data = Dataset::new(same.view(), View::column_vector(&both))?;
    let outcome = Separation::new().decide_on(backend, &data)?;
    ensure!(outcome.is_separable() == Some(false), "twins are separable: {outcome:?}");
    let fit = MinDisOpt::new().fit_on(backend, &data)?;
    ensure!(fit.optimal && fit.mistakes.weight == 2.0, "{} mistakes", fit.mistakes.weight);
    let zero = Matrix::<T>::zeros(6, 2);
    let data = Dataset::new(zero.view(), View::column_vector(&both))?;
    let separation = Separation::new().without_intercept();
    ensure!(separation.decide_on(backend, &data)?.is_separable() == Some(false), "zero rows");
    let fit = MinDisOpt::new().without_intercept().fit_on(backend, &data)?;
    ensure!(fit.optimal && fit.mistakes.weight == 6.0, "zero rows: {}", fit.mistakes.weight);
    // A million features, few rows.
    let wide = Matrix::from_fn(2, 1_000_000, |i, j| if (i + j) % 2 == 0 { plus } else { minus });
    let data = Dataset::new(wide.view(), View::column_vector(&both[..2]))?;
    ensure!(Perceptron::new().fit(&data)?.ending == Ending::Clean, "a million features");
    let outcome = Separation::new().decide_on(backend, &data)?;
    ensure!(outcome.is_separable() == Some(true), "a million features");
    Ok(())
}

/// Budgets of steps and of time end every call, with what is known by then.
pub fn halfspace_budgets_are_kept<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(64);
    let x: Matrix<T> = random.matrix(2000, 6);
    let y: Vec<T> =
        (0..2000).map(|_| if random.below(2) == 0 { T::one() } else { -T::one() }).collect();
    let data = Dataset::new(x.view(), View::column_vector(&y))?;
    let fit = Perceptron::new().with_budget(Budget::steps(1234)).fit(&data)?;
    ensure!(fit.updates == 1234 && fit.ending == Ending::BudgetSpent, "{} updates", fit.updates);
    let outcome = Separation::new().with_budget(Budget::steps(1)).decide_on(backend, &data)?;
    ensure!(matches!(outcome, Separability::Undecided { .. }), "decided in one step");
    let started = std::time::Instant::now();
    let time = Duration::from_millis(300);
    let fit = MinDisOpt::new().with_time(time).fit_on(backend, &data)?;
    let bound = fit.certificate.lower_bound;
    ensure!(
        !fit.optimal && 0.0 < bound && bound < fit.mistakes.weight,
        "a claim: {} mistakes, bound {bound}",
        fit.mistakes.weight
    );
    if started.elapsed() > Duration::from_secs(20) {
        return Err(Failure::new(format!("0.3 s allowed, {:?} taken", started.elapsed())));
    }
    Ok(())
}

/// A switch that is on before they start ends every routine at once, whatever the data would take; what
/// they return then is true, and claims nothing that was not looked at.
pub fn halfspaces_stop_when_asked<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(65);
    let x: Matrix<T> = random.matrix(3000, 5);
    let y: Vec<T> =
        (0..3000).map(|_| if random.below(2) == 0 { T::one() } else { -T::one() }).collect();
    let data = Dataset::new(x.view(), View::column_vector(&y))?;
    let stop = Stop::new();
    let budget = Budget::unlimited().with_stop(&stop);
    let open = MinDisOpt::new().with_budget(Budget::steps(500)).fit_on(backend, &data)?;
    stop.request();
    let fit = Perceptron::new().with_budget(budget.clone()).with_epochs(u64::MAX).fit(&data)?;
    ensure!(fit.ending == Ending::BudgetSpent && fit.updates == 0, "{} updates", fit.updates);
    let fit = Pocket::new().with_budget(budget.clone()).fit(&data)?;
    ensure!(fit.updates == 0, "pocket: {} updates", fit.updates);
    let outcome = Separation::new().with_budget(budget.clone()).decide_on(backend, &data)?;
    ensure!(matches!(outcome, Separability::Undecided { .. }), "decided by a switch");
    for method in [Method::Auto, Method::Enumeration, Method::Boxes, Method::Subsystems] {
        let search = MinDisOpt::new().with_method(method).with_budget(budget.clone());
        let fit = search.fit_on(backend, &data)?;
        ensure!(!fit.optimal && fit.nodes <= 12, "{method:?}: {} nodes", fit.nodes);
        ensure!(verify::zero_one(&data, &fit)?.holds, "{method:?}: a claim that does not hold");
    }
    let verdict = verify::zero_one_within(&data, &open, &budget)?;
    ensure!(!verdict.holds, "a proof was confirmed without being walked");
    Ok(())
}

/// Tables that would take more than a budget's memory are refused with their size, before they are made.
pub fn halfspace_memory_is_limited<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let wide = Matrix::from_fn(3, 1_000_000, |i, j| {
        T::from_double(if (i + j) % 3 == 0 { 1.0 } else { -0.5 })
    });
    let y = [T::one(), -T::one(), T::one()];
    let data = Dataset::new(wide.view(), View::column_vector(&y))?;
    let budget = Budget::steps(1000).with_memory(50_000_000);
    let refused = |error: Option<Error>| match error {
        Some(Error::OverBudget { columns, budget, .. }) => {
            columns >= 1_000_000 && budget == 50_000_000
        }
        _ => false,
    };
    let outcome = Separation::new().with_budget(budget.clone()).decide_on(backend, &data);
    ensure!(refused(outcome.err()), "separation takes more than it may");
    let outcome = MinDisOpt::new().with_budget(budget).fit_on(backend, &data);
    ensure!(refused(outcome.err()), "fewest mistakes take more than they may");
    Ok(())
}
