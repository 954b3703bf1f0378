//! The kernels that core asks of a library, on every backend, shape and layout.
//!
//! `cargo bench -- gram/faer` picks some. Names are
//! `<kernel>/<backend>/<shape>/<layout>`. Throughput is in floating-point operations, so that criterion's
//! Gelem/s are GFLOP/s. Kernels run on one thread.

use std::hint::black_box;

use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use minrisk_benches::{Layout, Problem, contestants};
use minrisk_core::{Backend, Matrix};

/// Tall, square and wide.
const SHAPES: [(usize, usize); 3] = [(4_096, 64), (400, 400), (64, 2_048)];

/// A kernel: its name, its operations on m × n, and one run of it.
struct Kernel {
    name: &'static str,
    flops: fn(f64, f64) -> f64,
    run: fn(&dyn Backend<f64>, &Problem),
}

const KERNELS: [Kernel; 6] = [
    Kernel { name: "product", flops: |m, n| 2.0 * m * n * n, run: product },
    Kernel { name: "matrix_vector", flops: |m, n| 2.0 * m * n, run: matrix_vector },
    Kernel { name: "gram", flops: |m, n| m * n * n, run: gram },
    Kernel { name: "qr", flops: |m, n| 2.0 * m * n * n, run: qr },
    Kernel { name: "svd", flops: |m, n| 6.0 * m.max(n) * m.min(n) * m.min(n), run: svd },
    Kernel { name: "cholesky", flops: |_, n| n * n * n / 3.0, run: cholesky },
];

fn kernels(criterion: &mut Criterion) {
    for kernel in &KERNELS {
        for contestant in contestants() {
            let name = format!("{}/{}", kernel.name, contestant.name);
            let mut group = criterion.benchmark_group(name);
            group.sample_size(10);
            for (rows, cols) in SHAPES {
                for layout in Layout::ALL {
                    one(&mut group, kernel, contestant.backend, rows, cols, layout);
                }
            }
            group.finish();
        }
    }
}

fn one(
    group: &mut BenchmarkGroup<'_, WallTime>,
    kernel: &Kernel,
    backend: &dyn Backend<f64>,
    rows: usize,
    cols: usize,
    layout: Layout,
) {
    let problem = Problem::random(rows, cols, layout);
    let flops = (kernel.flops)(rows as f64, cols as f64);
    group.throughput(Throughput::Elements(flops as u64));
    group.bench_function(format!("{rows}x{cols}/{}", layout.name()), |b| {
        b.iter(|| (kernel.run)(backend, &problem));
    });
}

/// A·B with a square B.
fn product(backend: &dyn Backend<f64>, problem: &Problem) {
    let (a, n) = (problem.design(), problem.cols());
    let b = Matrix::filled(n, n, 0.5);
    let mut c = Matrix::zeros(a.rows(), n);
    backend.add_product(a, b.view(), c.view_mut());
    black_box(c);
}

fn matrix_vector(backend: &dyn Backend<f64>, problem: &Problem) {
    let a = problem.design();
    let x = Matrix::filled(a.cols(), 1, 0.5);
    let mut y = Matrix::zeros(a.rows(), 1);
    backend.add_product(a, x.view(), y.view_mut());
    black_box(y);
}

fn gram(backend: &dyn Backend<f64>, problem: &Problem) {
    let mut gram = Matrix::zeros(problem.cols(), problem.cols());
    backend.add_gram(problem.design(), gram.view_mut());
    black_box(gram);
}

/// The triangle of the design, which is destroyed: a copy is part of the time.
fn qr(backend: &dyn Backend<f64>, problem: &Problem) {
    let mut block = Matrix::from_view(problem.design());
    let mut triangle = Matrix::zeros(problem.cols(), problem.cols());
    backend.stack_qr(triangle.view_mut(), block.view_mut());
    black_box(triangle);
}

fn svd(backend: &dyn Backend<f64>, problem: &Problem) {
    let (a, rank) = (problem.design(), problem.rows().min(problem.cols()));
    let (mut u, mut v) = (Matrix::zeros(a.rows(), rank), Matrix::zeros(a.cols(), rank));
    let mut s = vec![0.0; rank];
    black_box(backend.svd(a, u.view_mut(), &mut s, v.view_mut())).expect("it converges");
}

/// A well-conditioned matrix of the width of the design.
fn cholesky(backend: &dyn Backend<f64>, problem: &Problem) {
    let n = problem.cols();
    let mut a = Matrix::from_fn(n, n, |i, j| if i == j { n as f64 } else { 0.5 });
    black_box(backend.cholesky(a.view_mut())).expect("positive definite");
}

criterion_group!(benches, kernels);
criterion_main!(benches);
