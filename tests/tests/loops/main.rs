//! A backend from outside passes the suite through the public API alone.

mod backend;

use backend::Loops;

minrisk_conformance::suite!(Loops);
