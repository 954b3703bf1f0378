//! A feasible dual point from the derivatives at θ, or from numbers that a solver has.
//!
//! For any numbers u_t, ℓ(z) ≥ uz − ℓ*(u) bounds the objective from below if Σ c_t u_t = 0 (for an intercept) and
//! |v_j| ≤ λ₁ⱼ where λ₂ⱼ = 0, v = Σ c_t u_t x_t. The derivatives u_t = ℓ′(z_t) nearly are such a point; they are made
//! one by shrinking, which never leaves the domain of ℓ*: the positive or the negative ones until they cancel, then
//! all of them until every |v_j| fits.
//!
//! A loss of z − y alone is one of z′ = z − y with the target 0 and the offset o − y, and the offsets may be moved by
//! any one number where Σ c_t u_t = 0. That keeps large targets out of the sums. Where z and y agree in many
//! digits, z′ has lost them, and Σ c_t u_t x_t may cancel as well: then both are made in double-double.

use super::coordinates::Coordinates;
use super::problem::Problem;
use super::products::{PredictionPass, TransposedPass, predictions, transposed_product};
use super::vectors::pairwise_sum;
use crate::loss::Loss;
use crate::simd::{Kernel, vectorised};
use crate::wide::{Dd, ExactProduct, Number};
use crate::{Dataset, Error, Rows, Scalar};

/// Numbers u_t, one for each row, and what the bound needs of them.
pub(super) struct DualPoint {
    /// F at the θ that it comes from.
    pub(super) objective: f64,
    /// ℓ′ at θ.
    pub(super) derivatives: Vec<f64>,
    /// The numbers, before shrinking.
    pub(super) u: Vec<f64>,
    /// Σ c_t u_t x_t, before shrinking.
    pub(super) products: Vec<f64>,
    /// c_t u_t.
    pub(super) weighted: Vec<f64>,
    /// The factor τ that makes τu feasible.
    pub(super) shrink: f64,
    /// Σ c_t (ℓ*(τu_t) − τu_t o_t).
    pub(super) conjugate: f64,
}

/// How the sums over rows and columns are made.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Sums {
    /// In double precision.
    Plain,
    /// In double-double, and rounded.
    Wide,
}

impl<T: Scalar, L: Loss> Problem<'_, T, L> {
    /// The dual point of θ: `dual` where the solver has one, else the derivatives, made feasible.
    pub(super) fn dual_point(
        &self,
        theta: &[f64],
        dual: Option<&[f64]>,
        sums: Sums,
    ) -> Result<DualPoint, Error> {
        let arguments = Arguments::of(self, theta, sums)?;
        let (values, derivatives) =
            vectorised(Rowwise { loss: self.loss, z: &arguments.z, y: &arguments.y });
        let risk = self.sum(|t, c| c * values[t]);
        let mut u = dual.unwrap_or(&derivatives).to_vec();
        if self.intercept {
            self.cancel(&mut u);
        }
        let weighted = self.map(|t, c| c * u[t]);
        let products = sums.products(self, &weighted)?;
        let shrink = self.terms.shrink_into_corners(&products);
        let conjugates = self.sum(|t, c| c * self.loss.conjugate(u[t] * shrink, arguments.y[t]));
        let conjugate = conjugates - shrink * sums.dot(&weighted, &arguments.offsets);
        let (weights, _) = self.split(theta);
        let objective = risk + self.terms.value(weights);
        Ok(DualPoint { objective, derivatives, u, products, weighted, shrink, conjugate })
    }

    /// The duality gap at a dual point.
    pub(super) fn gap_at(&self, point: &DualPoint) -> f64 {
        let v: Vec<f64> = point.products.iter().map(|v| v * point.shrink).collect();
        point.objective + point.conjugate + self.terms.conjugate(&v)
    }

    /// Shrinks the positive or the negative numbers until Σ c_t u_t = 0.
    fn cancel(&self, u: &mut [f64]) {
        let positive = self.sum(|t, c| c * u[t].max(0.0));
        let negative = self.sum(|t, c| c * (-u[t]).max(0.0));
        let (up, down) = if positive > negative {
            (negative / positive, 1.0)
        } else if negative > 0.0 {
            (1.0, positive / negative)
        } else {
            return;
        };
        for u in u {
            *u *= if *u > 0.0 { up } else { down };
        }
    }

    /// f(t, c_t) for every row.
    fn map(&self, f: impl Fn(usize, f64) -> f64) -> Vec<f64> {
        (0..self.data.rows()).map(|t| f(t, self.data.weight_of(t))).collect()
    }

    /// Σ_t f(t, c_t), rows of weight zero left out.
    pub(super) fn sum(&self, f: impl Fn(usize, f64) -> f64) -> f64 {
        pairwise_sum(&self.map(|t, c| if c > 0.0 { f(t, c) } else { 0.0 }))
    }
}

/// What the loss of every row is asked at.
struct Arguments {
    /// z, or z − y for a loss of that.
    z: Vec<f64>,
    /// y, or 0.
    y: Vec<f64>,
    /// o, or o − y and a number that is the same for all where Σ c_t u_t = 0.
    offsets: Vec<f64>,
}

impl Arguments {
    fn of<T: Scalar, L: Loss>(
        problem: &Problem<'_, T, L>,
        theta: &[f64],
        sums: Sums,
    ) -> Result<Self, Error> {
        let targets = problem.data.target_view();
        let y: Vec<f64> = targets.col_iter(0).map(|y| y.to_double()).collect();
        let offsets = problem.map(|t, _| problem.data.offset_of(t));
        if !problem.loss.is_of_residual() {
            let z = sums.residuals(problem, theta, None)?;
            return Ok(Self { z, y, offsets });
        }
        let z = sums.residuals(problem, theta, Some(&y))?;
        let level = match problem.intercept {
            true => problem.sum(|t, c| c * (offsets[t] - y[t])) / problem.weight,
            false => 0.0,
        };
        let offsets = offsets.iter().zip(&y).map(|(o, y)| (o - y) - level).collect();
        Ok(Self { z, y: vec![0.0; y.len()], offsets })
    }
}

impl Sums {
    /// Xw + b + o, less y where that is given.
    fn residuals<T: Scalar, L: Loss>(
        self,
        problem: &Problem<'_, T, L>,
        theta: &[f64],
        y: Option<&[f64]>,
    ) -> Result<Vec<f64>, Error> {
        let y = |t: usize| y.map_or(0.0, |y| y[t]);
        if self == Sums::Plain {
            let (weights, intercept) = problem.split(theta);
            let mut z = predictions(problem.data, weights, intercept)?;
            z.iter_mut().enumerate().for_each(|(t, z)| *z -= y(t));
            return Ok(z);
        }
        let theta: Vec<Dd> = theta.iter().map(|&v| Dd::from(v)).collect();
        let (weights, intercept) = problem.split(&theta);
        let (_, z) = Rows::Memory(problem.data).reduce(&PredictionPass { weights, intercept })?;
        Ok(z.iter().enumerate().map(|(t, &z)| (z - Dd::from(y(t))).to_f64()).collect())
    }

    /// Σ c_t u_t x_t from the numbers c_t u_t.
    fn products<T: Scalar, L: Loss>(
        self,
        problem: &Problem<'_, T, L>,
        weighted: &[f64],
    ) -> Result<Vec<f64>, Error> {
        match self {
            Sums::Plain => transposed_product(problem.data, weighted),
            Sums::Wide => Ok(wide_products(problem.data, weighted, problem.intercept)?.0),
        }
    }

    fn dot(self, a: &[f64], b: &[f64]) -> f64 {
        let terms = a.iter().zip(b);
        match self {
            Sums::Plain => pairwise_sum(&terms.map(|(a, b)| a * b).collect::<Vec<_>>()),
            Sums::Wide => terms.fold(Dd::ZERO, |sum, (&a, &b)| sum + Dd::product(a, b)).to_f64(),
        }
    }
}

/// Xᵀu and Σu in double-double; Xᵀu around the columns' means where an intercept makes Σu zero but for rounding.
pub(super) fn wide_products<T: Scalar>(
    data: &Dataset<'_, T>,
    u: &[f64],
    intercept: bool,
) -> Result<(Vec<f64>, f64), Error> {
    let u: Vec<Dd> = u.iter().map(|&u| Dd::from(u)).collect();
    let pass = TransposedPass { u: &u, cols: data.cols() };
    let (_, products) = Rows::Memory(data).reduce(&pass)?;
    let total = u.iter().fold(Dd::ZERO, |sum, &u| sum + u);
    let coordinates = Coordinates::of(data, intercept);
    let mean = |j: usize| Dd::from(coordinates.standardisation(j).0);
    let centred = products.iter().enumerate().map(|(j, &v)| (v - total * mean(j)).to_f64());
    Ok((centred.collect(), total.to_f64()))
}

/// ℓ and ℓ′ of every row, compiled for the instruction set.
struct Rowwise<'a, L> {
    loss: &'a L,
    z: &'a [f64],
    y: &'a [f64],
}

impl<L: Loss> Kernel for Rowwise<'_, L> {
    type Output = (Vec<f64>, Vec<f64>);

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> Self::Output {
        let (mut values, mut derivatives) = (vec![0.0; self.z.len()], vec![0.0; self.z.len()]);
        let results = values.iter_mut().zip(&mut derivatives);
        for ((value, derivative), (&z, &y)) in results.zip(self.z.iter().zip(self.y)) {
            (*value, *derivative) = self.loss.value_and_derivative(z, y);
        }
        (values, derivatives)
    }
}
