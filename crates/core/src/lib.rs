//! What every prompt platform shares.
//!
//! Core knows no platform, performs no I/O, reads no clock and keeps no global state.

pub mod number;
pub mod variables;
pub mod warning;

pub use variables::{Scope, Variables};
pub use warning::Warning;
