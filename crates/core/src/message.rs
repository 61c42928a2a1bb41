//! A chat message, before any provider's format.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// Who speaks.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Instructions.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
    /// The result of a call in the older function format.
    Function,
    /// The model's reasoning.
    Thinking,
    /// A role this crate has no name for; dialects pass it on or say they cannot.
    Other(String),
}

impl Role {
    /// The role's name in data.
    pub fn as_str(&self) -> &str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
            Role::Function => "function",
            Role::Thinking => "thinking",
            Role::Other(name) => name,
        }
    }
}

impl From<&str> for Role {
    fn from(name: &str) -> Self {
        match name {
            "system" => Role::System,
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "tool" => Role::Tool,
            "function" => Role::Function,
            "thinking" => Role::Thinking,
            other => Role::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Role {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Role {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Role::from(String::deserialize(deserializer)?.as_str()))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Role {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Role".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "Who speaks: system, user, assistant, tool, function, thinking, or a provider's own role.",
            "examples": ["system", "user", "assistant", "tool", "function", "thinking"],
        })
    }
}

/// A message of a chat or of a finished prompt.
///
/// The text is shared, not copied: a history of thousands of messages goes through a build without being cloned.
///
/// ```
/// use tavernkit_core::{Message, Role};
///
/// let message = Message::new(Role::User, "Where is the inn?").named("Ilse");
/// let json = serde_json::to_string(&message)?;
/// assert_eq!(json, r#"{"role":"user","content":"Where is the inn?","name":"Ilse"}"#);
/// assert_eq!(serde_json::from_str::<Message>(&json)?, message);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text.
    #[serde(default)]
    pub content: Arc<str>,
    /// The speaker's name, where the role is not enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Images, sounds and files that belong to the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// Tool calls and whatever else dialects pass through.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

impl Message {
    /// A message with a role and a text.
    pub fn new(role: Role, content: impl Into<Arc<str>>) -> Self {
        Self {
            role,
            content: content.into(),
            name: None,
            attachments: Vec::new(),
            metadata: Metadata::default(),
        }
    }

    /// Says who speaks.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

/// What a message carries beside its text. Three keys are standard; dialects may read others from `extra`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Metadata {
    /// On an assistant message: the tools it calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// On a tool message: the call it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// A provider's proof that it wrote the message itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Anything else, kept in order.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Metadata {
    /// Nothing in it.
    pub fn is_empty(&self) -> bool {
        self.tool_calls.is_empty()
            && self.tool_call_id.is_none()
            && self.signature.is_none()
            && self.extra.is_empty()
    }
}

/// A tool call, in the shape most providers share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolCall {
    /// Links the call to its result.
    pub id: String,
    /// Always `function` so far.
    #[serde(rename = "type", default = "function")]
    pub kind: String,
    /// What is called.
    pub function: FunctionCall,
    /// Anything else, kept in order.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The function of a tool call and its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FunctionCall {
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text; an object in the input is accepted and turned into text.
    #[serde(default, deserialize_with = "text_or_json")]
    pub arguments: String,
}

impl ToolCall {
    /// A call of a function with arguments as JSON text.
    pub fn function(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        let function = FunctionCall { name: name.into(), arguments: arguments.into() };
        Self { id: id.into(), kind: self::function(), function, extra: Map::new() }
    }
}

fn function() -> String {
    "function".into()
}

fn text_or_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    })
}

/// Something that is not text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Attachment {
    /// What it is.
    pub kind: AttachmentKind,
    /// Where its bytes are.
    #[serde(flatten)]
    pub data: AttachmentData,
    /// Its MIME type, such as `image/png`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// Its file name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// What an attachment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum AttachmentKind {
    /// A picture.
    Image,
    /// A sound.
    Audio,
    /// A film.
    Video,
    /// Any other file.
    File,
}

/// Where the bytes of an attachment are. Core never fetches them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum AttachmentData {
    /// At an address the provider can reach, or in a `data:` address.
    Url(String),
    /// Here, as base64.
    Base64(String),
}

impl Attachment {
    /// The address of the bytes; inline bytes become a `data:` address.
    pub fn url(&self) -> String {
        match &self.data {
            AttachmentData::Url(url) => url.clone(),
            AttachmentData::Base64(data) => format!("data:{};base64,{data}", self.mime_or_default()),
        }
    }

    /// The MIME type, or a plausible one for the kind.
    pub fn mime_or_default(&self) -> &str {
        self.mime.as_deref().unwrap_or(match self.kind {
            AttachmentKind::Image => "image/png",
            AttachmentKind::Audio => "audio/wav",
            AttachmentKind::Video => "video/mp4",
            AttachmentKind::File => "application/octet-stream",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn unknown_roles_and_metadata_survive() {
        let text =
            r#"{"role":"developer","content":"x","metadata":{"tool_call_id":"c1","cache":{"z":1,"a":2}}}"#;
        let message: Message = serde_json::from_str(text).unwrap();
        assert_eq!(message.role, Role::Other("developer".into()));
        assert_eq!(serde_json::to_string(&message).unwrap(), text);
    }

    #[test]
    fn tool_arguments_may_be_an_object() {
        let call: ToolCall =
            serde_json::from_value(json!({"id": "c", "function": {"name": "f", "arguments": {"x": 1}}}))
                .unwrap();
        assert_eq!((call.kind.as_str(), call.function.arguments.as_str()), ("function", r#"{"x":1}"#));
    }

    #[test]
    fn attachments_have_an_address() {
        let picture = Attachment {
            kind: AttachmentKind::Image,
            data: AttachmentData::Base64("QQ==".into()),
            mime: None,
            name: None,
        };
        assert_eq!(picture.url(), "data:image/png;base64,QQ==");
        assert_eq!(serde_json::to_value(&picture).unwrap(), json!({"kind": "image", "base64": "QQ=="}));
    }
}
