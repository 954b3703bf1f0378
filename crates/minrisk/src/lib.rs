//! Linear predictors by empirical risk minimisation, on the linear-algebra library of your choice,
//! with answers that prove themselves.
//!
//! ```
//! use minrisk::prelude::*;
//!
//! let age = [4.0, 4.0, 5.0, 5.0, 7.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0];
//! let price = [6300., 5800., 5700., 4500., 4500., 4200., 4100., 3100., 2100., 2500., 2200.];
//!
//! let data = dataset(&age, &price)?.with_names(["age"])?;
//! let fit = LeastSquares::new().fit(&data)?;
//! assert_eq!(fit.model.intercept(), Some(7836.258660508083));
//! assert_eq!(fit.model.coefficients(), [-502.42494226327943]);
//!
//! // Not just an answer: every digit of it is proven.
//! let certificate = fit.certificate.least_squares().unwrap();
//! assert!(certificate.correctly_rounded);
//!
//! let six_years_old = fit.model.predict(view(&[6.0]))?;
//! assert_eq!(six_years_old.as_slice(), [4821.709006928407]);
//! # Ok::<(), minrisk::Error>(())
//! ```
//!
//! New here? The [guide] leads from a CSV file to a loss and a backend of your own.
//!
//! # Your data stays where it is
//!
//! [`dataset`] takes matrices and vectors of faer, nalgebra and ndarray, and plain arrays, slices and
//! vectors, without copying them; see [`IntoView`]. Owned matrices are borrowed (`&x`), views go in as
//! they are. Any mixture works, and any of it runs on any backend.
//!
//! # Choosing a backend
//!
//! | feature | library | needs |
//! |---|---|---|
//! | `faer` (default) | [faer](https://docs.rs/faer) | nothing but Rust |
//! | `nalgebra` | [nalgebra](https://docs.rs/nalgebra) | nothing but Rust |
//! | `ndarray` | [ndarray](https://docs.rs/ndarray) and [ndarray-linalg](https://docs.rs/ndarray-linalg) | LAPACK: the system's OpenBLAS (`libopenblas-dev`, `pkg-config`) |
//!
//! Each works alone, all work together; without any, a compile error says so. A backend changes speed
//! and the last bits of intermediate results, never an answer. [`FitDefault::fit`] uses the
//! [default](backends); `fit_on` takes any, also one of your own that implements [`Backend`]:
//!
//! ```
//! use minrisk::prelude::*;
//!
//! let (x, y) = ([[1.0, 0.5], [2.0, 0.1], [3.0, 0.7], [4.0, 0.2]], [1.0, 3.0, 2.0, 5.0]);
//! let data = dataset(&x, &y)?;
//! let reference = Ridge::total(0.1).fit(&data)?;
//! for backend in BackendKind::ALL {
//!     let fit = Ridge::total(0.1).fit_on(backend.backend(), &data)?;
//!     assert_eq!(fit.model, reference.model);
//! }
//! # Ok::<(), minrisk::Error>(())
//! ```
//!
//! `ndarray` links the system's OpenBLAS. `ndarray-openblas-static`, `ndarray-netlib-system`,
//! `ndarray-netlib-static`, `ndarray-intel-mkl-system` and `ndarray-intel-mkl-static` take LAPACK from
//! elsewhere; `ndarray-custom` links none, for programs that link their own.
//!
//! Halfspaces, polynomials, curves and model selection have a [`tour`] of their own.
//!
//! The feature `serde` makes models, reports and certificates serialisable; `plots` adds the module
//! `plots`, which draws them as SVG.

#![cfg_attr(
    not(any(feature = "faer", feature = "nalgebra", feature = "ndarray-custom")),
    allow(unreachable_code, reason = "one error, and nothing beside it")
)]

#[cfg(not(any(feature = "faer", feature = "nalgebra", feature = "ndarray-custom")))]
compile_error!(
    "minrisk needs a linear-algebra backend and none is on. Enable one or more of the features \
     `faer` (pure Rust, the default), `nalgebra` (pure Rust) and `ndarray` (LAPACK), for example \
     minrisk = { version = \"0.1\", default-features = false, features = [\"nalgebra\"] }"
);

pub mod backends;
mod classify;
mod convert;
mod fit_default;
pub mod guide;
pub mod prelude;
pub mod tour;

#[doc(no_inline)]
pub use backends::*;
pub use classify::ClassifyDefault;
pub use convert::{IntoView, dataset, view};
pub use fit_default::{FitDefault, FitStreamDefault, summary};
#[doc(inline)]
pub use minrisk_core::*;
#[cfg(feature = "plots")]
#[doc(inline)]
pub use minrisk_plots as plots;
