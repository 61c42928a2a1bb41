//! The stages, in the order they run.

mod plan_assembly;
mod prepare;

pub use plan_assembly::PlanAssembly;
pub use prepare::Prepare;
