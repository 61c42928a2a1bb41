//! The typed fields of a card.

use serde_json::{Map, Value};
use tavernkit_core::{Warning, number};

use super::{Card, Version};
use crate::json::{Path, field};

/// What a card says about a character, with the defaults SillyTavern uses for what is missing.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Character {
    /// What the character is called.
    pub name: String,
    /// What `{{char}}` becomes instead of the name (V3).
    pub nickname: String,
    /// Who the character is.
    pub description: String,
    /// The character in a few words.
    pub personality: String,
    /// Where the chat takes place.
    pub scenario: String,
    /// The first greeting.
    pub first_mes: String,
    /// Example dialogues, separated by `<START>`.
    pub mes_example: String,
    /// What the author tells the user. Not for the model.
    pub creator_notes: String,
    /// Replaces the user's main prompt; `{{original}}` stands for it.
    pub system_prompt: String,
    /// Replaces what the user puts after the history.
    pub post_history_instructions: String,
    /// Other greetings to choose from.
    pub alternate_greetings: Vec<String>,
    /// Greetings for group chats only (V3).
    pub group_only_greetings: Vec<String>,
    /// Words to find the card by.
    pub tags: Vec<String>,
    /// Who made the card.
    pub creator: String,
    /// The author's version of the card.
    pub character_version: String,
    /// How likely the character is to speak in a group, 0 to 1.
    pub talkativeness: f64,
    /// Whether the user marked the card.
    pub fav: bool,
    /// The name of the lorebook linked to the card.
    pub world: String,
    /// A prompt to insert into the history.
    pub depth_prompt: DepthPrompt,
}

/// A prompt that stands a number of messages before the end of the history.
#[derive(Debug, Clone, PartialEq)]
pub struct DepthPrompt {
    /// The text; empty means none.
    pub prompt: String,
    /// How many messages before the end.
    pub depth: i64,
    /// `system`, `user` or `assistant`.
    pub role: String,
}

impl Default for DepthPrompt {
    fn default() -> Self {
        Self { prompt: String::new(), depth: 4, role: "system".into() }
    }
}

impl Character {
    pub(super) fn of(card: &Card, warnings: &mut Vec<Warning>) -> Self {
        let mut reader = Reader { card, warnings };
        let (talkativeness, fav, world, depth_prompt) = reader.extensions();
        Self {
            name: reader.text("name"),
            nickname: reader.text("nickname"),
            description: reader.text("description"),
            personality: reader.text("personality"),
            scenario: reader.text("scenario"),
            first_mes: reader.text("first_mes"),
            mes_example: reader.text("mes_example"),
            creator_notes: reader.text("creator_notes"),
            system_prompt: reader.text("system_prompt"),
            post_history_instructions: reader.text("post_history_instructions"),
            alternate_greetings: reader.texts("alternate_greetings"),
            group_only_greetings: reader.texts("group_only_greetings"),
            tags: reader.tags(),
            creator: reader.text("creator"),
            character_version: reader.text("character_version"),
            talkativeness,
            fav,
            world,
            depth_prompt,
        }
    }

    /// The first greeting and the others, without the empty ones: what a new chat offers.
    pub fn greetings(&self) -> impl Iterator<Item = &str> {
        let all = std::iter::once(&self.first_mes).chain(&self.alternate_greetings);
        all.map(String::as_str).filter(|greeting| !greeting.is_empty())
    }

    /// What `{{char}}` becomes: the nickname if there is one, else the name.
    pub fn display_name(&self) -> &str {
        if self.nickname.is_empty() { &self.name } else { &self.nickname }
    }
}

struct Reader<'c, 'w> {
    card: &'c Card,
    warnings: &'w mut Vec<Warning>,
}

impl Reader<'_, '_> {
    fn text(&mut self, name: &str) -> String {
        match self.card.field(name) {
            Some((path, value)) => field::text(value, &at(&path), self.warnings).into_owned(),
            None => String::new(),
        }
    }

    fn texts(&mut self, name: &str) -> Vec<String> {
        match self.card.field(name) {
            Some((path, value)) => field::texts(value, &at(&path), self.warnings),
            None => Vec::new(),
        }
    }

    /// Older cards keep tags as one text with commas. SillyTavern splits it, so there is nothing to warn about.
    fn tags(&mut self) -> Vec<String> {
        match self.card.field("tags") {
            Some((_, Value::String(tags))) => split_tags(tags),
            Some((path, value)) => field::texts(value, &at(&path), self.warnings),
            None => Vec::new(),
        }
    }

    fn extensions(&mut self) -> (f64, bool, String, DepthPrompt) {
        let empty = Map::new();
        let extensions = match self.card.field("extensions") {
            Some((path, value)) => field::object(value, &at(&path), self.warnings).unwrap_or(&empty),
            None => &empty,
        };
        // V1 keeps these two at the top level, and takes a number 0 for "not set".
        let is_v1 = self.card.version() == Version::V1;
        let own = |key: &str| if is_v1 { self.card.raw().get(key) } else { extensions.get(key) };
        let unset = |value: &&Value| value.is_null() || (is_v1 && value.as_f64() == Some(0.0));
        // SillyTavern's own files hold them as text or as themselves, so neither deserves a warning.
        let talkativeness =
            own("talkativeness").filter(|value| !unset(value)).and_then(loose_number).unwrap_or(0.5);
        let fav = own("fav").is_some_and(|fav| *fav == Value::Bool(true) || *fav == "true");
        let path = at("data.extensions");
        let mut fields = field::Fields::new(extensions, path, self.warnings);
        let world = fields.text("world").unwrap_or_default().into_owned();
        let depth_prompt = match fields.object("depth_prompt") {
            Some(prompt) => {
                let place = path.key("depth_prompt");
                let mut fields = field::Fields::new(prompt, place, self.warnings);
                let default = DepthPrompt::default();
                DepthPrompt {
                    prompt: fields.text("prompt").unwrap_or_default().into_owned(),
                    depth: fields.integer("depth").unwrap_or(default.depth),
                    role: fields.text("role").map_or(default.role, |role| role.into_owned()),
                }
            }
            None => DepthPrompt::default(),
        };
        (talkativeness, fav, world, depth_prompt)
    }
}

/// A path that is already text. Its dots are meant as dots.
fn at(path: &str) -> Path<'_> {
    Path::Named(path)
}

pub(super) fn split_tags(tags: &str) -> Vec<String> {
    tags.split(',')
        .map(|tag| tag.trim_matches(number::is_js_space))
        .filter(|tag| !tag.is_empty())
        .map(str::to_owned)
        .collect()
}

fn loose_number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => Some(number::parse(text)).filter(|number| number.is_finite()),
        other => other.as_f64(),
    }
}
