//! What this machine can do at best: bytes read and fused multiply-adds, a second.
//!
//! Both are measured on as many threads as everyone else gets, in the same run, because machines of the
//! same name differ and shared ones differ from hour to hour. The best of many short measurements counts:
//! a limit is what was possible, not what was usual. The same loads, timed beside a line, are its yardstick.

use std::env::consts::ARCH;
use std::hint::black_box;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::measure::once;
use minrisk_report::record::Limits;

/// Doubles that are read: 40 MB, the size of the largest designs, beyond the inner caches.
const READ: usize = 100_000 * 50;

/// Chains of multiply-adds side by side: enough to fill two units of a latency of up to five.
const CHAINS: usize = 12;

/// Steps of every chain in one measurement.
const STEPS: usize = 200_000;

/// Turns of both loads in a run of the yardstick.
const TURNS: usize = 10;

/// The two loads, ready to run.
pub struct Loads {
    threads: usize,
    data: Vec<f64>,
}

impl Default for Loads {
    fn default() -> Self {
        Self { threads: rayon::current_num_threads(), data: vec![1.0; READ] }
    }
}

impl Loads {
    /// What the machine does at best.
    pub fn limits(&self) -> Limits {
        let (read, multiply) = (fastest(40, || self.read()), fastest(20, || self.multiply()));
        let flops = 2.0 * (STEPS * CHAINS * lanes() * self.threads) as f64;
        Limits { read_bandwidth: (8 * READ) as f64 / read, peak_flops: flops / multiply }
    }

    /// Both over and over, for a time that depends on the machine alone: some tens of milliseconds, as most
    /// of what is measured takes, because what fits between two turns of the scheduler is not held up by
    /// neighbours, and the rest is.
    pub fn run(&self) {
        for _ in 0..TURNS {
            self.read();
            self.multiply();
        }
    }

    fn read(&self) {
        let sum = self.data.par_chunks(READ.div_ceil(self.threads)).map(sum).sum::<f64>();
        assert_eq!(black_box(sum), READ as f64);
    }

    fn multiply(&self) {
        let all = (0..self.threads).into_par_iter().map(|_| Arch::new().dispatch(MultiplyAdds));
        black_box(all.sum::<f64>());
    }
}

/// The vector instructions that kernels choose on this machine.
pub fn instructions() -> String {
    let level = format!("{:?}", Arch::new());
    let level = level.split(['(', ' ']).next().unwrap_or_default().to_lowercase();
    format!("{} doubles wide ({ARCH} {level})", lanes())
}

fn fastest(times: usize, mut run: impl FnMut()) -> f64 {
    (0..times).map(|_| once(&mut run).0).fold(f64::INFINITY, f64::min)
}

fn sum(values: &[f64]) -> f64 {
    Arch::new().dispatch(
        #[inline(always)]
        || {
            let (groups, rest) = values.as_chunks::<64>();
            let mut lanes = [0.0; 64];
            for group in groups {
                for (lane, value) in lanes.iter_mut().zip(group) {
                    *lane += value;
                }
            }
            lanes.iter().chain(rest).sum()
        },
    )
}

fn lanes() -> usize {
    struct Lanes;
    impl WithSimd for Lanes {
        type Output = usize;
        fn with_simd<S: Simd>(self, _: S) -> usize {
            S::F64_LANES
        }
    }
    Arch::new().dispatch(Lanes)
}

/// x ← x·a + b on vectors, in independent chains.
struct MultiplyAdds;

impl WithSimd for MultiplyAdds {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let (a, b) = (simd.splat_f64s(black_box(0.999)), simd.splat_f64s(black_box(0.001)));
        let mut chains = [simd.splat_f64s(black_box(0.5)); CHAINS];
        for _ in 0..STEPS {
            for chain in &mut chains {
                *chain = simd.mul_add_f64s(*chain, a, b);
            }
        }
        chains.into_iter().map(|chain| simd.reduce_sum_f64s(chain)).sum()
    }
}
