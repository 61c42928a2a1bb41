//! Everything that must behave as JavaScript does.
//!
//! Pure Rust, no I/O, no clock, no entropy: time, offset and randomness are always passed in. Builds for wasm32.

pub mod date;
pub mod dice;
pub mod handlebars;
pub mod hash;
pub mod moment;
pub mod number;
pub mod object;
pub mod random;
pub mod regex;
pub mod seedrandom;
pub mod string;

pub use random::RandomSource;
