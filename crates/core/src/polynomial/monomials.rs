//! All monomials of p variables up to total degree n, by degree and then alphabetically:
//! x1, x2, x1^2, x1·x2, x2^2, …
//!
//! Each monomial is another one of one degree less times a variable, m = parent·x_v with v not before
//! the last variable of the parent; so a table of parents generates values, exponents and names with
//! one multiplication for each.

use std::collections::HashMap;

use crate::wide::Number;
use crate::{Error, Names};

/// The monomials of degree 1 to n; the constant is not among them.
///
/// ```
/// use minrisk_core::polynomial::Monomials;
/// let monomials = Monomials::new(2, 2, u128::MAX)?;
/// assert_eq!(monomials.names(None)?.as_slice(), ["x1", "x2", "x1^2", "x1·x2", "x2^2"]);
/// assert_eq!(Monomials::count(784, 3), Some(80_931_145)); // the constant included
/// # Ok::<(), minrisk_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monomials {
    variables: usize,
    degree: usize,
    /// For each monomial the index of its parent (`None` for the constant) and its last variable.
    steps: Vec<(Option<usize>, usize)>,
}

impl Monomials {
    /// The monomials of `variables` variables up to total degree `degree`.
    ///
    /// Fails before anything is allocated when there are more than `limit`.
    pub fn new(variables: usize, degree: usize, limit: u128) -> Result<Self, Error> {
        let count = Self::count(variables, degree).map_or(u128::MAX, |count| count - 1);
        if count > limit.min(u128::from(u32::MAX)) {
            return Err(Error::TooLarge { what: "the list of monomials", count });
        }
        let mut steps: Vec<(Option<usize>, usize)> = Vec::with_capacity(count as usize);
        if degree > 0 {
            steps.extend((0..variables).map(|v| (None, v)));
        }
        let mut shell = 0..steps.len();
        for _ in 1..degree {
            for parent in shell.clone() {
                let last = steps[parent].1;
                steps.extend((last..variables).map(|v| (Some(parent), v)));
            }
            shell = shell.end..steps.len();
        }
        Ok(Self { variables, degree, steps })
    }

    /// C(degree + variables, degree): how many monomials there are, the constant included; `None`
    /// where that exceeds 128 bits.
    pub fn count(variables: usize, degree: usize) -> Option<u128> {
        let (few, many) = (variables.min(degree) as u128, variables.max(degree) as u128);
        // Each partial product C(many + k, k) is a whole number, and they grow, so that the first
        // overflow ends the loop however many factors there are.
        (1..=few).try_fold(1_u128, |count, k| Some(count.checked_mul(many + k)? / k))
    }

    /// Number of variables p.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// The largest total degree n.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Number of monomials, the constant not counted.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// For each monomial its parent (`None` for the constant) and the variable it is multiplied by.
    pub(super) fn steps(&self) -> &[(Option<usize>, usize)] {
        &self.steps
    }

    /// The exponents of a monomial, one for each variable.
    ///
    /// # Panics
    /// If there is no such monomial.
    pub fn exponents(&self, monomial: usize) -> Vec<usize> {
        let mut exponents = vec![0; self.variables];
        let mut at = Some(monomial);
        while let Some(k) = at {
            let (parent, variable) = self.steps[k];
            exponents[variable] += 1;
            at = parent;
        }
        exponents
    }

    /// The index of every monomial by its exponents.
    pub(super) fn by_exponents(&self) -> HashMap<Vec<usize>, usize> {
        (0..self.len()).map(|k| (self.exponents(k), k)).collect()
    }

    /// Names like `x1^2·x3`, or with the names of the variables in place of `x1`, `x2`, …
    pub fn names(&self, variables: Option<&Names>) -> Result<Names, Error> {
        let factor = |v: usize, power: usize| {
            let name = Names::of(variables, v);
            if power == 1 { name } else { format!("{name}^{power}") }
        };
        let name = |k: usize| {
            let exponents = self.exponents(k).into_iter().enumerate().filter(|(_, e)| *e > 0);
            exponents.map(|(v, e)| factor(v, e)).collect::<Vec<_>>().join("·")
        };
        Names::new((0..self.len()).map(name).collect())
    }

    /// The values of all monomials at a point, in the precision of `N`.
    pub fn values<N: Number>(&self, point: &[N], values: &mut Vec<N>) {
        values.clear();
        for &(parent, variable) in &self.steps {
            let value = match parent {
                None => point[variable],
                Some(parent) => values[parent] * point[variable],
            };
            values.push(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_are_those_of_the_notes() {
        assert_eq!(Monomials::count(784, 2), Some(308_505));
        assert_eq!(Monomials::count(784, 3), Some(80_931_145));
        assert_eq!(Monomials::count(1, 10), Some(11));
        assert_eq!(Monomials::count(0, 7), Some(1));
        assert_eq!(Monomials::count(usize::MAX, usize::MAX), None);
        assert_eq!(Monomials::count(usize::MAX, 1), Some(1 << 64));
    }

    #[test]
    fn too_many_are_refused_before_they_are_listed() {
        let count = 80_931_144;
        let error = Error::TooLarge { what: "the list of monomials", count };
        assert_eq!(Monomials::new(784, 3, 1_000_000), Err(error));
        assert!(Monomials::new(usize::MAX, usize::MAX, u128::MAX).is_err());
    }

    proptest! {
        #[test]
        fn every_exponent_vector_occurs_once(variables in 0_usize..5, degree in 0_usize..6) {
            let monomials = Monomials::new(variables, degree, u128::MAX).unwrap();
            let count = Monomials::count(variables, degree).unwrap() as usize;
            prop_assert_eq!(monomials.len() + 1, count);
            let index = monomials.by_exponents();
            prop_assert_eq!(index.len(), monomials.len());
            let degrees = (0..monomials.len()).map(|k| monomials.exponents(k).iter().sum::<usize>());
            let degrees: Vec<usize> = degrees.collect();
            prop_assert!(degrees.is_sorted());
            prop_assert!(degrees.iter().all(|d| (1..=degree).contains(d)));
        }

        #[test]
        fn values_are_products_of_powers(x in prop::collection::vec(-3_i32..4, 3)) {
            let monomials = Monomials::new(3, 4, u128::MAX).unwrap();
            let point: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
            let mut values = Vec::new();
            monomials.values(&point, &mut values);
            for (k, value) in values.iter().enumerate() {
                let powers = monomials.exponents(k).into_iter().zip(&x);
                let expected: i32 = powers.map(|(e, x)| x.pow(e as u32)).product();
                prop_assert_eq!(*value, f64::from(expected));
            }
        }
    }
}
