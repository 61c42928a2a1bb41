//! Everything that must behave as JavaScript does.
//!
//! Pure Rust, no I/O, builds for wasm32.

pub mod regex;
