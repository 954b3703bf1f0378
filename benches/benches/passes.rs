//! Passes over the data, beside the limit: reading it once.
//!
//! `cargo bench -- pass/row_major` picks some. Names are `pass/<layout>/<shape>/<what>`, and
//! `…/gram/<backend>` for tall data; the kernels have the Gram matrices of other shapes. Criterion prints the
//! throughput in GiB/s of data; set RAYON_NUM_THREADS=1 to compare with one core.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use minrisk_benches::passes::GramPass;
use minrisk_benches::{Layout, Problem, contestants};
use minrisk_core::wide::{Dd, Td};
use minrisk_core::{Block, GradientPass, Matrix, Reduction, Rows};

/// Tall, square and wide: 40, 32 and 32 MB.
const SHAPES: [(usize, usize); 3] = [(100_000, 50), (2_000, 2_000), (200, 20_000)];

/// Adds up every element: what it costs to read the data through the same engine.
struct ReadPass;

impl Reduction<f64> for ReadPass {
    type State = f64;

    fn start(&self) -> f64 {
        0.0
    }

    fn absorb(&self, sum: &mut f64, block: &Block<'_, f64>) {
        let x = block.x;
        match x.row_stride() == 1 {
            true => (0..x.cols()).for_each(|j| *sum += total(x.col_slice(j))),
            false => (0..x.rows()).for_each(|i| *sum += total(x.row_slice(i))),
        }
    }

    fn merge(&self, left: &mut f64, right: f64) {
        *left += right;
    }
}

fn total(values: Option<&[f64]>) -> f64 {
    let (groups, rest) = values.expect("contiguous").as_chunks::<32>();
    let mut lanes = [0.0; 32];
    for group in groups {
        lanes.iter_mut().zip(group).for_each(|(lane, x)| *lane += x);
    }
    lanes.iter().chain(rest).sum()
}

fn passes(criterion: &mut Criterion) {
    for layout in Layout::ALL {
        for (rows, cols) in SHAPES {
            of_shape(criterion, &Problem::random(rows, cols, layout));
        }
    }
}

fn of_shape(criterion: &mut Criterion, problem: &Problem) {
    let (rows, cols) = (problem.rows(), problem.cols());
    let (design, data) = (problem.design(), problem.data());
    let name = format!("pass/{}/{rows}x{cols}", problem.layout().name());
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).throughput(Throughput::Bytes(problem.bytes() as u64));
    group.bench_function("read", |b| b.iter(|| Rows::from(&data).reduce(&ReadPass)));
    let half = vec![0.5; cols];
    group.bench_function("fused", |b| {
        let pass = GradientPass { coefficients: &half, intercept: 0.1, target: 0 };
        b.iter(|| black_box(Rows::from(&data).reduce(&pass)).is_ok())
    });
    let half: Vec<Dd> = half.iter().map(|&w| w.into()).collect();
    group.bench_function("fused_double_double", |b| {
        let pass = GradientPass { coefficients: &half, intercept: 0.1.into(), target: 0 };
        b.iter(|| black_box(Rows::from(&data).reduce(&pass)).is_ok())
    });
    let half: Vec<Td> = half.iter().map(|&w| w.into()).collect();
    group.bench_function("fused_triple_double", |b| {
        let pass = GradientPass { coefficients: &half, intercept: 0.1.into(), target: 0 };
        b.iter(|| black_box(Rows::from(&data).reduce(&pass)).is_ok())
    });
    for contestant in contestants().into_iter().filter(|_| rows > cols) {
        group.bench_function(format!("gram/{}", contestant.name), |b| {
            let pass = GramPass(contestant.backend, cols);
            b.iter(|| black_box(Rows::from(&data).reduce(&pass)).is_ok())
        });
        group.bench_function(format!("gram_in_one_call/{}", contestant.name), |b| {
            b.iter(|| {
                let mut gram = Matrix::zeros(cols, cols);
                contestant.backend.add_gram(design, gram.view_mut());
                gram
            })
        });
    }
    group.finish();
}

criterion_group!(benches, passes);
criterion_main!(benches);
