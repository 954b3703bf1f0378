//! The one error type: what is wrong, where, and what to do about it.

use crate::KernelError;

/// Everything that can keep a call from having a result.
///
/// Not converging is not among them: a solver that stops early returns its best point with a
/// [`Status`](crate::Status) that says so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no row to learn from.
    #[error("the data has no rows: at least one example is needed")]
    NoRows,

    /// There is neither a column nor an intercept to fit.
    #[error(
        "the design has no columns and the intercept is off: there is nothing to fit; add a feature or the intercept"
    )]
    NothingToFit,

    /// Two inputs that belong together differ in length.
    #[error("{what} has length {found}, but {expected} was expected: one entry for each {per}")]
    LengthMismatch {
        /// Which input.
        what: &'static str,
        /// What it has one entry for.
        per: &'static str,
        /// The length it should have.
        expected: usize,
        /// The length it has.
        found: usize,
    },

    /// A NaN or an infinity in the design.
    #[error(
        "the design has {value} in row {row}, column {column} (counted from 0): remove or impute rows with missing values"
    )]
    NotFinite {
        /// Row, counted from 0.
        row: usize,
        /// Column, by name where the data has names, else its index counted from 0.
        column: String,
        /// The value found, as text so that errors can be compared.
        value: String,
    },

    /// A NaN or an infinity among the targets.
    #[error(
        "target {target} has {value} in row {row} (counted from 0): remove rows with missing targets"
    )]
    TargetNotFinite {
        /// Row, counted from 0.
        row: usize,
        /// Which target, counted from 0.
        target: usize,
        /// The value found.
        value: String,
    },

    /// A target that the loss is not defined for.
    #[error(
        "target {value} in row {row} (counted from 0) is outside the domain of the {loss} loss: {domain}"
    )]
    TargetOutsideDomain {
        /// Row, counted from 0.
        row: usize,
        /// The value found.
        value: String,
        /// Which loss.
        loss: &'static str,
        /// Which targets the loss takes.
        domain: &'static str,
    },

    /// Every row has the same label.
    #[error(
        "all {rows} rows have the same label: a classifier needs at least two classes to tell apart"
    )]
    OneClass {
        /// Number of rows.
        rows: usize,
    },

    /// A row without a label.
    #[error("row {row} (counted from 0) has no label: remove rows without one")]
    MissingLabel {
        /// Row, counted from 0.
        row: usize,
    },

    /// A number of classes other than two where a halfspace is wanted.
    #[error(
        "there are {classes} classes where two are needed: use a multiclass method, or one class against the rest"
    )]
    NotTwoClasses {
        /// Number of classes.
        classes: usize,
    },

    /// A label that is none of the classes.
    #[error("the label named is none of the {classes} classes: name one that occurs in the data")]
    UnknownClass {
        /// Number of classes.
        classes: usize,
    },

    /// A sample weight that is negative, NaN or infinite.
    #[error(
        "the weight of row {row} (counted from 0) is {value}: weights must be finite and not negative"
    )]
    BadWeight {
        /// Row, counted from 0.
        row: usize,
        /// The value found.
        value: String,
    },

    /// An offset that is NaN or infinite.
    #[error("the offset of row {row} (counted from 0) is {value}: offsets must be finite")]
    BadOffset {
        /// Row, counted from 0.
        row: usize,
        /// The value found.
        value: String,
    },

    /// A frequency that is not a whole number.
    #[error(
        "the frequency of row {row} (counted from 0) is {value}: frequencies count repetitions and must be whole numbers; use precisions for inverse variances"
    )]
    FractionalFrequency {
        /// Row, counted from 0.
        row: usize,
        /// The value found.
        value: String,
    },

    /// No row has a positive weight.
    #[error("all sample weights are zero: no row counts; give at least one row a positive weight")]
    AllWeightsZero,

    /// A number of the problem that must be finite and not negative.
    #[error("{what} is {value}: it must be {expected}")]
    BadParameter {
        /// Which parameter.
        what: &'static str,
        /// The value found.
        value: String,
        /// What it must be.
        expected: &'static str,
    },

    /// A size that does not fit the address space or the memory.
    #[error(
        "{what} would have {count} elements, which does not fit in memory: use fewer rows or columns, or a stream of blocks"
    )]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The number of its elements.
        count: u128,
    },

    /// A design that would take more memory than it is allowed to.
    #[error(
        "{what} would have {columns} columns and {rows} rows, {bytes} bytes, beyond its budget of {budget} bytes: lower the degree, choose fewer features, or raise the budget"
    )]
    OverBudget {
        /// What is too large.
        what: &'static str,
        /// The number of its columns.
        columns: u128,
        /// The number of its rows.
        rows: usize,
        /// The memory it would take.
        bytes: u128,
        /// The memory it may take.
        budget: u64,
    },

    /// A strided view that reaches outside its slice.
    #[error(
        "a {rows} × {cols} view with strides ({row_stride}, {col_stride}) from offset {offset} reaches outside its slice of {len} elements"
    )]
    ViewOutOfBounds {
        /// Rows of the view.
        rows: usize,
        /// Columns of the view.
        cols: usize,
        /// Elements from row to row.
        row_stride: isize,
        /// Elements from column to column.
        col_stride: isize,
        /// Position of element (0, 0).
        offset: usize,
        /// Length of the slice.
        len: usize,
    },

    /// Feature names that are not those the model was trained with.
    #[error(
        "feature {position} is called `{found}`, but the model was trained with `{expected}` there: give the columns in the order of training"
    )]
    FeatureMismatch {
        /// Index of the first feature that differs, counted from 0.
        position: usize,
        /// The name in training.
        expected: String,
        /// The name given.
        found: String,
    },

    /// A feature name that occurs twice.
    #[error(
        "two features are called `{name}`: names must differ, so that coefficients can be told apart"
    )]
    DuplicateName {
        /// The name.
        name: String,
    },

    /// The solver cannot treat this problem.
    #[error("{solver} cannot solve this problem: {reason}")]
    Unsupported {
        /// The solver.
        solver: &'static str,
        /// Why not, and what can.
        reason: &'static str,
    },

    /// A named method that the design is too ill-conditioned for.
    #[error(
        "{method} needs a design of condition at most {limit:.0e}, this one has about {condition:.1e}: use Method::Auto or Method::Qr"
    )]
    TooIllConditioned {
        /// The method asked for.
        method: &'static str,
        /// The estimated condition number of the scaled, centred design.
        condition: f64,
        /// The largest condition number the method takes.
        limit: f64,
    },

    /// A stream that cannot be read a second time where that is needed.
    #[error("the stream cannot be read again, and {what} needs more than one pass")]
    NotRewindable {
        /// What needs it.
        what: &'static str,
    },

    /// A stream failed while it was read.
    #[error("reading the stream failed after {row} rows: {reason}")]
    Stream {
        /// Rows read before.
        row: usize,
        /// What the stream said.
        reason: String,
    },

    /// The numbers of a problem span more than floating point can hold, even after scaling.
    #[error("{what} overflows floating point: rescale {remedy}")]
    Overflow {
        /// What overflows.
        what: &'static str,
        /// What to rescale.
        remedy: &'static str,
    },

    /// A backend kernel that has no result.
    #[error("the backend failed: {0}")]
    Kernel(#[from] KernelError),
}
