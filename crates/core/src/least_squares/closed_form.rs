//! The closed-form solver: what is asked, which way it is solved, what comes back.

use super::dual::Dual;
use super::factor::times_power;
use super::moments::{Moments, MomentsPass, total_weight};
use super::normal::{Diagonal, LowWords};
use super::one_pass::solve_in_one_pass;
use super::primal::Primal;
use super::scaling::{self, Exponents};
use super::solution::Solution;
use crate::loss::Squared;
use crate::penalty::{Quadratic, Scale};
use crate::wide::{Dd, Number};
use crate::{
    Backend, Dataset, Erm, Error, Fit, Matrix, Names, RidgePenalty, Rows, Scalar, Solver, Stream,
};

/// What errors call the solver.
const NAME: &str = "the closed form";

/// Which factorisation refinement starts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// The cheapest that the condition of the data allows: normal equations, else QR, and the rank
    /// examined where R is close to singular.
    #[default]
    Auto,
    /// Cholesky of the Gram matrix, one pass: κ up to about 1/√u, an error beyond.
    NormalEquations,
    /// Tall-skinny Householder QR, one more pass: κ up to about 1/u.
    Qr,
    /// QR, then the singular values of R: the rank is always examined and the cut reported.
    Svd,
}

/// Least squares and ridge in closed form, refined and certified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClosedForm {
    /// Which factorisation to start from.
    pub method: Method,
}

impl<T: Scalar, P: Quadratic> Solver<T, Squared, P> for ClosedForm {
    fn solve(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<Squared, P>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error> {
        data.refuse_offsets(NAME)?;
        self.solve_rows(backend, problem, &mut Rows::from(data), None, data.names())
    }
}

impl ClosedForm {
    /// Solves from a stream of rows, which may be larger than memory.
    pub fn solve_stream<T: Scalar, P: Quadratic>(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<Squared, P>,
        stream: &mut dyn Stream<T>,
        names: Option<&Names>,
    ) -> Result<Fit<T>, Error> {
        self.solve_rows(backend, problem, &mut Rows::Stream(stream), None, names)
    }

    /// Solves for a design whose entries have more digits than `T`: the data plus low words, which
    /// refinement sees and factorisations need not. With fewer rows than columns the low words are
    /// left out.
    pub(crate) fn solve_extended<T: Scalar, P: Quadratic>(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<Squared, P>,
        data: &Dataset<'_, T>,
        low: LowWords<'_, T>,
    ) -> Result<Fit<T>, Error> {
        data.refuse_offsets(NAME)?;
        self.solve_rows(backend, problem, &mut Rows::from(data), Some(low), data.names())
    }

    /// Solves for many penalties at once: the moments are taken in one pass for all, each α adds a
    /// d × d factorisation, and all solutions are refined in the same passes.
    pub fn solve_path<T: Scalar, P: Quadratic>(
        &self,
        backend: &dyn Backend<T>,
        problems: &[Erm<Squared, P>],
        data: &Dataset<'_, T>,
    ) -> Result<Vec<Fit<T>>, Error> {
        data.refuse_offsets(NAME)?;
        let Some(first) = problems.first() else {
            return Ok(Vec::new());
        };
        if problems.iter().any(|problem| problem.intercept != first.intercept) {
            return Err(Error::Unsupported {
                solver: "a path over penalties",
                reason: "all problems must have an intercept or none; solve them one by one",
            });
        }
        for problem in problems {
            check_penalty(problem.penalty.ridge())?;
        }
        let task = Task { backend, intercept: first.intercept, method: self.method, low: None };
        let together = if self.method == Method::Auto {
            let alpha = |k: usize, weight| penalty(&problems[k], weight).total::<T>();
            task.solve_together(data, &alpha, problems.len())?
        } else {
            problems.iter().map(|_| None).collect()
        };
        let finish = |(problem, solution): (&Erm<Squared, P>, Option<Solution<T>>)| match solution {
            Some(solution) => self.finish(backend, problem, solution, data.names()),
            None => self.solve(backend, problem, data),
        };
        problems.iter().zip(together).map(finish).collect()
    }

    fn finish<T: Scalar, P: Quadratic>(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<Squared, P>,
        solution: Solution<T>,
        names: Option<&Names>,
    ) -> Result<Fit<T>, Error> {
        let weight = solution.weight;
        solution.into_fit(backend, names, penalty(problem, weight), |squares, weights| {
            P::Scale::risk(squares, weight.to_f64()) + problem.penalty.value(weights)
        })
    }

    fn solve_rows<T: Scalar, P: Quadratic>(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<Squared, P>,
        rows: &mut Rows<'_, T>,
        low: Option<LowWords<'_, T>>,
        names: Option<&Names>,
    ) -> Result<Fit<T>, Error> {
        check_penalty(problem.penalty.ridge())?;
        if rows.cols() == 0 && !problem.intercept {
            return Err(Error::NothingToFit);
        }
        // Room for the Gram matrix is asked for before the data is read.
        Matrix::try_filled(
            rows.cols().min(rows.known_rows().unwrap_or(usize::MAX)),
            rows.cols(),
            T::zero(),
        )?;
        let task = Task { backend, intercept: problem.intercept, method: self.method, low };
        let solution = task.solve(rows, &|weight| penalty(problem, weight).total::<T>())?;
        self.finish(backend, problem, solution, names)
    }
}

/// The penalty of a problem on data of some total weight.
fn penalty<P: Quadratic>(problem: &Erm<Squared, P>, weight: Dd) -> RidgePenalty {
    let scale = <P::Scale as Scale>::to_total(weight);
    RidgePenalty { value: problem.penalty.ridge(), scale: scale.to_f64(), scale_rest: scale.low() }
}

fn check_penalty(alpha: f64) -> Result<(), Error> {
    if alpha.is_finite() && alpha >= 0.0 {
        return Ok(());
    }
    Err(Error::BadParameter {
        what: "the penalty α",
        value: alpha.to_string(),
        expected: "finite and not negative",
    })
}

/// Columns up to which a wide problem whose rows are nearly dependent is tried by its columns too.
const WORTH_A_SECOND_TRY: usize = 1000;

/// What is solved, apart from the data.
struct Task<'a, T: Scalar> {
    backend: &'a dyn Backend<T>,
    intercept: bool,
    method: Method,
    /// What rounding left out of the design, where that is known.
    low: Option<LowWords<'a, T>>,
}

impl<T: Scalar> Task<'_, T> {
    fn solve(
        &self,
        rows: &mut Rows<'_, T>,
        alpha: &dyn Fn(Dd) -> T::Wide,
    ) -> Result<Solution<T>, Error> {
        if !rows.can_repeat() {
            return solve_in_one_pass(rows, self.intercept, alpha);
        }
        let mut inaccurate = None;
        if let Rows::Memory(data) = rows
            && data.rows() < data.cols() + usize::from(self.intercept)
            && let Some(solution) = self.solve_wide(data, alpha)?
        {
            if solution.accurate || data.cols() > WORTH_A_SECOND_TRY {
                return Ok(solution);
            }
            inaccurate = Some(solution);
        }
        let second = self.solve_by_columns(rows, alpha);
        match (inaccurate, second) {
            (Some(first), Ok(second)) if !second.accurate => Ok(first),
            (Some(first), Err(_)) => Ok(first),
            (_, second) => second,
        }
    }

    fn solve_by_columns(
        &self,
        rows: &mut Rows<'_, T>,
        alpha: &dyn Fn(Dd) -> T::Wide,
    ) -> Result<Solution<T>, Error> {
        let moments = rows.reduce(&MomentsPass {
            backend: self.backend,
            cols: rows.cols(),
            targets: rows.targets(),
            centred: self.intercept,
        })?;
        if moments.weight <= 0.0 {
            return Err(Error::AllWeightsZero);
        }
        let alpha_total = alpha(moments.exact_weight);
        if scaling::is_suspicious(&moments)
            && let Some(exponents) = Exponents::of(rows)?
        {
            return self.solve_scaled(rows, &exponents, alpha_total);
        }
        self.solve_tall(rows, moments, Diagonal::Constant(alpha_total), self.low)
    }

    fn solve_tall(
        &self,
        rows: &mut Rows<'_, T>,
        moments: Moments<T>,
        diagonal: Diagonal<T>,
        low: Option<LowWords<'_, T>>,
    ) -> Result<Solution<T>, Error> {
        let primal = Primal {
            backend: self.backend,
            rows,
            low,
            intercept: self.intercept,
            method: self.method,
            diagonal,
            moments,
            passes: 1,
        };
        primal.solve()
    }

    /// Solutions for several penalties from one set of moments; `None` where a penalty wants a solve
    /// of its own.
    fn solve_together(
        &self,
        data: &Dataset<'_, T>,
        alpha: &dyn Fn(usize, Dd) -> T::Wide,
        count: usize,
    ) -> Result<Vec<Option<Solution<T>>>, Error> {
        let alone = || (0..count).map(|_| None).collect();
        if data.rows() < data.cols() + usize::from(self.intercept) {
            return Ok(alone());
        }
        let mut rows = Rows::Memory(data);
        let moments = rows.reduce(&MomentsPass {
            backend: self.backend,
            cols: data.cols(),
            targets: data.targets(),
            centred: self.intercept,
        })?;
        if moments.weight <= 0.0 || scaling::is_suspicious(&moments) {
            return Ok(alone());
        }
        let alphas: Vec<T::Wide> = (0..count).map(|k| alpha(k, moments.exact_weight)).collect();
        let primal = Primal {
            backend: self.backend,
            rows: &mut rows,
            low: None,
            intercept: self.intercept,
            method: self.method,
            diagonal: Diagonal::Constant(T::Wide::ZERO),
            moments,
            passes: 1,
        };
        primal.solve_path(&alphas)
    }

    /// Solves a copy of the data in which every column and target has a moderate size.
    fn solve_scaled(
        &self,
        rows: &mut Rows<'_, T>,
        exponents: &Exponents,
        alpha: T::Wide,
    ) -> Result<Solution<T>, Error> {
        let Rows::Memory(data) = rows else {
            return Err(Error::Overflow {
                what: "the moments of a streamed column",
                remedy: "columns and targets to moderate units before streaming",
            });
        };
        let (design, targets) = exponents.apply(data)?;
        let low = self.low.map(|low| exponents.scale_columns(low.words).map(|words| (words, low)));
        let low = low.transpose()?;
        let low = low.as_ref().map(|(words, low)| LowWords { words: words.view(), ..*low });
        let scaled = Dataset::new(design.view(), targets.view())?;
        let scaled = data.weigh_like(scaled)?;
        let mut rows = Rows::Memory(&scaled);
        let moments = rows.reduce(&MomentsPass {
            backend: self.backend,
            cols: design.cols(),
            targets: targets.cols(),
            centred: self.intercept,
        })?;
        // α‖w‖² in the new units: w′_j = 2^(e_j)·w_j.
        let entries = exponents.columns.iter().map(|&e| times_power(alpha, -2 * e));
        let mut solution =
            self.solve_tall(&mut rows, moments, Diagonal::Varying(entries.collect()), low)?;
        exponents.undo(&mut solution);
        Ok(solution)
    }

    /// Solves in the dual form; `None` where the rows are linearly dependent.
    fn solve_wide(
        &self,
        data: &Dataset<'_, T>,
        alpha: &dyn Fn(Dd) -> T::Wide,
    ) -> Result<Option<Solution<T>>, Error> {
        let weight = match data.weights() {
            None => Dd::from(data.rows() as f64),
            Some(weights) => {
                if weights.col_iter(0).any(|c| *c == T::zero()) {
                    return Ok(None);
                }
                total_weight(weights)
            }
        };
        let dual = Dual {
            backend: self.backend,
            data,
            intercept: self.intercept,
            method: self.method,
            alpha: alpha(weight),
            weight,
        };
        dual.solve()
    }
}
