//! Parity as a number: runs cases recorded from the real programs and counts what agrees.
//!
//! The path of a run: [`load`](mod@load) finds case files, [`run`](mod@run) gives each case to its suite's runner (one module
//! per platform), [`divergences`] tells deliberate differences from failures, [`report`] prints the counts.

pub mod baseline;
pub mod divergences;
pub mod load;
pub mod report;
pub mod run;
pub mod suites;

pub use divergences::Divergences;
pub use load::{CaseFile, LoadError, load};
pub use report::{Failure, Report, SuiteReport};
pub use run::run;
pub use suites::{Outcome, SuiteRunner};
