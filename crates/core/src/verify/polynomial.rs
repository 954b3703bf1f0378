//! The check for polynomials: powers in two words, written out plainly.

use super::sums::Sum;
use super::{Finding, Verdict, least_squares};
use crate::polynomial::{Monomials, PolynomialFit};
use crate::{Certificate, Dataset, Design, Error, Matrix, Scalar};

/// Re-checks a polynomial against the data it was trained on, with the exact powers of its variables
/// (with the rounded ones where there are fewer rows than coefficients, as its certificate says).
pub fn verify_polynomial<T: Scalar>(
    data: &Dataset<'_, T>,
    fit: &PolynomialFit<T>,
) -> Result<Verdict, Error> {
    let Certificate::LeastSquares(certificate) = &fit.certificate else {
        let text = "the fit claims nothing, so there is nothing to check".to_string();
        return Ok(Verdict::of(vec![Finding { holds: true, text }], 0.0));
    };
    let Design::Dense(x) = data.design();
    let linear = fit.model.linear();
    if data.targets() != linear.targets() {
        return Err(Error::LengthMismatch {
            what: "the list of targets",
            per: "target of the model",
            expected: linear.targets(),
            found: data.targets(),
        });
    }
    let variables = fit.model.rescale().apply(x)?;
    let monomials = Monomials::new(x.cols(), fit.model.degree(), linear.features() as u128)?;
    let mut high = Matrix::try_filled(x.rows(), monomials.len(), T::zero())?;
    let mut low = Matrix::try_filled(x.rows(), monomials.len(), 0.0)?;
    let exponents: Vec<Vec<usize>> = (0..monomials.len()).map(|k| monomials.exponents(k)).collect();
    for t in 0..x.rows() {
        for (k, exponents) in exponents.iter().enumerate() {
            let mut product = Sum::default();
            product.add_product(1.0, 1.0);
            for (v, &power) in exponents.iter().enumerate() {
                for _ in 0..power {
                    let mut next = Sum::default();
                    next.add_scaled(variables[(t, v)].to_double(), &product);
                    product = next;
                }
            }
            let rounded = T::from_double(product.value());
            high[(t, k)] = rounded;
            low[(t, k)] = (product.value() - rounded.to_double()) + product.low();
        }
    }
    let unknowns = monomials.len() + usize::from(linear.intercept().is_some());
    let exact = data.rows() >= unknowns;
    let design = data.weigh_like(Dataset::new(high.view(), data.target_view())?)?;
    least_squares::check(&design, exact.then_some(&low), linear, certificate)
}
