//! A sound solver with one fault, and the check that finds it.

use minrisk_conformance::check;
use minrisk_conformance::solvers::{ridge_takes_any_rank, ridge_weighs_rows};
use minrisk_core::least_squares::ClosedForm;
use minrisk_core::loss::Squared;
use minrisk_core::penalty::{L2, PerSample, Quadratic, Total, Unpenalised};
use minrisk_core::{
    Backend, Certificate, Dataset, Erm, Error, Fit, LinearModel, Matrix, Scalar, Solver, View,
    ViewMut,
};

use crate::loops::Loops;

/// What is wrong with a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// Cholesky of the Gram matrix, no refinement, and a claim of all digits.
    UnrefinedNormalEquations,
    /// Singular values below 1e-6 (√u in single precision) are taken for zero.
    RankCutoff,
    /// A last step is left out: the answer is off by a few units in the last place.
    StopsEarly,
    /// The same, and the certificate does not know.
    StopsEarlyUnawares,
    /// Every rounding is called correct.
    BoastsOfRounding,
    /// Weights are not looked at.
    IgnoresWeights,
    /// Only the weights' presence is looked at: every row with weight counts once.
    TakesWeightsForFlags,
    /// Dependent columns get the weight zero, which is a solution but not the shortest.
    BasicSolution,
    /// Relations are found and not told.
    KeepsRelationsToItself,
    /// The first target's intercept for all.
    SharesIntercepts,
    /// NaN is treated as zero.
    SwallowsNan,
    /// Sums in an order that depends on the number of threads.
    DependsOnThreads,
    /// Asks for memory before it looks at the size.
    AllocatesBlindly,
    /// The penalty's scale is not looked at.
    ConfusesScales,
    /// The intercept is penalised like the rest.
    PenalisesIntercept,
}

/// Core's solver with a fault.
#[derive(Clone, Copy, Debug)]
struct Faulty(Fault);

impl<T: Scalar> Solver<T, Squared, Unpenalised> for Faulty {
    fn solve(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<Squared, Unpenalised>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error> {
        let sound = |data: &Dataset<'_, T>| ClosedForm::default().solve(backend, problem, data);
        match self.0 {
            Fault::UnrefinedNormalEquations => {
                let fit = sound(data)?;
                let intercept = problem.intercept;
                Ok(match normal_equations(backend, data, intercept) {
                    Some(model) => boasting(Fit { model, ..fit }),
                    None => fit,
                })
            }
            Fault::RankCutoff => {
                let fit = sound(data)?;
                let cutoff = T::unit_roundoff().sqrt().max(1e-6);
                let deficient = matches!(
                    &fit.certificate,
                    Certificate::LeastSquares(certificate) if certificate.condition > 1.0 / cutoff
                );
                Ok(if deficient {
                    altered(fit, |w, j| if j == 0 { T::zero() } else { w }, |b| b)
                } else {
                    fit
                })
            }
            Fault::StopsEarly => {
                let off = T::one() + T::epsilon() * T::from_double(4.0);
                let fit = altered(sound(data)?, |w, _| w * off, |b| b * off);
                Ok(Fit { certificate: Certificate::None, ..fit })
            }
            Fault::StopsEarlyUnawares => {
                let off = T::one() + T::epsilon() * T::from_double(4.0);
                Ok(altered(sound(data)?, |w, _| w * off, |b| b * off))
            }
            Fault::BoastsOfRounding => {
                let off = T::one() + T::epsilon();
                let fit = altered(sound(data)?, |w, _| w * off, |b| b * off);
                Ok(boasting(fit))
            }
            Fault::IgnoresWeights => sound(&Dataset::new(data.design(), data.target_view())?),
            Fault::TakesWeightsForFlags => match data.weights() {
                None => sound(data),
                Some(weights) => {
                    let flags: Vec<T> = weights
                        .col_iter(0)
                        .map(|c| if *c > T::zero() { T::one() } else { T::zero() })
                        .collect();
                    let data = Dataset::new(data.design(), data.target_view())?;
                    sound(&data.with_precisions(View::column_vector(&flags))?)
                }
            },
            Fault::BasicSolution => {
                let fit = sound(data)?;
                let certificate = fit.certificate.least_squares().cloned();
                match certificate {
                    Some(certificate) if certificate.rank < data.cols() && data.cols() > 1 => {
                        Ok(altered(
                            fit,
                            |w, j| if j + 1 == data.cols() { T::zero() } else { w },
                            |b| b,
                        ))
                    }
                    _ => Ok(fit),
                }
            }
            Fault::KeepsRelationsToItself => {
                let mut fit = sound(data)?;
                if let Certificate::LeastSquares(certificate) = &mut fit.certificate {
                    certificate.relations.clear();
                }
                Ok(fit)
            }
            Fault::SharesIntercepts => {
                let fit = sound(data)?;
                let first = fit.model.intercept();
                Ok(altered(fit, |w, _| w, |b| first.unwrap_or(b)))
            }
            Fault::SwallowsNan => {
                let x = data.design().dense().expect("dense");
                let clean = Matrix::from_fn(x.rows(), x.cols(), |i, j| {
                    let value = x[(i, j)];
                    if value.is_finite() { value } else { T::zero() }
                });
                sound(&Dataset::new(clean.view(), data.target_view())?)
            }
            Fault::DependsOnThreads => {
                let threads = rayon::current_num_threads() as f64;
                let off = T::one() + T::epsilon() * T::from_double(threads);
                Ok(altered(sound(data)?, |w, _| w * off, |b| b))
            }
            Fault::AllocatesBlindly => {
                let scratch = vec![T::zero(); data.cols() * data.cols()];
                assert_eq!(scratch.len(), data.cols() * data.cols());
                sound(data)
            }
            Fault::ConfusesScales | Fault::PenalisesIntercept => sound(data),
        }
    }
}

impl<T: Scalar> Solver<T, Squared, L2<Total>> for Faulty {
    fn solve(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<Squared, L2<Total>>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error> {
        if self.0 == Fault::PenalisesIntercept && problem.intercept && data.weights().is_none() {
            // A column of ones like any other.
            let x = data.design().dense().expect("dense");
            let with_ones = Matrix::from_fn(x.rows(), x.cols() + 1, |i, j| {
                if j == 0 { T::one() } else { x[(i, j - 1)] }
            });
            let wider = Dataset::new(with_ones.view(), data.target_view())?;
            let fit = ClosedForm::default().solve(backend, &problem.without_intercept(), &wider)?;
            let w = fit.model.coefficients();
            let model = LinearModel::from_coefficients(w[1..].to_vec(), Some(w[0]))?;
            return Ok(Fit { model, certificate: Certificate::None, ..fit });
        }
        ClosedForm::default().solve(backend, problem, data)
    }
}

impl<T: Scalar> Solver<T, Squared, L2<PerSample>> for Faulty {
    fn solve(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<Squared, L2<PerSample>>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error> {
        if self.0 == Fault::ConfusesScales {
            let penalty = L2::total(problem.penalty.ridge());
            let total = Erm { loss: Squared, penalty, intercept: problem.intercept };
            return ClosedForm::default().solve(backend, &total, data);
        }
        ClosedForm::default().solve(backend, problem, data)
    }
}

/// The textbook: Cholesky of XᵀX, intercept as a column of ones.
fn normal_equations<T: Scalar>(
    backend: &dyn Backend<T>,
    data: &Dataset<'_, T>,
    intercept: bool,
) -> Option<LinearModel<T>> {
    let x = data.design().dense()?;
    let offset = usize::from(intercept);
    let design = Matrix::from_fn(x.rows(), x.cols() + offset, |i, j| {
        if j < offset { T::one() } else { x[(i, j - offset)] }
    });
    let mut gram = Matrix::zeros(design.cols(), design.cols());
    backend.add_gram(design.view(), gram.view_mut());
    backend.cholesky(gram.view_mut()).ok()?;
    let mut coefficients = Vec::new();
    for target in 0..data.targets() {
        let y = data.target_view().col_range(target..target + 1);
        let mut w = vec![T::zero(); design.cols()];
        let rows = w.len();
        backend.add_product(
            design.view().transpose(),
            y,
            ViewMut::col_major(&mut w, rows, 1).ok()?,
        );
        backend.solve_lower(gram.view(), ViewMut::col_major(&mut w, rows, 1).ok()?);
        backend.solve_upper(gram.view().transpose(), ViewMut::col_major(&mut w, rows, 1).ok()?);
        coefficients.push(w);
    }
    let intercepts = intercept.then(|| coefficients.iter_mut().map(|w| w.remove(0)).collect());
    LinearModel::new(coefficients, intercepts, None).ok()
}

/// The fit with other numbers and the same certificate.
fn altered<T: Scalar>(
    fit: Fit<T>,
    weight: impl Fn(T, usize) -> T,
    intercept: impl Fn(T) -> T,
) -> Fit<T> {
    let targets = 0..fit.model.targets();
    let coefficients = targets.clone().map(|k| {
        fit.model.coefficients_of(k).iter().enumerate().map(|(j, &w)| weight(w, j)).collect()
    });
    let intercepts: Option<Vec<T>> =
        targets.clone().map(|k| fit.model.intercept_of(k).map(&intercept)).collect();
    let model = LinearModel::new(coefficients.collect(), intercepts, None).expect("same shape");
    Fit { model, ..fit }
}

/// The fit with a certificate of full digits and correct rounding.
fn boasting<T: Scalar>(mut fit: Fit<T>) -> Fit<T> {
    let all = -T::unit_roundoff().log10();
    if let Certificate::LeastSquares(certificate) = &mut fit.certificate {
        certificate.digits.iter_mut().flatten().for_each(|digits| *digits = all);
        certificate.intercept_digits.iter_mut().for_each(|digits| *digits = all);
        certificate.correctly_rounded = true;
    }
    fit
}

/// Fails unless the named check rejects the fault in both scalar types.
fn rejects(fault: Fault, name: &str) {
    let check = check(name).expect("a check of this name");
    let solver = Faulty(fault);
    for (float, outcome) in [
        ("f64", check.run_solver_f64(&Loops, &solver)),
        ("f32", check.run_solver_f32(&Loops, &solver)),
    ] {
        assert!(outcome.is_err(), "{name} in {float} does not notice {fault:?}");
    }
}

macro_rules! rejected {
    ($($test:ident: $fault:ident is found by $check:ident;)*) => {
        $(
            #[test]
            fn $test() {
                rejects(Fault::$fault, stringify!($check));
            }
        )*
    };
}

rejected! {
    unrefined_normal_equations_on_nist:
        UnrefinedNormalEquations is found by nist_sets_are_solved_to_the_last_digit;
    unrefined_normal_equations_on_families:
        UnrefinedNormalEquations is found by families_are_solved_faithfully;
    unrefined_normal_equations_that_claim_full_digits:
        UnrefinedNormalEquations is found by certificates_hold_on_full_length_numbers;
    a_rank_cutoff_of_a_millionth: RankCutoff is found by families_are_solved_faithfully;
    a_last_step_left_out: StopsEarly is found by families_are_solved_faithfully;
    a_last_step_left_out_unawares:
        StopsEarlyUnawares is found by certificates_hold_on_full_length_numbers;
    correct_rounding_claimed: BoastsOfRounding is found by certificates_hold_on_whole_numbers;
    frequencies_ignored: IgnoresWeights is found by frequencies_equal_repetition;
    precisions_ignored: IgnoresWeights is found by precisions_weigh_rows;
    weight_zero_ignored: IgnoresWeights is found by rows_of_weight_zero_do_not_count;
    weights_as_flags: TakesWeightsForFlags is found by frequencies_equal_repetition;
    a_basic_solution_of_wide_designs: BasicSolution is found by wide_designs_get_the_minimum_norm;
    a_basic_solution: BasicSolution is found by dependent_columns_get_the_minimum_norm;
    relations_kept_secret: KeepsRelationsToItself is found by relations_among_decimals_are_named;
    constants_kept_secret: KeepsRelationsToItself is found by constant_columns_are_named;
    intercepts_shared: SharesIntercepts is found by several_targets_are_fitted_as_one;
    missing_values_swallowed: SwallowsNan is found by missing_values_are_located;
    bits_that_depend_on_threads: DependsOnThreads is found by threads_do_not_change_a_bit;
    memory_asked_for_blindly: AllocatesBlindly is found by sizes_that_overflow_are_refused;
}

#[test]
fn scales_confused() {
    let faulty = Faulty(Fault::ConfusesScales);
    assert!(ridge_weighs_rows::<f64>(&Loops, &faulty).is_err());
    assert!(ridge_weighs_rows::<f32>(&Loops, &faulty).is_err());
}

#[test]
fn an_intercept_penalised() {
    let faulty = Faulty(Fault::PenalisesIntercept);
    assert!(ridge_takes_any_rank::<f64>(&Loops, &faulty).is_err());
    assert!(ridge_takes_any_rank::<f32>(&Loops, &faulty).is_err());
}
