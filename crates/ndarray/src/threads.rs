//! OpenBLAS on one thread while a kernel runs.
//!
//! Its number of threads belongs to the process, and kernels run on many threads at a time, so the
//! first kernel in sets it to one and the last one out sets it back. Other BLAS libraries are left
//! alone: the features for MKL link its sequential variant, and the reference BLAS has no threads.

#[cfg(any(feature = "openblas-system", feature = "openblas-static"))]
mod openblas {
    use std::ffi::c_int;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    unsafe extern "C" {
        // SAFETY: reads a variable.
        safe fn openblas_get_num_threads() -> c_int;
        // SAFETY: takes any number, and is called under a lock.
        safe fn openblas_set_num_threads(threads: c_int);
    }

    struct Kernels {
        running: usize,
        threads_before: c_int,
    }

    static KERNELS: Mutex<Kernels> = Mutex::new(Kernels { running: 0, threads_before: 0 });

    fn kernels() -> MutexGuard<'static, Kernels> {
        KERNELS.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn enter() {
        let mut kernels = kernels();
        if kernels.running == 0 {
            kernels.threads_before = openblas_get_num_threads();
            openblas_set_num_threads(1);
        }
        kernels.running += 1;
    }

    pub(super) fn leave() {
        let mut kernels = kernels();
        kernels.running -= 1;
        if kernels.running == 0 {
            openblas_set_num_threads(kernels.threads_before);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::SingleThread;
        use super::*;

        #[test]
        fn the_number_of_threads_comes_back_with_the_last_kernel() {
            // Other tests of this crate run kernels, too: the count is checked where it is certain.
            let outer = SingleThread::enter();
            let before = kernels().threads_before;
            let inner = SingleThread::enter();
            assert_eq!(openblas_get_num_threads(), 1);
            drop(inner);
            assert_eq!(openblas_get_num_threads(), 1);
            assert_eq!(kernels().threads_before, before);
            drop(outer);
            let state = kernels();
            let expected = if state.running == 0 { before } else { 1 };
            assert_eq!(openblas_get_num_threads(), expected);
        }
    }
}

#[cfg(not(any(feature = "openblas-system", feature = "openblas-static")))]
mod openblas {
    pub(super) fn enter() {}
    pub(super) fn leave() {}
}

/// Keeps BLAS on the calling thread for as long as it lives.
pub(crate) struct SingleThread(());

impl SingleThread {
    pub(crate) fn enter() -> Self {
        openblas::enter();
        Self(())
    }
}

impl Drop for SingleThread {
    fn drop(&mut self) {
        openblas::leave();
    }
}
