//! The chat as it grows from step to step.

use serde_json::Value;
use tavernkit_sillytavern::macros::MessageView;

use super::super::fixture::{SEND_DATE, text};
use super::items;

/// A message.
pub(super) struct ChatMessage {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) is_user: bool,
    pub(super) is_system: bool,
    pub(super) extra: Value,
    swipes: Option<usize>,
    swipe_id: Option<i64>,
    send_date: String,
}

impl ChatMessage {
    /// A new message.
    pub(super) fn new(name: &str, text: String, is_user: bool) -> Self {
        let swipes = (!is_user).then_some(1);
        Self {
            name: name.to_owned(),
            text,
            is_user,
            is_system: false,
            extra: Value::Null,
            swipes,
            swipe_id: swipes.map(|_| 0),
            send_date: SEND_DATE.to_owned(),
        }
    }

    /// A message of a scenario. `name` is used when it has none.
    pub(super) fn read(message: &Value, name: &str) -> Self {
        let name = message["name"].as_str().unwrap_or(name);
        let mut read = Self::new(name, text(message, "mes").to_owned(), message["is_user"] == true);
        read.is_system = message["is_system"] == true;
        read.extra = message["extra"].clone();
        read.swipes = message["swipes"].as_array().map(Vec::len).or(read.swipes);
        read.swipe_id = message["swipe_id"].as_i64().or(read.swipe_id);
        if let Some(date) = message["send_date"].as_str() {
            read.send_date = date.to_owned();
        }
        read
    }

    /// The message as macros see it.
    pub(super) fn view(&self) -> MessageView<'_> {
        MessageView {
            text: &self.text,
            is_user: self.is_user,
            is_system: self.is_system,
            swipes: self.swipes,
            swipe_id: self.swipe_id,
            send_date: Some(&self.send_date),
        }
    }

    /// Shows a swipe that is not there yet.
    pub(super) fn begin_swipe(&mut self) {
        self.swipe_id = self.swipes.map(|count| count as i64);
    }

    /// The new swipe's text has come.
    pub(super) fn end_swipe(&mut self, text: String) {
        self.text = text;
        self.swipes = self.swipes.map(|count| count + 1);
    }

    /// The text with attached files in front and titles of media behind.
    pub(super) fn with_attachments(&self, mut text: String) -> String {
        let files: Vec<&str> =
            items(&self.extra["files"]).iter().filter_map(|file| file["text"].as_str()).collect();
        if !files.is_empty() {
            text = format!("{}\n\n{text}", files.join("\n\n"));
        }
        let titled = std::iter::once(&self.extra).chain(items(&self.extra["media"]));
        let titles: Vec<&str> =
            titled.filter(|of| of["append_title"] == true).filter_map(|of| of["title"].as_str()).collect();
        if !titles.is_empty() {
            text = format!("{text}\n\n{}", titles.join("\n\n"));
        }
        text
    }
}
