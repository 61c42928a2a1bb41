//! Randomness as an input.
//!
//! Nothing in the engine draws entropy by itself. What needs a random number takes a [`RandomSource`], the stand-in
//! for JavaScript's `Math.random`; the caller decides where the numbers come from.

pub use tavernkit_core::RandomSource;

/// A tiny generator with 32 bits of state, good for reproducible builds and never for secrets.
///
/// Our conformance cases were recorded with it in the place of `Math.random`.
///
/// ```
/// use tavernkit_js::{RandomSource, random::Mulberry32};
/// let mut random = Mulberry32::new(1);
/// assert_eq!(random.next_f64(), 0.6270739405881613);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mulberry32 {
    state: u32,
}

impl Mulberry32 {
    /// A generator that starts at `seed`. A signed seed is used by its bits (`seed as u32`).
    pub fn new(seed: u32) -> Self {
        Self { state: seed }
    }
}

impl RandomSource for Mulberry32 {
    fn next_f64(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x6D2B_79F5);
        let mut t = self.state;
        t = (t ^ (t >> 15)).wrapping_mul(t | 1);
        t ^= t.wrapping_add((t ^ (t >> 7)).wrapping_mul(t | 61));
        f64::from(t ^ (t >> 14)) / 4_294_967_296.0
    }
}
