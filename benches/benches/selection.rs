//! Model selection for ridge: cross-validation over 100 penalties, beside one pass over the data.
//!
//! `cargo bench --bench selection`, 100,000 × 50 in both layouts. `one_fit` is one
//! refined ridge fit with the check that the data is finite; `cargo bench --bench passes` has the passes
//! themselves.
//! Threads: RAYON_NUM_THREADS.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use minrisk_benches::{Layout, Problem, contestants};
use minrisk_core::least_squares::Ridge;
use minrisk_core::selection::Folds;

const ROWS: usize = 100_000;
const COLS: usize = 50;

fn selection(criterion: &mut Criterion) {
    let alphas: Vec<f64> = (0..100).map(|k| 10_f64.powf(-3.0 + 0.06 * f64::from(k))).collect();
    let shuffled = Folds::shuffled(ROWS, 5, 1).expect("five folds");
    let contiguous = Folds::contiguous(ROWS, 5).expect("five folds");
    for contestant in contestants() {
        let backend = contestant.backend;
        for layout in Layout::ALL {
            let problem = Problem::random(ROWS, COLS, layout);
            let fresh = || problem.data();
            let mut group = criterion.benchmark_group(format!(
                "selection/{}/{}",
                contestant.name,
                layout.name()
            ));
            group.sample_size(10).throughput(Throughput::Bytes(problem.bytes() as u64));
            let ridge = Ridge::total(1.0);
            group.bench_function("one_fit", |b| {
                b.iter(|| black_box(ridge.fit_on(backend, &fresh())).is_ok())
            });
            for (folds, which) in [(&contiguous, "contiguous"), (&shuffled, "shuffled")] {
                group.bench_function(format!("5_folds_x_100_alphas/{which}"), |b| {
                    b.iter(|| {
                        let found = ridge.cross_validate_on(backend, &fresh(), folds, &alphas);
                        black_box(found.map(|found| found.best())).is_ok()
                    })
                });
            }
            group.bench_function("leave_one_out_x_100_alphas", |b| {
                b.iter(|| black_box(ridge.leave_one_out_on(backend, &fresh(), &alphas)).is_ok())
            });
            group.finish();
        }
    }
}

criterion_group!(benches, selection);
criterion_main!(benches);
