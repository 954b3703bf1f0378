//! A model in a file: everything that `predict` and `verify` need, as JSON.

use std::fs;
use std::path::Path;

use minrisk::polynomial::PolynomialModel;
use minrisk::{Certificate, Fit};
use serde::{Deserialize, Serialize};

use crate::data::{Choice, Encoder, Training};
use crate::failure::{Failure, Outcome};
use crate::fit::{Loss, Task, Trained};

/// What the first field of a model's file says.
const FORMAT: &str = "minrisk model 1";

/// A trained model with what is needed to see new rows as it saw its own.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Model {
    format: String,
    pub(crate) name: String,
    pub(crate) target: String,
    pub(crate) loss: Loss,
    pub(crate) intercept: bool,
    pub(crate) degree: Option<usize>,
    /// The columns of the training set.
    pub(crate) choice: Choice,
    pub(crate) encoder: Encoder,
    pub(crate) recipe: Option<Recipe>,
    pub(crate) fit: Fit<f64>,
    pub(crate) polynomial: Option<PolynomialModel<f64>>,
}

/// The classes of a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Recipe {
    /// The class that was named as the positive one.
    pub(crate) positive: Option<String>,
    /// All classes, the negative one of two first; `None` for numbers.
    pub(crate) classes: Option<Vec<String>>,
}

impl Model {
    pub(crate) fn new(
        training: &Training,
        task: &Task,
        recipe: Option<Recipe>,
        trained: Trained,
    ) -> Self {
        let Trained { fit, polynomial } = trained;
        Self {
            format: FORMAT.into(),
            name: task.model_name(),
            target: training.target().name.clone(),
            loss: task.loss,
            intercept: task.intercept,
            degree: task.degree,
            choice: training.choice().clone(),
            encoder: training.encoder.clone(),
            recipe,
            fit,
            polynomial,
        }
    }

    pub(crate) fn classes(&self) -> Option<&[String]> {
        self.recipe.as_ref()?.classes.as_deref()
    }

    /// The fit as the solvers returned it.
    pub(crate) fn trained(&self) -> Trained {
        Trained { fit: self.fit.clone(), polynomial: self.polynomial.clone() }
    }

    /// Writes the model to a file from which [`Model::load`] reads it back.
    ///
    /// JSON has no infinities and nothing that is not a number. A certificate with one proves nothing and is
    /// left out; a fit with one is not worth keeping.
    pub(crate) fn save(mut self, path: &Path) -> Outcome {
        let in_file = |problem: String| Failure::in_file(path.display(), problem);
        self.fit.report.trace.clear();
        let mut text = self.text().map_err(in_file)?;
        if serde_json::from_str::<Self>(&text).is_err() {
            self.fit.certificate = Certificate::None;
            text = self.text().map_err(in_file)?;
            serde_json::from_str::<Self>(&text)
                .map_err(|_| in_file("a fit with infinite numbers cannot be saved".into()))?;
        }
        fs::write(path, text + "\n").map_err(|error| in_file(error.to_string()))
    }

    fn text(&self) -> Result<String, String> {
        serde_json::to_string_pretty(self).map_err(|error| error.to_string())
    }

    pub(crate) fn load(path: &Path) -> Outcome<Self> {
        let in_file = |problem: String| Failure::in_file(path.display(), problem);
        let text = fs::read_to_string(path).map_err(|error| in_file(error.to_string()))?;
        let model: Self = serde_json::from_str(&text)
            .map_err(|error| in_file(format!("this is no model of minrisk: {error}")))?;
        if model.format != FORMAT {
            return Err(in_file(format!("the format is `{}`, not `{FORMAT}`", model.format)));
        }
        model.check().map_err(in_file)?;
        Ok(model)
    }

    /// Fails where parts of the file do not belong together.
    fn check(&self) -> Result<(), String> {
        let linear = self.polynomial.as_ref().map_or(&self.fit.model, PolynomialModel::linear);
        let inputs = match &self.polynomial {
            Some(polynomial) => polynomial.variables(),
            None => linear.features(),
        };
        let outputs = match self.classes() {
            Some(classes) if self.loss == Loss::Softmax => classes.len(),
            Some(classes) if classes.len() != 2 => return Err("there must be two classes".into()),
            _ => 1,
        };
        let classified = self.loss.classifies() == self.classes().is_some();
        if inputs != self.encoder.names().len() || linear.targets() != outputs || !classified {
            return Err("its parts do not belong together".into());
        }
        Ok(())
    }
}
