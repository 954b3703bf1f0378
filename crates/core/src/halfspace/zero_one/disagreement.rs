//! MinDisagreement: the decision problem behind the fewest mistakes.

use super::{MinDisOpt, ZeroOneFit};
use crate::{Backend, Dataset, Error, Scalar};

/// Is there a halfspace with mistakes of a weight of at most k?
///
/// The notes call it MinDisagreement; [`MinDisOpt`] asks for the least such k.
#[derive(Clone, Debug, PartialEq)]
pub struct MinDisagreement {
    /// The most mistakes, by weight where rows have weights.
    pub k: f64,
    /// How to search.
    pub search: MinDisOpt,
}

/// The answer to [`MinDisagreement`].
#[derive(Clone, Debug, PartialEq)]
pub enum Disagreement<T> {
    /// This halfspace has no more mistakes than that.
    Yes(Box<ZeroOneFit<T>>),
    /// No halfspace has: the lower bound of the certificate is above k.
    No(Box<ZeroOneFit<T>>),
    /// The budget was spent before either was known.
    Unknown(Box<ZeroOneFit<T>>),
}

impl MinDisagreement {
    /// The question for k, with an intercept.
    pub fn new(k: f64) -> Self {
        Self { k, search: MinDisOpt::new() }
    }

    /// Answers with a halfspace or with a proof.
    pub fn decide_on<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
    ) -> Result<Disagreement<T>, Error> {
        if !(self.k >= 0.0 && self.k.is_finite()) {
            return Err(Error::BadParameter {
                what: "the number of mistakes",
                value: self.k.to_string(),
                expected: "finite and not negative",
            });
        }
        let fit = Box::new(self.search.search_on(backend, data, Some(self.k))?);
        Ok(if fit.mistakes.weight <= self.k {
            Disagreement::Yes(fit)
        } else if fit.certificate.lower_bound > self.k {
            Disagreement::No(fit)
        } else {
            Disagreement::Unknown(fit)
        })
    }
}
