//! The backends compiled in, and which one is the default.
//!
//! The default is the first that is on, in this order: **faer** (pure Rust, the fastest of the three
//! where OpenBLAS is not tuned to the machine), **ndarray** (LAPACK), **nalgebra**. A backend changes
//! speed and the last bits of a factor, never an answer, so the order matters little; name a
//! backend where it matters to you.

use std::fmt;
use std::str::FromStr;

use minrisk_core::loss::Squared;
use minrisk_core::penalty::Unpenalised;
use minrisk_core::{Backend, Scalar, Solver};

#[cfg(feature = "faer")]
pub use minrisk_faer::Faer;
#[cfg(feature = "nalgebra")]
pub use minrisk_nalgebra::Nalgebra;
#[cfg(feature = "ndarray-custom")]
pub use minrisk_ndarray::Ndarray;

/// The backend that is used where none is named: see the [order](self).
///
/// ```
/// let backend = minrisk::default_backend::<f64>();
/// assert_eq!(backend.name(), minrisk::BackendKind::default().name());
/// ```
pub fn default_backend<T: Element>() -> &'static dyn Backend<T> {
    BackendKind::default().backend()
}

/// A backend, chosen at run time among those compiled in.
///
/// ```
/// use minrisk::{Backend, BackendKind};
/// for &kind in BackendKind::ALL {
///     assert_eq!(kind.name().parse(), Ok(kind));
///     let kernels: &dyn Backend<f32> = kind.backend();
///     assert_eq!(kernels.name(), kind.name());
/// }
/// let error = "abacus".parse::<BackendKind>().unwrap_err();
/// assert!(error.to_string().starts_with("there is no backend `abacus`"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BackendKind {
    /// [`Faer`].
    #[cfg(feature = "faer")]
    Faer,
    /// [`Ndarray`].
    #[cfg(feature = "ndarray-custom")]
    Ndarray,
    /// [`Nalgebra`].
    #[cfg(feature = "nalgebra")]
    Nalgebra,
}

impl BackendKind {
    /// Every backend compiled in, the default first.
    pub const ALL: &[BackendKind] = &[
        #[cfg(feature = "faer")]
        BackendKind::Faer,
        #[cfg(feature = "ndarray-custom")]
        BackendKind::Ndarray,
        #[cfg(feature = "nalgebra")]
        BackendKind::Nalgebra,
    ];

    /// The name of the feature and of the library.
    pub fn name(self) -> &'static str {
        self.backend::<f64>().name()
    }

    /// The kernels.
    pub fn backend<T: Element>(self) -> &'static dyn Backend<T> {
        T::backend(self)
    }

    /// The library's own least squares, as its users would call it: faer's pivoted QR, nalgebra's SVD,
    /// LAPACK's gelsd. Not refined and not certified; for comparison.
    ///
    /// ```
    /// use minrisk::prelude::*;
    /// use minrisk::{Certificate, Erm, Status, loss::Squared, penalty::Unpenalised};
    /// let (x, y) = ([0.0, 1.0, 2.0], [1.0, 3.0, 5.0]);
    /// let (data, problem) = (dataset(&x, &y)?, Erm::new(Squared, Unpenalised));
    /// for kind in BackendKind::ALL {
    ///     let fit = kind.native().solve(kind.backend(), &problem, &data)?;
    ///     assert!((fit.model.coefficients()[0] - 2.0_f64).abs() < 1e-14);
    ///     assert_eq!((fit.report.status, fit.certificate), (Status::Unproven, Certificate::None));
    /// }
    /// # Ok::<(), minrisk::Error>(())
    /// ```
    pub fn native<T: Element>(self) -> &'static dyn Solver<T, Squared, Unpenalised> {
        T::native(self)
    }
}

impl Default for BackendKind {
    fn default() -> Self {
        Self::ALL[0]
    }
}

impl fmt::Display for BackendKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for BackendKind {
    type Err = UnknownBackend;

    fn from_str(name: &str) -> Result<Self, UnknownBackend> {
        let found = Self::ALL.iter().find(|kind| kind.name() == name);
        found.copied().ok_or_else(|| UnknownBackend { name: name.into() })
    }
}

/// A name that is not that of a backend compiled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownBackend {
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<&str> = BackendKind::ALL.iter().map(|kind| kind.name()).collect();
        write!(
            f,
            "there is no backend `{}`: this build has {}; others are features of minrisk",
            self.name,
            known.join(", "),
        )
    }
}

impl std::error::Error for UnknownBackend {}

/// The number types that every backend computes with: `f32` and `f64`.
pub trait Element: Scalar + sealed::Sealed {
    /// The kernels of a backend for this type.
    #[doc(hidden)]
    fn backend(kind: BackendKind) -> &'static dyn Backend<Self>;

    /// A library's own least squares for this type.
    #[doc(hidden)]
    fn native(kind: BackendKind) -> &'static dyn Solver<Self, Squared, Unpenalised>;
}

macro_rules! element {
    ($type:ty) => {
        impl sealed::Sealed for $type {}

        impl Element for $type {
            fn backend(kind: BackendKind) -> &'static dyn Backend<Self> {
                match kind {
                    #[cfg(feature = "faer")]
                    BackendKind::Faer => &Faer,
                    #[cfg(feature = "ndarray-custom")]
                    BackendKind::Ndarray => &Ndarray,
                    #[cfg(feature = "nalgebra")]
                    BackendKind::Nalgebra => &Nalgebra,
                }
            }

            fn native(kind: BackendKind) -> &'static dyn Solver<Self, Squared, Unpenalised> {
                match kind {
                    #[cfg(feature = "faer")]
                    BackendKind::Faer => &minrisk_faer::Native,
                    #[cfg(feature = "ndarray-custom")]
                    BackendKind::Ndarray => &minrisk_ndarray::Native,
                    #[cfg(feature = "nalgebra")]
                    BackendKind::Nalgebra => &minrisk_nalgebra::Native,
                }
            }
        }
    };
}

element!(f32);
element!(f64);

mod sealed {
    pub trait Sealed {}
}
