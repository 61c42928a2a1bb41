//! Text chunks: `tEXt` (plain), `zTXt` (compressed), `iTXt` (international, maybe compressed).

use std::borrow::Cow;
use std::fmt;
use std::io::Read as _;

use flate2::read::ZlibDecoder;

use super::{Chunk, Png};
use crate::{Error, ErrorKind, Limits, Result};

/// The keywords under which pictures carry things of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keyword {
    /// `chara`: a card, V1 or V2.
    Chara,
    /// `ccv3`: a card, V3.
    Ccv3,
    /// `chara-ext-asset_<name>`: a RisuAI asset, base64.
    RisuAsset(String),
    /// `naidata`: a NovelAI lorebook, base64.
    NovelAi,
    /// Anything else.
    Other(String),
}

impl Keyword {
    const RISU_ASSET: &str = "chara-ext-asset_";

    /// Programs compare keywords without regard to case.
    pub fn parse(keyword: &str) -> Self {
        let lower = keyword.to_ascii_lowercase();
        match lower.as_str() {
            "chara" => Self::Chara,
            "ccv3" => Self::Ccv3,
            "naidata" => Self::NovelAi,
            _ => match lower.strip_prefix(Self::RISU_ASSET) {
                // Newer files write a colon before the number.
                Some(name) => Self::RisuAsset(name.strip_prefix(':').unwrap_or(name).to_owned()),
                None => Self::Other(keyword.to_owned()),
            },
        }
    }
}

impl fmt::Display for Keyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chara => f.write_str("chara"),
            Self::Ccv3 => f.write_str("ccv3"),
            Self::NovelAi => f.write_str("naidata"),
            Self::RisuAsset(name) => write!(f, "{}:{name}", Self::RISU_ASSET),
            Self::Other(keyword) => f.write_str(keyword),
        }
    }
}

/// A text chunk whose keyword is known and whose text is still packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text<'a> {
    /// The index of the chunk in [`Png::chunks`].
    pub chunk: usize,
    /// What the text is.
    pub keyword: Keyword,
    /// The keyword as it stands in the file.
    pub raw_keyword: String,
    offset: usize,
    packing: Packing,
    payload: &'a [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    Plain,
    Zlib,
    Unknown,
}

impl<'a> Text<'a> {
    /// Every text chunk, in the order of the file.
    pub fn all(png: &'a Png<'_>) -> Vec<Text<'a>> {
        png.chunks.iter().enumerate().filter_map(|(index, chunk)| Self::of(index, chunk)).collect()
    }

    fn of(index: usize, chunk: &'a Chunk<'_>) -> Option<Self> {
        let data = chunk.data();
        let (keyword, rest) = match &chunk.kind {
            b"tEXt" | b"zTXt" | b"iTXt" => split_at_nul(data),
            _ => return None,
        };
        let (packing, payload) = match (&chunk.kind, rest) {
            (b"tEXt", _) => (Packing::Plain, rest),
            (b"zTXt", [0, packed @ ..]) => (Packing::Zlib, packed),
            (b"iTXt", [flag, method, tags @ ..]) => {
                let (_language, rest) = split_at_nul(tags);
                let (_translated, payload) = split_at_nul(rest);
                match (flag, method) {
                    (0, _) => (Packing::Plain, payload),
                    (_, 0) => (Packing::Zlib, payload),
                    _ => (Packing::Unknown, payload),
                }
            }
            _ => (Packing::Unknown, rest),
        };
        let raw_keyword: String = keyword.iter().map(|byte| char::from(*byte)).collect();
        let keyword = Keyword::parse(&raw_keyword);
        Some(Self { chunk: index, keyword, raw_keyword, offset: chunk.offset, packing, payload })
    }

    /// The text's bytes, unpacked within the limits.
    pub fn bytes(&self, limits: &Limits) -> Result<Cow<'a, [u8]>> {
        if self.payload.len() as u64 > limits.text_chunk {
            let message = format!(
                "the text chunk has {} bytes, more than the limit of {}; raise `Limits::text_chunk` if you trust the file",
                self.payload.len(),
                limits.text_chunk
            );
            return Err(self.error(ErrorKind::Limit, message));
        }
        match self.packing {
            Packing::Plain => Ok(Cow::Borrowed(self.payload)),
            Packing::Zlib => self.inflate(limits).map(Cow::Owned),
            Packing::Unknown => Err(self.error(
                ErrorKind::Unsupported,
                "the text chunk is packed in a way PNG does not define; save the card anew in the program it came from".into(),
            )),
        }
    }

    fn inflate(&self, limits: &Limits) -> Result<Vec<u8>> {
        // Small packed texts may grow freely up to 1 MiB; larger ones by the ratio.
        let by_ratio = (self.payload.len() as u64).saturating_mul(limits.ratio).max(1 << 20);
        let allowed = limits.inflated.min(by_ratio);
        let mut out = Vec::new();
        let outcome = ZlibDecoder::new(self.payload).take(allowed.saturating_add(1)).read_to_end(&mut out);
        if out.len() as u64 > allowed {
            let message = format!(
                "the packed text grows beyond {allowed} bytes; raise `Limits::inflated` or `Limits::ratio` if you trust the file"
            );
            return Err(self.error(ErrorKind::Limit, message));
        }
        match outcome {
            Ok(_) => Ok(out),
            Err(error) => {
                let message = "the packed text is damaged; get a whole copy of the file".into();
                Err(self.error(ErrorKind::Encoding, message).caused_by(error))
            }
        }
    }

    fn error(&self, kind: ErrorKind, message: String) -> Error {
        Error::new(kind, message)
            .at_field(format!("chunk {}", self.raw_keyword))
            .at_offset(self.offset as u64)
    }

    /// A plain `tEXt` chunk.
    pub fn to_chunk<'c>(keyword: &Keyword, text: &str) -> Result<Chunk<'c>> {
        let mut data = keyword.to_string().into_bytes();
        data.push(0);
        data.extend_from_slice(text.as_bytes());
        if u32::try_from(data.len()).is_err() {
            let message = "the card is too large for a PNG chunk (4 GiB); write it as CHARX instead";
            return Err(Error::new(ErrorKind::Limit, message).at_field(format!("chunk {keyword}")));
        }
        Ok(Chunk::new(*b"tEXt", data))
    }
}

/// What stands before the first zero byte, and what after it.
pub(super) fn split_at_nul(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.iter().position(|byte| *byte == 0) {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, &[]),
    }
}
