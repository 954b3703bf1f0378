//! What this machine can do at best: bytes read and fused multiply-adds, a second.
//!
//! Both are measured on as many threads as everyone else gets, in the same run, because machines of the
//! same name differ and shared ones differ from minute to minute. The best of many short measurements all
//! through the run counts: a limit is what was possible, not what was usual.

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

/// What the machine does at best on as many threads as there are for everyone.
pub fn limits() -> Limits {
    let threads = rayon::current_num_threads();
    let data = vec![1.0; READ];
    let read = || {
        let sum = data.par_chunks(READ.div_ceil(threads)).map(sum).sum::<f64>();
        assert_eq!(black_box(sum), READ as f64);
    };
    let multiply = || {
        let all = (0..threads).into_par_iter().map(|_| Arch::new().dispatch(MultiplyAdds));
        black_box(all.sum::<f64>());
    };
    let flops = 2.0 * (STEPS * CHAINS * lanes() * threads) as f64;
    Limits {
        read_bandwidth: (8 * READ) as f64 / fastest(40, read),
        peak_flops: flops / fastest(20, multiply),
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
