//! Two classes: perceptron, pocket, linear program, widest margin, fewest mistakes.

use std::path::Path;

use minrisk::halfspace::{
    Budget, Disagreement, Ending, LinearProgram, LpStatus, Margin, MinDisOpt, MinDisagreement,
    Mistakes, Perceptron, Pocket, Separability, Separation, ZeroOneFit,
};
use minrisk::{Backend, Dataset, LinearModel};

use super::{Certificate, Found, Method, Options};
use crate::data::{Classes, Loaded};
use crate::failure::{Failure, Outcome};
use crate::picture;
use crate::progress::Spinner;

/// Rows y_t (x_t, 1) of two classes, and what is asked of them.
struct Question<'a> {
    data: &'a Dataset<'a, f64>,
    backend: &'a dyn Backend<f64>,
    options: &'a Options,
    separation: Separation,
    outcome: &'a Separability<f64>,
}

/// A halfspace, how it was found, and a lower bound for the mistakes of any.
struct Halfspace {
    method: String,
    model: LinearModel<f64>,
    lower_bound: f64,
    achievable: Option<Option<bool>>,
    shortfall: Option<String>,
}

pub(super) fn separate(
    loaded: &Loaded,
    classes: &Classes,
    backend: &dyn Backend<f64>,
    options: &Options,
) -> Outcome<Found> {
    let signs = classes.signs()?;
    let data = loaded.dataset(&signs)?;
    let separation = Separation::new().with_budget(options.within(Budget::steps(100_000)));
    let separation = match options.no_intercept {
        true => separation.without_intercept(),
        false => separation,
    };
    let _spinner = Spinner::start("searching");
    let outcome = separation.decide_on(backend, &data)?;
    let question = Question { data: &data, backend, options, separation, outcome: &outcome };
    let halfspace = question.answer()?;
    let mistakes = Mistakes::of(&halfspace.model, &data)?.weight;
    let separable = match &outcome {
        Separability::Separable(_) => Some(true),
        Separability::NotSeparable(_) => Some(false),
        _ => None,
    };
    let undecided =
        separable.is_none().then(|| "the time was over before separability was decided".into());
    Ok(Found {
        method: halfspace.method,
        margin: Margin::of(&halfspace.model, &data)?.geometric,
        model: halfspace.model,
        separable,
        mistakes,
        lower_bound: halfspace.lower_bound,
        certificate: Certificate::of(&outcome),
        achievable: halfspace.achievable,
        shortfall: halfspace.shortfall.or(undecided),
    })
}

/// Draws two features with the boundary.
pub(super) fn draw(path: &Path, loaded: &Loaded, classes: &Classes, found: &Found) -> Outcome {
    if loaded.features() != 2 || found.model.targets() != 1 {
        return Err(Failure::new(
            "--plot needs two features and two classes: name two by --features",
        ));
    }
    let positive: Vec<bool> = classes.signs()?.iter().map(|y| *y > 0.0).collect();
    let length = found.model.coefficients().iter().map(|w| w * w).sum::<f64>().sqrt();
    let margin = found.margin.filter(|margin| *margin > 0.0).map(|margin| margin * length);
    let svg = picture::halfspace(loaded, &positive, &found.model, margin, &classes.ordered());
    picture::save(path, svg)
}

impl Question<'_> {
    fn answer(&self) -> Outcome<Halfspace> {
        if let Some(most) = self.options.max_mistakes {
            return self.at_most(most as f64);
        }
        match (self.options.method, self.outcome) {
            (Method::Auto, Separability::Separable(_)) => self.widest_margin(),
            (Method::Perceptron, _) => self.perceptron(),
            (Method::Pocket, _) => self.pocket(),
            (Method::Lp, _) => self.linear_program(),
            _ => self.fewest_mistakes(),
        }
    }

    /// What separability alone proves: no mistakes, or at least the lightest row.
    fn least_mistakes(&self) -> f64 {
        match (self.outcome, self.data.weights()) {
            (Separability::NotSeparable(_), None) => 1.0,
            (Separability::NotSeparable(gordan), Some(weights)) => {
                gordan.rows.iter().map(|&t| weights[(t, 0)]).fold(f64::INFINITY, f64::min)
            }
            _ => 0.0,
        }
    }

    fn found(&self, method: &str, model: LinearModel<f64>) -> Halfspace {
        let lower_bound = self.least_mistakes();
        Halfspace { method: method.into(), model, lower_bound, achievable: None, shortfall: None }
    }

    fn widest_margin(&self) -> Outcome<Halfspace> {
        if !self.options.no_intercept
            && let Some(widest) = self.separation.widest_margin_on(self.backend, self.data)?
        {
            return Ok(self.found("the widest margin", widest.model));
        }
        // Through the origin the shortest separator has the widest margin.
        match self.outcome {
            Separability::Separable(separator) => {
                Ok(self.found("the shortest separator", separator.model.clone()))
            }
            _ => self.fewest_mistakes(),
        }
    }

    fn perceptron(&self) -> Outcome<Halfspace> {
        let perceptron = Perceptron {
            intercept: !self.options.no_intercept,
            budget: self.options.within(Budget::steps(10_000_000)),
            epochs: 1_000_000,
            ..Perceptron::new()
        };
        // On data that is known not to be separable it would never end.
        let perceptron = match self.outcome {
            Separability::NotSeparable(_) => Perceptron { epochs: 100, ..perceptron },
            _ => perceptron,
        };
        let fit = perceptron.fit(self.data)?;
        let method = format!("the perceptron, {} updates in {} epochs", fit.updates, fit.epochs);
        let shortfall = (fit.ending == Ending::BudgetSpent).then(|| {
            "the perceptron did not end: it makes mistakes still; try --method pocket or exact"
                .into()
        });
        Ok(Halfspace { shortfall, ..self.found(&method, fit.model) })
    }

    fn pocket(&self) -> Outcome<Halfspace> {
        let pocket = Pocket {
            intercept: !self.options.no_intercept,
            seed: self.options.seed,
            budget: self.options.within(Budget::steps(1_000_000)),
            ..Pocket::new()
        };
        let fit = pocket.fit(self.data)?;
        let method =
            format!("the pocket algorithm, {} updates in {} epochs", fit.updates, fit.epochs);
        Ok(self.found(&method, fit.model))
    }

    fn linear_program(&self) -> Outcome<Halfspace> {
        let intercept = !self.options.no_intercept;
        let program =
            LinearProgram::halfspace(self.data, intercept)?.with_time(self.options.budget);
        let solution = program.solve();
        let width = self.data.cols() + usize::from(intercept);
        let mut weights = match solution.status {
            LpStatus::Optimal => solution.weights,
            _ => vec![0.0; width],
        };
        let b = if intercept { weights.pop() } else { None };
        let model = LinearModel::from_coefficients(weights, b)?;
        let named = LinearModel::new(
            vec![model.coefficients().to_vec()],
            model.intercept().map(|b| vec![b]),
            self.data.names().cloned(),
        )?;
        let shortfall = match solution.status {
            LpStatus::Optimal => None,
            LpStatus::Infeasible => {
                Some("the linear program is infeasible: no halfspace is right on every row; --method exact finds the fewest mistakes".into())
            }
            LpStatus::OutOfTime => Some("the time was over; raise --budget".into()),
            other => Some(format!("the linear program failed: {other:?}; try --method auto")),
        };
        Ok(Halfspace { shortfall, ..self.found("linear programming", named) })
    }

    fn search(&self) -> MinDisOpt {
        let search = MinDisOpt {
            intercept: !self.options.no_intercept,
            seed: self.options.seed,
            ..MinDisOpt::new()
        };
        search.with_budget(self.options.within(Budget::unlimited()))
    }

    fn fewest_mistakes(&self) -> Outcome<Halfspace> {
        let fit = self.search().fit_on(self.backend, self.data)?;
        let shortfall = (!fit.optimal).then(|| {
            "the time was over before the fewest mistakes were proven; raise --budget".to_string()
        });
        Ok(Halfspace { shortfall, ..self.searched(fit) })
    }

    fn at_most(&self, most: f64) -> Outcome<Halfspace> {
        let question = MinDisagreement { k: most, search: self.search() };
        let (fit, achievable) = match question.decide_on(self.backend, self.data)? {
            Disagreement::Yes(fit) => (fit, Some(true)),
            Disagreement::No(fit) => (fit, Some(false)),
            Disagreement::Unknown(fit) => (fit, None),
        };
        let shortfall = achievable
            .is_none()
            .then(|| "the time was over before the question was decided; raise --budget".into());
        Ok(Halfspace { achievable: Some(achievable), shortfall, ..self.searched(*fit) })
    }

    fn searched(&self, fit: ZeroOneFit<f64>) -> Halfspace {
        let method = format!("exact search ({:?}), {} nodes", fit.method, fit.nodes);
        let lower_bound = fit.certificate.lower_bound.max(self.least_mistakes());
        Halfspace { lower_bound, ..self.found(&method, fit.model) }
    }
}
