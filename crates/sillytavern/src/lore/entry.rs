//! One lorebook entry, as a scan sees it.
//!
//! Fields are read with JavaScript's loose rules, because the program this follows reads them so: `"5"` is a number
//! where one is wanted, and any non-empty value is a yes. The object from the file is kept, unchanged, for the hash
//! that names timed effects.

use serde::{Deserialize, Serialize};

use super::json::{self, Object};

/// A lorebook entry, read once, never changed by a scan.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The entry's number within its book, as text.
    pub uid: String,
    /// The title people see.
    pub comment: String,
    /// Primary keys, raw.
    pub keys: Vec<String>,
    /// Secondary keys, raw.
    pub secondary_keys: Vec<String>,
    /// How secondary keys decide; `None` is a number nobody knows, which never activates.
    pub logic: Option<SelectiveLogic>,
    /// Whether secondary keys are looked at.
    pub selective: bool,
    /// The text, without decorator lines.
    pub content: String,
    /// What decorator lines at the head of the content ask for.
    pub decorators: Vec<String>,
    /// Switched off by the author.
    pub disabled: bool,
    /// Active without keys.
    pub constant: bool,
    /// Meant for activation by similarity.
    pub vectorized: bool,
    /// The place in its position, and in the scan. A missing order counts as 100.
    pub order: f64,
    /// Where the text goes.
    pub position: Position,
    /// The depth for [`Position::AtDepth`].
    pub depth: Depth,
    /// The role for [`Position::AtDepth`]: 0 system, 1 user, 2 assistant.
    pub role: f64,
    /// The name for [`Position::Outlet`].
    pub outlet: String,
    /// Stays active when the budget is spent.
    pub ignore_budget: bool,
    /// Cannot be activated by other entries' texts.
    pub exclude_recursion: bool,
    /// Its text activates nothing.
    pub prevent_recursion: bool,
    /// Only activated from this recursion level on.
    pub delay_until_recursion: Option<f64>,
    /// Which texts besides messages are scanned for it.
    pub sources: SourceSet,
    /// Chance in percent; NaN when missing.
    pub probability: f64,
    /// Whether the chance is rolled at all.
    pub use_probability: bool,
    /// Inclusion groups, comma separated, as written.
    pub group: String,
    /// Wins its group by order instead of by weight.
    pub group_override: bool,
    /// Weight in its group's roll.
    pub group_weight: f64,
    /// Own scan depth.
    pub scan_depth: Option<f64>,
    /// Own case rule.
    pub case_sensitive: Option<bool>,
    /// Own whole-word rule.
    pub match_whole_words: Option<bool>,
    /// Own group scoring rule.
    pub group_scoring: Option<bool>,
    /// Stays active for this many messages.
    pub sticky: Option<f64>,
    /// Rests for this many messages after activation.
    pub cooldown: Option<f64>,
    /// Not active before the chat has this many messages.
    pub delay: Option<f64>,
    /// Which characters it is for.
    pub filter: CharacterFilter,
    /// Which generation types it is for; empty is all.
    pub triggers: Vec<String>,
    raw: Object,
}

impl Entry {
    /// Reads an entry from a world file's object. Nothing is refused: a missing field has no effect.
    ///
    /// ```
    /// use tavernkit_sillytavern::lore::Entry;
    /// let object = serde_json::json!({"uid": 3, "key": ["rope"], "content": "@@activate\nA rope."});
    /// let entry = Entry::read(object.as_object().unwrap());
    /// assert_eq!((entry.uid.as_str(), entry.content.as_str()), ("3", "A rope."));
    /// assert_eq!(entry.decorators, ["@@activate"]);
    /// ```
    pub fn read(raw: &Object) -> Self {
        let flag = |name: &str| json::truthy(raw.get(name));
        let own_rule = |name: &str| json::present(raw.get(name)).map(|value| json::truthy(Some(value)));
        let text = |name: &str| if flag(name) { json::text(raw.get(name)) } else { String::new() };
        let (decorators, content) = split_decorators(&text("content"));
        let order = json::number(raw.get("order"));
        Self {
            uid: json::text(raw.get("uid")),
            comment: text("comment"),
            keys: json::texts(raw.get("key")),
            secondary_keys: json::texts(raw.get("keysecondary")),
            logic: SelectiveLogic::read(raw),
            selective: flag("selective"),
            content,
            decorators,
            disabled: flag("disable"),
            constant: flag("constant"),
            vectorized: flag("vectorized"),
            order: if order.is_nan() { 100.0 } else { order },
            position: Position::read(raw),
            depth: Depth::read(raw),
            role: json::present(raw.get("role")).map_or(0.0, |role| json::number(Some(role))),
            outlet: text("outletName"),
            ignore_budget: flag("ignoreBudget"),
            exclude_recursion: flag("excludeRecursion"),
            prevent_recursion: flag("preventRecursion"),
            delay_until_recursion: json::truthy_number(raw.get("delayUntilRecursion")),
            sources: SourceSet::read(raw),
            probability: json::number(raw.get("probability")),
            use_probability: flag("useProbability"),
            group: text("group"),
            group_override: flag("groupOverride"),
            group_weight: json::present(raw.get("groupWeight")).map_or(100.0, |w| json::number(Some(w))),
            scan_depth: json::present(raw.get("scanDepth")).map(|depth| json::number(Some(depth))),
            case_sensitive: own_rule("caseSensitive"),
            match_whole_words: own_rule("matchWholeWords"),
            group_scoring: own_rule("useGroupScoring"),
            sticky: json::truthy_number(raw.get("sticky")),
            cooldown: json::truthy_number(raw.get("cooldown")),
            delay: json::truthy_number(raw.get("delay")),
            filter: CharacterFilter::read(raw),
            triggers: json::texts(raw.get("triggers")),
            raw: raw.clone(),
        }
    }

    /// The object from the file.
    pub fn raw(&self) -> &Object {
        &self.raw
    }

    /// Whether a decorator forces the entry.
    pub fn forced_by_decorator(&self) -> bool {
        self.decorators.iter().any(|d| d == "@@activate")
    }

    /// Whether a decorator suppresses the entry.
    pub fn stopped_by_decorator(&self) -> bool {
        self.decorators.iter().any(|d| d == "@@dont_activate")
    }

    /// The names of its inclusion groups.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        // A comma swallows the white space after it; white space before it belongs to the name.
        self.group
            .split(',')
            .enumerate()
            .map(
                |(i, name)| {
                    if i == 0 { name } else { name.trim_start_matches(tavernkit_core::number::is_js_space) }
                },
            )
            .filter(|name| !name.is_empty())
    }

    /// The hash SillyTavern names this entry by in its timed effects, for the book `world`.
    pub fn hash(&self, world: &str) -> u64 {
        use serde_json::Value;
        let mut out = String::from("{");
        // Integer-like names would come first in JavaScript; no world file has any.
        if let Some(uid) = self.raw.get("uid") {
            json::stringify_property("uid", uid, &mut out);
            out.push(',');
        }
        json::stringify_property("world", &Value::from(world), &mut out);
        for (name, value) in &self.raw {
            match name.as_str() {
                "uid" | "world" | "decorators" => continue,
                "content" => {
                    out.push(',');
                    json::stringify_property(name, &Value::from(self.content.as_str()), &mut out);
                }
                _ => {
                    out.push(',');
                    json::stringify_property(name, value, &mut out);
                }
            }
        }
        out.push(',');
        json::stringify_property("decorators", &Value::from(self.decorators.clone()), &mut out);
        out.push('}');
        tavernkit_js::hash::string_hash(&out)
    }
}

/// Splits decorator lines from the head of a content.
fn split_decorators(content: &str) -> (Vec<String>, String) {
    if !content.starts_with("@@") {
        return (Vec::new(), content.to_owned());
    }
    let mut found = Vec::new();
    // A line with three signs stands in for an unknown line before it.
    let mut fallback = false;
    let mut rest = content;
    loop {
        if !rest.starts_with("@@") {
            return (found, rest.to_owned());
        }
        let (line, tail) = rest.split_once('\n').unwrap_or((rest, ""));
        if fallback || !line.starts_with("@@@") {
            let line = if line.starts_with("@@@") { &line[1..] } else { line };
            let known = line.starts_with("@@activate") || line.starts_with("@@dont_activate");
            if known {
                found.push(line.to_owned());
            }
            fallback = !known;
        }
        if rest.len() == line.len() {
            // Nothing but decorators: they stay in the text.
            return (found, content.to_owned());
        }
        rest = tail;
    }
}

/// How secondary keys decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SelectiveLogic {
    /// One hit is enough.
    AndAny,
    /// One miss is enough.
    NotAll,
    /// No hit at all.
    NotAny,
    /// Only hits.
    AndAll,
}

impl SelectiveLogic {
    fn read(raw: &Object) -> Option<Self> {
        let Some(value) = json::present(raw.get("selectiveLogic")) else { return Some(Self::AndAny) };
        match json::number(Some(value)) {
            0.0 => Some(Self::AndAny),
            1.0 => Some(Self::NotAll),
            2.0 => Some(Self::NotAny),
            3.0 => Some(Self::AndAll),
            _ => None,
        }
    }

    /// Whether the logic looks for the absence of keys.
    pub fn is_negative(self) -> bool {
        matches!(self, Self::NotAll | Self::NotAny)
    }
}

/// Where an entry's text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    /// Before the character's definition.
    Before,
    /// After the character's definition.
    After,
    /// Above the author's note.
    NoteTop,
    /// Below the author's note.
    NoteBottom,
    /// In the chat at a depth.
    AtDepth,
    /// Before the example messages.
    ExamplesTop,
    /// After the example messages.
    ExamplesBottom,
    /// Wherever the outlet of that name stands.
    Outlet,
    /// A number nobody knows: the text is placed nowhere.
    Unknown,
}

impl Position {
    fn read(raw: &Object) -> Self {
        let Some(serde_json::Value::Number(number)) = raw.get("position") else { return Self::Unknown };
        match number.as_f64() {
            Some(0.0) => Self::Before,
            Some(1.0) => Self::After,
            Some(2.0) => Self::NoteTop,
            Some(3.0) => Self::NoteBottom,
            Some(4.0) => Self::AtDepth,
            Some(5.0) => Self::ExamplesTop,
            Some(6.0) => Self::ExamplesBottom,
            Some(7.0) => Self::Outlet,
            _ => Self::Unknown,
        }
    }
}

/// The depth of an at-depth entry, as the file has it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// A number.
    At(f64),
    /// `null`: the text lands at depth 0, and the last such text wins.
    Null,
    /// No depth at all: the text is never injected.
    Missing,
}

impl Depth {
    fn read(raw: &Object) -> Self {
        match raw.get("depth") {
            None => Self::Missing,
            Some(serde_json::Value::Null) => Self::Null,
            value => Self::At(json::number(value)),
        }
    }

    /// The depth that grouping and regex scripts see.
    pub fn or_default(self) -> f64 {
        match self {
            Self::At(depth) => depth,
            Self::Null | Self::Missing => 4.0,
        }
    }
}

/// A text besides the messages that an entry may ask to be scanned for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The persona's description.
    PersonaDescription,
    /// The character's description.
    CharacterDescription,
    /// The character's personality.
    CharacterPersonality,
    /// The character's depth prompt.
    CharacterDepthPrompt,
    /// The scenario.
    Scenario,
    /// The creator's notes.
    CreatorNotes,
}

impl Source {
    /// All sources, in the order in which they are scanned.
    pub const ALL: [Source; 6] = [
        Source::PersonaDescription,
        Source::CharacterDescription,
        Source::CharacterPersonality,
        Source::CharacterDepthPrompt,
        Source::Scenario,
        Source::CreatorNotes,
    ];

    fn field(self) -> &'static str {
        match self {
            Source::PersonaDescription => "matchPersonaDescription",
            Source::CharacterDescription => "matchCharacterDescription",
            Source::CharacterPersonality => "matchCharacterPersonality",
            Source::CharacterDepthPrompt => "matchCharacterDepthPrompt",
            Source::Scenario => "matchScenario",
            Source::CreatorNotes => "matchCreatorNotes",
        }
    }
}

/// A set of [`Source`]s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct SourceSet(pub(crate) u8);

impl SourceSet {
    fn read(raw: &Object) -> Self {
        let asked = Source::ALL.iter().filter(|source| json::truthy(raw.get(source.field())));
        Self(asked.fold(0, |set, source| set | 1 << *source as u8))
    }

    /// Whether the set has the source.
    pub fn contains(self, source: Source) -> bool {
        self.0 & 1 << source as u8 != 0
    }
}

/// Which characters an entry is for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CharacterFilter {
    /// The lists name who it is *not* for.
    pub exclude: bool,
    /// Avatar file names without extension.
    pub names: Vec<String>,
    /// Tag ids.
    pub tags: Vec<String>,
}

impl CharacterFilter {
    fn read(raw: &Object) -> Self {
        let Some(filter) = raw.get("characterFilter").and_then(|f| f.as_object()) else {
            return Self::default();
        };
        Self {
            exclude: json::truthy(filter.get("isExclude")),
            names: json::texts(filter.get("names")),
            tags: json::texts(filter.get("tags")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entry(value: serde_json::Value) -> Entry {
        Entry::read(value.as_object().unwrap())
    }

    #[test]
    fn decorators_leave_the_content_and_triple_signs_are_fallbacks() {
        let split = |text| split_decorators(text);
        let some = |names: &[&str], rest: &str| {
            (names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>(), rest.to_owned())
        };
        assert_eq!(split("@@activate\nA"), some(&["@@activate"], "A"));
        assert_eq!(split("@@unknown\nC"), some(&[], "C"));
        assert_eq!(split("@@@activate\nD"), some(&[], "D"));
        assert_eq!(split("@@unknown\n@@@activate\nE\nF"), some(&["@@activate"], "E\nF"));
        assert_eq!(split("text\n@@activate"), some(&[], "text\n@@activate"));
        assert_eq!(split("@@activate"), some(&["@@activate"], "@@activate"));
        assert_eq!(split("@@activate\n"), some(&["@@activate"], ""));
        // A trailing character makes a decorator ineffective.
        assert!(!entry(json!({"content": "@@activate\r\nA"})).forced_by_decorator());
    }

    #[test]
    fn the_hash_is_the_recorded_one() {
        // From the recorded case w081: every field of the template, the uid last.
        let template = include_str!("../../tests/lore_support/entry-template.json");
        let mut object: serde_json::Value = serde_json::from_str(template).unwrap();
        object["key"] = json!(["bell"]);
        object["content"] = json!("s5");
        object["sticky"] = json!(5);
        object["uid"] = json!(0);
        assert_eq!(entry(object).hash("B"), 4321945275024729);
    }

    #[test]
    fn groups_split_at_commas() {
        let groups =
            |text: &str| entry(json!({"group": text})).groups().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(groups("a,  b ,,c"), ["a", "b ", "c"]);
        assert!(groups("").is_empty());
    }

    #[test]
    fn loose_fields_are_read_loosely() {
        let odd = entry(
            json!({"delayUntilRecursion": true, "sticky": 0, "cooldown": "3", "depth": null, "position": "4"}),
        );
        assert_eq!((odd.delay_until_recursion, odd.sticky, odd.cooldown), (Some(1.0), None, Some(3.0)));
        assert_eq!((odd.depth, odd.position), (Depth::Null, Position::Unknown));
        assert_eq!(entry(json!({})).depth, Depth::Missing);
    }
}
