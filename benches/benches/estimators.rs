//! Every convex estimator on every backend, tall and wide, in both layouts.
//!
//! `cargo bench -p minrisk-benches --features ndarray --bench estimators -- lasso/faer` picks some. Names are
//! `<estimator>/<backend>/<shape>/<layout>`. Throughput is that of the design in bytes.

use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use minrisk_benches::{Layout, Problem, contestants};
use minrisk_core::convex::{
    Auto, Control, ElasticNet, Estimator, HuberRegression, Lasso, LeastAbsoluteDeviations,
    LinearSvm, LogisticRegression, QuantileRegression, SquaredSvm, lambda_max,
};
use minrisk_core::loss::{Loss, Squared};
use minrisk_core::penalty::{Penalty, PerFeature};
use minrisk_core::{Backend, Solver};
use minrisk_faer::Faer;

/// Tall and wide.
const SHAPES: [(usize, usize); 2] = [(10_000, 50), (300, 1_000)];

fn estimators(criterion: &mut Criterion) {
    for contestant in contestants() {
        for (rows, cols) in SHAPES {
            for layout in Layout::ALL {
                let mut case = Case {
                    criterion,
                    backend: contestant.backend,
                    rows,
                    cols,
                    layout,
                    name: contestant.name,
                };
                case.regressions();
                case.classifications();
            }
        }
    }
}

struct Case<'a> {
    criterion: &'a mut Criterion,
    backend: &'static dyn Backend<f64>,
    name: &'static str,
    rows: usize,
    cols: usize,
    layout: Layout,
}

impl Case<'_> {
    fn regressions(&mut self) {
        let problem = Problem::sparse_signal(self.rows, self.cols, self.layout);
        let largest = lambda_max(&Faer, &Squared, true, &problem.data()).expect("clean data");
        self.run("lasso", &problem, &Lasso::total(largest / 20.0));
        self.run("elastic_net", &problem, &ElasticNet::total(largest / 20.0, 1.0));
        if self.rows > self.cols {
            let huber = HuberRegression::unpenalised(1.0).expect("a positive width");
            self.run("huber", &problem, &huber);
            self.run("least_absolute", &problem, &LeastAbsoluteDeviations::unpenalised());
            let quantile = QuantileRegression::unpenalised(0.9).expect("a quantile");
            self.run("quantile", &problem, &quantile);
        }
    }

    fn classifications(&mut self) {
        let problem = Problem::two_classes(self.rows, self.cols, self.layout);
        self.run("logistic_l2", &problem, &LogisticRegression::l2(1.0));
        self.run("logistic_l1", &problem, &LogisticRegression::l1(10.0));
        self.run("squared_svm", &problem, &SquaredSvm::total(0.5));
        if self.rows > self.cols {
            self.run("logistic", &problem, &LogisticRegression::unpenalised());
            self.run("svm", &problem, &LinearSvm::total(0.5));
        }
    }

    fn run<L, P>(&mut self, estimator_name: &str, problem: &Problem, estimator: &Estimator<L, P>)
    where
        L: Loss,
        P: Penalty,
        Auto: Solver<f64, L, P> + Solver<f64, L, PerFeature<P>>,
    {
        let group_name = format!("{estimator_name}/{}", self.name);
        let mut group: BenchmarkGroup<'_, WallTime> = self.criterion.benchmark_group(group_name);
        group.sample_size(10).throughput(Throughput::Bytes(problem.bytes() as u64));
        let case = format!("{}x{}/{}", self.rows, self.cols, self.layout.name());
        let estimator = estimator.clone().control(Control::to_gap(1e-8));
        group.bench_function(case, |b| b.iter(|| estimator.fit_on(self.backend, &problem.data())));
        group.finish();
    }
}

criterion_group!(benches, estimators);
criterion_main!(benches);
