//! Halfspaces: perceptron epochs, separability, and the fewest mistakes.
//!
//! `cargo bench --bench halfspace -- separability` picks some; `cargo xtask bench` has the
//! comparison with linear and conic programming. Set RAYON_NUM_THREADS=1 for one core.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use minrisk_benches::{Problem, contestants};
use minrisk_core::halfspace::{Budget, MinDisOpt, Perceptron, Separation};

const EPOCHS: u64 = 20;

fn perceptron(criterion: &mut Criterion) {
    let problem = Problem::two_bells(100_000, 50, 3.0, 1);
    let perceptron = Perceptron::new().with_epochs(EPOCHS).with_budget(Budget::unlimited());
    let mut group = criterion.benchmark_group("perceptron");
    // As many bytes as the epochs read.
    group.sample_size(10).throughput(Throughput::Bytes(EPOCHS * problem.bytes() as u64));
    group.bench_function("20_epochs/100000x50", |b| b.iter(|| perceptron.fit(&problem.data())));
    group.finish();
}

fn separability(criterion: &mut Criterion) {
    for contestant in contestants() {
        let mut group = criterion.benchmark_group(format!("separability/{}", contestant.name));
        group.sample_size(10);
        for (which, apart) in [("separable", 14.0), ("not_separable", 4.0)] {
            let problem = Problem::two_bells(100_000, 20, apart, 2);
            group.throughput(Throughput::Bytes(problem.bytes() as u64));
            group.bench_function(format!("100000x20/{which}"), |b| {
                b.iter(|| Separation::new().decide_on(contestant.backend, &problem.data()))
            });
        }
        group.finish();
    }
}

fn fewest_mistakes(criterion: &mut Criterion) {
    for contestant in contestants() {
        let mut group = criterion.benchmark_group(format!("zero_one/{}", contestant.name));
        group.sample_size(10);
        let problems = [
            ("gaussians", Problem::two_bells(10_000, 2, 2.0, 3)),
            ("gaussians", Problem::two_bells(1_000, 4, 2.0, 3)),
            ("whole_numbers", Problem::two_bells(300, 3, 2.0, 4).in_halves()),
        ];
        for (which, problem) in &problems {
            group.throughput(Throughput::Elements(problem.rows() as u64));
            group.bench_function(format!("{}x{}/{which}", problem.rows(), problem.cols()), |b| {
                b.iter(|| MinDisOpt::new().fit_on(contestant.backend, &problem.data()))
            });
        }
        group.finish();
    }
}

criterion_group!(benches, perceptron, separability, fewest_mistakes);
criterion_main!(benches);
