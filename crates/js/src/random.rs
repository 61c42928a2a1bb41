//! Randomness as an input.
//!
//! Nothing in the engine draws entropy by itself. What needs a random number takes a [`RandomSource`], the stand-in
//! for JavaScript's `Math.random`; the caller decides where the numbers come from.

/// A stream of numbers in `[0, 1)`, what JavaScript calls `Math.random()`.
///
/// Any closure that returns such numbers is a source.
///
/// ```
/// use tavernkit_js::RandomSource;
/// let mut always_half = || 0.5;
/// assert_eq!(always_half.next_f64(), 0.5);
/// assert_eq!(always_half.next_index(7), 3);
/// ```
pub trait RandomSource {
    /// The next number, at least 0 and less than 1.
    fn next_f64(&mut self) -> f64;

    /// `Math.floor(random * len)`, the usual way to choose one of `len` items. 0 when there is nothing to choose from.
    fn next_index(&mut self, len: usize) -> usize {
        let index = (self.next_f64() * len as f64) as usize;
        index.min(len.saturating_sub(1))
    }
}

impl<F: FnMut() -> f64> RandomSource for F {
    fn next_f64(&mut self) -> f64 {
        self()
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_never_leaves_the_list() {
        let mut almost_one = || 0.9999999999999999;
        assert_eq!(almost_one.next_index(3), 2);
        assert_eq!(almost_one.next_index(0), 0);
        // A broken source is the caller's mistake, but it must not become an out-of-bounds index.
        assert_eq!((|| 1.5).next_index(3), 2);
        assert_eq!((|| f64::NAN).next_index(3), 0);
    }
}
