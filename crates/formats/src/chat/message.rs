//! One message of a chat.

use serde_json::Value;
use tavernkit_core::Warning;

use crate::json::{self, Path};
use crate::record::{Field, List, Object, Scalar, record};

record! {
    /// One message, with its swipes and everything attached to it.
    pub struct ChatMessage {
        /// The speaker's name.
        name: String = "name" => String::new();
        /// Whether the user said it.
        is_user: bool = "is_user" => false;
        /// Whether it is hidden from prompts.
        is_system: bool = "is_system" => false;
        /// The text that counts for prompts.
        text: String = "mes" => String::new();
        /// When it was sent: an ISO date, an older humanised one, or milliseconds.
        send_date: Option<Scalar> = "send_date" => None;
        /// A title shown with it.
        title: Option<String> = "title" => None;
        /// When the answer was begun.
        gen_started: Option<Scalar> = "gen_started" => None;
        /// When the answer was done.
        gen_finished: Option<Scalar> = "gen_finished" => None;
        /// The avatar shown: a persona's, a group member's.
        force_avatar: Option<String> = "force_avatar" => None;
        /// The group member who spoke, by card file.
        original_avatar: Option<String> = "original_avatar" => None;
        /// All answers that were generated in its place.
        swipes: Vec<String> = "swipes" => Vec::new();
        /// Which of them is shown.
        swipe_id: Option<f64> = "swipe_id" => None;
        /// What belongs to each of them.
        swipe_info: List<SwipeInfo> = "swipe_info" => List::default();
        /// Everything else about it.
        extra: Extra = "extra" => Extra::default();
    }
    keep {
        /// The line it was read from.
        line: Option<Box<str>>,
    }
}

record! {
    /// What belongs to one swipe.
    pub struct SwipeInfo {
        /// When it was sent.
        send_date: Option<Scalar> = "send_date" => None;
        /// When it was begun.
        gen_started: Option<Scalar> = "gen_started" => None;
        /// When it was done.
        gen_finished: Option<Scalar> = "gen_finished" => None;
        /// Everything else about it.
        extra: Object = "extra" => Object::new();
    }
}

record! {
    /// What a message carries beside its text.
    pub struct Extra {
        /// The provider that wrote it.
        api: Option<String> = "api" => None;
        /// The model that wrote it.
        model: Option<String> = "model" => None;
        /// The kind: `narrator` is sent as the system; others are of the user interface.
        kind: Option<String> = "type" => None;
        /// The batch it was generated in.
        gen_id: Option<Scalar> = "gen_id" => None;
        /// Start of the answer asked for by this message.
        bias: Option<String> = "bias" => None;
        /// A small system line.
        is_small_sys: bool = "isSmallSys" => false;
        /// Shown instead of the text.
        display_text: Option<String> = "display_text" => None;
        /// The model's reasoning.
        reasoning: Option<String> = "reasoning" => None;
        /// How long it took, in milliseconds.
        reasoning_duration: Option<f64> = "reasoning_duration" => None;
        /// Where it came from: `model`, `parsed`, `manual`, `edited`.
        reasoning_type: Option<String> = "reasoning_type" => None;
        /// The provider's signature of it.
        reasoning_signature: Option<String> = "reasoning_signature" => None;
        /// Tools that were called.
        tool_invocations: List<ToolInvocation> = "tool_invocations" => List::default();
        /// Counted tokens, as shown.
        token_count: Option<f64> = "token_count" => None;
        /// A summary of the chat up to here.
        memory: Option<String> = "memory" => None;
        /// Attached files.
        files: List<FileAttachment> = "files" => List::default();
        /// Attached media.
        media: List<Media> = "media" => List::default();
        /// Which media are sent: `list` is all, `gallery` the one at `media_index`.
        media_display: Option<String> = "media_display" => None;
        /// The medium shown in a gallery.
        media_index: Option<f64> = "media_index" => None;
        /// Whether an image belongs into the text.
        inline_image: bool = "inline_image" => false;
        /// One image, in older chats.
        image: Option<String> = "image" => None;
        /// One video, in older chats.
        video: Option<String> = "video" => None;
        /// One file, in older chats.
        file: Option<FileAttachment> = "file" => None;
    }
}

record! {
    /// One call of a tool and its result.
    pub struct ToolInvocation {
        /// The call's id.
        id: Option<Scalar> = "id" => None;
        /// The tool's name.
        name: String = "name" => String::new();
        /// Its name for people.
        display_name: Option<String> = "displayName" => None;
        /// The arguments, as JSON text.
        parameters: String = "parameters" => String::new();
        /// What came back.
        result: String = "result" => String::new();
        /// The provider's signature of the call.
        signature: Option<String> = "signature" => None;
        /// Reasoning that belongs to the call.
        reasoning: Option<String> = "reasoning" => None;
        /// Whether it failed.
        error: bool = "error" => false;
    }
}

record! {
    /// An attached file.
    pub struct FileAttachment {
        /// Where it is.
        url: String = "url" => String::new();
        /// Its name.
        name: String = "name" => String::new();
        /// Its size in bytes.
        size: Option<f64> = "size" => None;
        /// Its text, when it is stored with the message.
        text: Option<String> = "text" => None;
    }
}

record! {
    /// An attached image, video or sound.
    pub struct Media {
        /// Where it is, or a data URL.
        url: String = "url" => String::new();
        /// `image`, `video` or `audio`.
        kind: String = "type" => "image".into();
        /// A caption.
        title: String = "title" => String::new();
        /// Whether the caption is sent.
        append_title: bool = "append_title" => false;
        /// Where it came from.
        source: Option<String> = "source" => None;
    }
}

impl ChatMessage {
    /// A new message with the fields SillyTavern always writes.
    pub fn new(name: impl Into<String>, is_user: bool, text: impl Into<String>) -> Self {
        let raw = serde_json::json!({
            "name": name.into(), "is_user": is_user, "is_system": false, "mes": text.into(), "extra": {}
        });
        Self::read(raw.as_object().cloned().unwrap_or_default(), &Path::Root, &mut Vec::new())
    }

    /// Whether it is hidden from prompts.
    pub fn is_hidden(&self) -> bool {
        self.is_system
    }

    /// Whether it speaks as the narrator: sent with the system's role.
    pub fn is_narrator(&self) -> bool {
        self.extra.kind.as_deref() == Some("narrator")
    }

    /// The swipe that is shown, if there are swipes.
    pub fn current_swipe(&self) -> Option<&str> {
        let index = self.swipe_id.filter(|id| *id >= 0.0 && id.fract() == 0.0)? as usize;
        self.swipes.get(index).map(String::as_str)
    }

    /// Fills in missing swipes as SillyTavern does for every message that is not the user's.
    pub fn repair_swipes(&mut self) {
        if self.is_user || self.extra.is_small_sys {
            return;
        }
        if self.swipes.is_empty() {
            self.swipes = vec![self.text.clone()];
        }
        if self.swipe_id.is_none() {
            self.swipe_id = Some(0.0);
        }
        while self.swipe_info.len() < self.swipes.len() {
            self.swipe_info.push(SwipeInfo::default());
        }
    }

    /// The JSON line: the one it was read from if nothing changed.
    pub fn to_line(&self) -> String {
        let map = self.to_map();
        match &self.line {
            Some(line) if map == *self.raw() => line.to_string(),
            _ => json::compact(&Value::Object(map)),
        }
    }

    /// Warns about a swipe that is not there. A text that differs from its swipe is nothing odd: SillyTavern expands the
    /// macros of a greeting in the text only.
    pub(super) fn note(&self, at: &Path<'_>, warnings: &mut Vec<Warning>) {
        let Some(id) = self.swipe_id.filter(|_| !self.swipes.is_empty() && self.current_swipe().is_none())
        else {
            return;
        };
        let message = format!("there is no swipe {} of {}; the text is used", id.write(), self.swipes.len());
        warnings.push(Warning::new("chat.swipe_id", message).at(at.key("swipe_id").to_string()));
    }
}
