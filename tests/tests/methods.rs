//! Core's solver passes the suite from every factorisation that is for all designs.

use minrisk_core::least_squares::{ClosedForm, Method};
use minrisk_faer::Faer;

mod qr {
    use super::*;

    minrisk_conformance::solver_suite!(Faer, ClosedForm { method: Method::Qr });
}

mod svd {
    use super::*;

    minrisk_conformance::solver_suite!(Faer, ClosedForm { method: Method::Svd });
}
