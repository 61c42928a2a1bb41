//! How much of an input a reader is willing to take on.

/// Limits on size, depth and density, so that a hostile file costs little.
///
/// The defaults let through every honest file we know of.
///
/// ```
/// use tavernkit_formats::Limits;
///
/// let mut limits = Limits::default();
/// limits.zip_entries = 100;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a whole input file. 512 MiB.
    pub input: u64,
    /// How deep JSON and YAML may nest. 256.
    pub depth: usize,
    /// Bytes of one text chunk of an image. 64 MiB.
    pub text_chunk: u64,
    /// Bytes that one compressed text chunk may grow to. 64 MiB.
    pub inflated: u64,
    /// Number of entries of an archive. 10,000.
    pub zip_entries: usize,
    /// Bytes of one unpacked archive entry. 128 MiB.
    pub zip_entry: u64,
    /// Bytes of all unpacked archive entries together. 512 MiB.
    pub zip_total: u64,
    /// How many times larger an archive entry or compressed chunk may be unpacked than packed. 1,200,
    /// which is just above what plain deflate can reach on blank data; small entries are not judged.
    pub ratio: u64,
    /// Warnings of one code that are listed one by one; the rest are counted. 50.
    pub warnings_per_code: usize,
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: u64 = 1024 * 1024;
        Self {
            input: 512 * MIB,
            depth: 256,
            text_chunk: 64 * MIB,
            inflated: 64 * MIB,
            zip_entries: 10_000,
            zip_entry: 128 * MIB,
            zip_total: 512 * MIB,
            ratio: 1_200,
            warnings_per_code: 50,
        }
    }
}
