//! Places in a text as JavaScript counts them: in UTF-16 units.

/// Every this many bytes the count so far is remembered.
const STEP: usize = 512;

/// Turns byte places into UTF-16 places without counting from the start each time.
#[derive(Debug, Default)]
pub(super) struct Offsets {
    /// Units before each multiple of [`STEP`]; empty when the text is ASCII.
    units: Vec<usize>,
}

impl Offsets {
    pub(super) fn new(text: &str) -> Self {
        if text.is_ascii() {
            return Self::default();
        }
        let mut units = Vec::with_capacity(text.len() / STEP + 1);
        let mut count = 0;
        for chunk in text.as_bytes().chunks(STEP) {
            units.push(count);
            count += count_units(chunk);
        }
        units.push(count);
        Self { units }
    }

    /// The UTF-16 place of a byte place that is a character boundary.
    pub(super) fn utf16(&self, text: &str, byte: usize) -> usize {
        match self.units.get(byte / STEP) {
            None => byte,
            Some(units) => units + count_units(&text.as_bytes()[byte / STEP * STEP..byte]),
        }
    }
}

/// Continuation bytes add nothing; the first byte of a four-byte character adds a surrogate pair.
fn count_units(bytes: &[u8]) -> usize {
    bytes.iter().map(|b| usize::from(*b & 0xC0 != 0x80) + usize::from(*b >= 0xF0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_counting() {
        let text = "a😀é漢".repeat(300);
        let offsets = Offsets::new(&text);
        for (byte, _) in text.char_indices().chain([(text.len(), ' ')]) {
            assert_eq!(offsets.utf16(&text, byte), text[..byte].encode_utf16().count());
        }
        assert_eq!(Offsets::new("plain").utf16("plain", 3), 3);
    }
}
