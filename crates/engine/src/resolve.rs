//! From what was said to what it means: assets read, names looked up, texts parsed.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tavernkit_core::{Message, Role, Strictness, Timestamp, Variables, Warning};
use tavernkit_formats::Limits;
use tavernkit_formats::card::{self, CardFile};
use tavernkit_formats::chat::{Chat, ChatMetadata, Party};
use tavernkit_formats::lorebook::Lorebook;
use tavernkit_js::date;

use crate::error::EngineError;
use crate::request::{
    Asset, BookLink, BuildRequest, Generation, LinkedBook, Now, Persona, Platform, TrimRequest,
};

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
    /// The character's card.
    pub character: Option<CardFile>,
    /// Who the user plays.
    pub persona: Persona,
    /// Lorebooks by name, with what links them to this chat.
    pub lorebooks: Vec<(BookLink, String, Lorebook)>,
    /// SillyTavern's settings.
    pub settings: Map<String, Value>,
    /// What the chat file says about the chat.
    pub metadata: ChatMetadata,
    /// What the model is asked for.
    pub generation: Generation,
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
    /// What was odd in the assets.
    pub warnings: Vec<Warning>,
}

impl BuildRequest {
    /// Reads what the request names.
    pub fn resolve(self, assets: &dyn AssetReader) -> Result<ResolvedRequest, EngineError> {
        let mut reader = Reader { assets, warnings: Vec::new() };
        let character = self.character.map(|asset| reader.card(asset)).transpose()?;
        let mut lorebooks = Vec::new();
        for linked in self.lorebooks {
            lorebooks.push(reader.lorebook(linked)?);
        }
        if self.use_character_book
            && let Some(book) = character.as_ref().and_then(|file| reader.character_book(file))
        {
            lorebooks.push(book?);
        }
        let (history, metadata) = reader.history(self.history)?;
        Ok(ResolvedRequest {
            platform: self.platform,
            dialect: self.dialect,
            model: self.model,
            tokenizer: self.tokenizer,
            character,
            persona: self.persona.unwrap_or_default(),
            lorebooks,
            settings: self.settings.map_or_else(|| Ok(Map::new()), |asset| reader.json("settings", asset))?,
            metadata,
            generation: self.generation,
            history,
            message: self.message,
            variables: reader.json("variables", self.variables)?,
            runtime: self.runtime,
            trim: self.trim,
            seed: self.seed,
            now: timestamp(&self.now)?,
            strictness: self.strictness,
            trace: self.trace,
            warnings: reader.warnings,
        })
    }
}

/// Reads assets and gathers what was odd in them.
struct Reader<'a> {
    assets: &'a dyn AssetReader,
    warnings: Vec<Warning>,
}

impl Reader<'_> {
    fn bytes(&self, field: &'static str, path: &str) -> Result<Vec<u8>, EngineError> {
        self.assets.read(path).map_err(|why| EngineError::Asset { field, path: path.to_owned(), why })
    }

    /// Keeps the warnings of a file, each with the file's name.
    fn keep(&mut self, path: &str, warnings: &[Warning]) {
        self.warnings.extend(warnings.iter().cloned().map(|mut warning| {
            warning.at = Some(warning.at.map_or_else(|| path.to_owned(), |at| format!("{path}: {at}")));
            warning
        }));
    }

    fn json<T: DeserializeOwned>(&self, field: &'static str, asset: Asset<T>) -> Result<T, EngineError> {
        let path = match asset {
            Asset::Inline(value) => return Ok(value),
            Asset::Path(path) => path,
        };
        let bytes = self.bytes(field, &path)?;
        serde_json::from_slice(&bytes).map_err(|error| EngineError::Asset {
            field,
            path,
            why: error.to_string(),
        })
    }

    fn card(&mut self, asset: Asset<Map<String, Value>>) -> Result<CardFile, EngineError> {
        let (path, bytes) = self.raw("character", asset)?;
        let file = card::read(&bytes, Some(&path), &Limits::default());
        let file = file.map_err(|error| EngineError::Asset {
            field: "character",
            path: path.clone(),
            why: error.to_string(),
        })?;
        self.keep(&path, file.warnings());
        Ok(file)
    }

    fn lorebook(&mut self, linked: LinkedBook) -> Result<(BookLink, String, Lorebook), EngineError> {
        let (path, bytes) = self.raw("lorebooks", linked.book)?;
        let book = Lorebook::parse(&bytes, &Limits::default());
        let book = book.map_err(|error| EngineError::Asset {
            field: "lorebooks",
            path: path.clone(),
            why: error.to_string(),
        })?;
        self.keep(&path, &book.warnings);
        Ok((linked.link, linked.name.unwrap_or_else(|| stem(&path).to_owned()), book.value))
    }

    /// The card's own book, under the character's name as SillyTavern would name it.
    fn character_book(
        &mut self,
        file: &CardFile,
    ) -> Option<Result<(BookLink, String, Lorebook), EngineError>> {
        let book = Lorebook::from_value(file.card().book()?.clone());
        let name = format!("{}'s Lorebook", file.character().name);
        Some(match book {
            Ok(book) => {
                self.keep("character", &book.warnings);
                Ok((BookLink::Character, name, book.value))
            }
            Err(error) => Err(EngineError::Field { field: "use_character_book", why: error.to_string() }),
        })
    }

    fn history(&mut self, asset: Asset<Vec<Message>>) -> Result<(Vec<Message>, ChatMetadata), EngineError> {
        let path = match asset {
            Asset::Path(path) if path.ends_with(".jsonl") => path,
            other => return Ok((self.json("history", other)?, ChatMetadata::default())),
        };
        let bytes = self.bytes("history", &path)?;
        let chat = Chat::parse(&bytes, Party::Unknown, &Limits::default());
        let chat = chat.map_err(|error| EngineError::Asset {
            field: "history",
            path: path.clone(),
            why: error.to_string(),
        })?;
        self.keep(&path, &chat.warnings);
        let metadata = chat.value.metadata();
        let shown = chat.value.messages.iter().filter(|message| !message.is_hidden());
        let messages = shown.map(|message| {
            let role = if message.is_user { Role::User } else { Role::Assistant };
            Message::new(role, message.text.as_str()).named(message.name.clone())
        });
        Ok((messages.collect(), metadata))
    }

    /// The bytes of an asset that a reader of its own takes; inline data is called by its field.
    fn raw(
        &self,
        field: &'static str,
        asset: Asset<Map<String, Value>>,
    ) -> Result<(String, Vec<u8>), EngineError> {
        match asset {
            Asset::Path(path) => self.bytes(field, &path).map(|bytes| (path, bytes)),
            Asset::Inline(map) => Ok((field.to_owned(), Value::Object(map).to_string().into_bytes())),
        }
    }
}

/// A file's name without folders and ending.
fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
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
