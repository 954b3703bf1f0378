//! One place where the instruction set is chosen.
//!
//! Kernels are plain loops over fixed-size arrays. They are compiled once per instruction set through
//! [`pulp`], and the best one that the machine has is taken at run time. None of them lets the
//! compiler fuse a product into a sum, so all of them give the same bits.

use crate::wide::{ExactProduct, Fused, Split};

/// A loop that is to be compiled for each instruction set.
pub(crate) trait Kernel {
    /// What it returns.
    type Output;

    /// The loop; must be `#[inline(always)]`, or it is not compiled for the instruction set.
    fn run<E: ExactProduct>(self) -> Self::Output;
}

/// Runs a kernel with the best instruction set of this machine.
pub(crate) fn vectorised<K: Kernel>(kernel: K) -> K::Output {
    match pulp::Arch::new() {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        arch @ (pulp::Arch::V3(_) | pulp::Arch::V4(_)) => arch.dispatch(
            #[inline(always)]
            || kernel.run::<Fused>(),
        ),
        #[cfg(target_arch = "aarch64")]
        arch => arch.dispatch(
            #[inline(always)]
            || kernel.run::<Fused>(),
        ),
        #[cfg(not(target_arch = "aarch64"))]
        _ => kernel.run::<Split>(),
    }
}

/// Lines of a slice that are asked for ahead; of a longer one the hardware sees the rest coming.
const LINES_AHEAD: usize = 16;

/// Elements from one line of the cache to the next.
const fn elements_a_line<T>() -> usize {
    if size_of::<T>() == 0 { 1 } else { 64_usize.div_ceil(size_of::<T>()) }
}

/// Asks for the memory of a slice that will be read soon.
#[inline(always)]
pub(crate) fn prefetch<T>(slice: &[T]) {
    slice.iter().step_by(elements_a_line::<T>()).take(LINES_AHEAD).for_each(prefetch_line);
    slice.last().into_iter().for_each(prefetch_line);
}

/// Asks for the line of the cache that a value begins in, where the processor takes such hints.
#[inline(always)]
pub(crate) fn prefetch_line<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 has SSE, and a prefetch is no access.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
