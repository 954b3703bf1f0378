//! Least squares: minrisk's default solver on every backend, beside the library's own.
//!
//! `cargo bench -p minrisk-benches --features ndarray --bench least_squares -- least_squares/faer`
//! picks a backend. Names are `least_squares/<backend>/<solver>/<shape>/<layout>/<condition>`. Threads:
//! RAYON_NUM_THREADS and OPENBLAS_NUM_THREADS for all alike.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use minrisk_benches::{Contestant, Layout, LeastSquaresSolver, Problem, closed_form, contestants};
use minrisk_core::least_squares::{Method, Ridge};
use minrisk_core::loss::Squared;
use minrisk_core::penalty::Unpenalised;
use minrisk_core::{Dataset, Erm, View};

const SHAPES: [(usize, usize); 2] = [(100_000, 50), (10_000, 100)];
const CONDITIONS: [f64; 2] = [1.0, 1e10];

fn least_squares(criterion: &mut Criterion) {
    let auto = closed_form(Method::Auto);
    for Contestant { name, backend, native, .. } in contestants() {
        let mut group = criterion.benchmark_group(format!("least_squares/{name}"));
        group.sample_size(10);
        for (rows, cols) in SHAPES {
            for (layout, layout_name) in Layout::ALL {
                for condition in CONDITIONS {
                    let problem = if condition > 1.0 {
                        Problem::with_condition(rows, cols, condition, layout)
                    } else {
                        Problem::random(rows, cols)
                    };
                    let case = format!("{rows}x{cols}/{layout_name}/{condition:.0e}");
                    let mut run = |solver_name: &str, solver: &LeastSquaresSolver| {
                        group.bench_with_input(
                            BenchmarkId::new(solver_name, &case),
                            &problem,
                            |b, problem| {
                                b.iter(|| {
                                    // Checked anew each time: the check is part of the cost.
                                    let y = View::column_vector(&problem.y);
                                    let data = Dataset::new(problem.design(layout), y)?;
                                    solver.solve(backend, &Erm::new(Squared, Unpenalised), &data)
                                })
                            },
                        );
                    };
                    run("minrisk", &auto);
                    run("native", &native);
                }
            }
        }
        let problem = Problem::random(100_000, 50);
        group.bench_function("ridge/100000x50/row_major", |b| {
            b.iter(|| {
                let y = View::column_vector(&problem.y);
                let data = Dataset::new(problem.design(Layout::Rows), y)?;
                Ridge::total(1.0).fit_on(backend, &data)
            })
        });
        group.finish();
    }
}

criterion_group!(benches, least_squares);
criterion_main!(benches);
