//! Every convex estimator on every backend: tall, square and wide, in both layouts, well and ill conditioned.
//!
//! `cargo bench -- lasso/faer` picks some. Names are
//! `<estimator>/<backend>/<shape>/<layout>/<condition>`. Throughput is that of the design in bytes.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use minrisk_benches::{Layout, Problem, contestants};
use minrisk_core::convex::{
    Auto, Control, ElasticNet, Estimator, HuberRegression, Lasso, LeastAbsoluteDeviations,
    LinearSvm, LogisticRegression, QuantileRegression, SoftmaxRegression, SquaredSvm, lambda_max,
};
use minrisk_core::loss::{Loss, Squared};
use minrisk_core::penalty::{Penalty, PerFeature};
use minrisk_core::{Backend, Dataset, Error, Fit, Solver, View};
use minrisk_faer::Faer;

/// Tall, square and wide.
const SHAPES: [(usize, usize); 3] = [(10_000, 50), (400, 400), (300, 1_000)];
const CONDITIONS: [f64; 2] = [1.0, 1e8];
const CLASSES: usize = 3;

fn estimators(criterion: &mut Criterion) {
    for contestant in contestants() {
        for (rows, cols) in SHAPES {
            for layout in Layout::ALL {
                for condition in CONDITIONS {
                    let shape = format!("{rows}x{cols}/{}/{condition:.0e}", layout.name());
                    let mut case = Case {
                        criterion,
                        backend: contestant.backend,
                        library: contestant.name,
                        shape,
                        tall: rows > cols,
                    };
                    let regression = Problem::sparse_signal(rows, cols, layout);
                    case.regressions(&regression.ill_conditioned(condition));
                    let classes = Problem::two_classes(rows, cols, layout);
                    case.classifications(&classes.ill_conditioned(condition));
                }
            }
        }
    }
}

struct Case<'a> {
    criterion: &'a mut Criterion,
    backend: &'static dyn Backend<f64>,
    library: &'static str,
    shape: String,
    /// What has no penalty needs more rows than columns.
    tall: bool,
}

impl Case<'_> {
    fn regressions(&mut self, problem: &Problem) {
        let largest = lambda_max(&Faer, &Squared, true, &problem.data()).expect("clean data");
        self.estimator("lasso", problem, &Lasso::total(largest / 20.0));
        self.estimator("elastic_net", problem, &ElasticNet::total(largest / 20.0, 1.0));
        if self.tall {
            let huber = HuberRegression::unpenalised(1.0).expect("a positive width");
            self.estimator("huber", problem, &huber);
            self.estimator("least_absolute", problem, &LeastAbsoluteDeviations::unpenalised());
            let quantile = QuantileRegression::unpenalised(0.9).expect("a quantile");
            self.estimator("quantile", problem, &quantile);
        }
    }

    fn classifications(&mut self, problem: &Problem) {
        self.estimator("logistic_l2", problem, &LogisticRegression::l2(1.0));
        self.estimator("logistic_l1", problem, &LogisticRegression::l1(10.0));
        self.estimator("squared_svm", problem, &SquaredSvm::total(0.5));
        if self.tall {
            self.estimator("logistic", problem, &LogisticRegression::unpenalised());
            self.estimator("svm", problem, &LinearSvm::total(0.5));
        }
        let classes: Vec<f64> = problem
            .y()
            .iter()
            .enumerate()
            .map(|(i, y)| if *y < 0.0 { 0.0 } else { 1.0 + (i % 2) as f64 })
            .collect();
        let target = View::column_vector(&classes);
        let softmax = SoftmaxRegression::l2(1.0).control(Control::to_gap(GAP));
        self.run("softmax_l2", problem, |backend| {
            softmax.fit_on(backend, &Dataset::new(problem.design(), target)?, CLASSES)
        });
    }

    fn estimator<L, P>(&mut self, name: &str, problem: &Problem, estimator: &Estimator<L, P>)
    where
        L: Loss,
        P: Penalty,
        Auto: Solver<f64, L, P> + Solver<f64, L, PerFeature<P>>,
    {
        let estimator = estimator.clone().control(Control::to_gap(GAP));
        self.run(name, problem, |backend| estimator.fit_on(backend, &problem.data()));
    }

    fn run(
        &mut self,
        name: &str,
        problem: &Problem,
        fit: impl Fn(&dyn Backend<f64>) -> Result<Fit<f64>, Error>,
    ) {
        let mut group = self.criterion.benchmark_group(format!("{name}/{}", self.library));
        group.sample_size(10).throughput(Throughput::Bytes(problem.bytes() as u64));
        group.bench_function(&self.shape, |b| b.iter(|| fit(self.backend).expect("a fit")));
        group.finish();
    }
}

/// The relative gap at which a fit ends.
const GAP: f64 = 1e-8;

criterion_group!(benches, estimators);
criterion_main!(benches);
