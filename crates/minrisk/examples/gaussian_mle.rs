//! Which Gaussian is a sample from? Candidates compared, and the most likely of all.
//!
//! `cargo run -p minrisk --example gaussian_mle`

use minrisk::Error;
use minrisk::likelihood::Gaussian;

pub(crate) const SAMPLE: [f64; 3] = [9.0, 9.5, 11.0];

pub(crate) fn candidates() -> Result<[Gaussian; 4], Error> {
    Ok([
        Gaussian::new(10.0, 2.25)?,
        Gaussian::new(10.0, 9.0)?,
        Gaussian::new(10.0, 0.25)?,
        Gaussian::new(8.0, 2.25)?,
    ])
}

pub(crate) fn main() -> Result<(), Error> {
    let candidates = candidates()?;
    let (best, values) = Gaussian::most_likely(&candidates, &SAMPLE).ok_or(Error::NoRows)?;
    for (k, (candidate, value)) in candidates.iter().zip(&values).enumerate() {
        let mark = if k == best { "  ← the most likely of these" } else { "" };
        println!("N({}, {}): ℓ = {value:.4}{mark}", candidate.mean(), candidate.variance());
    }
    let fitted = Gaussian::maximum_likelihood(&SAMPLE)?;
    println!(
        "maximum: μ = {:.6}, σ² = {:.6} (unbiased {:.6}), ℓ = {:.4}",
        fitted.mean(),
        fitted.variance(),
        Gaussian::unbiased(&SAMPLE)?.variance(),
        fitted.log_likelihood(&SAMPLE)
    );
    Ok(())
}
