//! Certificates: what is proven about a result, in numbers that anyone can re-check.

use std::fmt;

use crate::Scalar;
use crate::loss::AnyLoss;
use crate::penalty::Terms;
use crate::wide::Number;

/// The proof that comes with a fit.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Certificate {
    /// Nothing is proven: the answer of a library's own solver.
    None,
    /// Least squares and ridge: digits, condition, rank.
    LeastSquares(Box<LeastSquaresCertificate>),
    /// Any other convex problem: a lower bound for the objective.
    Convex(Box<ConvexCertificate>),
    /// Softmax regression: a lower bound for the objective.
    Softmax(Box<SoftmaxCertificate>),
    /// Logistic regression on separable data, with weights that pay no penalty: there is no minimiser.
    Separated(Box<Separation>),
    /// The same for softmax: there is no minimiser, and this is the direction.
    SoftmaxSeparated(Box<SoftmaxSeparation>),
}

impl Certificate {
    /// The certificate of a least-squares or ridge fit.
    pub fn least_squares(&self) -> Option<&LeastSquaresCertificate> {
        match self {
            Certificate::LeastSquares(certificate) => Some(certificate),
            _ => None,
        }
    }

    /// The certificate of a convex fit.
    pub fn convex(&self) -> Option<&ConvexCertificate> {
        match self {
            Certificate::Convex(certificate) => Some(certificate),
            _ => None,
        }
    }

    /// The certificate of a softmax fit.
    pub fn softmax(&self) -> Option<&SoftmaxCertificate> {
        match self {
            Certificate::Softmax(certificate) => Some(certificate),
            _ => None,
        }
    }
}

/// What is proven about the minimum of a convex objective: that it is not below `lower_bound`.
///
/// F is on the total scale, Σ c_t ℓ + Σ λ₁ⱼ|w_j| + λ₂ⱼw_j².
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ConvexCertificate {
    /// The loss; `None` for one of the caller's own, which [`verify`](crate::verify::verify) cannot know.
    pub loss: Option<AnyLoss>,
    /// The penalty.
    pub terms: Terms,
    /// F at the coefficients.
    pub objective: f64,
    /// What F is nowhere below.
    pub lower_bound: f64,
    /// Where the lower bound comes from.
    pub bound: Bound,
    /// (objective − lower_bound)/objective.
    pub relative_gap: f64,
    /// How far the conditions of optimality are from holding: the largest distance of Σ c_t u_t x_tj from the
    /// subdifferential of the penalty, relative to √Σ c_t u_t² · √Σ c_t x_tj² and the penalty's share; u the derivatives, or
    /// the dual point. About: lengths of columns are estimated from a sample.
    pub optimality: f64,
    /// Weights that are not zero.
    pub nonzero: usize,
    /// The dual point u behind the lower bound, one number for each row, where it is not the
    /// derivative of the loss.
    pub dual: Option<Vec<f64>>,
}

/// How a lower bound was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Bound {
    /// A feasible point of the dual problem: a proof.
    Duality,
    /// A point of the dual problem that misses v_j = 0 for unpenalised weights by rounding: a bound for all
    /// weights of up to twice the size of those found.
    NearlyFeasible,
    /// ½gᵀH⁻¹g, where unpenalised weights leave the dual no interior: exact to second order.
    NewtonDecrement,
}

/// What is proven about the minimum of a softmax objective: that it is not below `lower_bound`.
///
/// F is on the total scale, Σ c_t ℓ + Σ_jk λ₁ⱼ|w_jk| + λ₂ⱼw_jk², k the class.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SoftmaxCertificate {
    /// The penalty, which is the same for the weights of every class.
    pub terms: Terms,
    /// F at the coefficients.
    pub objective: f64,
    /// What F is nowhere below.
    pub lower_bound: f64,
    /// Where the lower bound comes from.
    pub bound: Bound,
    /// (objective − lower_bound)/objective.
    pub relative_gap: f64,
    /// How far the conditions of optimality are from holding, as in [`ConvexCertificate::optimality`]: the largest over
    /// columns and classes.
    pub optimality: f64,
    /// Weights that are not zero, over all classes.
    pub nonzero: usize,
}

/// A direction along which the objective decreases for ever: there is no minimiser.
///
/// Where `complete` is false the direction is rounded. It stands for the one nearest to it that has the rows on its
/// hyperplane exactly that doubles cannot tell from it; [`verify`](crate::verify::verify) finds that one, and looks
/// at every row in exact arithmetic.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Separation {
    /// The penalty, which leaves the direction alone: its weights are zero wherever they would pay.
    pub terms: Terms,
    /// y_t(w·x_t + b) ≥ 0 for all rows and > 0 for some, for these weights w …
    pub weights: Vec<f64>,
    /// … and this b; `None` without an intercept.
    pub intercept: Option<f64>,
    /// Whether it is > 0 for all rows (separable) or not (quasi-separable).
    pub complete: bool,
}

/// A direction along which the softmax objective decreases for ever: there is no minimiser.
///
/// It is relative to the last class, whose weights and intercept are zero. Where `complete` is false it is rounded, and
/// stands for another as a [`Separation`] does.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SoftmaxSeparation {
    /// The penalty, which leaves the direction alone: its weights are zero wherever they would pay.
    pub terms: Terms,
    /// z_ty ≥ z_tk for every row t of class y and all other classes k, and > for some, for these weights of
    /// each class …
    pub weights: Vec<Vec<f64>>,
    /// … and these intercepts; `None` without.
    pub intercepts: Option<Vec<f64>>,
    /// Whether it is > for all.
    pub complete: bool,
}

/// What is proven about least-squares or ridge coefficients.
///
/// "Exact" means the solution in real arithmetic for the numbers as they were given.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LeastSquaresCertificate {
    /// For each target, bounds for |coefficient − exact|, features in order.
    pub coefficient_bounds: Vec<Vec<f64>>,
    /// For each target, a bound for |intercept − exact|; empty without an intercept.
    pub intercept_bounds: Vec<f64>,
    /// For each target, the decimal digits that hold in each coefficient.
    pub digits: Vec<Vec<f64>>,
    /// For each target, the decimal digits that hold in the intercept; empty without one.
    pub intercept_digits: Vec<f64>,
    /// Whether every coefficient is the exact one, correctly rounded.
    pub correctly_rounded: bool,
    /// Condition number of the scaled, centred design (of its independent columns).
    pub condition: f64,
    /// Rank of the design, the intercept not counted.
    pub rank: usize,
    /// The smallest singular value counted as nonzero and the largest counted as zero, relative to
    /// the largest; `None` where the rank is full or was not in question.
    pub cut: Option<(f64, f64)>,
    /// The linear relations that the dependent columns obey in every row.
    pub relations: Vec<Relation>,
    /// ‖Xᵀr‖ in the metric of the design relative to ‖y‖: how far the residual of the rounded
    /// coefficients is from orthogonal to the columns.
    pub backward_error: f64,
    /// Number of data rows whose weight is not zero.
    pub rows: usize,
    /// The penalty of the objective.
    pub penalty: RidgePenalty,
}

/// α‖w‖² as it stands in the objective on the total scale, without rounding: α = value·scale.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RidgePenalty {
    /// The α that was asked for; 0 for least squares.
    pub value: f64,
    /// 1 on the total scale, Σ c_t on the per-sample scale.
    pub scale: f64,
    /// What rounding Σ c_t to a double left out.
    pub scale_rest: f64,
}

impl RidgePenalty {
    /// Whether there is a penalty.
    pub fn is_positive(&self) -> bool {
        self.value > 0.0
    }

    /// α on the total scale in the wide precision of the data.
    pub(crate) fn total<T: Scalar>(&self) -> T::Wide {
        let value = T::Wide::from_double(self.value);
        value * (T::Wide::from_double(self.scale) + T::Wide::from_double(self.scale_rest))
    }
}

impl LeastSquaresCertificate {
    /// The penalty α on the total scale, rounded to a double.
    pub fn alpha(&self) -> f64 {
        self.penalty.value * self.penalty.scale
    }

    /// The digits that hold in the worst coefficient, intercepts included.
    pub fn worst_digits(&self) -> f64 {
        let all = self.digits.iter().flatten().chain(&self.intercept_digits);
        all.copied().fold(f64::INFINITY, f64::min)
    }
}

/// A column that is a linear combination of others, in every row, to the last few bits of its terms.
///
/// Shown as `x3 = 2·x1 + x2`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Relation {
    /// The dependent column.
    pub column: usize,
    /// Its name.
    pub name: String,
    /// The columns it depends on, their names and their factors; zero factors are left out.
    pub terms: Vec<(usize, String, f64)>,
    /// The constant, where there is an intercept.
    pub constant: f64,
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} =", self.name)?;
        let mut first = true;
        let mut term = |f: &mut fmt::Formatter<'_>, factor: f64, name: Option<&str>| {
            let sign = match (first, factor < 0.0) {
                (true, false) => " ",
                (true, true) => " −",
                (false, false) => " + ",
                (false, true) => " − ",
            };
            first = false;
            match name {
                Some(name) if factor.abs() == 1.0 => write!(f, "{sign}{name}"),
                Some(name) => write!(f, "{sign}{}·{name}", factor.abs()),
                None => write!(f, "{sign}{}", factor.abs()),
            }
        };
        for (_, name, factor) in &self.terms {
            term(f, *factor, Some(name))?;
        }
        if self.constant != 0.0 || self.terms.is_empty() {
            term(f, self.constant, None)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_read_like_formulas() {
        let relation = |terms: &[(&str, f64)], constant| Relation {
            column: 2,
            name: "x3".into(),
            terms: terms.iter().map(|(name, c)| (0, (*name).into(), *c)).collect(),
            constant,
        };
        assert_eq!(relation(&[("x1", 2.0), ("x2", 1.0)], 0.0).to_string(), "x3 = 2·x1 + x2");
        assert_eq!(relation(&[("x1", -1.0)], 1.5).to_string(), "x3 = −x1 + 1.5");
        assert_eq!(relation(&[], 0.0).to_string(), "x3 = 0");
    }
}
