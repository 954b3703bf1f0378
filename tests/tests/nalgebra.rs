//! The nalgebra backend passes the suite.

use minrisk_nalgebra::Nalgebra;

minrisk_conformance::suite!(Nalgebra);
