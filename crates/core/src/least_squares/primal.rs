//! The tall case: moments, a factor good enough for the condition of the data, refinement.
//!
//! 1. One pass for the moments; Cholesky of the Gram matrix when κ²u is small.
//! 2. Else one pass of tall-skinny QR for R, with κu in place of κ²u.
//! 3. Where R is close to singular, its small singular values propose linear relations among the
//!    columns, and the data decides ([`super::rank`]).
//! 4. Refinement, on the data as given ([`super::refine`]).

use super::Method;
use super::factor::{Factor, Origin, times_power};
use super::moments::Moments;
use super::normal::{Diagonal, LowWords, Normal, Side, Target};
use super::rank::{Dependencies, suspicious_below};
use super::refine::{Refined, refine};
use super::solution::{Accuracies, Solution};
use super::triangle::{Coordinates, TrianglePass};
use crate::wide::Number;
use crate::{Backend, Error, Matrix, Rows, Scalar};

/// A least-squares or ridge problem over rows that can be read again.
pub(super) struct Primal<'s, 'r, T: Scalar> {
    pub(super) backend: &'s dyn Backend<T>,
    pub(super) rows: &'s mut Rows<'r, T>,
    /// What rounding left out of the design, where that is known.
    pub(super) low: Option<LowWords<'s, T>>,
    pub(super) intercept: bool,
    pub(super) method: Method,
    /// α on the total scale, one for each column where they differ.
    pub(super) diagonal: Diagonal<T>,
    pub(super) moments: Moments<T>,
    pub(super) passes: usize,
}

/// Largest contraction estimate at which a Gram factor is tried first.
const GRAM_CONTRACTION: f64 = 0.3;

impl<T: Scalar> Primal<'_, '_, T> {
    /// Solves for all targets.
    pub(super) fn solve(mut self) -> Result<Solution<T>, Error> {
        let everything: Vec<usize> = (0..self.rows.cols()).collect();
        if matches!(self.method, Method::Auto | Method::NormalEquations)
            && let Some(factor) = self.gram_factor()
            && (factor.contraction <= GRAM_CONTRACTION || self.method == Method::NormalEquations)
        {
            if self.method == Method::NormalEquations && factor.contraction > GRAM_CONTRACTION {
                return Err(self.too_ill_conditioned(factor.condition));
            }
            if !self.has_nearly_constant_column() {
                let refined = self.refine_responses(&factor, &everything)?;
                if refined.iter().all(|side| side.accurate) || self.method != Method::Auto {
                    return Ok(self.finish(&factor, refined, &everything, None));
                }
            }
        }
        if self.method == Method::NormalEquations {
            return Err(self.too_ill_conditioned(f64::INFINITY));
        }
        self.solve_by_triangle(everything)
    }

    /// Solves for several penalties together; `None` where Cholesky of the Gram matrix will not do.
    pub(super) fn solve_path(
        mut self,
        alphas: &[T::Wide],
    ) -> Result<Vec<Option<Solution<T>>>, Error> {
        let columns: Vec<usize> = (0..self.rows.cols()).collect();
        let mut factors = Vec::with_capacity(alphas.len());
        for &alpha in alphas {
            self.diagonal = Diagonal::Constant(alpha);
            let usable = !self.has_nearly_constant_column();
            let factor = if usable { self.gram_factor() } else { None };
            factors.push(factor.filter(|factor| factor.contraction <= GRAM_CONTRACTION));
        }
        let targets = self.rows.targets();
        let mut sides = Vec::new();
        let mut start = Vec::new();
        for (factor, &alpha) in factors.iter().zip(alphas) {
            let Some(factor) = factor else { continue };
            start.extend(self.start(factor, &columns));
            sides.extend((0..targets).map(|target| Side {
                target: Target::Response(target),
                norm: self.moments.raw_target_square(target).sqrt(),
                factor,
                diagonal: Diagonal::Constant(alpha),
            }));
        }
        let mut refined = self.refine_sides(&columns, sides, start, false)?.into_iter();
        let solutions = factors.iter().map(|factor| {
            let factor = factor.as_ref()?;
            let own: Vec<Refined<T>> = refined.by_ref().take(targets).collect();
            let accurate = own.iter().all(|side| side.accurate);
            accurate.then(|| self.finish(factor, own, &columns, None))
        });
        Ok(solutions.collect())
    }

    fn solve_by_triangle(mut self, everything: Vec<usize>) -> Result<Solution<T>, Error> {
        let coordinates = self.coordinates();
        let triangle = self.triangle(&coordinates)?;
        let factor =
            Factor::new(self.backend, triangle.clone(), coordinates.clone(), Origin::Householder);
        let threshold = suspicious_below::<T>(coordinates.len());
        let suspicious = self.is_unpenalised()
            && (self.method == Method::Svd
                || self.has_nearly_constant_column()
                || factor.as_ref().is_none_or(|f| f.condition * threshold > 1.0));
        if suspicious {
            let mut dependencies = Dependencies::find(&mut self, &triangle, &coordinates)?;
            let independent = &dependencies.independent;
            let factor = self.subfactor(&triangle, &coordinates, independent)?;
            dependencies.row_norms = factor.row_norms.clone();
            let refined = self.refine_responses(&factor, independent)?;
            let independent = independent.clone();
            return Ok(self.finish(&factor, refined, &independent, Some(dependencies)));
        }
        let Some(factor) = factor else {
            return Err(self.too_ill_conditioned(f64::INFINITY));
        };
        let refined = self.refine_responses(&factor, &everything)?;
        Ok(self.finish(&factor, refined, &everything, None))
    }

    fn finish(
        &self,
        factor: &Factor<T>,
        refined: Vec<Refined<T>>,
        columns: &[usize],
        dependencies: Option<Dependencies<T>>,
    ) -> Solution<T> {
        let offset = usize::from(self.intercept);
        let cols = self.rows.cols();
        let target_norms: Vec<f64> = (0..refined.len())
            .map(|target| self.moments.raw_target_square(target).sqrt())
            .collect();
        let mut solution = Solution {
            coefficients: Vec::new(),
            intercepts: Vec::new(),
            accuracies: Accuracies::default(),
            squares: refined.iter().map(|side| side.squares).collect(),
            accurate: refined.iter().all(|side| side.accurate),
            condition: factor.condition,
            rank: columns.len(),
            dependencies: None,
            rows: self.moments.rows,
            weight: self.moments.exact_weight,
            steps: refined.iter().map(|side| side.steps).max().unwrap_or(0),
            passes: self.passes,
            path: match factor.origin {
                Origin::Gram => "normal equations, refined",
                Origin::Householder => "QR, refined",
            },
        };
        // The last correction was added with one rounding of the wide precision.
        let kept =
            |side: &Refined<T>, k: usize| 2.0 * T::Wide::UNIT * side.solution[k].to_double().abs();
        for (side, target_norm) in refined.iter().zip(target_norms) {
            let mut coefficients = vec![T::Wide::ZERO; cols];
            let mut errors = vec![0.0; cols];
            for (k, &j) in columns.iter().enumerate() {
                coefficients[j] = side.solution[k + offset];
                errors[j] = factor.row_norms[k + offset] * side.error + kept(side, k + offset);
            }
            let rounding: Vec<T::Wide> =
                side.solution.iter().map(|&v| v - T::from_wide(v).into()).collect();
            let backward = if target_norm > 0.0 {
                (factor.energy(&rounding) + side.error) / target_norm
            } else {
                0.0
            };
            solution.coefficients.push(coefficients);
            solution.accuracies.coefficients.push(errors);
            solution.accuracies.backward = solution.accuracies.backward.max(backward);
            if self.intercept {
                solution.intercepts.push(side.solution[0]);
                let error = factor.row_norms[0] * side.error + kept(side, 0);
                solution.accuracies.intercepts.push(error);
            }
        }
        solution.dependencies = dependencies;
        solution
    }

    /// Refines the targets of the data on some columns.
    fn refine_responses(
        &mut self,
        factor: &Factor<T>,
        columns: &[usize],
    ) -> Result<Vec<Refined<T>>, Error> {
        let targets = (0..self.rows.targets()).map(Target::Response).collect();
        let start = self.start(factor, columns);
        self.refine(factor, columns, targets, start, false)
    }

    /// Refines any sides on some columns far beyond the digits of `T`.
    pub(super) fn refine_beyond(
        &mut self,
        factor: &Factor<T>,
        columns: &[usize],
        targets: Vec<Target<T::Wide>>,
        start: Vec<Vec<T::Wide>>,
    ) -> Result<Vec<Refined<T>>, Error> {
        self.refine(factor, columns, targets, start, true)
    }

    fn refine(
        &mut self,
        factor: &Factor<T>,
        columns: &[usize],
        targets: Vec<Target<T::Wide>>,
        start: Vec<Vec<T::Wide>>,
        beyond: bool,
    ) -> Result<Vec<Refined<T>>, Error> {
        let norm = |target: &Target<T::Wide>| match *target {
            Target::Response(k) => self.moments.raw_target_square(k).sqrt(),
            Target::Column(j) => self.moments.raw_square(j).sqrt(),
            Target::Given(_) => 0.0,
        };
        let sides = targets.into_iter().map(|target| Side {
            norm: norm(&target),
            target,
            factor,
            diagonal: self.diagonal.clone(),
        });
        let sides = sides.collect();
        self.refine_sides(columns, sides, start, beyond)
    }

    fn refine_sides(
        &mut self,
        columns: &[usize],
        sides: Vec<Side<'_, T>>,
        start: Vec<Vec<T::Wide>>,
        beyond: bool,
    ) -> Result<Vec<Refined<T>>, Error> {
        let mut system = Normal {
            backend: self.backend,
            sides,
            rows: self.rows,
            low: self.low,
            intercept: self.intercept,
            columns,
            column_norms: columns.iter().map(|&j| self.moments.raw_square(j).sqrt()).collect(),
            ones_norm: self.moments.weight.sqrt(),
            beyond,
            passes: 0,
        };
        let refined = refine(&mut system, start)?;
        self.passes += system.passes;
        Ok(refined)
    }

    /// First solutions from the moments: as good as the factor, for free.
    fn start(&self, factor: &Factor<T>, columns: &[usize]) -> Vec<Vec<T::Wide>> {
        let offset = usize::from(self.intercept);
        let first = |target: usize| {
            // With centred moments the defect at (w = 0, b = ȳ) is the centred cross product, whose
            // caller-coordinate form has g₀ = 0 after the shift to the mean.
            let mut defect = vec![T::Wide::ZERO; factor.len()];
            for (k, &j) in columns.iter().enumerate() {
                defect[k + offset] = self.moments.cross[(j, target)].into();
            }
            let (mut solution, _) = factor.correct(self.backend, &defect);
            if self.intercept {
                solution[0] += self.moments.y_mean[target].into();
            }
            solution
        };
        (0..self.rows.targets()).map(first).collect()
    }

    /// Shifts to the means and powers of two that bring every column near unit length.
    pub(super) fn coordinates(&self) -> Coordinates<T> {
        let exponents = (0..self.rows.cols()).map(|j| {
            let centred = self.moments.gram[(j, j)].to_double().max(0.0) + self.penalty(j);
            // A column that is constant up to rounding is not blown up to unit length.
            let rounding = self.moments.raw_square(j) * T::unit_roundoff().powi(2);
            centred.max(rounding).sqrt().exponent()
        });
        Coordinates {
            intercept: self.intercept,
            exponents: exponents.collect(),
            shifts: self.moments.x_mean.clone(),
            intercept_exponent: self.moments.weight.sqrt().exponent(),
        }
    }

    fn penalty(&self, j: usize) -> f64 {
        match &self.diagonal {
            Diagonal::Constant(alpha) => alpha.to_double(),
            Diagonal::Varying(entries) => entries[j].to_double(),
        }
    }

    fn is_unpenalised(&self) -> bool {
        (0..self.rows.cols()).all(|j| self.penalty(j) == 0.0)
    }

    /// R from the Gram matrix; `None` where Cholesky breaks down.
    pub(super) fn gram_factor(&self) -> Option<Factor<T>> {
        let coordinates = self.coordinates();
        let (offset, cols) = (usize::from(self.intercept), self.rows.cols());
        let mut gram = Matrix::from_fn(cols, cols, |i, j| {
            if i < j {
                return T::zero();
            }
            let diagonal = if i == j { self.penalty(j) } else { 0.0 };
            let value = self.moments.gram[(i, j)] + T::from_double(diagonal);
            let exponent = coordinates.exponents[i] + coordinates.exponents[j];
            T::from_double(times_power(value.to_double(), -exponent))
        });
        if !(0..cols).all(|j| gram[(j, j)] > T::zero() && gram[(j, j)].is_finite()) {
            return None;
        }
        self.backend.cholesky(gram.view_mut()).ok()?;
        let size = offset + cols;
        let leading = times_power(self.moments.weight.sqrt(), -coordinates.intercept_exponent);
        let r = Matrix::from_fn(size, size, |i, j| match (i < offset, j < offset) {
            (true, true) => T::from_double(leading),
            (false, false) if i <= j => gram[(j - offset, i - offset)],
            _ => T::zero(),
        });
        let mut factor = Factor::new(self.backend, r, coordinates, Origin::Gram)?;
        // The means are rounded, so centred columns are not quite orthogonal to the ones.
        let off_centre = (0..cols).map(|j| {
            let centred = self.moments.gram[(j, j)].to_double() + self.penalty(j);
            self.moments.x_mean[j].to_double().abs() * (self.moments.weight / centred).sqrt()
        });
        let off_centre = off_centre.fold(0.0, f64::max);
        factor.contraction += 16.0 * T::unit_roundoff() * off_centre * factor.condition;
        Some(factor)
    }

    /// R of the whole design by a pass of tall-skinny QR.
    pub(super) fn triangle(&mut self, coordinates: &Coordinates<T>) -> Result<Matrix<T>, Error> {
        let pass = TrianglePass { backend: self.backend, coordinates };
        let mut r = self.rows.repeat(&pass)?.r;
        self.passes += 1;
        if !self.is_unpenalised() {
            let offset = usize::from(self.intercept);
            let cols = self.rows.cols();
            let mut roots = Matrix::from_fn(cols, offset + cols, |i, k| {
                if k == i + offset {
                    let root = self.penalty(i).sqrt();
                    T::from_double(times_power(root, -coordinates.exponents[i]))
                } else {
                    T::zero()
                }
            });
            self.backend.stack_qr(r.view_mut(), roots.view_mut());
        }
        Ok(r)
    }

    /// The factor for some of the columns of a triangle.
    pub(super) fn subfactor(
        &self,
        triangle: &Matrix<T>,
        coordinates: &Coordinates<T>,
        columns: &[usize],
    ) -> Result<Factor<T>, Error> {
        let offset = usize::from(self.intercept);
        let kept: Vec<usize> = (0..offset).chain(columns.iter().map(|&j| j + offset)).collect();
        let mut part = Matrix::from_fn(triangle.rows(), kept.len(), |i, k| triangle[(i, kept[k])]);
        let mut r = Matrix::zeros(kept.len(), kept.len());
        self.backend.stack_qr(r.view_mut(), part.view_mut());
        let coordinates = Coordinates {
            shifts: columns.iter().map(|&j| coordinates.shifts[j]).collect(),
            exponents: columns.iter().map(|&j| coordinates.exponents[j]).collect(),
            ..*coordinates
        };
        Factor::new(self.backend, r, coordinates, Origin::Householder)
            .ok_or_else(|| self.too_ill_conditioned(f64::INFINITY))
    }

    /// Whether some column is constant to within what rounding could do, as seen from zero.
    fn has_nearly_constant_column(&self) -> bool {
        let threshold = suspicious_below::<T>(self.rows.cols() + 1);
        self.is_unpenalised()
            && (0..self.rows.cols()).any(|j| {
                let centred = self.moments.gram[(j, j)].to_double().max(0.0).sqrt();
                centred <= threshold * self.moments.raw_square(j).sqrt()
            })
    }

    fn too_ill_conditioned(&self, condition: f64) -> Error {
        let (method, power) = match self.method {
            Method::NormalEquations => ("Method::NormalEquations", 0.5),
            _ => ("least squares", 1.0),
        };
        let limit = (1.0 / T::unit_roundoff()).powf(power);
        Error::TooIllConditioned { method, condition, limit }
    }
}
