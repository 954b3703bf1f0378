//! Rank is a statement about the data, not a threshold.
//!
//! Small singular values of the scaled R only *propose* that columns depend on others. A column is
//! dependent if the relation x_p = c₀ + Σ c_j x_j holds in every row to within a few units in the last
//! place of its terms, evaluated in the wide precision:
//!
//! |x_tp − c₀ − Σ c_j x_tj| ≤ (4 + terms)·u·(|x_tp| + |c₀| + Σ |c_j x_tj|)  for all t.
//!
//! That is what rounding a true relation to floating point leaves. Any other design has full rank,
//! however ill-conditioned, and is solved as such. The columns that are kept come from greedy
//! selection on the right singular vectors (Golub, Klema, Stewart 1976), earlier columns first.

use super::normal::Target;
use super::primal::Primal;
use super::triangle::Coordinates;
use crate::kernels::ResidualKernel;
use crate::wide::Number;
use crate::{Block, Error, Matrix, Names, Reduction, Relation, Scalar};

/// Singular values below this, relative to the largest, propose relations.
pub(super) fn suspicious_below<T: Scalar>(columns: usize) -> f64 {
    (1000.0 * columns as f64 * T::unit_roundoff()).min(1e-3)
}

/// x_column = constant + Σ factors·x over the independent columns.
#[derive(Clone, Debug)]
pub(super) struct Combination<W> {
    pub(super) column: usize,
    /// One factor for each independent column.
    pub(super) factors: Vec<W>,
    pub(super) constant: W,
    /// A bound for the errors of the factors.
    pub(super) error: f64,
    /// ‖x_column − constant − Σ factors·x‖ in the weighted norm: what rounding the data left of it.
    pub(super) misfit: f64,
}

/// Which columns depend on which.
#[derive(Clone, Debug)]
pub(super) struct Dependencies<T: Scalar> {
    /// Columns that carry the design, in ascending order.
    pub(super) independent: Vec<usize>,
    /// Row norms of R⁻¹ for the intercept, where there is one, and the independent columns.
    pub(super) row_norms: Vec<f64>,
    /// The others, as combinations of these.
    pub(super) relations: Vec<Combination<T::Wide>>,
    /// Relative singular values on either side of the cut.
    pub(super) cut: Option<(f64, f64)>,
}

impl<T: Scalar> Dependencies<T> {
    /// Finds the relations that hold among the columns of a problem with triangle R.
    pub(super) fn find(
        problem: &mut Primal<'_, '_, T>,
        triangle: &Matrix<T>,
        coordinates: &Coordinates<T>,
    ) -> Result<Self, Error> {
        let cols = problem.rows.cols();
        let spectrum = Spectrum::of(problem, triangle, coordinates)?;
        let Some(rank) = spectrum.proposed_rank() else {
            return Ok(Self {
                independent: (0..cols).collect(),
                row_norms: Vec::new(),
                relations: Vec::new(),
                cut: None,
            });
        };
        let offset = usize::from(problem.intercept);
        let mut independent: Vec<usize> =
            spectrum.select(rank, offset).into_iter().map(|k| k - offset).collect();
        let candidates: Vec<usize> = (0..cols).filter(|j| !independent.contains(j)).collect();
        let combinations = regress(problem, triangle, coordinates, &independent, &candidates)?;
        let mut relations = confirmed(problem, &independent, combinations)?;
        let rejected: Vec<usize> = candidates
            .iter()
            .copied()
            .filter(|j| relations.iter().all(|relation| relation.column != *j))
            .collect();
        // A rejected column carries information of its own; no relation refers to it.
        for &j in &rejected {
            let position = independent.partition_point(|&i| i < j);
            independent.insert(position, j);
            for relation in &mut relations {
                relation.factors.insert(position, T::Wide::ZERO);
            }
        }
        let cut = spectrum.around(rank + rejected.len());
        Ok(Self { independent, row_norms: Vec::new(), relations, cut })
    }

    /// The relations in words.
    pub(super) fn describe(&self, names: Option<&Names>) -> Vec<Relation> {
        let describe = |combination: &Combination<T::Wide>| Relation {
            column: combination.column,
            name: Names::of(names, combination.column),
            terms: self
                .independent
                .iter()
                .zip(&combination.factors)
                .filter(|(_, factor)| factor.to_double() != 0.0)
                .map(|(&j, factor)| (j, Names::of(names, j), factor.to_double()))
                .collect(),
            constant: combination.constant.to_double(),
        };
        self.relations.iter().map(describe).collect()
    }
}

/// Singular values and right singular vectors of R with columns of unit length around zero.
struct Spectrum<T> {
    values: Vec<f64>,
    /// One row for each column of R.
    vectors: Matrix<T>,
    threshold: f64,
}

impl<T: Scalar> Spectrum<T> {
    fn of(
        problem: &Primal<'_, '_, T>,
        triangle: &Matrix<T>,
        coordinates: &Coordinates<T>,
    ) -> Result<Self, Error> {
        let size = triangle.cols();
        let offset = usize::from(problem.intercept);
        let length = |k: usize| {
            let square = match k.checked_sub(offset) {
                None => problem.moments.weight,
                Some(j) => problem.moments.raw_square(j),
            };
            if square > 0.0 { square.sqrt() } else { 1.0 }
        };
        let scaled = Matrix::from_fn(size, size, |i, k| {
            let value = triangle[(i, k)].to_double() / length(k);
            T::from_double(super::factor::times_power(value, coordinates.exponent(k)))
        });
        let mut values = vec![T::zero(); size];
        let mut left = Matrix::zeros(size, size);
        let mut vectors = Matrix::zeros(size, size);
        problem.backend.svd(scaled.view(), left.view_mut(), &mut values, vectors.view_mut())?;
        let largest = values.first().map_or(0.0, |v| v.to_double());
        let relative = |v: &T| if largest > 0.0 { v.to_double() / largest } else { 0.0 };
        Ok(Self {
            values: values.iter().map(relative).collect(),
            vectors,
            threshold: suspicious_below::<T>(size),
        })
    }

    /// The number of singular values above the threshold, if some are not.
    fn proposed_rank(&self) -> Option<usize> {
        let rank = self.values.iter().filter(|value| **value > self.threshold).count();
        (rank < self.values.len()).then_some(rank)
    }

    /// The singular values on either side of a rank.
    fn around(&self, rank: usize) -> Option<(f64, f64)> {
        let below = *self.values.get(rank)?;
        let above = rank.checked_sub(1).map_or(0.0, |last| self.values[last]);
        Some((above, below))
    }

    /// `rank` well-conditioned columns in ascending order; the first `forced` are always taken and
    /// left out of the answer.
    fn select(&self, rank: usize, forced: usize) -> Vec<usize> {
        let basis = Matrix::from_fn(self.vectors.rows(), rank, |k, c| self.vectors[(k, c)]);
        let mut chosen = select_rows(basis, forced);
        chosen.retain(|&k| k >= forced);
        chosen.sort_unstable();
        chosen
    }
}

/// Rows of an orthonormal basis that span its row space: greedy, by the length of what the rows
/// already chosen do not explain; among rows of similar length, the first.
fn select_rows<T: Scalar>(mut basis: Matrix<T>, forced: usize) -> Vec<usize> {
    const SIMILAR: f64 = 0.1;
    let (rows, rank) = (basis.rows(), basis.cols());
    let mut chosen: Vec<usize> = Vec::with_capacity(rank);
    while chosen.len() < rank {
        let length =
            |k: usize| (0..rank).map(|c| basis[(k, c)].to_double().powi(2)).sum::<f64>().sqrt();
        let next = if chosen.len() < forced {
            chosen.len()
        } else {
            let lengths: Vec<f64> =
                (0..rows).map(|k| if chosen.contains(&k) { 0.0 } else { length(k) }).collect();
            let longest = lengths.iter().copied().fold(0.0, f64::max);
            match lengths.iter().position(|&l| l > 0.0 && l >= SIMILAR * longest) {
                Some(next) => next,
                None => break,
            }
        };
        let norm = length(next);
        if norm > 0.0 {
            let direction: Vec<f64> =
                (0..rank).map(|c| basis[(next, c)].to_double() / norm).collect();
            for k in 0..rows {
                let along: f64 =
                    direction.iter().enumerate().map(|(c, d)| basis[(k, c)].to_double() * d).sum();
                for (c, d) in direction.iter().enumerate() {
                    basis[(k, c)] -= T::from_double(along * d);
                }
            }
        }
        chosen.push(next);
    }
    chosen
}

/// Candidate columns as combinations of the independent ones, by refined least squares.
fn regress<T: Scalar>(
    problem: &mut Primal<'_, '_, T>,
    triangle: &Matrix<T>,
    coordinates: &Coordinates<T>,
    independent: &[usize],
    candidates: &[usize],
) -> Result<Vec<Combination<T::Wide>>, Error> {
    let offset = usize::from(problem.intercept);
    if independent.is_empty() && offset == 0 {
        let zero = |&column: &usize| Combination {
            column,
            factors: vec![],
            constant: T::Wide::ZERO,
            error: 0.0,
            misfit: 0.0,
        };
        return Ok(candidates.iter().map(zero).collect());
    }
    let factor = problem.subfactor(triangle, coordinates, independent)?;
    let targets = candidates.iter().map(|&j| Target::Column(j)).collect();
    let start = vec![vec![T::Wide::ZERO; factor.len()]; candidates.len()];
    let refined = problem.refine_beyond(&factor, independent, targets, start)?;
    let largest_row = factor.row_norms[offset..].iter().copied().fold(0.0, f64::max);
    let combine = |(&column, side): (&usize, super::refine::Refined<T>)| Combination {
        column,
        factors: side.solution[offset..].to_vec(),
        constant: if offset == 1 { side.solution[0] } else { T::Wide::ZERO },
        error: largest_row * side.error,
        misfit: 0.0,
    };
    Ok(candidates.iter().zip(refined).map(combine).collect())
}

/// The combinations that hold in every row; with plain factors where those hold as well.
fn confirmed<T: Scalar>(
    problem: &mut Primal<'_, '_, T>,
    independent: &[usize],
    combinations: Vec<Combination<T::Wide>>,
) -> Result<Vec<Combination<T::Wide>>, Error> {
    let simplified: Vec<_> =
        combinations.iter().map(|c| simplify::<T>(problem, independent, c)).collect();
    let both: Vec<_> = simplified.into_iter().chain(combinations).collect();
    let half = both.len() / 2;
    let pass = RelationPass { independent, combinations: &both };
    let held = problem.rows.repeat(&pass)?;
    problem.passes += 1;
    let choose = |k: usize| {
        let found = [k, half + k].into_iter().find(|&at| held[at].everywhere)?;
        Some(Combination { misfit: held[found].squares.sqrt(), ..both[found].clone() })
    };
    Ok((0..half).filter_map(choose).collect())
}

/// Factors rounded to the fewest decimals that are close, and to zero where they do not matter.
fn simplify<T: Scalar>(
    problem: &Primal<'_, '_, T>,
    independent: &[usize],
    combination: &Combination<T::Wide>,
) -> Combination<T::Wide> {
    let close = (T::unit_roundoff() * 1e4).min(1e-3);
    let length = problem.moments.raw_square(combination.column).sqrt();
    let plain = |factor: T::Wide, norm: f64| {
        let value = factor.to_double();
        if value.abs() * norm <= close * length {
            return T::Wide::ZERO;
        }
        (1..=6)
            .map(|digits| decimal::<T::Wide>(value, digits))
            .find(|rounded| (*rounded - factor).to_double().abs() <= close * value.abs())
            .unwrap_or(factor)
    };
    let norm = |j: usize| problem.moments.raw_square(j).sqrt();
    let factors = independent.iter().zip(&combination.factors);
    Combination {
        factors: factors.map(|(&j, &factor)| plain(factor, norm(j))).collect(),
        constant: plain(combination.constant, problem.moments.weight.sqrt()),
        ..*combination
    }
}

/// A value rounded to some significant decimal digits, in the wide precision: 0.1 is a tenth there,
/// not the double next to it.
fn decimal<W: Number>(value: f64, digits: i32) -> W {
    let shift = digits - 1 - value.abs().log10().floor() as i32;
    let power = |exponent: i32| (0..exponent).fold(W::ONE, |p, _| p * W::from_double(10.0));
    let scaled = value * 10f64.powi(shift);
    if !scaled.is_finite() {
        return W::from_double(value);
    }
    let whole = W::from_double(scaled.round());
    if shift >= 0 { whole / power(shift) } else { whole * power(-shift) }
}

/// How well a combination holds.
#[derive(Clone, Copy)]
struct Held {
    /// In every row so far, to within the rounding of its terms.
    everywhere: bool,
    /// Σ c_t (what is missing)².
    squares: f64,
}

/// Whether each combination holds in every row that has weight.
struct RelationPass<'a, T: Scalar> {
    independent: &'a [usize],
    combinations: &'a [Combination<T::Wide>],
}

impl<T: Scalar> Reduction<T> for RelationPass<'_, T> {
    type State = Vec<Held>;

    fn start(&self) -> Vec<Held> {
        vec![Held { everywhere: true, squares: 0.0 }; self.combinations.len()]
    }

    fn absorb(&self, held: &mut Vec<Held>, block: &Block<'_, T>) {
        for (combination, held) in self.combinations.iter().zip(held) {
            if held.everywhere {
                self.examine(combination, block, held);
            }
        }
    }

    fn merge(&self, left: &mut Vec<Held>, right: Vec<Held>) {
        for (a, b) in left.iter_mut().zip(right) {
            a.everywhere &= b.everywhere;
            a.squares += b.squares;
        }
    }
}

impl<T: Scalar> RelationPass<'_, T> {
    fn examine(&self, combination: &Combination<T::Wide>, block: &Block<'_, T>, held: &mut Held) {
        let mut coefficients = vec![T::Wide::ZERO; block.x.cols()];
        for (&j, &factor) in self.independent.iter().zip(&combination.factors) {
            coefficients[j] = factor;
        }
        let terms = coefficients.iter().filter(|c| c.to_double() != 0.0).count();
        let tolerance = (4 + terms) as f64 * T::unit_roundoff();
        let mut kernel = ResidualKernel::<T, T::Wide>::new(&coefficients, combination.constant);
        let values = Block { y: block.x, ..*block };
        let residuals = kernel.residuals(&values, combination.column);
        let weight = |i: usize| block.weight_of(i);
        for (i, residual) in residuals.into_iter().enumerate().filter(|(i, _)| weight(*i) > 0.0) {
            let size = |j: usize| (coefficients[j].to_double() * block.x[(i, j)].to_double()).abs();
            let terms: f64 = self.independent.iter().map(|&j| size(j)).sum();
            let magnitude = block.x[(i, combination.column)].to_double().abs()
                + combination.constant.to_double().abs()
                + terms;
            held.everywhere &= residual.to_double().abs() <= tolerance * magnitude;
            held.squares += weight(i) * residual.to_double().powi(2);
        }
    }
}
