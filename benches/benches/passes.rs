//! Passes over the data, beside the limit: reading it once.
//!
//! `cargo bench -p minrisk-benches --bench passes`, 100,000 × 50, both layouts. Criterion prints the
//! throughput in GiB/s of data; set RAYON_NUM_THREADS=1 to compare with one core.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use minrisk_benches::{Layout, Problem, contestants};
use minrisk_core::Backend;
use minrisk_core::wide::{Dd, Td};
use minrisk_core::{Block, GradientPass, Matrix, Reduction, Rows};

const ROWS: usize = 100_000;
const COLS: usize = 50;

/// Adds up every element: what it costs to read the data through the same engine.
struct ReadPass;

impl Reduction<f64> for ReadPass {
    type State = f64;

    fn start(&self) -> f64 {
        0.0
    }

    fn absorb(&self, sum: &mut f64, block: &Block<'_, f64>) {
        if block.x.row_stride() == 1 {
            for j in 0..block.x.cols() {
                let (groups, rest) = block.x.col_slice(j).expect("contiguous").as_chunks::<32>();
                let mut lanes = [0.0; 32];
                for group in groups {
                    lanes.iter_mut().zip(group).for_each(|(lane, x)| *lane += x);
                }
                *sum += lanes.iter().chain(rest).sum::<f64>();
            }
        } else {
            let mut lanes = [0.0; COLS];
            for i in 0..block.x.rows() {
                let row: &[f64; COLS] =
                    block.x.row_slice(i).expect("contiguous").try_into().expect("the width");
                lanes.iter_mut().zip(row).for_each(|(lane, x)| *lane += x);
            }
            *sum += lanes.iter().sum::<f64>();
        }
    }

    fn merge(&self, left: &mut f64, right: f64) {
        *left += right;
    }
}

/// The Gram matrix through the engine.
struct GramPass(&'static dyn Backend<f64>);

impl Reduction<f64> for GramPass {
    type State = Matrix<f64>;

    fn start(&self) -> Matrix<f64> {
        Matrix::zeros(COLS, COLS)
    }

    fn absorb(&self, gram: &mut Matrix<f64>, block: &Block<'_, f64>) {
        self.0.add_gram(block.x, gram.view_mut());
    }

    fn merge(&self, left: &mut Matrix<f64>, right: Matrix<f64>) {
        left.as_mut_slice().iter_mut().zip(right.as_slice()).for_each(|(a, b)| *a += b);
    }
}

fn passes(criterion: &mut Criterion) {
    for layout in Layout::ALL {
        let problem = Problem::random(ROWS, COLS, layout);
        let (design, data) = (problem.design(), problem.data());
        let mut group = criterion.benchmark_group(format!("pass/{}", layout.name()));
        group.throughput(Throughput::Bytes((ROWS * COLS * 8) as u64));
        group.sample_size(20);
        group.bench_function("read", |b| b.iter(|| Rows::from(&data).reduce(&ReadPass)));
        let half = vec![0.5; COLS];
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
        for contestant in contestants() {
            group.bench_function(format!("gram/{}", contestant.name), |b| {
                b.iter(|| {
                    black_box(Rows::from(&data).reduce(&GramPass(contestant.backend))).is_ok()
                })
            });
            group.bench_function(format!("gram_in_one_call/{}", contestant.name), |b| {
                b.iter(|| {
                    let mut gram = Matrix::zeros(COLS, COLS);
                    contestant.backend.add_gram(design, gram.view_mut());
                    gram
                })
            });
        }
        group.finish();
    }
}

criterion_group!(benches, passes);
criterion_main!(benches);
