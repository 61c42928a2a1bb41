//! Randomness as an input.

/// Numbers in `[0, 1)`. A build draws from the source it is given and from nothing else.
pub trait RandomSource {
    /// The next number in `[0, 1)`.
    fn next_f64(&mut self) -> f64;

    /// An index below `len`, as `floor(random * len)`; 0 when there is nothing to choose from.
    fn pick_index(&mut self, len: usize) -> usize {
        ((self.next_f64() * len as f64) as usize).min(len.saturating_sub(1))
    }
}

impl<R: RandomSource + ?Sized> RandomSource for &mut R {
    fn next_f64(&mut self) -> f64 {
        (**self).next_f64()
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
/// assert!(a.pick_index(3) < 3);
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
