//! `minrisk predict`: a saved model on new rows, block by block, so that files of any length pass through.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::PathBuf;

use clap::Args;
use minrisk::View;
use minrisk::loss::{Logistic, Softmax};

use crate::data::Rows;
use crate::failure::{Failure, Outcome};
use crate::fit::Loss;
use crate::input::Format;
use crate::model::Model;

/// Rows predicted at once.
const BLOCK: usize = 4096;

#[derive(Args)]
pub(crate) struct Options {
    /// A model from `minrisk fit --save`
    model: PathBuf,
    /// A CSV or TSV file with the columns of training, plain or gzip; - for standard input
    file: PathBuf,
    /// Add the probability of the positive class, or of every class
    #[arg(long)]
    proba: bool,
    /// Say `unsure` where the probability of the positive class is between two thresholds
    #[arg(long, value_name = "LO,HI", value_parser = thresholds)]
    unsure: Option<(f64, f64)>,
    /// Leave the prediction of a row empty where a value is missing
    #[arg(long)]
    drop_missing: bool,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
}

fn thresholds(text: &str) -> Result<(f64, f64), String> {
    let parse = |part: &str| part.trim().parse::<f64>().ok();
    let pair = text.split_once(',').and_then(|(low, high)| Some((parse(low)?, parse(high)?)));
    match pair {
        Some((low, high)) if 0.0 <= low && low < high && high <= 1.0 => Ok((low, high)),
        _ => Err("two probabilities lo < hi are needed, such as 0.3,0.7".into()),
    }
}

pub(crate) fn run(options: &Options) -> Outcome {
    let model = Model::load(&options.model)?;
    let has_probabilities = matches!(model.loss, Loss::Logistic | Loss::Softmax);
    if options.proba && !has_probabilities {
        return Err(Failure::new(format!(
            "{} loss gives no probabilities: leave --proba out",
            model.loss
        )));
    }
    if options.unsure.is_some() && model.loss != Loss::Logistic {
        return Err(Failure::new("--unsure needs a logistic regression of two classes"));
    }
    let rows = Rows::read(&options.file, &model.encoder, &options.format, options.drop_missing)?;
    let predictor = Predictor { model: &model, options };
    match &options.out {
        Some(path) => {
            let in_file = |error: io::Error| Failure::in_file(path.display(), error);
            let mut file = BufWriter::new(File::create(path).map_err(in_file)?);
            predictor.write(&rows, &mut file)?.and_then(|()| file.flush()).map_err(in_file)
        }
        None => {
            let mut out = BufWriter::new(io::stdout().lock());
            match predictor.write(&rows, &mut out)?.and_then(|()| out.flush()) {
                // A reader that has gone away has seen enough.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
                other => other.map_err(|error| Failure::in_file("standard output", error)),
            }
        }
    }
}

/// A model with what is to be said about each row.
struct Predictor<'a> {
    model: &'a Model,
    options: &'a Options,
}

impl Predictor<'_> {
    /// Writes a line for every row; the inner result is that of writing.
    fn write(&self, rows: &Rows, out: &mut impl Write) -> Outcome<io::Result<()>> {
        let mut csv = csv::Writer::from_writer(out);
        let mut written = csv.write_record(self.header()).map_err(io::Error::from);
        rows.blocks(BLOCK, |features, present| {
            let width = self.model.encoder.names().len();
            let count = present.iter().filter(|present| **present).count();
            let scores = self.scores(View::row_major(features, count, width)?)?;
            let mut next = scores.iter();
            for &present in present {
                let line = match next.next_if(present) {
                    Some(scores) => self.line(scores),
                    None => vec![String::new(); self.header().len()],
                };
                if written.is_ok() {
                    written = csv.write_record(line).map_err(io::Error::from);
                }
            }
            Ok(())
        })?;
        Ok(written.and_then(|()| csv.flush()))
    }

    fn header(&self) -> Vec<String> {
        let mut header = vec!["prediction".to_string()];
        if self.options.proba {
            match self.model.classes() {
                Some(classes) if self.model.loss == Loss::Softmax => {
                    header.extend(classes.iter().map(|class| format!("probability={class}")));
                }
                _ => header.push("probability".into()),
            }
        }
        header
    }

    /// z of every class or target, row by row.
    fn scores(&self, design: View<'_, f64>) -> Outcome<Vec<Vec<f64>>> {
        let z = match &self.model.polynomial {
            Some(polynomial) => polynomial.predict(design)?,
            None => self.model.fit.model.predict(design)?,
        };
        Ok((0..z.rows()).map(|i| (0..z.cols()).map(|k| z[(i, k)]).collect()).collect())
    }

    fn line(&self, scores: &[f64]) -> Vec<String> {
        let Some(classes) = self.model.classes() else { return vec![scores[0].to_string()] };
        if self.model.loss == Loss::Softmax {
            let best = (1..scores.len()).fold(0, |b, k| if scores[k] > scores[b] { k } else { b });
            let mut probabilities = scores.to_vec();
            Softmax::probabilities(&mut probabilities);
            let shown = probabilities.iter().filter(|_| self.options.proba).map(f64::to_string);
            return std::iter::once(classes[best].clone()).chain(shown).collect();
        }
        let probability = Logistic::probability(scores[0]);
        let label = match self.options.unsure {
            Some((low, high)) if low < probability && probability < high => "unsure",
            Some((low, _)) => &classes[usize::from(probability > low)],
            None => &classes[usize::from(scores[0] > 0.0)],
        };
        let shown = self.options.proba.then(|| probability.to_string());
        std::iter::once(label.to_string()).chain(shown).collect()
    }
}

/// An iterator that is asked for its next item only where there is one to be had.
trait NextIf: Iterator {
    fn next_if(&mut self, wanted: bool) -> Option<Self::Item> {
        if wanted { self.next() } else { None }
    }
}

impl<I: Iterator> NextIf for I {}
