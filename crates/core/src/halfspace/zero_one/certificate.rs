//! What proves that no halfspace makes fewer mistakes; [`verify::zero_one`](crate::verify::zero_one)
//! re-walks it in exact arithmetic.

pub use super::boxes::Branch;
use super::infeasible;
use super::preprocess::{Points, Reading};
use super::whiten::Whitened;

/// A proof of a lower bound.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ZeroOneCertificate {
    /// How the numbers of the data were read.
    pub reading: Reading,
    /// Whether halfspaces may have an intercept.
    pub intercept: bool,
    /// No halfspace has mistakes of a smaller total weight.
    pub lower_bound: f64,
    /// Why.
    pub proof: Proof,
}

/// The ways to prove a lower bound.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Proof {
    /// Rows that are mistakes whatever the halfspace: zero rows, and of rows with opposite z the
    /// lighter side.
    Unavoidable,
    /// Every cell of the arrangement of the rows was looked at: to check it is to do it again.
    Enumeration,
    /// A tree of boxes on the faces of the cube of weights.
    Boxes(BoxTree),
    /// A tree of infeasible subsystems.
    Subsystems(Vec<Given>),
}

/// Boxes that cover all weights, in each of which the bound holds.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BoxTree {
    /// The coordinates of (x, 1) that the weights are on; the others are combinations of these.
    pub columns: Vec<usize>,
    /// What each of these columns was multiplied by.
    pub scales: Vec<f64>,
    /// L, row after row and lower triangular: boxes are of w' with w = Lᵀw'.
    pub transform: Vec<f64>,
    /// The faces w'_0 = −1, w'_0 = 1, w'_1 = −1, … and their halves.
    pub branches: Vec<Branch>,
}

/// A node of the proof by subsystems. Rows stand for all rows of their direction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Given {
    /// Not closed: the proof is not finished.
    Open,
    /// Disjoint subsystems, given by their rows, cost what is missing.
    Packed(Vec<Vec<usize>>),
    /// A subsystem, and a branch for each of its rows that is not held right: there it is a mistake,
    /// and those before it are held right.
    Branched {
        /// The rows of the subsystem.
        rows: Vec<usize>,
        /// The place of the first branch; the others follow.
        first: u32,
    },
}

impl BoxTree {
    pub(super) fn new(points: &Points, whitened: &Whitened, branches: Vec<Branch>) -> Self {
        Self {
            columns: points.kept.iter().map(|kept| kept.0).collect(),
            scales: points.kept.iter().map(|kept| kept.1).collect(),
            transform: whitened.transform.clone(),
            branches,
        }
    }
}

impl Given {
    pub(super) fn tree(points: &Points, tree: Vec<infeasible::Choice>) -> Vec<Self> {
        let rows = |subsystem: &infeasible::Subsystem| -> Vec<usize> {
            subsystem.iter().map(|&i| points.rows[i as usize]).collect()
        };
        let given = |choice: &infeasible::Choice| match choice {
            infeasible::Choice::Open => Self::Open,
            infeasible::Choice::Packed(packed) => Self::Packed(packed.iter().map(rows).collect()),
            infeasible::Choice::Branched { subsystem, first } => {
                Self::Branched { rows: rows(subsystem), first: *first }
            }
        };
        tree.iter().map(given).collect()
    }
}
