//! SillyTavern's string hash: 53 bits over UTF-16 units.
//!
//! It names chats and seeds `{{pick}}`, so its values are part of what people have stored.

/// The hash of a text, as SillyTavern computes it without a seed.
///
/// ```
/// use tavernkit_js::hash;
/// assert_eq!(hash::string_hash(""), 3338908027751811);
/// assert_eq!(hash::string_hash("hello"), 4625896200565286);
/// ```
pub fn string_hash(text: &str) -> u64 {
    units_hash(text.encode_utf16(), 0)
}

/// The hash of a text with a seed.
///
/// JavaScript takes any number as the seed and uses its low 32 bits; see [`crate::number::to_uint32`].
///
/// ```
/// use tavernkit_js::hash;
/// assert_eq!(hash::string_hash_seeded("1", 42), 7474113110632340);
/// ```
pub fn string_hash_seeded(text: &str, seed: u32) -> u64 {
    units_hash(text.encode_utf16(), seed)
}

/// The hash of any JSON value: what is no text hashes to 0.
///
/// ```
/// use serde_json::json;
/// use tavernkit_js::hash;
/// assert_eq!(hash::value_hash(&json!("hello")), hash::string_hash("hello"));
/// assert_eq!(hash::value_hash(&json!(17)), 0);
/// ```
pub fn value_hash(value: &serde_json::Value) -> u64 {
    value.as_str().map_or(0, string_hash)
}

/// The hash of UTF-16 units, which may hold lone surrogates.
pub fn units_hash(units: impl IntoIterator<Item = u16>, seed: u32) -> u64 {
    let mut h1 = 0xDEAD_BEEF ^ seed;
    let mut h2 = 0x41C6_CE57 ^ seed;
    for unit in units {
        h1 = (h1 ^ u32::from(unit)).wrapping_mul(2_654_435_761);
        h2 = (h2 ^ u32::from(unit)).wrapping_mul(1_597_334_677);
    }
    // The second line reads the new h1, as the recorded values demand.
    h1 = finish(h1, h2);
    h2 = finish(h2, h1);
    u64::from(h2 & 0x1F_FFFF) << 32 | u64::from(h1)
}

fn finish(own: u32, other: u32) -> u32 {
    (own ^ own >> 16).wrapping_mul(2_246_822_507) ^ (other ^ other >> 13).wrapping_mul(3_266_489_909)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_units_and_not_characters() {
        assert_eq!(string_hash("😀"), units_hash([0xD83D, 0xDE00], 0));
        assert_ne!(units_hash([0xD83D], 0), string_hash("\u{FFFD}"));
    }

    #[test]
    fn stays_an_exact_number_in_javascript() {
        assert!(string_hash("Seraphina").leading_zeros() >= 11);
    }
}
