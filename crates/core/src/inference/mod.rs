//! Statistical inference for least squares: standard errors to tests, intervals and a printed table.
//!
//! A solver hands over plain numbers as [`Estimates`]; [`Estimates::summary`] turns them into a
//! [`Summary`], which prints as the table that a statistician expects. There is no linear algebra here.
//!
//! | file | idea |
//! |---|---|
//! | `tail` | both tails of the beta family, to full relative accuracy |
//! | `distribution` | Student's t, Fisher's F, the normal distribution |
//! | `covariance` | classical and heteroscedasticity-robust standard errors |
//! | `diagnostics` | studentised residuals, Cook's distance, DFFITS |
//! | `estimates` | what a solver hands over |
//! | `summary` | t, p, intervals, R², F, log-likelihood, AIC, BIC |
//! | `table`, `text` | the printed table, and the numbers and names in it |

mod covariance;
mod diagnostics;
mod distribution;
mod estimates;
mod summary;
mod table;
mod tail;
mod text;

pub use covariance::Covariance;
pub use diagnostics::{cooks_distance, dffits, externally_studentised, internally_studentised};
pub use distribution::{
    confidence_interval, f_upper_tail, normal_quantile, normal_two_sided, student_t_critical,
    student_t_quantile, student_t_two_sided,
};
pub use estimates::Estimates;
pub use summary::{CoefficientSummary, FTest, FitStatistics, Summary};
pub use table::Table;
