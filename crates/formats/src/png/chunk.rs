//! The chunk walker.

use std::borrow::Cow;

use tavernkit_core::Warning;

use crate::{Error, ErrorKind, Limits, Result};

/// The eight bytes every PNG starts with.
pub const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// Length, kind and checksum around the data of a chunk.
const FRAME: usize = 12;

/// One chunk of a PNG.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// The four letters: `IHDR`, `IDAT`, `tEXt`, …
    pub kind: [u8; 4],
    /// Where the chunk starts in the file it was read from.
    pub offset: usize,
    data: Cow<'a, [u8]>,
    crc: u32,
}

impl<'a> Chunk<'a> {
    /// A new chunk with the right checksum.
    pub fn new(kind: [u8; 4], data: impl Into<Cow<'a, [u8]>>) -> Self {
        let mut chunk = Self { kind, offset: 0, data: data.into(), crc: 0 };
        chunk.crc = chunk.expected_crc();
        chunk
    }

    /// What the chunk holds.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// Whether the checksum in the file fits the data. Computed on each call: it reads the whole chunk.
    pub fn has_good_crc(&self) -> bool {
        self.crc == self.expected_crc()
    }

    /// The kind as text, for messages.
    pub fn kind_name(&self) -> String {
        self.kind.escape_ascii().to_string()
    }

    fn expected_crc(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&self.kind);
        hasher.update(&self.data);
        hasher.finalize()
    }
}

/// A PNG (or APNG) as its chunks.
///
/// ```
/// use tavernkit_formats::{png::Png, Limits};
///
/// # let file = tavernkit_formats::png::Png::smallest();
/// let png = Png::parse(&file, &Limits::default())?;
/// assert_eq!(png.chunks[0].kind_name(), "IHDR");
/// assert_eq!(png.to_bytes(), file);
/// # Ok::<(), tavernkit_formats::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Png<'a> {
    /// The chunks in the order of the file.
    pub chunks: Vec<Chunk<'a>>,
    /// What follows the last chunk. An archive may be appended to a picture.
    pub trailing: &'a [u8],
    /// What was odd about the structure.
    pub warnings: Vec<Warning>,
}

impl<'a> Png<'a> {
    /// Whether the bytes start like a PNG.
    pub fn is_png(bytes: &[u8]) -> bool {
        bytes.starts_with(&SIGNATURE)
    }

    /// Finds the chunks. A file that is cut off keeps the whole chunks before the cut, with a warning.
    pub fn parse(bytes: &'a [u8], limits: &Limits) -> Result<Self> {
        if bytes.len() as u64 > limits.input {
            let message = format!(
                "the picture has {} bytes, more than the limit of {}; raise `Limits::input` if you trust it",
                bytes.len(),
                limits.input
            );
            return Err(Error::new(ErrorKind::Limit, message));
        }
        let Some(mut rest) = bytes.strip_prefix(&SIGNATURE) else {
            return Err(Error::new(
                ErrorKind::Png,
                "the file does not start with a PNG signature; is it another picture format?",
            ));
        };
        let mut png = Self { chunks: Vec::new(), trailing: &[], warnings: Vec::new() };
        loop {
            let offset = bytes.len() - rest.len();
            let Some(((kind, data, crc), after)) = split_chunk(rest) else {
                png.trailing = rest;
                png.cut_off(offset)?;
                return Ok(png);
            };
            if png.chunks.is_empty() && &kind != b"IHDR" {
                let message = "the first chunk is not IHDR, so this is no PNG picture; save the picture anew";
                return Err(Error::new(ErrorKind::Png, message).at_offset(offset as u64));
            }
            png.chunks.push(Chunk { kind, offset, data: Cow::Borrowed(data), crc });
            rest = after;
            if &kind == b"IEND" {
                png.trailing = rest;
                return Ok(png);
            }
        }
    }

    fn cut_off(&mut self, offset: usize) -> Result<()> {
        if self.chunks.is_empty() {
            let message = "the file ends before its first chunk is complete; get a whole copy of it";
            return Err(Error::new(ErrorKind::Png, message).at_offset(offset as u64));
        }
        let message = "the file is cut off: the last chunk is not complete; what came before it was used";
        self.warnings.push(Warning::new("png.truncated", message).at(format!("byte {offset}")));
        Ok(())
    }

    /// Whether the file is whole: it ends with `IEND`.
    pub fn is_complete(&self) -> bool {
        self.chunks.last().is_some_and(|chunk| &chunk.kind == b"IEND")
    }

    /// Whether the picture is animated.
    pub fn is_animated(&self) -> bool {
        self.chunks.iter().any(|chunk| &chunk.kind == b"acTL")
    }

    /// The first chunk whose checksum is wrong.
    pub fn first_bad_crc(&self) -> Option<&Chunk<'a>> {
        self.chunks.iter().find(|chunk| !chunk.has_good_crc())
    }

    /// Puts a chunk where new text belongs: before `IEND`, or at the end of a file without one.
    pub fn insert_before_end(&mut self, chunk: Chunk<'a>) {
        let at = if self.is_complete() { self.chunks.len() - 1 } else { self.chunks.len() };
        self.chunks.insert(at, chunk);
    }

    /// Removes the chunks with these indices, which must be ascending.
    pub(crate) fn remove(&mut self, indices: &[usize]) {
        let mut index = 0;
        self.chunks.retain(|_| {
            index += 1;
            indices.binary_search(&(index - 1)).is_err()
        });
    }

    /// The file. Chunks that were read come back byte for byte, wrong checksums included.
    pub fn to_bytes(&self) -> Vec<u8> {
        let length: usize = self.chunks.iter().map(|chunk| chunk.data.len() + FRAME).sum();
        let mut out = Vec::with_capacity(SIGNATURE.len() + length + self.trailing.len());
        out.extend_from_slice(&SIGNATURE);
        for chunk in &self.chunks {
            // A chunk is read with a 32-bit length or built by `text::Text::to_chunk`, which checks it.
            out.extend_from_slice(&(chunk.data.len() as u32).to_be_bytes());
            out.extend_from_slice(&chunk.kind);
            out.extend_from_slice(&chunk.data);
            out.extend_from_slice(&chunk.crc.to_be_bytes());
        }
        out.extend_from_slice(self.trailing);
        out
    }

    /// A transparent picture of one pixel: the base for a card that has no picture of its own.
    pub fn smallest() -> Vec<u8> {
        let header = [0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0];
        // A stored deflate block of one row: filter byte and four zero bytes of RGBA.
        let pixels = [0x78, 0x01, 0x01, 5, 0, 0xfa, 0xff, 0, 0, 0, 0, 0, 0, 5, 0, 1];
        let chunks = vec![
            Chunk::new(*b"IHDR", &header[..]),
            Chunk::new(*b"IDAT", &pixels[..]),
            Chunk::new(*b"IEND", &[][..]),
        ];
        Png { chunks, trailing: &[], warnings: Vec::new() }.to_bytes()
    }
}

type Parts<'a> = ([u8; 4], &'a [u8], u32);

/// The chunk at the start of `bytes`, and what follows it. `None` if it is not complete.
fn split_chunk(bytes: &[u8]) -> Option<(Parts<'_>, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (kind, rest) = rest.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    let (data, rest) = rest.split_at_checked(length)?;
    let (crc, rest) = rest.split_first_chunk::<4>()?;
    Some(((*kind, data, u32::from_be_bytes(*crc)), rest))
}
