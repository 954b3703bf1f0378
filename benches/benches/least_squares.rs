//! Least squares and ridge: minrisk's solvers on every backend, beside the library's own.
//!
//! `cargo bench -- least_squares/faer` picks a backend. Names are
//! `least_squares/<backend>/<solver>/<shape>/<layout>/<condition>`. Throughput is that of the design in bytes.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use minrisk_benches::{Contestant, Layout, LeastSquaresSolver, Problem, closed_form, contestants};
use minrisk_core::Erm;
use minrisk_core::least_squares::{Method, Ridge};
use minrisk_core::loss::Squared;
use minrisk_core::penalty::Unpenalised;

/// Tall, square and wide.
const SHAPES: [(usize, usize); 4] = [(100_000, 50), (10_000, 100), (300, 300), (100, 1_000)];
const CONDITIONS: [f64; 2] = [1.0, 1e10];

fn least_squares(criterion: &mut Criterion) {
    let erm = Erm::new(Squared, Unpenalised);
    for Contestant { name, backend, native, .. } in contestants() {
        let mut group = criterion.benchmark_group(format!("least_squares/{name}"));
        group.sample_size(10);
        for (rows, cols) in SHAPES {
            group.throughput(Throughput::Bytes((8 * rows * cols) as u64));
            for (layout, condition) in
                Layout::ALL.into_iter().flat_map(|layout| CONDITIONS.map(|kappa| (layout, kappa)))
            {
                let problem = Problem::random(rows, cols, layout).ill_conditioned(condition);
                let case = format!("{rows}x{cols}/{}/{condition:.0e}", layout.name());
                let mut run = |solver_name: &str, solver: &LeastSquaresSolver| {
                    // The data is checked anew each time: the check is part of the cost.
                    group.bench_function(format!("{solver_name}/{case}"), |b| {
                        b.iter(|| solver.solve(backend, &erm, &problem.data()).expect("a fit"))
                    });
                };
                run("minrisk", &closed_form(Method::Auto));
                run("qr", &closed_form(Method::Qr));
                run("svd", &closed_form(Method::Svd));
                // faer's takes no more unknowns than rows.
                if rows > cols {
                    run("native", &native);
                }
                group.bench_function(format!("ridge/{case}"), |b| {
                    b.iter(|| Ridge::total(1.0).fit_on(backend, &problem.data()).expect("a fit"))
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, least_squares);
criterion_main!(benches);
