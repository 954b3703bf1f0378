//! The fewest mistakes: certified optima, brute force, and the methods against each other.

use minrisk_core::halfspace::zero_one::{Method, Reading};
use minrisk_core::halfspace::{Disagreement, MinDisOpt, MinDisagreement, ZeroOneFit};
use minrisk_core::{Backend, Dataset, Matrix, Scalar, View, verify};
use num_traits::Signed;

use super::separability::signed_rows;
use super::sets::{Labelled, results, text, texts};
use crate::check::ensure;
use crate::exact::rational;
use crate::random::Random;
use crate::{Failure, Outcome, Tally};

const METHODS: [Method; 3] = [Method::Enumeration, Method::Boxes, Method::Subsystems];

/// The mistakes of a model, in rational arithmetic.
fn mistakes<T: Scalar>(fit: &ZeroOneFit<T>, x: &Matrix<T>, y: &[T]) -> usize {
    let weights = fit.model.coefficients().iter().copied().chain(fit.model.intercept());
    let weights: Vec<_> = weights.map(rational).collect();
    let right = |z: &Vec<num_rational::BigRational>| {
        z.iter().zip(&weights).map(|(z, w)| z * w).sum::<num_rational::BigRational>().is_positive()
    };
    let rows = signed_rows(x, y, fit.model.intercept().is_some());
    rows.iter().filter(|z| !right(z)).count()
}

fn expect<T: Scalar>(fit: &ZeroOneFit<T>, x: &Matrix<T>, y: &[T], expected: usize) -> Outcome {
    let counted = mistakes(fit, x, y);
    ensure!(
        fit.optimal
            && fit.certificate.lower_bound == expected as f64
            && fit.mistakes.rows.len() == expected
            && counted == expected,
        "{} mistakes claimed with bound {}, {counted} made, {expected} are the fewest",
        fit.mistakes.weight,
        fit.certificate.lower_bound
    );
    Ok(())
}

macro_rules! csv {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../data/zero-one/", $name)))),*]
    };
}

/// The certified optima: iris, wdbc, penguins, o-rings; the proofs are walked again.
pub fn certified_optima_are_proved<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let files = csv!(
        "zo_iris_vv_pl.csv",
        "zo_iris_vv_plpw.csv",
        "zo_iris_vv_sl.csv",
        "zo_iris_vv_slpl.csv",
        "zo_iris_vv_slplpw.csv",
        "zo_iris_vv_swplpw.csv",
        "zo_oring_temp.csv",
        "zo_penguins_ac_bill_depth_flipper.csv",
        "zo_wdbc100_radius_texture.csv",
        "zo_wdbc100_radius_texture_smooth.csv"
    );
    let mut tally = Tally::default();
    for entry in results(include_str!("../../data/zero-one/zero_one_optimum.json")) {
        tally.add(|| {
            let name = text(&entry, "file");
            let file =
                files.iter().find(|(file, _)| *file == name).expect("a file for every entry");
            let (x, y) = Labelled::<T>::read(file.1).pair("1", "-1", &texts(&entry, "features"));
            let data = Dataset::new(x.view(), View::column_vector(&y))?;
            let expected = entry["min_zero_one_errors_with_bias"].as_u64().expect("a number");
            let fit = MinDisOpt::new().fit_on(backend, &data)?;
            expect(&fit, &x, &y, expected as usize).map_err(|failure| failure.within(name))?;
            let verdict = verify::zero_one(&data, &fit)?;
            ensure!(verdict.holds, "{name}: the proof fails: {verdict:?}");
            Ok(())
        });
    }
    tally.outcome()
}

/// Versicolor against virginica: 3 mistakes on the petals, 1 on all four features.
pub fn iris_has_three_mistakes_and_one<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let iris = Labelled::<T>::read(include_str!("../../data/separability/iris.csv"));
    let features = ["petal_length", "petal_width", "sepal_length", "sepal_width"];
    for (count, expected) in [(2, 3), (4, 1)] {
        let (x, y) = iris.pair("virginica", "versicolor", &features[..count]);
        let data = Dataset::new(x.view(), View::column_vector(&y))?;
        for method in [Method::Auto, Method::Subsystems] {
            let fit = MinDisOpt::new().with_method(method).fit_on(backend, &data)?;
            expect(&fit, &x, &y, expected)?;
        }
        for (k, yes) in [(expected - 1, false), (expected, true)] {
            let answer = MinDisagreement::new(k as f64).decide_on(backend, &data)?;
            let right = match answer {
                Disagreement::Yes(fit) => yes && mistakes(&fit, &x, &y) <= k,
                Disagreement::No(_) => !yes,
                Disagreement::Unknown(_) => false,
            };
            ensure!(right, "at most {k} mistakes on {count} features: wrong answer");
        }
    }
    Ok(())
}

/// Tiny whole-number data full of ties and duplicates: each method finds what brute force finds.
pub fn fewest_mistakes_are_those_of_brute_force<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    judge_fewest_mistakes(&|search, data| search.fit_on(backend, data))
}

/// A way to find the fewest mistakes, as it is judged here.
pub type Minimiser<'a, T> =
    &'a dyn Fn(&MinDisOpt, &Dataset<'_, T>) -> Result<ZeroOneFit<T>, minrisk_core::Error>;

/// The same for any way to find them; every eighth proof is walked again.
pub fn judge_fewest_mistakes<T: Scalar>(minimiser: Minimiser<'_, T>) -> Outcome {
    let mut random = Random::new(81);
    let mut tally = Tally::default();
    for round in 0..1200 {
        let (m, d, intercept) = (1 + random.below(9), 1 + random.below(2), random.below(2) == 0);
        let x = Matrix::from_fn(m, d, |_, _| T::from_double(random.below(3) as f64 - 1.0));
        let y: Vec<T> =
            (0..m).map(|_| if random.below(2) == 0 { T::one() } else { -T::one() }).collect();
        let expected = by_force(&x, &y, intercept);
        tally.add(|| {
            let data = Dataset::new(x.view(), View::column_vector(&y))?;
            for method in METHODS {
                let search = MinDisOpt { intercept, method, ..MinDisOpt::new() };
                let fit = minimiser(&search, &data)?;
                let outcome = expect(&fit, &x, &y, expected);
                outcome.map_err(|failure| failure.within(format!("{round}, {method:?}")))?;
                if round % 8 == 0 {
                    let verdict = verify::zero_one(&data, &fit)?;
                    ensure!(verdict.holds, "{round}, {method:?}: the proof fails: {verdict:?}");
                }
            }
            Ok(())
        });
    }
    tally.outcome()
}

/// Whole weights up to 6 reach every cell of rows with coordinates −1, 0, 1 in three dimensions.
fn by_force<T: Scalar>(x: &Matrix<T>, y: &[T], intercept: bool) -> usize {
    let d = (x.cols() + usize::from(intercept)) as u32;
    let wrong = |code: i32| {
        let w: Vec<i32> = (0..d).map(|j| code / 13_i32.pow(j) % 13 - 6).collect();
        let b = if intercept { w[x.cols()] } else { 0 };
        let value = |t: usize, j: usize| x[(t, j)].to_double() as i32;
        let score = |t: usize| (0..x.cols()).map(|j| w[j] * value(t, j)).sum::<i32>() + b;
        (0..y.len()).filter(|&t| y[t].to_double() as i32 * score(t) <= 0).count()
    };
    (0..13_i32.pow(d)).map(wrong).min().unwrap_or(0)
}

/// Decimals and floats in three features: three methods, two readings, one optimum each.
pub fn the_methods_agree_on_the_fewest<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(82);
    let mut tally = Tally::default();
    for round in 0..30 {
        let m = 12 + random.below(20);
        let y: Vec<T> = (0..m).map(|i| if i % 2 == 0 { T::one() } else { -T::one() }).collect();
        let shift = random.unit();
        let x = Matrix::from_fn(m, 3, |i, _| {
            let value = random.normal() + shift * y[i].to_double();
            T::from_double(if round % 2 == 0 { (value * 2.0).round() / 10.0 } else { value })
        });
        tally.add(|| {
            let data = Dataset::new(x.view(), View::column_vector(&y))?;
            for reading in [Reading::Decimals, Reading::Floats] {
                let fits: Vec<ZeroOneFit<T>> = METHODS
                    .iter()
                    .map(|&method| {
                        let search = MinDisOpt::new().with_method(method).with_reading(reading);
                        search.fit_on(backend, &data)
                    })
                    .collect::<Result<_, _>>()?;
                for fit in &fits {
                    expect(fit, &x, &y, fits[0].mistakes.rows.len())
                        .map_err(|failure| failure.within(format!("{round}, {:?}", fit.method)))?;
                }
            }
            Ok(())
        });
    }
    tally.outcome()
}

/// A weight of c is c rows, in the optimum too.
pub fn weights_are_repetitions_for_mistakes<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    judge_weighted_mistakes(&|search, data| search.fit_on(backend, data))
}

/// The same for any way to find them.
pub fn judge_weighted_mistakes<T: Scalar>(minimiser: Minimiser<'_, T>) -> Outcome {
    let mut random = Random::new(83);
    for _ in 0..40 {
        let (m, d) = (6 + random.below(10), 2);
        let x: Matrix<T> = random.matrix(m, d);
        let y: Vec<T> =
            (0..m).map(|_| if random.below(2) == 0 { T::one() } else { -T::one() }).collect();
        let counts: Vec<usize> = (0..m).map(|_| random.below(4)).collect();
        if counts.iter().all(|&c| c == 0) {
            continue;
        }
        let weights: Vec<T> = counts.iter().map(|&c| T::from_double(c as f64)).collect();
        let weighted = Dataset::new(x.view(), View::column_vector(&y))?
            .with_frequencies(View::column_vector(&weights))?;
        let places: Vec<usize> = (0..m).flat_map(|t| std::iter::repeat_n(t, counts[t])).collect();
        let repeated = Matrix::from_fn(places.len(), d, |i, j| x[(places[i], j)]);
        let labels: Vec<T> = places.iter().map(|&t| y[t]).collect();
        let repeated = Dataset::new(repeated.view(), View::column_vector(&labels))?;
        let one = minimiser(&MinDisOpt::new(), &weighted)?;
        let other = minimiser(&MinDisOpt::new(), &repeated)?;
        ensure!(
            one.optimal && other.optimal && one.mistakes.weight == other.mistakes.weight,
            "weighted {}, repeated {}",
            one.mistakes.weight,
            other.mistakes.weight
        );
    }
    Ok(())
}

/// Gaussians in two features: the same fit, nodes and certificate on 1, 2 and 3 threads.
pub fn threads_do_not_change_the_fewest<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(84);
    let y: Vec<T> = (0..3000).map(|i| if i % 2 == 0 { T::one() } else { -T::one() }).collect();
    let x = Matrix::from_fn(y.len(), 2, |i, j| {
        let mean = if j == 0 { y[i].to_double() } else { 0.0 };
        T::from_double(random.normal() + mean)
    });
    let data = Dataset::new(x.view(), View::column_vector(&y))?;
    let on = |threads: usize| -> Result<ZeroOneFit<T>, Failure> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Failure::new(error.to_string()))?;
        Ok(pool.install(|| MinDisOpt::new().fit_on(backend, &data))?)
    };
    let one = on(1)?;
    expect(&one, &x, &y, one.mistakes.rows.len())?;
    for threads in [2, 3] {
        ensure!(on(threads)? == one, "1 and {threads} threads differ");
    }
    Ok(())
}
