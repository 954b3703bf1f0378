//! The conformance suite on ndarray and LAPACK.

use minrisk_ndarray::Ndarray;

minrisk_conformance::suite!(Ndarray);
