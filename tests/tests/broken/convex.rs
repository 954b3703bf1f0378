//! Convex fits with one fault each, which the judge of convex fits must reject.

use minrisk_conformance::convex::{judge, judge_separated};
use minrisk_conformance::{Outcome, Random};
use minrisk_core::convex::{Auto, Control, InteriorPoint};
use minrisk_core::loss::{AnyLoss, Hinge, Logistic, Loss};
use minrisk_core::penalty::{L1, L2, Terms, Unpenalised};
use minrisk_core::{
    Bound, Certificate, ConvexCertificate, Dataset, Erm, Error, Fit, LinearModel, Matrix, Scalar,
    Solver, Status, View,
};
use minrisk_faer::Faer;

use super::is_denied_for_hidden_slopes;

/// What a solver may get wrong while its fit looks right.
#[derive(Clone, Copy, Debug)]
enum Fault {
    None,
    MovesAWeight,
    LosesTheIntercept,
    IgnoresWeights,
    IgnoresOffsets,
    StopsEarly,
    HidesItsGap,
    BrokenDual,
    NoCertificate,
    CountsZerosWrong,
}

/// Labels with noise on three columns, weights and offsets.
struct Sample<T> {
    x: Matrix<T>,
    signs: Vec<T>,
    weights: Vec<T>,
    offsets: Vec<T>,
}

impl<T: Scalar> Sample<T> {
    fn new() -> Self {
        let mut random = Random::new(21);
        let x = Matrix::from_fn(80, 3, |_, _| T::from_double(random.normal()));
        let score = |i: usize| x[(i, 0)].to_double() - 2.0 * x[(i, 1)].to_double() + 0.7;
        let noisy: Vec<f64> = (0..80).map(|i| score(i) + 1.5 * random.normal()).collect();
        let signs = noisy.iter().map(|z| T::from_double(z.signum())).collect();
        let weights = (0..80).map(|i| T::from_double([1.0, 0.25, 3.0][i % 3])).collect();
        let offsets = (0..80).map(|i| T::from_double([0.5, -0.5][i % 2])).collect();
        Self { x, signs, weights, offsets }
    }

    fn plain(&self) -> Result<Dataset<'_, T>, Error> {
        Dataset::new(self.x.view(), View::column_vector(&self.signs))
    }

    fn data(&self) -> Result<Dataset<'_, T>, Error> {
        let weighted = self.plain()?.with_precisions(View::column_vector(&self.weights))?;
        weighted.with_offsets(View::column_vector(&self.offsets))
    }
}

fn certificate<T>(fit: &mut Fit<T>) -> &mut ConvexCertificate {
    match &mut fit.certificate {
        Certificate::Convex(certificate) => certificate,
        other => panic!("a convex certificate, not {other:?}"),
    }
}

fn with_model<T: Scalar>(fit: Fit<T>, weights: Vec<T>, level: T) -> Result<Fit<T>, Error> {
    Ok(Fit { model: LinearModel::new(vec![weights], Some(vec![level]), None)?, ..fit })
}

fn faulty<T: Scalar>(sample: &Sample<T>, fault: Fault) -> Result<Fit<T>, Error>
where
    Faer: minrisk_core::Backend<T>,
{
    let problem = Erm::new(Logistic, L1::total(1.5));
    let data = sample.data()?;
    let good = Auto::default().solve(&Faer, &problem, &data)?;
    let early = Auto { control: Control { max_iterations: Some(1), ..Control::default() } };
    let weights = good.model.coefficients().to_vec();
    let level = good.model.intercept().unwrap_or_else(T::zero);
    match fault {
        Fault::None => Ok(good),
        Fault::MovesAWeight => {
            let mut weights = weights;
            weights[0] *= T::from_double(1.01);
            with_model(good, weights, level)
        }
        Fault::LosesTheIntercept => with_model(good, weights, T::zero()),
        Fault::IgnoresWeights => {
            let offsets = View::column_vector(&sample.offsets);
            Auto::default().solve(&Faer, &problem, &sample.plain()?.with_offsets(offsets)?)
        }
        Fault::IgnoresOffsets => {
            let weights = View::column_vector(&sample.weights);
            Auto::default().solve(&Faer, &problem, &sample.plain()?.with_precisions(weights)?)
        }
        Fault::StopsEarly => {
            let mut fit = early.solve(&Faer, &problem, &data)?;
            fit.report.status = Status::Solved;
            Ok(fit)
        }
        Fault::HidesItsGap => {
            let mut fit = early.solve(&Faer, &problem, &data)?;
            fit.report.status = Status::Solved;
            let certificate = certificate(&mut fit);
            certificate.lower_bound = certificate.objective;
            certificate.relative_gap = 0.0;
            Ok(fit)
        }
        Fault::BrokenDual => {
            let problem = Erm::new(Hinge, L2::total(1.0));
            let mut fit = InteriorPoint::default().solve(&Faer, &problem, &data)?;
            // Outside the domain of the conjugate, where no bound comes from.
            let dual = certificate(&mut fit).dual.as_mut();
            dual.expect("interior points give a dual point").iter_mut().for_each(|u| *u *= 1.5);
            Ok(fit)
        }
        Fault::NoCertificate => Ok(Fit { certificate: Certificate::None, ..good }),
        Fault::CountsZerosWrong => {
            let mut fit = good;
            certificate(&mut fit).nonzero += 1;
            Ok(fit)
        }
    }
}

fn outcome<T: Scalar>(fault: Fault) -> Outcome
where
    Faer: minrisk_core::Backend<T>,
{
    let sample = Sample::<T>::new();
    let fit = faulty(&sample, fault)?;
    let gap = 1e-6_f64.max(2e3 * T::unit_roundoff());
    judge(&sample.data()?, &fit, gap)
}

#[test]
fn a_good_fit_passes() {
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
    a_weight_that_moved: MovesAWeight;
    an_intercept_that_was_lost: LosesTheIntercept;
    weights_that_were_ignored: IgnoresWeights;
    offsets_that_were_ignored: IgnoresOffsets;
    a_fit_that_stopped_early: StopsEarly;
    a_gap_that_is_hidden: HidesItsGap;
    a_dual_point_out_of_bounds: BrokenDual;
    a_fit_without_certificate: NoCertificate;
    zeros_that_were_miscounted: CountsZerosWrong;
}

/// Two rows of both labels at zero, and one of label −1 a little above it or not: quasi-separable if not.
fn touching<T: Scalar>(above: f64) -> (Matrix<T>, Vec<T>) {
    let x = [-3.0, -2.0, 0.0, 0.0, above, 2.0, 4.0];
    let y = [-1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0];
    (Matrix::from_fn(7, 1, |i, _| T::from_double(x[i])), y.map(T::from_double).to_vec())
}

/// A fit that has a direction where a row is a little on its wrong side.
fn overlooks_a_row<T: Scalar>()
where
    Faer: minrisk_core::Backend<T>,
{
    let problem = Erm::new(Logistic, Unpenalised);
    let (x, y) = touching::<T>(0.0);
    let clean = Dataset::new(x.view(), View::column_vector(&y)).unwrap();
    let fit = Auto::default().solve(&Faer, &problem, &clean).unwrap();
    assert_eq!(judge_separated(&clean, &fit), Ok(()));
    for above in [1e-3, 1e-9, 1e-30] {
        let (x, y) = touching::<T>(above);
        let data = Dataset::new(x.view(), View::column_vector(&y)).unwrap();
        assert!(judge_separated(&data, &fit).is_err(), "a row at {above} is overlooked");
    }
}

/// A fit that calls the point where it stopped on quasi-separable data a minimiser.
fn stops_on_the_way_to_infinity<T: Scalar>()
where
    Faer: minrisk_core::Backend<T>,
{
    let problem = Erm::new(Logistic, Unpenalised);
    let (x, y) = touching::<T>(0.0);
    let data = Dataset::new(x.view(), View::column_vector(&y)).unwrap();
    let fit = Auto::default().solve(&Faer, &problem, &data).unwrap();
    let weight = fit.model.coefficients()[0].to_double();
    let level = fit.model.intercept().map_or(0.0, |b| b.to_double());
    let loss = |t: usize| Logistic.value(weight * x[(t, 0)].to_double() + level, y[t].to_double());
    let objective = (0..y.len()).map(loss).sum::<f64>();
    for bound in [Bound::NewtonDecrement, Bound::NearlyFeasible] {
        let certificate = ConvexCertificate {
            loss: Some(AnyLoss::Logistic),
            terms: Terms { l1: vec![0.0], l2: vec![0.0] },
            objective,
            lower_bound: objective * (1.0 - 1e-7),
            bound,
            relative_gap: 1e-7,
            optimality: 0.0,
            nonzero: 1,
            dual: None,
        };
        let mut fit = fit.clone();
        fit.report.status = Status::Solved;
        fit.certificate = Certificate::Convex(Box::new(certificate));
        let gap = 1e-6_f64.max(2e3 * T::unit_roundoff());
        assert!(judge(&data, &fit, gap).is_err(), "{bound:?} is believed");
    }
}

#[test]
fn a_row_on_the_wrong_side() {
    overlooks_a_row::<f64>();
    overlooks_a_row::<f32>();
}

#[test]
fn a_minimiser_where_there_is_none() {
    stops_on_the_way_to_infinity::<f64>();
    stops_on_the_way_to_infinity::<f32>();
}

/// A fit that stopped early and says so, but for its slopes.
fn hides_its_slopes<T: Scalar>()
where
    Faer: minrisk_core::Backend<T>,
{
    let sample = Sample::<T>::new();
    let data = sample.data().unwrap();
    let early = Auto { control: Control { max_iterations: Some(1), ..Control::default() } };
    let fit = early.solve(&Faer, &Erm::new(Logistic, L1::total(1.5)), &data).unwrap();
    is_denied_for_hidden_slopes(&data, fit);
}

#[test]
fn slopes_that_are_hidden() {
    hides_its_slopes::<f64>();
    hides_its_slopes::<f32>();
}
