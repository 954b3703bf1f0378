//! Zero-one risk, exactly: the fewest mistakes of any halfspace, with a proof.
//!
//! min over w of the weight of the rows with y_t (w·x_t + b) ≤ 0, NP-hard in the dimension
//! (Johnson, Preparata 1978; Höffgen, Simon, Van Horn 1995) and solved here for real data of modest
//! dimension:
//!
//! | coordinates D (features, intercept) | method |
//! |---|---|
//! | 1, 2 | [`Method::Enumeration`]: sorting by angle, O(m log m) |
//! | 3 … 7 | [`Method::Boxes`]: branch and bound over boxes of weights |
//! | more | [`Method::Subsystems`]: branching on infeasible subsystems, for small optima |
//!
//! All of them are anytime: when the budget is spent they return the best halfspace and a proven lower
//! bound. What is claimed is exact, for the numbers as they were [read](Reading).

mod boxes;
mod certificate;
mod disagreement;
mod incumbent;
mod infeasible;
mod interior;
mod leaf;
mod lists;
mod number;
mod polish;
mod preprocess;
mod recursion;
mod subtree;
mod whiten;

use std::time::Duration;

use super::Budget;
use super::budget::Clock;
use super::examples::Examples;
use super::mistakes::Mistakes;
use crate::random::Random;
use crate::{Backend, Dataset, Error, LinearModel, Scalar};

pub use certificate::{BoxTree, Branch, Given, Proof, ZeroOneCertificate};
pub use disagreement::{Disagreement, MinDisagreement};
use incumbent::Incumbent;
use leaf::Leaves;
use polish::{polish, settle};
use preprocess::Points;
pub use preprocess::Reading;
use whiten::Whitened;

/// The fewest mistakes of any halfspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinDisOpt {
    /// Whether halfspaces may have an intercept.
    pub intercept: bool,
    /// How the numbers of the data are read.
    pub reading: Reading,
    /// How to search.
    pub method: Method,
    /// Limits: steps are boxes, or nodes of the search for subsystems.
    pub budget: Budget,
    /// The seed of the random directions in the search for good halfspaces.
    pub seed: u64,
}

/// How the fewest mistakes are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Method {
    /// By the number of coordinates.
    #[default]
    Auto,
    /// All cells of the arrangement: a sweep in two dimensions, m^(D−1) log m in D.
    /// Where the time is over before all are seen, nothing is proven but what is unavoidable; boxes are
    /// taken in its place where it would need more than 10⁹ comparisons.
    Enumeration,
    /// Branch and bound over boxes of weights.
    Boxes,
    /// Branching on infeasible subsystems.
    Subsystems,
}

/// A halfspace and how far it is from the best.
#[derive(Clone, Debug, PartialEq)]
pub struct ZeroOneFit<T> {
    /// The halfspace, of wide margin among those that are right on the same rows.
    pub model: LinearModel<T>,
    /// Its mistakes on the data as given, counted exactly.
    pub mistakes: Mistakes,
    /// Whether no halfspace makes fewer: `mistakes.weight` is the lower bound.
    pub optimal: bool,
    /// The method used.
    pub method: Method,
    /// Boxes or nodes looked at; 0 for the enumeration.
    pub nodes: u64,
    /// The lower bound and its proof.
    pub certificate: ZeroOneCertificate,
}

impl MinDisOpt {
    /// With an intercept, by the method that fits the dimension, for at most twenty million boxes.
    pub fn new() -> Self {
        Self {
            intercept: true,
            reading: Reading::default(),
            method: Method::Auto,
            budget: Budget::steps(20_000_000),
            seed: 0,
        }
    }

    /// For halfspaces through the origin.
    pub fn without_intercept(self) -> Self {
        Self { intercept: false, ..self }
    }

    /// By a named method.
    pub fn with_method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// With limits: boxes or nodes, and time.
    pub fn with_budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// With at most this much time.
    pub fn with_time(self, time: Duration) -> Self {
        Self { budget: self.budget.with_time(time), ..self }
    }

    /// With numbers read in another way.
    pub fn with_reading(self, reading: Reading) -> Self {
        Self { reading, ..self }
    }

    /// Finds the halfspace with the fewest mistakes, by weight, and proves it.
    pub fn fit_on<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
    ) -> Result<ZeroOneFit<T>, Error> {
        self.search_on(backend, data, None)
    }

    /// Searches for mistakes of a weight of at most `most`, or for the fewest.
    fn search_on<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
        most: Option<f64>,
    ) -> Result<ZeroOneFit<T>, Error> {
        let clock = self.budget.start();
        let examples = Examples::new(data, self.intercept)?;
        let Some(points) = Points::new(data, &examples, self.reading, &clock)? else {
            return self.nothing_known(data, &examples);
        };
        // The first cost that is too much.
        let asked = most.map(|most| ((most / points.unit).floor() as u64).saturating_add(1));
        let found = self.run(&points, asked, &clock);
        let full = points.expand(&found.best.w, examples.dimension());
        let cost = found.best.cost as f64 * points.unit;
        let (model, mistakes) = settle(data, &examples, full, cost, self.seed, &clock)?;
        let (model, mistakes) = polish(backend, data, self.intercept, model, mistakes, &clock)?;
        let lower_bound = found.lower as f64 * points.unit;
        Ok(ZeroOneFit {
            optimal: mistakes.weight <= lower_bound,
            model,
            mistakes,
            method: found.method,
            nodes: found.nodes,
            certificate: ZeroOneCertificate {
                reading: self.reading,
                intercept: self.intercept,
                lower_bound,
                proof: found.proof,
            },
        })
    }

    fn run(&self, points: &Points, asked: Option<u64>, clock: &Clock) -> Found {
        let method = self.method_for(points);
        if points.len() == 0 {
            let best = Incumbent { w: vec![0.0; points.dim], cost: points.base };
            let (lower, proof) = (points.base, Proof::Unavoidable);
            return Found { best, lower, nodes: 0, proof, method };
        }
        let whitened = Whitened::new(points);
        if method == Method::Enumeration {
            return enumerate(points, &whitened, self.seed, clock);
        }
        let start = incumbent::search(points, &whitened, self.seed, clock);
        if start.cost == points.base || asked.is_some_and(|asked| start.cost < asked) {
            let (lower, proof) = (points.base, Proof::Unavoidable);
            return Found { best: start, lower, nodes: 0, proof, method };
        }
        if method == Method::Boxes {
            let search = boxes::Search::new(points, &whitened, asked);
            let boxes::Outcome { best, lower, nodes, tree } = search.run(start, clock, self.seed);
            let proof = Proof::Boxes(BoxTree::new(points, &whitened, tree));
            return Found { best, lower, nodes, proof, method };
        }
        let search = infeasible::Search::new(points, &whitened, asked);
        let infeasible::Outcome { best, lower, nodes, tree } = search.run(start, clock, self.seed);
        let proof = Proof::Subsystems(Given::tree(points, tree));
        Found { best, lower, nodes, proof, method }
    }
}

impl MinDisOpt {
    /// The answer when the time was over before it began: a halfspace, and the bound 0.
    fn nothing_known<T: Scalar>(
        &self,
        data: &Dataset<'_, T>,
        examples: &Examples<'_, T>,
    ) -> Result<ZeroOneFit<T>, Error> {
        let (w, b) = examples.split(vec![T::zero(); examples.dimension()]);
        let model = LinearModel::new(vec![w], b.map(|b| vec![b]), data.names().cloned())?;
        let mistakes = Mistakes::of(&model, data)?;
        Ok(ZeroOneFit {
            optimal: mistakes.weight <= 0.0,
            model,
            mistakes,
            method: self.method,
            nodes: 0,
            certificate: ZeroOneCertificate {
                reading: self.reading,
                intercept: self.intercept,
                lower_bound: 0.0,
                proof: Proof::Unavoidable,
            },
        })
    }

    fn method_for(&self, points: &Points) -> Method {
        match self.method {
            _ if points.dim <= 1 => Method::Enumeration,
            Method::Auto if points.dim <= 2 => Method::Enumeration,
            Method::Auto if points.dim <= 7 => Method::Boxes,
            Method::Auto => Method::Subsystems,
            // What would take hours is left to a method that can be stopped.
            Method::Enumeration if Leaves::new(points).work(points.len()) > 1e9 => Method::Boxes,
            named => named,
        }
    }
}

impl Default for MinDisOpt {
    fn default() -> Self {
        Self::new()
    }
}

struct Found {
    best: Incumbent,
    lower: u64,
    nodes: u64,
    proof: Proof,
    method: Method,
}

/// All cells at once; where there is no time for that, what a search finds, and no more than is sure.
fn enumerate(points: &Points, whitened: &Whitened, seed: u64, clock: &Clock) -> Found {
    let method = Method::Enumeration;
    let all: Vec<u32> = (0..points.len() as u32).collect();
    let Ok(Some(cell)) = Leaves::new(points).cheapest(&all, u64::MAX, clock) else {
        let best = incumbent::search(points, whitened, seed, clock);
        return Found { best, lower: points.base, nodes: 0, proof: Proof::Unavoidable, method };
    };
    let w = interior::into_cell(whitened, &all, &cell);
    let best = Incumbent::new(points, whitened.back(&w));
    let best = if best.cost > points.base + cell.cost {
        // Too narrow a cell for doubles: the best that can be had near it.
        let mut random = Random::new(seed);
        best.better(incumbent::descend(points, whitened, w, &mut random, clock))
    } else {
        best
    };
    let lower = points.base + cell.cost;
    Found { best, lower, nodes: 0, proof: Proof::Enumeration, method }
}

#[cfg(test)]
mod tests {
    use super::super::plain::Plain;
    use super::*;
    use crate::{Matrix, View};
    use proptest::prelude::*;

    const METHODS: [Method; 3] = [Method::Enumeration, Method::Boxes, Method::Subsystems];

    /// The fewest mistakes over all whole w in a box that meets every cell of such small rows.
    fn by_force(x: &Matrix<f64>, y: &[f64], costs: &[f64], intercept: bool, reach: i64) -> f64 {
        let d = (x.cols() + usize::from(intercept)) as u32;
        let side = 2 * reach + 1;
        let cost = |code: i64| {
            let w: Vec<f64> = (0..d).map(|j| (code / side.pow(j) % side - reach) as f64).collect();
            let b = if intercept { w[x.cols()] } else { 0.0 };
            let score = |t: usize| (0..x.cols()).map(|j| w[j] * x[(t, j)]).sum::<f64>() + b;
            (0..y.len()).filter(|&t| y[t] * score(t) <= 0.0).map(|t| costs[t]).sum::<f64>()
        };
        (0..side.pow(d)).map(cost).fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn all_methods_find_what_force_finds(
            entries in prop::collection::vec(-1..2_i32, 2..20),
            signs in prop::collection::vec(prop::bool::ANY, 20),
            costs in prop::collection::vec(0..3_u8, 20),
            features in 1..3_usize, intercept in prop::bool::ANY, weighted in prop::bool::ANY,
        ) {
            let m = entries.len() / features;
            let x = Matrix::from_fn(m, features, |i, j| f64::from(entries[i * features + j]));
            let y: Vec<f64> = signs[..m].iter().map(|&s| if s { 1.0 } else { -1.0 }).collect();
            let weights: Vec<f64> =
                costs[..m].iter().map(|&c| if weighted { f64::from(c) } else { 1.0 }).collect();
            prop_assume!(weights.iter().any(|c| *c > 0.0));
            let data = Dataset::new(x.view(), View::column_vector(&y)).unwrap();
            let data = data.with_frequencies(View::column_vector(&weights)).unwrap();
            let expected = by_force(&x, &y, &weights, intercept, 6);
            for method in METHODS {
                let search = MinDisOpt { intercept, method, ..MinDisOpt::new() };
                let fit = search.fit_on(&Plain, &data).unwrap();
                prop_assert_eq!(fit.mistakes.weight, expected, "{:?}", method);
                prop_assert_eq!(fit.certificate.lower_bound, expected, "{:?}", method);
                prop_assert!(fit.optimal);
            }
            for k in [expected - 1.0, expected] {
                let answer = MinDisagreement { k, search: MinDisOpt { intercept, ..MinDisOpt::new() } };
                match answer.decide_on(&Plain, &data) {
                    Ok(Disagreement::Yes(fit)) => prop_assert!(k == expected && fit.mistakes.weight <= k),
                    Ok(Disagreement::No(_)) => prop_assert!(k < expected),
                    Ok(Disagreement::Unknown(_)) => prop_assert!(false),
                    Err(_) => prop_assert!(k < 0.0),
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn the_three_methods_agree(
            entries in prop::collection::vec(-3.0..3.0_f64, 60), tenths in prop::bool::ANY,
            shift in 0.0..2.0_f64,
        ) {
            let y: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
            let value = |i: usize, j: usize| entries[3 * i + j] + shift * y[i];
            let rounded = |v: f64| if tenths { (v * 2.0).round() / 10.0 } else { v };
            let x = Matrix::from_fn(20, 3, |i, j| rounded(value(i, j)));
            let data = Dataset::new(x.view(), View::column_vector(&y)).unwrap();
            let fits = METHODS.map(|method| {
                MinDisOpt::new().with_method(method).fit_on(&Plain, &data).unwrap()
            });
            for fit in &fits {
                prop_assert!(fit.optimal);
                prop_assert_eq!(fit.mistakes.weight, fits[0].mistakes.weight);
            }
        }
    }

    #[test]
    fn budgets_leave_a_bound_and_no_claim() {
        let mut random = Random::new(5);
        let x = Matrix::from_fn(200, 3, |_, _| random.signed());
        let y: Vec<f64> = (0..200).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let data = Dataset::new(x.view(), View::column_vector(&y)).unwrap();
        for method in [Method::Boxes, Method::Subsystems] {
            let search = MinDisOpt::new().with_method(method).with_budget(Budget::steps(20));
            let fit = search.fit_on(&Plain, &data).unwrap();
            assert!(!fit.optimal && fit.certificate.lower_bound < fit.mistakes.weight);
        }
    }

    #[test]
    fn degenerate_data_has_answers() {
        let y = [1.0, -1.0, 1.0, -1.0];
        let same = Matrix::from_fn(4, 2, |_, j| 0.3 + j as f64);
        let data = Dataset::new(same.view(), View::column_vector(&y)).unwrap();
        let fit = MinDisOpt::new().fit_on(&Plain, &data).unwrap();
        assert!(fit.optimal && fit.mistakes.weight == 2.0);
        let zero = Matrix::<f64>::zeros(4, 2);
        let data = Dataset::new(zero.view(), View::column_vector(&y)).unwrap();
        let fit = MinDisOpt::new().without_intercept().fit_on(&Plain, &data).unwrap();
        assert!(fit.optimal && fit.mistakes.weight == 4.0);
        let one = Matrix::<f64>::zeros(4, 0);
        let data = Dataset::new(one.view(), View::column_vector(&[1.0, 1.0, -1.0, 1.0])).unwrap();
        let fit = MinDisOpt::new().fit_on(&Plain, &data).unwrap();
        assert!(fit.optimal && fit.mistakes.weight == 1.0);
    }
}
