//! The models of the sixteen NIST sets, written on the public trait as any user would.

use minrisk_core::curve::{Curve, Real};

/// A model of the NIST sets, by the name of its set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Model {
    BoxBod,
    Chwirut,
    DanWood,
    Eckerle4,
    Gauss,
    Kirby2,
    Lanczos3,
    Mgh09,
    Mgh10,
    Misra1a,
    Misra1b,
    Nelson,
    Rat42,
    Thurber,
}

impl Model {
    /// The model of a set.
    pub fn of(set: &str) -> Option<Self> {
        Some(match set {
            "BoxBOD" => Model::BoxBod,
            "Chwirut1" | "Chwirut2" => Model::Chwirut,
            "DanWood" => Model::DanWood,
            "Eckerle4" => Model::Eckerle4,
            "Gauss1" | "Gauss2" => Model::Gauss,
            "Kirby2" => Model::Kirby2,
            "Lanczos3" => Model::Lanczos3,
            "MGH09" => Model::Mgh09,
            "MGH10" => Model::Mgh10,
            "Misra1a" => Model::Misra1a,
            "Misra1b" => Model::Misra1b,
            "Nelson" => Model::Nelson,
            "Rat42" => Model::Rat42,
            "Thurber" => Model::Thurber,
            _ => return None,
        })
    }
}

impl Curve for Model {
    fn parameters(&self) -> usize {
        match self {
            Model::BoxBod | Model::DanWood | Model::Misra1a | Model::Misra1b => 2,
            Model::Chwirut | Model::Eckerle4 | Model::Mgh10 | Model::Nelson | Model::Rat42 => 3,
            Model::Mgh09 => 4,
            Model::Kirby2 => 5,
            Model::Lanczos3 => 6,
            Model::Thurber => 7,
            Model::Gauss => 8,
        }
    }

    fn value<N: Real>(&self, x: &[f64], b: &[N]) -> N {
        let at = x[0];
        // exp(−((x − centre)/width)²)
        let bell = |centre: N, width: N| {
            let distance = (centre - at) / width;
            (-(distance * distance)).exp()
        };
        match self {
            Model::BoxBod | Model::Misra1a => b[0] * (-(-b[1] * at).exp() + 1.0),
            Model::Chwirut => (-b[0] * at).exp() / (b[1] + b[2] * at),
            Model::DanWood => b[0] * (b[1] * at.ln()).exp(),
            Model::Eckerle4 => {
                let distance = (-b[2] + at) / b[1];
                b[0] / b[1] * (distance * distance * -0.5).exp()
            }
            Model::Gauss => {
                b[0] * (-b[1] * at).exp() + b[2] * bell(b[3], b[4]) + b[5] * bell(b[6], b[7])
            }
            Model::Kirby2 => {
                (b[0] + b[1] * at + b[2] * at.powi(2)) / (b[3] * at + b[4] * at.powi(2) + 1.0)
            }
            Model::Lanczos3 => {
                b[0] * (-b[1] * at).exp() + b[2] * (-b[3] * at).exp() + b[4] * (-b[5] * at).exp()
            }
            Model::Mgh09 => b[0] * (b[1] * at + at.powi(2)) / (b[2] * at + b[3] + at.powi(2)),
            Model::Mgh10 => b[0] * (b[1] / (b[2] + at)).exp(),
            Model::Misra1b => {
                let factor = b[1] * at / 2.0 + 1.0;
                b[0] * (-(factor * factor).recip() + 1.0)
            }
            Model::Nelson => b[0] - b[1] * x[0] * (-b[2] * x[1]).exp(),
            Model::Rat42 => b[0] / ((b[1] - b[2] * at).exp() + 1.0),
            Model::Thurber => {
                let above = b[0] + b[1] * at + b[2] * at.powi(2) + b[3] * at.powi(3);
                above / (b[4] * at + b[5] * at.powi(2) + b[6] * at.powi(3) + 1.0)
            }
        }
    }

    fn linear(&self) -> &[usize] {
        match self {
            Model::Chwirut => &[],
            Model::Gauss => &[0, 2, 5],
            Model::Kirby2 => &[0, 1, 2],
            Model::Lanczos3 => &[0, 2, 4],
            Model::Nelson => &[0, 1],
            Model::Thurber => &[0, 1, 2, 3],
            _ => &[0],
        }
    }
}
