//! Softmax fits with one fault each, which the judge of convex fits must reject.

use minrisk_conformance::convex::judge;
use minrisk_conformance::{Outcome, Random};
use minrisk_core::convex::{Control, SoftmaxRegression};
use minrisk_core::{
    Backend, Bound, Certificate, Dataset, Error, Fit, LinearModel, Matrix, Scalar,
    SoftmaxCertificate, Status, View,
};
use minrisk_faer::Faer;

use super::is_denied_for_hidden_slopes;

/// What a solver may get wrong while its fit looks right.
#[derive(Clone, Copy, Debug)]
enum Fault {
    None,
    MovesAWeight,
    SwapsClasses,
    LosesTheIntercepts,
    IgnoresWeights,
    IgnoresOffsets,
    SolvesForAnotherPenalty,
    StopsEarly,
    HidesItsGap,
    HidesItsGapAsADecrement,
    RewardsWeights,
    CountsZerosWrong,
}

const LAMBDA: f64 = 2.0;
const CLASSES: usize = 3;

/// Three noisy classes on four columns, weights and offsets.
struct Sample<T> {
    x: Matrix<T>,
    codes: Vec<T>,
    weights: Vec<T>,
    offsets: Matrix<T>,
}

impl<T: Scalar> Sample<T> {
    fn new() -> Self {
        let mut random = Random::new(22);
        let x = Matrix::from_fn(90, 4, |_, _| T::from_double(random.normal()));
        let codes = (0..90)
            .map(|i| {
                let lead = x[(i, 0)].to_double() + random.normal();
                T::from_double(if lead > 0.7 { 2.0 } else { f64::from(lead > -0.5) })
            })
            .collect();
        let weights = (0..90).map(|i| T::from_double([1.0, 0.25, 3.0][i % 3])).collect();
        let offsets = Matrix::from_fn(90, CLASSES, |_, _| T::from_double(random.normal()));
        Self { x, codes, weights, offsets }
    }

    fn plain(&self) -> Result<Dataset<'_, T>, Error> {
        Dataset::new(self.x.view(), View::column_vector(&self.codes))
    }

    fn data(&self) -> Result<Dataset<'_, T>, Error> {
        let weighted = self.plain()?.with_precisions(View::column_vector(&self.weights))?;
        weighted.with_offsets(self.offsets.view())
    }
}

fn certificate<T>(fit: &mut Fit<T>) -> &mut SoftmaxCertificate {
    match &mut fit.certificate {
        Certificate::Softmax(certificate) => certificate,
        other => panic!("a softmax certificate, not {other:?}"),
    }
}

/// Claims that nothing is left to gain.
fn hide_gap<T>(fit: &mut Fit<T>) {
    fit.report.status = Status::Solved;
    let certificate = certificate(fit);
    (certificate.lower_bound, certificate.relative_gap) = (certificate.objective, 0.0);
}

fn with_model<T: Scalar>(
    fit: Fit<T>,
    change: impl FnOnce(&mut Vec<Vec<T>>, &mut Vec<T>),
) -> Result<Fit<T>, Error> {
    let mut weights: Vec<Vec<T>> =
        (0..CLASSES).map(|k| fit.model.coefficients_of(k).to_vec()).collect();
    let mut levels: Vec<T> = (0..CLASSES).filter_map(|k| fit.model.intercept_of(k)).collect();
    change(&mut weights, &mut levels);
    Ok(Fit { model: LinearModel::new(weights, Some(levels), None)?, ..fit })
}

fn faulty<T: Scalar>(sample: &Sample<T>, fault: Fault) -> Result<Fit<T>, Error>
where
    Faer: Backend<T>,
{
    let softmax = || SoftmaxRegression::l1(LAMBDA);
    let data = sample.data()?;
    let good = softmax().fit_on(&Faer, &data, CLASSES)?;
    let early = Control { max_iterations: Some(1), ..Control::default() };
    let early = || softmax().control(early).fit_on(&Faer, &data, CLASSES);
    match fault {
        Fault::None => Ok(good),
        Fault::MovesAWeight => with_model(good, |weights, _| weights[0][0] *= T::from_double(1.01)),
        Fault::SwapsClasses => with_model(good, |weights, levels| {
            weights.swap(0, 1);
            levels.swap(0, 1);
        }),
        Fault::LosesTheIntercepts => with_model(good, |_, levels| levels.fill(T::zero())),
        Fault::IgnoresWeights => {
            let offsets = sample.offsets.view();
            softmax().fit_on(&Faer, &sample.plain()?.with_offsets(offsets)?, CLASSES)
        }
        Fault::IgnoresOffsets => {
            let weights = View::column_vector(&sample.weights);
            softmax().fit_on(&Faer, &sample.plain()?.with_precisions(weights)?, CLASSES)
        }
        Fault::SolvesForAnotherPenalty => {
            // The minimiser for 1.2λ₁, with its true objective for λ₁.
            let mut fit = SoftmaxRegression::l1(1.2 * LAMBDA).fit_on(&Faer, &data, CLASSES)?;
            let weights = (0..CLASSES).flat_map(|k| fit.model.coefficients_of(k));
            let norm: f64 = weights.map(|w| w.to_double().abs()).sum();
            let certificate = certificate(&mut fit);
            certificate.terms.l1.fill(LAMBDA);
            certificate.objective -= 0.2 * LAMBDA * norm;
            hide_gap(&mut fit);
            Ok(fit)
        }
        Fault::StopsEarly => {
            let mut fit = early()?;
            fit.report.status = Status::Solved;
            Ok(fit)
        }
        Fault::HidesItsGap => {
            let mut fit = early()?;
            hide_gap(&mut fit);
            Ok(fit)
        }
        Fault::HidesItsGapAsADecrement => {
            let mut fit = early()?;
            hide_gap(&mut fit);
            certificate(&mut fit).bound = Bound::NewtonDecrement;
            Ok(fit)
        }
        Fault::RewardsWeights => {
            let mut fit = good;
            certificate(&mut fit).terms.l2.fill(-1e-9);
            Ok(fit)
        }
        Fault::CountsZerosWrong => {
            let mut fit = good;
            certificate(&mut fit).nonzero += 1;
            Ok(fit)
        }
    }
}

fn outcome<T: Scalar>(fault: Fault) -> Outcome
where
    Faer: Backend<T>,
{
    let sample = Sample::<T>::new();
    let fit = faulty(&sample, fault)?;
    let gap = 1e-9_f64.max(2e3 * T::unit_roundoff());
    judge(&sample.data()?, &fit, gap)
}

#[test]
fn a_good_softmax_fit_passes() {
    assert_eq!((outcome::<f64>(Fault::None), outcome::<f32>(Fault::None)), (Ok(()), Ok(())));
}

macro_rules! rejected {
    ($($test:ident: $fault:ident;)*) => {$(
        #[test]
        fn $test() {
            assert!(outcome::<f64>(Fault::$fault).is_err(), "f64: {:?} passes", Fault::$fault);
            assert!(outcome::<f32>(Fault::$fault).is_err(), "f32: {:?} passes", Fault::$fault);
        }
    )*};
}

rejected! {
    a_softmax_weight_that_moved: MovesAWeight;
    classes_that_were_swapped: SwapsClasses;
    intercepts_of_classes_that_were_lost: LosesTheIntercepts;
    weights_that_softmax_ignored: IgnoresWeights;
    offsets_that_softmax_ignored: IgnoresOffsets;
    a_softmax_fit_for_another_penalty: SolvesForAnotherPenalty;
    a_softmax_fit_that_stopped_early: StopsEarly;
    a_softmax_gap_that_is_hidden: HidesItsGap;
    a_softmax_gap_that_is_hidden_as_a_decrement: HidesItsGapAsADecrement;
    a_penalty_that_rewards_weights: RewardsWeights;
    softmax_zeros_that_were_miscounted: CountsZerosWrong;
}

/// A fit that stopped early and says so, but for its slopes.
fn hides_its_slopes<T: Scalar>()
where
    Faer: Backend<T>,
{
    let sample = Sample::<T>::new();
    let data = sample.data().unwrap();
    let early = Control { max_iterations: Some(1), ..Control::default() };
    let softmax = SoftmaxRegression::l1(LAMBDA).control(early);
    let fit = softmax.fit_on(&Faer, &data, CLASSES).unwrap();
    is_denied_for_hidden_slopes(&data, fit);
}

#[test]
fn softmax_slopes_that_are_hidden() {
    hides_its_slopes::<f64>();
    hides_its_slopes::<f32>();
}
