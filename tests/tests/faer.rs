//! The faer backend passes the suite.

use minrisk_faer::Faer;

minrisk_conformance::suite!(Faer);
