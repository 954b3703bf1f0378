//! Losses by the names that they have on the command line and in model files.

use std::fmt;
use std::str::FromStr;

use minrisk::loss::{Absolute, Hinge, Huber, Logistic, Loss as _, Quantile, Squared};
use serde::{Deserialize, Serialize};

/// A loss by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) enum Loss {
    Squared,
    Absolute,
    Quantile(Quantile),
    Huber(Huber),
    Logistic,
    Softmax,
    Hinge,
    SquaredHinge,
}

impl Loss {
    /// Whether targets are labels.
    pub(crate) fn classifies(self) -> bool {
        matches!(self, Loss::Logistic | Loss::Softmax | Loss::Hinge | Loss::SquaredHinge)
    }
}

impl FromStr for Loss {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, parameter) = text.split_once(':').map_or((text, None), |(n, p)| (n, Some(p)));
        let number = |example: &str| {
            let number = parameter.and_then(|parameter| parameter.parse::<f64>().ok());
            number.ok_or_else(|| format!("{name} needs a number, such as {example}"))
        };
        let loss = match name {
            "squared" => Loss::Squared,
            "absolute" => Loss::Absolute,
            "quantile" => {
                let quantile = Quantile::new(number("quantile:0.9")?);
                return quantile.map(Loss::Quantile).map_err(|error| error.to_string());
            }
            "huber" => {
                let huber = Huber::new(number("huber:1.35")?);
                return huber.map(Loss::Huber).map_err(|error| error.to_string());
            }
            "logistic" => Loss::Logistic,
            "softmax" => Loss::Softmax,
            "hinge" => Loss::Hinge,
            "squared-hinge" => Loss::SquaredHinge,
            _ => {
                return Err("there are squared, absolute, quantile:q, huber:δ, logistic, softmax, hinge and squared-hinge".into());
            }
        };
        match parameter {
            None => Ok(loss),
            Some(_) => Err(format!("{name} takes no number")),
        }
    }
}

impl TryFrom<String> for Loss {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Loss> for String {
    fn from(loss: Loss) -> Self {
        loss.to_string()
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Squared => f.write_str(Squared::NAME),
            Loss::Absolute => f.write_str(Absolute::NAME),
            Loss::Quantile(loss) => write!(f, "quantile:{}", loss.q()),
            Loss::Huber(loss) => write!(f, "huber:{}", loss.delta()),
            Loss::Logistic => f.write_str(Logistic::NAME),
            Loss::Softmax => f.write_str("softmax"),
            Loss::Hinge => f.write_str(Hinge::NAME),
            Loss::SquaredHinge => f.write_str("squared-hinge"),
        }
    }
}
