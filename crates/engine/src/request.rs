//! What a caller says: the request, as it stands in a scene file or an HTTP body.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use tavernkit_core::trim::Strategy;
use tavernkit_core::{Message, Strictness, Variables};

/// Which platform's rules build the prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Platform {
    /// The chat and the user's message, nothing added.
    #[default]
    Vibetavern,
    /// SillyTavern 1.19. Lore can be explained and macros expanded; whole prompts cannot be built yet.
    Sillytavern,
}

/// What the model is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Generation {
    /// The next reply.
    #[default]
    Normal,
    /// More of the last reply.
    Continue,
    /// A message of the user's.
    Impersonate,
    /// Another version of the last reply.
    Swipe,
    /// The last reply anew.
    Regenerate,
    /// Something that does not go into the chat.
    Quiet,
}

impl Generation {
    /// The name in data.
    pub fn as_str(self) -> &'static str {
        match self {
            Generation::Normal => "normal",
            Generation::Continue => "continue",
            Generation::Impersonate => "impersonate",
            Generation::Swipe => "swipe",
            Generation::Regenerate => "regenerate",
            Generation::Quiet => "quiet",
        }
    }
}

/// Who the user plays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Persona {
    /// The name.
    pub name: String,
    /// Who that is.
    pub description: String,
}

/// What a lorebook is linked to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BookLink {
    /// Switched on everywhere.
    #[default]
    Global,
    /// The character.
    Character,
    /// This chat.
    Chat,
    /// The persona.
    Persona,
}

/// A lorebook that takes part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkedBook {
    /// The book in any known format: inline, or the path of a file.
    pub book: Asset<Map<String, Value>>,
    /// What it is linked to.
    #[serde(default)]
    pub link: BookLink,
    /// Its name; a file's name without its ending unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A build, as a caller asks for it. On disk, in JSON, YAML or TOML, it is a *scene*.
///
/// Everything has a default: an empty request builds an empty prompt. A field this version does not know is an error, because it is
/// most often a misspelt one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BuildRequest {
    /// Which platform's rules build the prompt.
    pub platform: Platform,
    /// The provider's format of the result: `openai`, `anthropic`, `text`.
    pub dialect: String,
    /// The model the prompt is for; it chooses the tokenizer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// A tokenizer by name, such as `o200k_base`, instead of the model's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<String>,
    /// The character's card: inline, or the path of a card file of any kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub character: Option<Asset<Map<String, Value>>>,
    /// Are the entries of the card's own lorebook used?
    pub use_character_book: bool,
    /// Who the user plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persona: Option<Persona>,
    /// Lorebooks, and what links them to this chat.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lorebooks: Vec<LinkedBook>,
    /// SillyTavern's settings, as in its `settings.json`: inline, or the path of that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<Asset<Map<String, Value>>>,
    /// What the model is asked for.
    pub generation: Generation,
    /// The chat so far, oldest message first: inline, or the path of a JSON list of messages or of a SillyTavern chat (`.jsonl`).
    pub history: Asset<Vec<Message>>,
    /// The user's new message. Blank text is no message.
    pub message: String,
    /// The chat's variables, `{"local": {…}, "global": {…}}`: inline, or the path of a JSON file.
    pub variables: Asset<Variables>,
    /// The application's own values for its own stages.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub runtime: Map<String, Value>,
    /// Cut the prompt to a size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trim: Option<TrimRequest>,
    /// Where random numbers start. The same seed gives the same prompt.
    pub seed: u64,
    /// The time of the build.
    pub now: Now,
    /// Does a warning end the build?
    pub strictness: Strictness,
    /// Report what each stage did.
    pub trace: bool,
}

impl Default for BuildRequest {
    fn default() -> Self {
        Self {
            platform: Platform::default(),
            dialect: "openai".into(),
            model: None,
            tokenizer: None,
            character: None,
            use_character_book: false,
            persona: None,
            lorebooks: Vec::new(),
            settings: None,
            generation: Generation::default(),
            history: Asset::default(),
            message: String::new(),
            variables: Asset::default(),
            runtime: Map::new(),
            trim: None,
            seed: 0,
            now: Now::default(),
            strictness: Strictness::default(),
            trace: false,
        }
    }
}

/// Cut the prompt to a size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrimRequest {
    /// The model's context window, in tokens.
    pub max_tokens: usize,
    /// Tokens kept free for the reply.
    #[serde(default)]
    pub reserve_tokens: usize,
    /// The order in which blocks go.
    #[serde(default)]
    pub strategy: Strategy,
}

/// The time of a build: milliseconds since 1970, or a date text such as `2026-05-01T18:30:00+02:00`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Now {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    Milliseconds(i64),
    /// A date text. Without an offset it is UTC.
    Text(String),
}

impl Default for Now {
    fn default() -> Self {
        Now::Milliseconds(0)
    }
}

/// Something given inline, or by the path of a file. A text is a path, relative to the scene; anything else is the thing itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Asset<T> {
    /// The path of a file that holds it.
    Path(String),
    /// The thing itself.
    Inline(T),
}

impl<T: Default> Default for Asset<T> {
    fn default() -> Self {
        Asset::Inline(T::default())
    }
}

impl<T: Serialize> Serialize for Asset<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Asset::Path(path) => path.serialize(serializer),
            Asset::Inline(value) => value.serialize(serializer),
        }
    }
}

/// By hand, not `untagged`: an error inside the thing keeps its place in the file.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Asset<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AssetVisitor<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for AssetVisitor<T> {
            type Value = Asset<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the path of a file, or the data itself")
            }

            fn visit_str<E: de::Error>(self, path: &str) -> Result<Self::Value, E> {
                Ok(Asset::Path(path.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Asset::Inline)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
                T::deserialize(SeqAccessDeserializer::new(seq)).map(Asset::Inline)
            }
        }

        deserializer.deserialize_any(AssetVisitor(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Asset<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("AssetOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let inline = generator.subschema_for::<T>();
        schemars::json_schema!({
            "anyOf": [{"type": "string", "description": "The path of a file, relative to the scene."}, inline],
        })
    }
}
