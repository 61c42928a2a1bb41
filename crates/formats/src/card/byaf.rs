//! BYAF: Backyard's archive, read as a V2 card the way SillyTavern imports it.

use serde_json::{Map, Value, json};
use tavernkit_core::{Warning, number};

use super::asset::Held;
use super::source::Found;
use super::{Card, Container};
use crate::archive::{Archive, normalise};
use crate::{Error, ErrorKind, Limits, Result, json as text};

pub(super) fn read(archive: &mut Archive<'_>, limits: &Limits) -> Result<Found> {
    let mut warnings = std::mem::take(&mut archive.warnings);
    let mut reader = Reader { archive, limits, warnings: &mut warnings };
    let manifest = reader.json("manifest.json")?.unwrap_or_default();
    let characters: Vec<&str> = paths(&manifest, "characters");
    let Some(first) = characters.first() else {
        let message = "the archive's manifest names no character; it is not a whole BYAF file";
        return Err(Error::new(ErrorKind::Missing, message).at_field("manifest.json: characters"));
    };
    if characters.len() > 1 {
        let message = format!("the archive holds {} characters; only the first was read", characters.len());
        reader
            .warnings
            .push(Warning::new("byaf.several_characters", message).at("manifest.json: characters"));
    }
    let Some(character) = reader.json(first)? else {
        let message =
            "the archive's manifest names a character file that is not there; get a whole copy of the file";
        return Err(Error::new(ErrorKind::Missing, message).at_field((*first).to_owned()));
    };
    let scenarios = reader.scenarios(&manifest);
    let mut used = vec!["manifest.json".to_owned(), (*first).to_owned()];
    used.extend(paths(&manifest, "scenarios").into_iter().map(str::to_owned));
    let entries =
        archive.names().filter(|name| !used.iter().any(|used| used == name)).map(str::to_owned).collect();
    let value = card(&manifest, &character, &scenarios).into_value();
    Ok(Found {
        container: Container::Byaf,
        value,
        text: None,
        held: Held { entries, ..Held::default() },
        warnings,
    })
}

struct Reader<'r, 'a> {
    archive: &'r mut Archive<'a>,
    limits: &'r Limits,
    warnings: &'r mut Vec<Warning>,
}

impl Reader<'_, '_> {
    fn json(&mut self, name: &str) -> Result<Option<Value>> {
        let Some(path) = normalise(name) else { return Ok(None) };
        let Some(content) = self.archive.read(&path, self.limits)? else { return Ok(None) };
        let parsed = text::parse(&content, self.limits).map_err(|error| error.at_field(name))?;
        self.warnings.extend(parsed.warnings);
        Ok(Some(parsed.value))
    }

    /// Every scenario that can be read. A broken one costs only itself.
    fn scenarios(&mut self, manifest: &Value) -> Vec<Value> {
        let mut scenarios = Vec::new();
        for path in paths(manifest, "scenarios") {
            let problem = match self.json(path) {
                Ok(Some(scenario)) => {
                    scenarios.push(scenario);
                    continue;
                }
                Ok(None) => "the scenario is not in the archive; it was left out".to_owned(),
                Err(error) => format!("the scenario cannot be read and was left out: {error}"),
            };
            self.warnings.push(Warning::new("byaf.scenario", problem).at(path.to_owned()));
        }
        scenarios
    }
}

fn paths<'v>(manifest: &'v Value, key: &str) -> Vec<&'v str> {
    let list = manifest.get(key).and_then(Value::as_array);
    list.map(|list| list.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

fn card(manifest: &Value, character: &Value, scenarios: &[Value]) -> Card {
    let first = scenarios.first().unwrap_or(&Value::Null);
    let display_name = text_of(character.get("displayName"));
    let author = manifest.get("author").unwrap_or(&Value::Null);
    let name = Some(text_of(character.get("name")))
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| display_name.clone());
    let mut data = Map::new();
    data.insert("name".into(), name.into());
    data.insert("description".into(), macros(character.get("persona")).into());
    data.insert("personality".into(), "".into());
    data.insert("scenario".into(), macros(first.get("narrative")).into());
    data.insert("first_mes".into(), macros(greeting(first)).into());
    data.insert("mes_example".into(), examples(first).into());
    data.insert("creator_notes".into(), text_of(author.get("backyardURL")).into());
    data.insert("system_prompt".into(), macros(first.get("formattingInstructions")).into());
    data.insert("post_history_instructions".into(), "".into());
    data.insert("alternate_greetings".into(), alternate_greetings(scenarios).into());
    if let Some(book) = book(character.get("loreItems")) {
        data.insert("character_book".into(), book);
    }
    let nsfw = character.get("isNSFW") == Some(&Value::Bool(true));
    data.insert("tags".into(), if nsfw { json!(["nsfw"]) } else { json!([]) });
    data.insert("creator".into(), text_of(author.get("name")).into());
    data.insert("character_version".into(), "".into());
    let mut extensions = Map::new();
    if !display_name.is_empty() {
        extensions.insert("display_name".into(), display_name.into());
    }
    // What a card has no field for is kept, so that nothing of the archive is lost.
    extensions
        .insert("byaf".into(), json!({"manifest": manifest, "character": character, "scenarios": scenarios}));
    data.insert("extensions".into(), extensions.into());
    Card::new_v2(data)
}

fn greeting(scenario: &Value) -> Option<&Value> {
    scenario.get("firstMessages")?.get(0)?.get("text")
}

/// The greetings of the other scenarios, each once, without the first scenario's.
fn alternate_greetings(scenarios: &[Value]) -> Vec<String> {
    let first = scenarios.first().and_then(greeting).map(|text| text_of(Some(text)));
    let mut seen = std::collections::HashSet::new();
    let others = scenarios.iter().skip(1).filter_map(greeting).map(|text| text_of(Some(text)));
    others
        .filter(|text| !text.is_empty() && Some(text) != first.as_ref())
        .map(|text| rewrite(&text))
        .filter(|text| seen.insert(text.clone()))
        .collect()
}

fn examples(scenario: &Value) -> String {
    let list = scenario.get("exampleMessages").and_then(Value::as_array);
    let texts =
        list.into_iter().flatten().map(|example| macros(example.get("text"))).filter(|text| !text.is_empty());
    let blocks: String = texts.map(|text| format!("<START>\n{text}\n")).collect();
    blocks.trim_end_matches(number::is_js_space).to_owned()
}

fn book(items: Option<&Value>) -> Option<Value> {
    let items = items?.as_array().filter(|items| !items.is_empty())?;
    let entries = items.iter().enumerate().filter(|(_, item)| !item.is_null()).map(|(index, item)| {
        let keys = macros(item.get("key"));
        let keys: Vec<&str> = keys.split(',').map(|key| key.trim_matches(number::is_js_space)).filter(|key| !key.is_empty()).collect();
        json!({
            "keys": keys, "content": macros(item.get("value")), "extensions": {}, "enabled": true, "insertion_order": index
        })
    });
    Some(json!({"entries": entries.collect::<Vec<_>>(), "extensions": {}}))
}

fn text_of(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null | Value::Bool(false)) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => text::compact(other),
    }
}

fn macros(value: Option<&Value>) -> String {
    rewrite(&text_of(value))
}

/// Backyard's placeholders as SillyTavern's macros: `{user}` and `{character}`, and `#{user}:` at the start of a line.
fn rewrite(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['#', '{']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (length, replacement) = placeholder(rest).unwrap_or((1, &rest[..1]));
        out.push_str(replacement);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

fn placeholder(text: &str) -> Option<(usize, &'static str)> {
    for (pattern, replacement) in [("#{user}:", "{{user}}:"), ("#{character}:", "{{char}}:")] {
        if starts_with_ignoring_case(text, pattern) {
            return Some((pattern.len(), replacement));
        }
    }
    for (pattern, replacement) in [("{character}", "{{char}}"), ("{user}", "{{user}}")] {
        if starts_with_ignoring_case(text, pattern) && !text[pattern.len()..].starts_with('}') {
            return Some((pattern.len(), replacement));
        }
    }
    None
}

fn starts_with_ignoring_case(text: &str, pattern: &str) -> bool {
    text.get(..pattern.len()).is_some_and(|start| start.eq_ignore_ascii_case(pattern))
}
