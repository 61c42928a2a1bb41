//! What the tags of the old engine stand for.

use serde_json::Value;
use tavernkit_core::number::is_js_space;
use tavernkit_core::variables::to_text;

use super::super::builtins::choices;
use super::super::env::Cast;
use super::super::eval::Evaluator;
use super::super::options::{CardAccess, DynamicMacro};
use super::super::passes::starts_with_ignoring_case;
use super::super::shorthand::print;

pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(is_js_space)
}

/// Replaces an old name form such as `<USER>`, in any case.
pub(super) fn replace_form(text: &str, form: &str, value: impl FnOnce() -> String) -> String {
    let bytes = text.as_bytes();
    let places: Vec<usize> = memchr::memchr_iter(b'<', bytes)
        .filter(|at| starts_with_ignoring_case(&bytes[*at..], form))
        .collect();
    if places.is_empty() {
        return text.to_owned();
    }
    let value = value();
    let mut out = String::with_capacity(text.len() + value.len());
    let mut copied = 0;
    for at in places {
        out.push_str(&text[copied..at]);
        out.push_str(&value);
        copied = at + form.len();
    }
    out.push_str(&text[copied..]);
    out
}

/// `name::value`, where the name has no colon.
pub(super) fn name_and_value(inside: &str) -> Option<(&str, &str)> {
    let (name, value) = inside.split_once(':')?;
    let value = value.strip_prefix(':')?;
    (!name.is_empty()).then(|| (trim(name), value))
}

/// A counted value: a list prints as JavaScript joins it.
pub(super) fn print_sum(sum: &Value) -> String {
    match sum.as_str().and_then(|text| serde_json::from_str(text).ok()) {
        Some(list @ Value::Array(_)) => to_text(&list),
        _ => print(sum),
    }
}

/// The choices of `{{random:…}}` and `{{pick:…}}`, from what follows the name.
pub(super) fn items(list: &str) -> Option<Vec<String>> {
    let list = list.strip_prefix(is_js_space).unwrap_or(list).strip_prefix(':')?;
    let list = match list.strip_prefix(':') {
        Some(rest) if !rest.is_empty() => rest,
        _ => list,
    };
    if list.is_empty() {
        return None;
    }
    let items = choices(list);
    Some(if list.contains("::") {
        items.collect()
    } else {
        items.map(|item| trim(&item).to_owned()).collect()
    })
}

/// A name of the environment and where its text comes from.
pub(super) struct Entry {
    pub name: String,
    source: Source,
}

enum Source {
    /// A macro of today with the same text.
    Builtin(&'static str),
    NotChar,
    Original,
    Dynamic(DynamicMacro),
}

impl Entry {
    pub(super) fn value(&self, evaluator: &mut Evaluator<'_>) -> String {
        match &self.source {
            Source::Builtin(name) => evaluator.builtin(name, &[]).unwrap_or_default(),
            Source::NotChar => {
                let user = evaluator.builtin("user", &[]).unwrap_or_default();
                let character = evaluator.builtin("char", &[]).unwrap_or_default();
                not_character(&evaluator.env.cast, &user, &character)
            }
            Source::Original => evaluator.take_original().unwrap_or_default(),
            Source::Dynamic(DynamicMacro::Text(text)) => text.clone(),
            Source::Dynamic(DynamicMacro::Function(function)) => function(),
            Source::Dynamic(DynamicMacro::Json(value)) => match value {
                Value::Null => String::new(),
                Value::Array(_) | Value::Object(_) => print(value),
                other => to_text(other),
            },
            // A macro with arguments means nothing to this engine.
            Source::Dynamic(DynamicMacro::Macro(_)) => String::new(),
        }
    }
}

/// Card fields in their order; without access to the card these names mean nothing.
const CARD: [(&str, &str); 13] = [
    ("charPrompt", "charPrompt"),
    ("charInstruction", "charInstruction"),
    ("charJailbreak", "charInstruction"),
    ("description", "description"),
    ("personality", "personality"),
    ("scenario", "scenario"),
    ("persona", "persona"),
    ("mesExamples", "mesExamples"),
    ("mesExamplesRaw", "mesExamplesRaw"),
    ("charVersion", "charVersion"),
    ("char_version", "charVersion"),
    ("charDepthPrompt", "charDepthPrompt"),
    ("creatorNotes", "creatorNotes"),
];

const NAMES: [(&str, &str); 5] = [
    ("user", "user"),
    ("char", "char"),
    ("group", "group"),
    ("charIfNotGroup", "group"),
    ("groupNotMuted", "groupNotMuted"),
];

/// Every name of the environment in the order of its passes.
pub(super) fn environment(evaluator: &Evaluator<'_>) -> Vec<Entry> {
    let entry = |name: &str, source| Entry { name: name.to_owned(), source };
    let mut entries = Vec::new();
    if evaluator.options.original.is_some() {
        entries.push(entry("original", Source::Original));
    }
    if evaluator.options.card == CardAccess::Visible {
        entries.extend(CARD.map(|(name, today)| entry(name, Source::Builtin(today))));
    }
    entries.extend(NAMES.map(|(name, today)| entry(name, Source::Builtin(today))));
    entries.push(entry("notChar", Source::NotChar));
    entries.push(entry("model", Source::Builtin("model")));
    for (name, dynamic) in evaluator.options.dynamic.iter() {
        let new = Source::Dynamic(dynamic.clone());
        match entries.iter_mut().find(|entry| entry.name.eq_ignore_ascii_case(name)) {
            Some(existing) => existing.source = new,
            None => entries.push(entry(name, new)),
        }
    }
    entries
}

/// Everyone but the character, the user included.
fn not_character(cast: &Cast<'_>, user: &str, character: &str) -> String {
    match &cast.group {
        None => user.to_owned(),
        Some(members) => {
            let others = members.iter().map(|member| &*member.name).filter(|name| *name != character);
            others.chain([user]).collect::<Vec<_>>().join(", ")
        }
    }
}
