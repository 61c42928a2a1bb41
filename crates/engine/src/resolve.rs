//! From what was said to what it means: assets read, names looked up, texts parsed.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tavernkit_core::{Message, Strictness, Timestamp, Variables};
use tavernkit_js::date;

use crate::error::EngineError;
use crate::request::{Asset, BuildRequest, Now, Platform, TrimRequest};

/// Reads the files a request names. Doors bring one; the engine itself touches no disk.
pub trait AssetReader {
    /// The bytes of a file, or one sentence that says why not.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;
}

/// For requests that hold everything inline.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoAssets;

impl AssetReader for NoAssets {
    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Err("this build takes no files; put the data inline".into())
    }
}

/// A request with everything in it, ready to build.
#[derive(Debug, Clone)]
pub struct ResolvedRequest {
    /// Which platform's rules build the prompt.
    pub platform: Platform,
    /// The provider's format.
    pub dialect: String,
    /// The model the prompt is for.
    pub model: Option<String>,
    /// A tokenizer by name, instead of the model's.
    pub tokenizer: Option<String>,
    /// The chat so far.
    pub history: Vec<Message>,
    /// The user's new message.
    pub message: String,
    /// The chat's variables.
    pub variables: Variables,
    /// The application's own values.
    pub runtime: Map<String, Value>,
    /// Cut the prompt to a size.
    pub trim: Option<TrimRequest>,
    /// Where random numbers start.
    pub seed: u64,
    /// The time of the build.
    pub now: Timestamp,
    /// Does a warning end the build?
    pub strictness: Strictness,
    /// Report what each stage did.
    pub trace: bool,
}

impl BuildRequest {
    /// Reads what the request names.
    pub fn resolve(self, assets: &dyn AssetReader) -> Result<ResolvedRequest, EngineError> {
        Ok(ResolvedRequest {
            platform: self.platform,
            dialect: self.dialect,
            model: self.model,
            tokenizer: self.tokenizer,
            history: read(assets, "history", self.history)?,
            message: self.message,
            variables: read(assets, "variables", self.variables)?,
            runtime: self.runtime,
            trim: self.trim,
            seed: self.seed,
            now: timestamp(&self.now)?,
            strictness: self.strictness,
            trace: self.trace,
        })
    }
}

fn read<T: DeserializeOwned>(
    assets: &dyn AssetReader,
    field: &'static str,
    asset: Asset<T>,
) -> Result<T, EngineError> {
    let path = match asset {
        Asset::Inline(value) => return Ok(value),
        Asset::Path(path) => path,
    };
    let parsed = assets
        .read(&path)
        .and_then(|bytes| serde_json::from_slice(&bytes).map_err(|error| error.to_string()));
    parsed.map_err(|why| EngineError::Asset { field, path, why })
}

fn timestamp(now: &Now) -> Result<Timestamp, EngineError> {
    match now {
        Now::Milliseconds(unix_ms) => Ok(Timestamp { unix_ms: *unix_ms, utc_offset_minutes: 0 }),
        Now::Text(text) => {
            let unix_ms = date::parse(text, 0).ok_or_else(|| EngineError::Field {
                field: "now",
                why: format!("`{text}` is no date; write it like 2026-05-01T18:30:00+02:00 or as milliseconds since 1970"),
            })?;
            Ok(Timestamp { unix_ms, utc_offset_minutes: offset_minutes(text) })
        }
    }
}

/// The offset at the end of a date text, `+hh:mm` or `-hh:mm`; 0 if it has none.
fn offset_minutes(text: &str) -> i32 {
    let Some(at) = text.rfind(['+', '-']).filter(|at| text[..*at].contains(':')) else { return 0 };
    let (sign, digits) = text[at..].split_at(1);
    let number = |range: std::ops::Range<usize>| {
        digits.get(range).and_then(|part| part.parse::<i32>().ok()).unwrap_or(0)
    };
    let minutes = if digits.contains(':') { number(3..5) } else { number(2..4) };
    let total = number(0..2) * 60 + minutes;
    if sign == "-" { -total } else { total }
}
