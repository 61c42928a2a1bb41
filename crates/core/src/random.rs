//! Randomness as an input.

/// A stream of numbers in `[0, 1)`, what JavaScript calls `Math.random()`. A build draws from the source it is given and from
/// nothing else.
///
/// Any closure that returns such numbers is a source.
///
/// ```
/// use tavernkit_core::RandomSource;
/// let mut always_half = || 0.5;
/// assert_eq!(always_half.next_f64(), 0.5);
/// assert_eq!(always_half.next_index(7), 3);
/// ```
pub trait RandomSource {
    /// The next number, at least 0 and less than 1.
    fn next_f64(&mut self) -> f64;

    /// `floor(random * len)`, the usual way to choose one of `len` items. 0 when there is nothing to choose from.
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

/// A small seeded generator (SplitMix64): the same seed gives the same numbers on every machine.
///
/// ```
/// use tavernkit_core::{RandomSource, SeededRandom};
///
/// let mut a = SeededRandom::new(7);
/// let mut b = SeededRandom::new(7);
/// assert_eq!(a.next_f64(), b.next_f64());
/// assert!(a.next_index(3) < 3);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeededRandom {
    state: u64,
}

impl SeededRandom {
    /// A generator that starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }
}

impl RandomSource for SeededRandom {
    fn next_f64(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 53) as f64
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
