//! Passes: the one computational pattern.
//!
//! A Gram matrix, a gradient, a residual, a tall-skinny QR, a risk: each is an associative reduction
//! over blocks of rows, s(A; B) = s(A) ⊕ s(B). This engine runs any [`Reduction`] over any [`Rows`]:
//!
//! - **blocks** of rows that fit in the second-level cache, absorbed one after another into the state
//!   of their **segment** (a fixed number of rows that depends on the number of columns only);
//! - segments run in parallel and are merged along a **fixed binary tree**: the left part of n
//!   segments is the largest power of two below n. Neither depends on the number of threads, so
//!   neither do the bits of the result. A stream, whose length nobody knows beforehand, builds the
//!   very same tree like a binary counter.
//!
//! Kernels run on one thread inside a block; rayon works on the segments.

use std::ops::Range;

use crate::{Dataset, Error, Scalar, View, WeightKind};

/// Consecutive rows of the data, as a reduction sees them.
#[derive(Clone, Copy, Debug)]
pub struct Block<'b, T> {
    /// Index of the first row in the whole data.
    pub first_row: usize,
    /// The features, rows × d.
    pub x: View<'b, T>,
    /// The targets, rows × k.
    pub y: View<'b, T>,
    /// The sample weights, rows × 1.
    pub weights: Option<View<'b, T>>,
    /// What is added to the predictions of each row, one column for each prediction.
    pub offsets: Option<View<'b, T>>,
}

impl<T: Scalar> Block<'_, T> {
    /// Some of its rows.
    pub(crate) fn row_range(&self, rows: Range<usize>) -> Self {
        Self {
            first_row: self.first_row + rows.start,
            x: self.x.row_range(rows.clone()),
            y: self.y.row_range(rows.clone()),
            weights: self.weights.map(|weights| weights.row_range(rows.clone())),
            offsets: self.offsets.map(|offsets| offsets.row_range(rows)),
        }
    }

    /// The weight of a row of the block; 1 where there are none.
    #[inline(always)]
    pub(crate) fn weight_of(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |c| c[(row, 0)].to_double())
    }

    /// What is added to the one prediction of a row of the block.
    #[inline(always)]
    pub(crate) fn offset_of(&self, row: usize) -> f64 {
        self.offsets.map_or(0.0, |o| o[(row, 0)].to_double())
    }
}

/// An associative reduction over blocks of rows.
///
/// ```
/// use minrisk_core::{Block, Dataset, Reduction, Rows, View};
///
/// /// Counts rows whose first feature is positive.
/// struct Positive;
///
/// impl Reduction<f64> for Positive {
///     type State = usize;
///     fn start(&self) -> usize { 0 }
///     fn absorb(&self, count: &mut usize, block: &Block<'_, f64>) {
///         *count += block.x.col_iter(0).filter(|x| **x > 0.0).count();
///     }
///     fn merge(&self, left: &mut usize, right: usize) { *left += right; }
/// }
///
/// let (x, y) = ([1.0, -2.0, 3.0], [0.0; 3]);
/// let data = Dataset::new(View::column_vector(&x), View::column_vector(&y))?;
/// assert_eq!(Rows::from(&data).reduce(&Positive)?, 2);
/// # Ok::<(), minrisk_core::Error>(())
/// ```
pub trait Reduction<T>: Sync {
    /// What is accumulated.
    type State: Send;

    /// The state of no rows.
    fn start(&self) -> Self::State;

    /// Adds the rows of a block that follow those already in the state.
    fn absorb(&self, state: &mut Self::State, block: &Block<'_, T>);

    /// Adds a state of rows that follow those of `left`.
    fn merge(&self, left: &mut Self::State, right: Self::State);
}

/// Rows that arrive one buffer at a time: a file, a socket, a query.
pub trait Stream<T> {
    /// Number of features d.
    fn cols(&self) -> usize;

    /// Number of targets k.
    fn targets(&self) -> usize;

    /// What the weights given with the rows mean.
    fn weight_kind(&self) -> WeightKind {
        WeightKind::Unweighted
    }

    /// Whether [`Stream::rewind`] works.
    fn can_rewind(&self) -> bool {
        false
    }

    /// Goes back to the first row.
    fn rewind(&mut self) -> Result<(), Error> {
        Err(Error::NotRewindable { what: "rewinding" })
    }

    /// Pushes the next rows until the buffer is full; leaving it short of full ends the stream.
    fn read(&mut self, buffer: &mut RowBuffer<T>) -> Result<(), Error>;
}

/// Room for one segment of a stream, filled row by row.
#[derive(Debug)]
pub struct RowBuffer<T> {
    x: Vec<T>,
    y: Vec<T>,
    weights: Vec<T>,
    weight_kind: WeightKind,
    rows: usize,
    capacity: usize,
    cols: usize,
    targets: usize,
    /// Rows of the stream before this buffer.
    first_row: usize,
}

impl<T: Scalar> RowBuffer<T> {
    fn new(stream: &dyn Stream<T>) -> Result<Self, Error> {
        let (cols, targets) = (stream.cols(), stream.targets());
        let capacity = Partition::of(cols).segment_rows;
        let too_large =
            || Error::TooLarge { what: "a buffer of rows", count: capacity as u128 * cols as u128 };
        let mut x = Vec::new();
        let len = capacity.checked_mul(cols).ok_or_else(too_large)?;
        x.try_reserve_exact(len).map_err(|_| too_large())?;
        Ok(Self {
            x,
            y: Vec::with_capacity(capacity * targets),
            weights: Vec::new(),
            weight_kind: stream.weight_kind(),
            rows: 0,
            capacity,
            cols,
            targets,
            first_row: 0,
        })
    }

    /// Whether there is no room for another row.
    pub fn is_full(&self) -> bool {
        self.rows == self.capacity
    }

    /// Appends a row, checked as [`Dataset`] checks its data.
    pub fn push(&mut self, x: &[T], y: &[T], weight: Option<T>) -> Result<(), Error> {
        let row = self.first_row + self.rows;
        if self.is_full() {
            return Err(Error::Stream { row, reason: "a full buffer was pushed to".into() });
        }
        check_len("a streamed row", "feature", self.cols, x.len())?;
        check_len("a streamed target", "target", self.targets, y.len())?;
        if let Some(j) = x.iter().position(|v| !v.is_finite()) {
            let (column, value) = (j.to_string(), x[j].to_string());
            return Err(Error::NotFinite { row, column, value });
        }
        if let Some(target) = y.iter().position(|v| !v.is_finite()) {
            return Err(Error::TargetNotFinite { row, target, value: y[target].to_string() });
        }
        if self.weight_kind != WeightKind::Unweighted {
            let weight = weight.unwrap_or(T::one());
            if !weight.is_finite() || weight < T::zero() {
                return Err(Error::BadWeight { row, value: weight.to_string() });
            }
            if self.weight_kind == WeightKind::Frequencies && weight.fract() != T::zero() {
                return Err(Error::FractionalFrequency { row, value: weight.to_string() });
            }
            self.weights.push(weight);
        }
        self.x.extend_from_slice(x);
        self.y.extend_from_slice(y);
        self.rows += 1;
        Ok(())
    }

    fn clear(&mut self, first_row: usize) {
        self.x.clear();
        self.y.clear();
        self.weights.clear();
        self.rows = 0;
        self.first_row = first_row;
    }

    fn block(&self) -> Result<Block<'_, T>, Error> {
        let weighted = self.weight_kind != WeightKind::Unweighted;
        Ok(Block {
            first_row: self.first_row,
            x: View::row_major(&self.x, self.rows, self.cols)?,
            y: View::row_major(&self.y, self.rows, self.targets)?,
            weights: weighted.then(|| View::column_vector(&self.weights)),
            offsets: None,
        })
    }
}

/// Rows that passes can be made over: in memory, or from a stream.
pub enum Rows<'a, T> {
    /// Data in memory.
    Memory(&'a Dataset<'a, T>),
    /// Data that is read as it is needed.
    Stream(&'a mut dyn Stream<T>),
}

impl<'a, T> From<&'a Dataset<'a, T>> for Rows<'a, T> {
    fn from(data: &'a Dataset<'a, T>) -> Self {
        Rows::Memory(data)
    }
}

impl<'a, T> From<&'a mut dyn Stream<T>> for Rows<'a, T> {
    fn from(stream: &'a mut dyn Stream<T>) -> Self {
        Rows::Stream(stream)
    }
}

impl<T: Scalar> Rows<'_, T> {
    /// Number of features d.
    pub fn cols(&self) -> usize {
        match self {
            Rows::Memory(data) => data.cols(),
            Rows::Stream(stream) => stream.cols(),
        }
    }

    /// Number of rows, where that is known beforehand.
    pub fn known_rows(&self) -> Option<usize> {
        match self {
            Rows::Memory(data) => Some(data.rows()),
            Rows::Stream(_) => None,
        }
    }

    /// Number of targets k.
    pub fn targets(&self) -> usize {
        match self {
            Rows::Memory(data) => data.targets(),
            Rows::Stream(stream) => stream.targets(),
        }
    }

    /// What the sample weights mean.
    pub fn weight_kind(&self) -> WeightKind {
        match self {
            Rows::Memory(data) => data.weight_kind(),
            Rows::Stream(stream) => stream.weight_kind(),
        }
    }

    /// Whether more than one pass can be made.
    pub fn can_repeat(&self) -> bool {
        match self {
            Rows::Memory(_) => true,
            Rows::Stream(stream) => stream.can_rewind(),
        }
    }

    /// Makes one pass. A stream is read from where it stands; see [`Rows::repeat`].
    pub fn reduce<R: Reduction<T>>(&mut self, reduction: &R) -> Result<R::State, Error> {
        match self {
            Rows::Memory(data) => reduce_memory(data, reduction),
            Rows::Stream(stream) => reduce_stream(*stream, reduction),
        }
    }

    /// Makes a further pass, from the first row.
    pub fn repeat<R: Reduction<T>>(&mut self, reduction: &R) -> Result<R::State, Error> {
        if let Rows::Stream(stream) = self {
            stream.rewind()?;
        }
        self.reduce(reduction)
    }
}

/// How rows are cut into blocks and segments: a function of the number of columns alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Rows of a block: about 32k elements, so that a block and a packed copy fit in the L2 cache,
    /// but never so few that a product of blocks is bound by its result.
    pub block_rows: usize,
    /// Rows of a segment: four blocks or more, and enough that merging two d × d states is little
    /// beside computing them.
    pub segment_rows: usize,
}

impl Partition {
    /// The partition for designs of `cols` columns.
    pub fn of(cols: usize) -> Self {
        const BLOCK_ELEMENTS: usize = 64 * 1024;
        let block_rows = (BLOCK_ELEMENTS / cols.max(1)).clamp(256, 2048) / 8 * 8;
        let blocks = (8 * cols / block_rows).max(4);
        Self { block_rows, segment_rows: blocks * block_rows }
    }
}

fn reduce_memory<T: Scalar, R: Reduction<T>>(
    data: &Dataset<'_, T>,
    reduction: &R,
) -> Result<R::State, Error> {
    let partition = Partition::of(data.cols());
    let segments = data.rows().div_ceil(partition.segment_rows);
    let state = reduce_tree(0, segments, reduction, &|segment| {
        let first = segment * partition.segment_rows;
        let end = (first + partition.segment_rows).min(data.rows());
        absorb_segment(data, first, end, partition.block_rows, reduction)
    })?;
    data.mark_finite();
    Ok(state)
}

/// Reduces segments `first .. first + count` along the fixed tree.
fn reduce_tree<T, R: Reduction<T>>(
    first: usize,
    count: usize,
    reduction: &R,
    segment: &(impl Fn(usize) -> Result<R::State, Error> + Sync),
) -> Result<R::State, Error> {
    if count <= 1 {
        return segment(first);
    }
    let left_count = count.next_power_of_two() / 2;
    let (left, right) = rayon::join(
        || reduce_tree(first, left_count, reduction, segment),
        || reduce_tree(first + left_count, count - left_count, reduction, segment),
    );
    // The left error comes first, so that the first bad row is named whatever ran first.
    let mut left = left?;
    reduction.merge(&mut left, right?);
    Ok(left)
}

fn absorb_segment<T: Scalar, R: Reduction<T>>(
    data: &Dataset<'_, T>,
    first: usize,
    end: usize,
    block_rows: usize,
    reduction: &R,
) -> Result<R::State, Error> {
    let crate::Design::Dense(x) = data.design();
    let (y, weights, offsets) = (data.target_view(), data.weights(), data.offsets());
    let whole = Block { first_row: 0, x, y, weights, offsets };
    let mut state = reduction.start();
    for start in (first..end).step_by(block_rows) {
        let block = whole.row_range(start..(start + block_rows).min(end));
        if !data.is_known_finite() {
            check_finite(&block, data)?;
        }
        reduction.absorb(&mut state, &block);
    }
    Ok(state)
}

fn check_finite<T: Scalar>(block: &Block<'_, T>, data: &Dataset<'_, T>) -> Result<(), Error> {
    if crate::kernels::all_finite(block.x) {
        return Ok(());
    }
    let (rows, cols) = (block.x.rows(), block.x.cols());
    let bad = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j)));
    match bad.into_iter().find(|&at| !block.x[at].is_finite()) {
        None => Ok(()),
        Some((i, j)) => Err(Error::NotFinite {
            row: block.first_row + i,
            column: data.names().map_or(j.to_string(), |names| names.as_slice()[j].clone()),
            value: block.x[(i, j)].to_string(),
        }),
    }
}

/// Segments read at once from a stream, to be reduced in parallel.
const SEGMENTS_IN_FLIGHT: usize = 8;

fn reduce_stream<T: Scalar, R: Reduction<T>>(
    stream: &mut dyn Stream<T>,
    reduction: &R,
) -> Result<R::State, Error> {
    use rayon::prelude::*;

    let block_rows = Partition::of(stream.cols()).block_rows;
    let mut buffers: Vec<RowBuffer<T>> = Vec::new();
    let mut counter = TreeCounter::new(reduction);
    let mut first_row = 0;
    let mut ended = false;
    while !ended {
        let mut filled = 0;
        while filled < SEGMENTS_IN_FLIGHT && !ended {
            if buffers.len() == filled {
                buffers.push(RowBuffer::new(stream)?);
            }
            let buffer = &mut buffers[filled];
            buffer.clear(first_row);
            stream.read(buffer)?;
            first_row += buffer.rows;
            ended = !buffer.is_full();
            filled += usize::from(buffer.rows > 0);
        }
        let states: Vec<Result<R::State, Error>> = buffers[..filled]
            .par_iter()
            .map(|buffer| absorb_buffer(buffer, block_rows, reduction))
            .collect();
        for state in states {
            counter.push(state?);
        }
    }
    counter.finish().ok_or(Error::NoRows)
}

fn absorb_buffer<T: Scalar, R: Reduction<T>>(
    buffer: &RowBuffer<T>,
    block_rows: usize,
    reduction: &R,
) -> Result<R::State, Error> {
    let whole = buffer.block()?;
    let mut state = reduction.start();
    for start in (0..buffer.rows).step_by(block_rows) {
        let end = (start + block_rows).min(buffer.rows);
        reduction.absorb(&mut state, &whole.row_range(start..end));
    }
    Ok(state)
}

/// Builds the fixed tree from segments that arrive one after another: like a binary counter, two
/// subtrees of equal size are merged as soon as they stand side by side.
struct TreeCounter<'r, T, R: Reduction<T>> {
    reduction: &'r R,
    /// Subtrees with the logarithms of their sizes, which strictly decrease.
    subtrees: Vec<(u32, R::State)>,
}

impl<'r, T, R: Reduction<T>> TreeCounter<'r, T, R> {
    fn new(reduction: &'r R) -> Self {
        Self { reduction, subtrees: Vec::new() }
    }

    fn push(&mut self, state: R::State) {
        let (mut level, mut state) = (0, state);
        while let Some((_, mut left)) = self.subtrees.pop_if(|(top, _)| *top == level) {
            self.reduction.merge(&mut left, state);
            (level, state) = (level + 1, left);
        }
        self.subtrees.push((level, state));
    }

    fn finish(mut self) -> Option<R::State> {
        let (_, mut total) = self.subtrees.pop()?;
        while let Some((_, mut left)) = self.subtrees.pop() {
            self.reduction.merge(&mut left, total);
            total = left;
        }
        Some(total)
    }
}

fn check_len(
    what: &'static str,
    per: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), Error> {
    if expected == found {
        Ok(())
    } else {
        Err(Error::LengthMismatch { what, per, expected, found })
    }
}
