//! SillyTavern's 53-bit string hash.

/// The hash of a text over its UTF-16 units.
pub(crate) fn string_hash(text: &str) -> u64 {
    let (mut h1, mut h2) = (0xDEAD_BEEF_u32, 0x41C6_CE57_u32);
    for unit in text.encode_utf16() {
        h1 = (h1 ^ u32::from(unit)).wrapping_mul(2_654_435_761);
        h2 = (h2 ^ u32::from(unit)).wrapping_mul(1_597_334_677);
    }
    let mix = |own: u32, other: u32| {
        (own ^ own >> 16).wrapping_mul(2_246_822_507) ^ (other ^ other >> 13).wrapping_mul(3_266_489_909)
    };
    h1 = mix(h1, h2);
    h2 = mix(h2, h1);
    u64::from(h2 & 0x1F_FFFF) << 32 | u64::from(h1)
}
