//! `minrisk verify`: re-checks the certificate of a saved model against its data.

use std::path::PathBuf;

use clap::Args;
use minrisk::verify::Verdict;
use serde::Serialize;

use crate::data::Training;
use crate::failure::{Failure, Outcome};
use crate::fit::{self, Loss};
use crate::input::Format;
use crate::model::Model;
use crate::output;

#[derive(Args)]
pub(crate) struct Options {
    /// A model from `minrisk fit --save`
    model: PathBuf,
    /// The file it was trained on; - for standard input
    file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize)]
struct Object<'v> {
    holds: bool,
    findings: &'v [minrisk::verify::Finding],
}

pub(crate) fn run(options: &Options) -> Outcome {
    let model = Model::load(&options.model)?;
    let verdict = recheck(&model, options)?;
    if options.json {
        let object = Object { holds: verdict.holds, findings: &verdict.findings };
        output::print(output::json(&object)?)?;
    } else {
        for finding in &verdict.findings {
            let mark = if finding.holds { "holds" } else { "FAILS" };
            output::print(format!("{mark}: {}", finding.text))?;
        }
    }
    if verdict.holds {
        return Ok(());
    }
    Err(Failure::refuted("the certificate does not hold for this data"))
}

fn recheck(model: &Model, options: &Options) -> Outcome<Verdict> {
    let known = Some(&model.encoder);
    let training = Training::read(
        &options.file,
        &model.target,
        &model.choice,
        &options.format,
        model.intercept,
        known,
    )?;
    let loaded = training.load()?;
    let positive = model.recipe.as_ref().and_then(|recipe| recipe.positive.as_deref());
    let (target, classes) = fit::targets(&training, &loaded, model.loss, positive)?;
    if classes.as_deref() != model.classes() && model.loss != Loss::Squared {
        return Err(Failure::new("the classes of this file are not those of the model"));
    }
    let data = loaded.dataset(&target)?;
    let trained = model.trained();
    let monomials = fit::monomials(&loaded, model.degree)?;
    let fitted_data = match &monomials {
        None => loaded.dataset(&target)?,
        Some(monomials) => fit::on_monomials(&data, monomials, &trained.fit)?,
    };
    Ok(fit::check(&data, &fitted_data, &trained)?)
}
