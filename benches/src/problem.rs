//! The data that is solved: made from a seed, so that it is the same in every run and for every peer.

use minrisk_conformance::Random;
use minrisk_core::{Dataset, View};
use minrisk_report::record::Work;
use minrisk_report::text::grouped;

/// How the design lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Row after row.
    Rows,
    /// Column after column.
    Columns,
}

impl Layout {
    /// Both of them.
    pub const ALL: [Layout; 2] = [Layout::Rows, Layout::Columns];

    /// Its name, as it stands in the names of benches.
    pub fn name(self) -> &'static str {
        match self {
            Layout::Rows => "row_major",
            Layout::Columns => "col_major",
        }
    }

    /// The same for people.
    pub fn words(self) -> &'static str {
        match self {
            Layout::Rows => "row-major",
            Layout::Columns => "column-major",
        }
    }
}

/// A design and a target.
#[derive(Clone, Debug)]
pub struct Problem {
    rows: usize,
    cols: usize,
    layout: Layout,
    entries: Vec<f64>,
    y: Vec<f64>,
}

/// Correlation of neighbouring columns in problems for sparse and logistic models.
const CORRELATION: f64 = 0.5;

impl Problem {
    /// Columns of independent noise, κ near 1, and a target of noise.
    pub fn random(rows: usize, cols: usize, layout: Layout) -> Self {
        let mut random = Random::new(7);
        let entries = (0..rows * cols).map(|_| random.signed()).collect();
        let y = (0..rows).map(|_| random.signed()).collect();
        Self { rows, cols, layout, entries, y }
    }

    /// The same with a last column that is the first plus a κ-th of itself.
    pub fn ill_conditioned(mut self, condition: f64) -> Self {
        if condition > 1.0 {
            for i in 0..self.rows {
                let (first, last) = (self.at(i, 0), self.at(i, self.cols - 1));
                self.entries[last] = self.entries[first] + self.entries[last] / condition;
            }
        }
        self
    }

    /// Correlated bell-shaped columns, of which every tenth (ten at least) makes up the target, with
    /// noise as large as the signal.
    pub fn sparse_signal(rows: usize, cols: usize, layout: Layout) -> Self {
        let mut problem = Self::correlated(rows, cols, layout, 11);
        let every = (cols / (cols / 10).max(10)).max(1);
        let scale = ((cols / every) as f64).sqrt();
        let mut random = Random::new(12);
        problem.y = problem.explained(every).map(|z| z + scale * random.normal()).collect();
        problem
    }

    /// The same with a target of two classes, ±1, drawn with the logistic probability of the signal.
    pub fn two_classes(rows: usize, cols: usize, layout: Layout) -> Self {
        let mut problem = Self::correlated(rows, cols, layout, 21);
        let every = (cols / (cols / 10).max(10)).max(1);
        let scale = 2.0 / ((cols / every) as f64).sqrt();
        let mut random = Random::new(22);
        let draw =
            |z: f64| if random.unit() < 1.0 / (1.0 + (-scale * z).exp()) { 1.0 } else { -1.0 };
        problem.y = problem.explained(every).map(draw).collect();
        problem
    }

    /// Two classes of bell-shaped points, row after row, with `apart` between their means along the
    /// first axis.
    pub fn two_bells(rows: usize, cols: usize, apart: f64, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let y: Vec<f64> = (0..rows).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let mut entries = Vec::with_capacity(rows * cols);
        for y in &y {
            for j in 0..cols {
                entries.push(random.normal() + if j == 0 { 0.5 * apart * y } else { 0.0 });
            }
        }
        Self { rows, cols, layout: Layout::Rows, entries, y }
    }

    /// Every entry doubled and rounded to a whole number.
    pub fn in_halves(mut self) -> Self {
        self.entries.iter_mut().for_each(|x| *x = (2.0 * *x).round());
        self
    }

    /// The first rows and columns, at most so many.
    pub fn corner(&self, rows: usize, cols: usize) -> Self {
        let (rows, cols) = (rows.min(self.rows), cols.min(self.cols));
        let entries = match self.layout {
            Layout::Rows => self
                .entries
                .chunks(self.cols)
                .take(rows)
                .flat_map(|row| &row[..cols])
                .copied()
                .collect(),
            Layout::Columns => self
                .entries
                .chunks(self.rows)
                .take(cols)
                .flat_map(|col| &col[..rows])
                .copied()
                .collect(),
        };
        Self { rows, cols, layout: self.layout, entries, y: self.y[..rows].to_vec() }
    }

    fn correlated(rows: usize, cols: usize, layout: Layout, seed: u64) -> Self {
        let mut problem =
            Self { rows, cols, layout, entries: vec![0.0; rows * cols], y: Vec::new() };
        let fresh = (1.0 - CORRELATION * CORRELATION).sqrt();
        let mut random = Random::new(seed);
        for i in 0..rows {
            let mut before = random.normal();
            for j in 0..cols {
                let at = problem.at(i, j);
                problem.entries[at] = before;
                before = CORRELATION * before + fresh * random.normal();
            }
        }
        problem
    }

    /// The sum of every so-manieth column with alternating signs.
    fn explained(&self, every: usize) -> impl Iterator<Item = f64> {
        let sign = move |j: usize| if (j / every).is_multiple_of(2) { 1.0 } else { -1.0 };
        (0..self.rows).map(move |i| {
            (0..self.cols).step_by(every).map(|j| sign(j) * self.entries[self.at(i, j)]).sum()
        })
    }

    fn at(&self, i: usize, j: usize) -> usize {
        match self.layout {
            Layout::Rows => i * self.cols + j,
            Layout::Columns => j * self.rows + i,
        }
    }

    /// Rows of the design.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of the design.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// How the design lies in memory.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The entries as they lie in memory.
    pub fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// The target.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// A number that differs where shape, layout or any entry does (FNV-1a on words).
    pub fn fingerprint(&self) -> u64 {
        let extents = [self.rows as u64, self.cols as u64, self.layout as u64];
        let entries = self.entries.iter().chain(&self.y).map(|x| x.to_bits());
        let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0000_0100_0000_01B3);
        extents.into_iter().chain(entries).fold(0xCBF2_9CE4_8422_2325, mix)
    }

    /// Bytes of the design.
    pub fn bytes(&self) -> f64 {
        (8 * self.rows * self.cols) as f64
    }

    /// The work of reading the design so many times.
    pub fn readings(&self, times: usize) -> Work {
        Work { bytes: times as f64 * self.bytes(), flops: 0.0 }
    }

    /// The work of the Gram matrix, m·d² operations, in one reading.
    pub fn gram(&self) -> Work {
        let (rows, cols) = (self.rows as f64, self.cols as f64);
        Work { bytes: self.bytes(), flops: rows * cols * cols }
    }

    /// `100,000 × 50`.
    pub fn shape(&self) -> String {
        format!("{} × {}", grouped(self.rows), grouped(self.cols))
    }

    /// The design as a view.
    ///
    /// # Panics
    /// Never: there are rows × cols entries.
    pub fn design(&self) -> View<'_, f64> {
        let view = match self.layout {
            Layout::Rows => View::row_major(&self.entries, self.rows, self.cols),
            Layout::Columns => View::col_major(&self.entries, self.rows, self.cols),
        };
        view.expect("as many entries as the extents say")
    }

    /// The training set; made anew for every fit that is timed, because checking it is part of the cost.
    ///
    /// # Panics
    /// Never: there is a target for each row.
    pub fn data(&self) -> Dataset<'_, f64> {
        Dataset::new(self.design(), View::column_vector(&self.y)).expect("a target for each row")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_layouts_hold_the_same_numbers() {
        let (rows, columns) = (
            Problem::sparse_signal(30, 20, Layout::Rows),
            Problem::sparse_signal(30, 20, Layout::Columns),
        );
        for (i, j) in (0..30).flat_map(|i| (0..20).map(move |j| (i, j))) {
            assert_eq!(rows.design()[(i, j)], columns.design()[(i, j)]);
        }
        assert_eq!(rows.y(), columns.y());
        let (rows, columns) = (rows.corner(7, 3), columns.corner(7, 3));
        assert_eq!(rows.design()[(6, 2)], columns.design()[(6, 2)]);
        assert_eq!((rows.entries().len(), columns.entries().len(), rows.y().len()), (21, 21, 7));
    }

    #[test]
    fn fingerprints_tell_problems_apart() {
        let print = |p: Problem| p.fingerprint();
        let one = || Problem::random(30, 20, Layout::Rows);
        assert_eq!(print(one()), print(one()));
        assert_ne!(print(one()), print(Problem::random(30, 20, Layout::Columns)));
        assert_ne!(print(one()), print(Problem::random(20, 30, Layout::Rows)));
        assert_ne!(print(one()), print(one().ill_conditioned(1e10)));
    }
}
