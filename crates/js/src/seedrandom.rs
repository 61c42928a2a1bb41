//! The npm package `seedrandom` 3.0.5: numbers from a seed text by ARC4.
//!
//! SillyTavern's `{{pick}}` makes its choice with this generator, so the same chat must see the same numbers here.

use crate::{RandomSource, number, object};
use serde_json::Value;
use std::borrow::Cow;

const WIDTH: usize = 256;
/// Bytes drawn for a first numerator.
const CHUNKS: u32 = 6;
/// A double has 52 significant binary digits after the first.
const SIGNIFICANCE: f64 = 4_503_599_627_370_496.0;

/// A seeded generator.
///
/// ```
/// use tavernkit_js::{RandomSource, seedrandom::SeedRandom};
/// // A number is not its text: JavaScript's package keeps the two apart.
/// assert_eq!(SeedRandom::from_text("123").next_f64(), 0.9201230811991686);
/// assert_eq!(SeedRandom::from_number(123.0).next_f64(), 0.047035554534303387);
/// ```
#[derive(Clone)]
pub struct SeedRandom {
    state: [u8; WIDTH],
    i: u8,
    j: u8,
}

impl std::fmt::Debug for SeedRandom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SeedRandom").field("i", &self.i).field("j", &self.j).finish_non_exhaustive()
    }
}

impl SeedRandom {
    /// Seeds with a text.
    pub fn from_text(seed: &str) -> Self {
        Self::from_units(seed.encode_utf16())
    }

    /// Seeds with the UTF-16 units of a text, which may hold lone surrogates.
    pub fn from_units(seed: impl IntoIterator<Item = u16>) -> Self {
        Self::from_key(&mix_key(seed))
    }

    /// Seeds with a number.
    pub fn from_number(seed: f64) -> Self {
        Self::from_text(&with_nul(&number::format(seed)))
    }

    /// Seeds with any JSON value. `null` has no seed of its own in JavaScript (the package would draw entropy);
    /// here it is the text `null`.
    pub fn from_json(seed: &Value) -> Self {
        Self::from_text(&flatten(seed, 3))
    }

    fn from_key(key: &[u8]) -> Self {
        let key = if key.is_empty() { &[0] } else { key };
        let mut state = [0; WIDTH];
        for (value, slot) in (0..=u8::MAX).zip(&mut state) {
            *slot = value;
        }
        let mut j = 0u8;
        for i in 0..WIDTH {
            j = j.wrapping_add(key[i % key.len()]).wrapping_add(state[i]);
            state.swap(i, usize::from(j));
        }
        let mut generator = Self { state, i: 0, j: 0 };
        // The first outputs of ARC4 tell too much of the key; the package throws them away.
        for _ in 0..WIDTH {
            generator.next_byte();
        }
        generator
    }

    fn next_byte(&mut self) -> u8 {
        self.i = self.i.wrapping_add(1);
        let at_i = self.state[usize::from(self.i)];
        self.j = self.j.wrapping_add(at_i);
        self.state.swap(usize::from(self.i), usize::from(self.j));
        let sum = self.state[usize::from(self.i)].wrapping_add(at_i);
        self.state[usize::from(sum)]
    }

    fn next_bytes(&mut self, count: u32) -> u64 {
        (0..count).fold(0, |number, _| number << 8 | u64::from(self.next_byte()))
    }

    /// The package's `int32()`: 32 bits, signed.
    pub fn int32(&mut self) -> i32 {
        self.next_bytes(4) as u32 as i32
    }

    /// The package's `quick()`: a number in `[0, 1)` with 32 random bits.
    pub fn quick(&mut self) -> f64 {
        self.next_bytes(4) as f64 / 4_294_967_296.0
    }
}

impl RandomSource for SeedRandom {
    /// The package's `prng()` and `double()`: every bit of the mantissa is random.
    fn next_f64(&mut self) -> f64 {
        let mut numerator = self.next_bytes(CHUNKS) as f64;
        let mut denominator = 2f64.powi(8 * CHUNKS as i32);
        let mut last_byte = 0u64;
        while numerator < SIGNIFICANCE {
            numerator = (numerator + last_byte as f64) * WIDTH as f64;
            denominator *= WIDTH as f64;
            last_byte = self.next_bytes(1);
        }
        // Shift before the last byte is added, so that the sum never rounds up to 1.
        while numerator >= 2.0 * SIGNIFICANCE {
            numerator /= 2.0;
            denominator /= 2.0;
            last_byte >>= 1;
        }
        (numerator + last_byte as f64) / denominator
    }
}

/// Folds a seed of any length into at most 256 bytes.
fn mix_key(seed: impl IntoIterator<Item = u16>) -> Vec<u8> {
    let mut key: Vec<u8> = Vec::new();
    let mut smear = 0u32;
    for (position, unit) in seed.into_iter().enumerate() {
        let slot = position % WIDTH;
        smear ^= key.get(slot).map_or(0, |byte| u32::from(*byte) * 19);
        let byte = smear.wrapping_add(u32::from(unit)) as u8;
        match key.get_mut(slot) {
            Some(old) => *old = byte,
            None => key.push(byte),
        }
    }
    key
}

fn with_nul(text: &str) -> String {
    format!("{text}\0")
}

/// The seed text of a JSON value: members down to `depth`, joined as JavaScript prints nested arrays.
fn flatten(value: &Value, depth: usize) -> Cow<'_, str> {
    let members: Vec<Cow<'_, str>> = match value {
        Value::String(text) => return Cow::Borrowed(text),
        Value::Array(items) if depth > 0 => items.iter().map(|item| flatten(item, depth - 1)).collect(),
        Value::Object(map) if depth > 0 => {
            object::ordered_entries(map).into_iter().map(|(_, member)| flatten(member, depth - 1)).collect()
        }
        _ => Vec::new(),
    };
    if members.is_empty() {
        Cow::Owned(with_nul(&object::to_text(value)))
    } else {
        Cow::Owned(members.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_empty_seed_is_a_seed() {
        assert_eq!(SeedRandom::from_text("").next_f64(), 0.23144008215179881);
        assert_ne!(
            SeedRandom::from_json(&json!([])).next_f64(),
            SeedRandom::from_json(&json!({})).next_f64()
        );
    }

    #[test]
    fn long_seeds_wrap_around_the_key() {
        let mut long = SeedRandom::from_text(&"a".repeat(257));
        assert_ne!(long.next_f64(), SeedRandom::from_text(&"a".repeat(256)).next_f64());
    }

    #[test]
    fn quick_and_int32_are_the_same_bits() {
        let bits = SeedRandom::from_text("a").int32();
        assert_eq!(SeedRandom::from_text("a").quick(), f64::from(bits as u32) / 4_294_967_296.0);
    }
}
