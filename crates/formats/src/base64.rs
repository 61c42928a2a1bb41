//! Base64 as cards carry it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Encodes with the standard alphabet and padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// How clean the base64 was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Exactly as the standard wants it.
    Strict,
    /// White space, a missing padding or the URL alphabet: common and harmless.
    Loose,
    /// Characters that are no base64 were skipped.
    Broken,
}

/// Decodes as Node's `Buffer.from(text, "base64")` does: both alphabets, anything else skipped, the end at the first `=`.
pub(crate) fn decode(text: &[u8]) -> (Vec<u8>, Shape) {
    if let Ok(bytes) = STANDARD.decode(text) {
        return (bytes, Shape::Strict);
    }
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let mut shape = Shape::Loose;
    let (mut bits, mut count) = (0u32, 0u32);
    for byte in text {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            _ => {
                shape = Shape::Broken;
                continue;
            }
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            // The shift leaves at most six stale bits above the byte; the cast drops them.
            out.push((bits >> count) as u8);
        }
    }
    (out, shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answers of Node 20.
    #[test]
    fn decodes_as_node_does() {
        for (text, bytes) in [
            ("YQ==YQ==", &b"a"[..]),
            ("YWJj=ZGVm", b"abc"),
            ("YWJ", b"ab"),
            ("YW", b"a"),
            ("Y", b""),
            ("YWJj!ZGVm", b"abcdef"),
            ("YWJjZ", b"abc"),
            ("YWJjZG=", b"abcd"),
            ("YWJjZGVm-_", b"abcdef\xfb"),
            ("====", b""),
            ("YWI= ZGVm", b"ab"),
        ] {
            assert_eq!(decode(text.as_bytes()).0, bytes, "{text}");
        }
        assert_eq!(decode(b"YWJj").1, Shape::Strict);
        assert_eq!(decode(b"YW\nJj").1, Shape::Loose);
        assert_eq!(decode(b"!YWJj").1, Shape::Broken);
    }
}
