//! Inference for a least-squares or ridge fit: what a statistician asks next.
//!
//! Standard errors need diag(A⁻¹), A = XᵀCX + αI. The row norms of R⁻¹ have it to the accuracy of R;
//! where that is not 11 digits the columns of A⁻¹ are refined on the data like any other solution. For
//! ridge the covariance is σ̂²(A⁻¹ − αA⁻²) and the parameters are counted by tr(XA⁻¹XᵀC).

use super::closed_form::Method;
use super::factor::{Factor, Origin};
use super::hat::{LeveragePass, SandwichPass};
use super::moments::MomentsPass;
use super::normal::{Diagonal, Target};
use super::primal::Primal;
use crate::inference::{Covariance, Estimates, Summary};
use crate::wide::Number;
use crate::{
    Backend, Dataset, Error, Fit, GradientPass, LeastSquaresCertificate, Matrix, Names, Rows,
    Scalar, Stream, WeightKind,
};

/// Relative error of standard errors that is good enough to do without refinement.
const GOOD_ENOUGH: f64 = 1e-11;

/// Standard errors, tests, intervals and fit statistics of a fit, one summary per target.
///
/// The fit must have a least-squares certificate, and the data must be the data of the fit.
pub fn summarise<T: Scalar>(
    backend: &dyn Backend<T>,
    data: &Dataset<'_, T>,
    fit: &Fit<T>,
    covariance: Covariance,
) -> Result<Vec<Summary>, Error> {
    Study::of_data(backend, data, fit)?.summaries(covariance)
}

/// As [`summarise`], for a fit to a stream, which must be one that can be read again.
pub fn summarise_stream<T: Scalar>(
    backend: &dyn Backend<T>,
    stream: &mut dyn Stream<T>,
    fit: &Fit<T>,
    covariance: Covariance,
) -> Result<Vec<Summary>, Error> {
    if !stream.can_rewind() {
        return Err(Error::NotRewindable { what: "a summary" });
    }
    fit.model.check_design(stream.cols(), None)?;
    Study::new(backend, Rows::Stream(stream), fit)?.summaries(covariance)
}

/// The leverage of every row: how much of its own prediction its target decides.
///
/// For precisions c that is c·xᵀA⁻¹x; for frequencies that of each of the equal rows.
pub fn leverages<T: Scalar>(
    backend: &dyn Backend<T>,
    data: &Dataset<'_, T>,
    fit: &Fit<T>,
) -> Result<Vec<f64>, Error> {
    let study = Study::of_data(backend, data, fit)?;
    let pass = LeveragePass { backend, factor: &study.factor, columns: &study.columns };
    let mut leverages = Rows::Memory(data).reduce(&pass)?;
    if let (WeightKind::Precisions, Some(weights)) = (data.weight_kind(), data.weights()) {
        leverages.iter_mut().zip(weights.col_iter(0)).for_each(|(h, c)| *h *= c.to_double());
    }
    Ok(leverages)
}

/// A fit, its data and a factor of its normal equations.
struct Study<'a, T: Scalar> {
    backend: &'a dyn Backend<T>,
    rows: Rows<'a, T>,
    fit: &'a Fit<T>,
    certificate: &'a LeastSquaresCertificate,
    columns: Vec<usize>,
    factor: Factor<T>,
    /// diag(A⁻¹), intercept first where there is one.
    inverse_diagonal: Vec<f64>,
    total_squares: Vec<f64>,
    weight: f64,
    log_weight: f64,
}

impl<'a, T: Scalar> Study<'a, T> {
    fn of_data(
        backend: &'a dyn Backend<T>,
        data: &'a Dataset<'a, T>,
        fit: &'a Fit<T>,
    ) -> Result<Self, Error> {
        data.refuse_offsets("a summary of least squares")?;
        fit.model.check_design(data.cols(), data.names())?;
        Self::new(backend, Rows::from(data), fit)
    }

    fn new(
        backend: &'a dyn Backend<T>,
        mut rows: Rows<'a, T>,
        fit: &'a Fit<T>,
    ) -> Result<Self, Error> {
        let Some(certificate) = fit.certificate.least_squares() else {
            return Err(Error::Unsupported {
                solver: "summarise",
                reason: "the fit has no least-squares certificate; fit with LeastSquares or Ridge",
            });
        };
        let intercept = fit.model.intercept().is_some();
        let (cols, targets) = (rows.cols(), rows.targets());
        let moments = rows.repeat(&MomentsPass { backend, cols, targets, centred: intercept })?;
        let (weight, log_weight) = (moments.weight, moments.log_weight);
        let total_squares = moments.y_squares.clone();
        let dependent = |j: &usize| certificate.relations.iter().any(|r| r.column == *j);
        let columns: Vec<usize> = (0..cols).filter(|j| !dependent(j)).collect();
        let mut problem = Primal {
            low: None,
            backend,
            rows: &mut rows,
            intercept,
            method: Method::Auto,
            diagonal: Diagonal::Constant(certificate.penalty.total::<T>()),
            moments,
            passes: 1,
        };
        let (factor, inverse_diagonal) = precise_factor(&mut problem, &columns)?;
        Ok(Self {
            backend,
            rows,
            fit,
            certificate,
            columns,
            factor,
            inverse_diagonal,
            total_squares,
            weight,
            log_weight,
        })
    }

    fn summaries(mut self, covariance: Covariance) -> Result<Vec<Summary>, Error> {
        (0..self.fit.model.targets()).map(|target| self.summary(target, covariance)).collect()
    }

    fn summary(&mut self, target: usize, covariance: Covariance) -> Result<Summary, Error> {
        let offset = usize::from(self.has_intercept());
        let mut estimates = Estimates {
            residual_sum_of_squares: self.residual_squares(target)?,
            total_sum_of_squares: self.total_squares[target],
            observations: self.observations(),
            parameters: self.parameters(),
            has_intercept: self.has_intercept(),
            log_weights: match self.rows.weight_kind() {
                WeightKind::Precisions => self.log_weight,
                _ => 0.0,
            },
            covariance,
            penalised: self.certificate.penalty.is_positive(),
            ..Estimates::default()
        };
        let freedom = estimates.degrees_of_freedom();
        let noise = if freedom > 0.0 {
            (estimates.residual_sum_of_squares / freedom).sqrt()
        } else {
            f64::NAN
        };
        let kept: Vec<f64> = if covariance.is_robust() {
            let sandwich = self.sandwich(target, covariance)?;
            estimates.wald = self.wald(&sandwich, target);
            (0..self.factor.len()).map(|k| sandwich[(k, k)].sqrt()).collect()
        } else {
            (0..self.factor.len()).map(|k| noise * self.classical_variance(k).sqrt()).collect()
        };
        if let Some(intercept) = self.fit.model.intercept_of(target) {
            estimates.names.push("(Intercept)".into());
            estimates.coefficients.push(intercept.to_double());
            estimates.digits.push(self.certificate.intercept_digits[target]);
            let moved = self.certificate.relations.iter().any(|r| r.constant != 0.0);
            estimates.standard_errors.push(if moved { f64::NAN } else { kept[0] });
        }
        for (j, w) in self.fit.model.coefficients_of(target).iter().enumerate() {
            let kept_at = self.columns.iter().position(|&column| column == j);
            estimates.names.push(Names::of(self.fit.model.names(), j));
            estimates.coefficients.push(w.to_double());
            estimates.digits.push(self.certificate.digits[target][j]);
            estimates.standard_errors.push(match kept_at {
                Some(k) if self.is_estimable(j) => kept[k + offset],
                _ => f64::NAN,
            });
        }
        estimates.summary()
    }

    /// Σ c r² at the exact minimiser: the rounded coefficients add the energy of their distance, which
    /// matters where the fit is all but perfect.
    fn residual_squares(&mut self, target: usize) -> Result<f64, Error> {
        let wide = |w: &T| T::Wide::from(*w);
        let coefficients: Vec<T::Wide> =
            self.fit.model.coefficients_of(target).iter().map(wide).collect();
        let intercept = self.fit.model.intercept_of(target).map_or(T::Wide::ZERO, Into::into);
        let pass = GradientPass { coefficients: &coefficients, intercept, target };
        let sums = self.rows.repeat(&pass)?;
        if self.certificate.penalty.is_positive() {
            return Ok(sums.squares());
        }
        let leading = self.has_intercept().then(|| sums.total());
        let kept = self.columns.iter().map(|&j| sums.gradient()[j]);
        let defect: Vec<T::Wide> = leading.into_iter().chain(kept).collect();
        let (_, energy) = self.factor.correct(self.backend, &defect);
        Ok((sums.squares() - energy * energy).max(0.0))
    }

    fn has_intercept(&self) -> bool {
        self.fit.model.intercept().is_some()
    }

    /// Whether a coefficient is determined by the data: no relation has a part in its column.
    fn is_estimable(&self, column: usize) -> bool {
        self.certificate.relations.iter().all(|relation| {
            relation.column != column && relation.terms.iter().all(|(j, _, _)| *j != column)
        })
    }

    fn observations(&self) -> f64 {
        match self.rows.weight_kind() {
            WeightKind::Frequencies => self.weight,
            _ => self.certificate.rows as f64,
        }
    }

    /// The rank with the intercept, or the trace of the hat matrix for ridge.
    fn parameters(&self) -> f64 {
        let offset = usize::from(self.has_intercept());
        let shrunk: f64 =
            self.inverse_diagonal[offset..].iter().map(|v| self.certificate.alpha() * v).sum();
        (self.certificate.rank.min(self.factor.len()) + offset) as f64 - shrunk
    }

    /// (A⁻¹ − αA⁻²)_kk: the variance of coefficient k in units of σ².
    fn classical_variance(&self, k: usize) -> f64 {
        let alpha = self.certificate.alpha();
        if alpha == 0.0 {
            return self.inverse_diagonal[k];
        }
        let offset = usize::from(self.has_intercept());
        let rows = &self.factor.inverse;
        let entry =
            |j: usize| -> f64 { (0..rows.cols()).map(|c| rows[(k, c)] * rows[(j, c)]).sum() };
        let square: f64 = (offset..rows.rows()).map(|j| entry(j).powi(2)).sum();
        (self.inverse_diagonal[k] - alpha * square).max(0.0)
    }

    /// The robust covariance of the kept coefficients in the caller's coordinates.
    fn sandwich(&mut self, target: usize, covariance: Covariance) -> Result<Matrix<f64>, Error> {
        let weights = self.fit.model.coefficients_of(target);
        let intercept = self.fit.model.intercept_of(target);
        let pass = SandwichPass {
            backend: self.backend,
            factor: &self.factor,
            columns: &self.columns,
            covariance,
            weight_kind: self.rows.weight_kind(),
            target,
            coefficients: weights.iter().map(|&w| w.into()).collect(),
            intercept: intercept.map_or(T::Wide::ZERO, Into::into),
            observations: self.observations(),
            parameters: self.parameters(),
        };
        let middle = self.rows.repeat(&pass)?;
        let middle = |i: usize, j: usize| middle[(i.max(j), i.min(j))].to_double();
        let size = self.factor.len();
        let rows = &self.factor.inverse;
        let half = Matrix::from_fn(size, size, |i, j| {
            (0..size).map(|c| rows[(i, c)] * middle(c, j)).sum::<f64>()
        });
        Ok(Matrix::from_fn(size, size, |i, j| (0..size).map(|c| half[(i, c)] * rows[(j, c)]).sum()))
    }

    /// βᵀV⁻¹β/k over the coefficients other than the intercept.
    fn wald(&self, covariance: &Matrix<f64>, target: usize) -> Option<f64> {
        let offset = usize::from(self.has_intercept());
        let size = self.columns.len();
        if size == 0 || !self.certificate.relations.is_empty() {
            return None;
        }
        // Scaled to unit diagonal, so that columns of any size pass through T.
        let scale = |k: usize| covariance[(k + offset, k + offset)].sqrt();
        let mut factor = Matrix::from_fn(size, size, |i, j| {
            T::from_double(covariance[(i + offset, j + offset)] / scale(i) / scale(j))
        });
        let weights = self.fit.model.coefficients_of(target);
        let mut scaled = Matrix::from_fn(size, 1, |k, _| {
            T::from_double(weights[self.columns[k]].to_double() / scale(k))
        });
        if !factor.as_slice().iter().chain(scaled.as_slice()).all(|v| v.is_finite()) {
            return None;
        }
        self.backend.cholesky(factor.view_mut()).ok()?;
        self.backend.solve_lower(factor.view(), scaled.view_mut());
        let squares: f64 = scaled.as_slice().iter().map(|v| v.to_double().powi(2)).sum();
        Some(squares / size as f64)
    }
}

/// A factor for the kept columns and diag(A⁻¹), to about 11 digits where the data has them.
fn precise_factor<T: Scalar>(
    problem: &mut Primal<'_, '_, T>,
    columns: &[usize],
) -> Result<(Factor<T>, Vec<f64>), Error> {
    let diagonal = |factor: &Factor<T>| factor.row_norms.iter().map(|s| s * s).collect();
    if columns.len() == problem.rows.cols()
        && let Some(factor) = problem.gram_factor()
        && factor.contraction <= GOOD_ENOUGH
    {
        let found = diagonal(&factor);
        return Ok((factor, found));
    }
    let coordinates = problem.coordinates();
    let triangle = problem.triangle(&coordinates)?;
    let factor = problem.subfactor(&triangle, &coordinates, columns)?;
    debug_assert_eq!(factor.origin, Origin::Householder);
    if factor.contraction <= GOOD_ENOUGH {
        let found = diagonal(&factor);
        return Ok((factor, found));
    }
    let unit = |k: usize| {
        let mut right = vec![T::Wide::ZERO; factor.len()];
        right[k] = T::Wide::ONE;
        Target::Given(right)
    };
    let start = vec![vec![T::Wide::ZERO; factor.len()]; factor.len()];
    let refined =
        problem.refine_beyond(&factor, columns, (0..factor.len()).map(unit).collect(), start)?;
    let found = refined.iter().enumerate().map(|(k, side)| side.solution[k].to_double()).collect();
    Ok((factor, found))
}
