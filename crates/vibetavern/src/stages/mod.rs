//! The stages, in the order they run.

mod plan_assembly;
mod prepare;
mod trimming;

pub use plan_assembly::PlanAssembly;
pub use prepare::Prepare;
pub use trimming::Trimming;
