//! `world-info.json`: books and messages, and what a scan makes of them.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value, json};
use tavernkit_core::{RandomSource, Variables};
use tavernkit_formats::regex_script::RegexScript;
use tavernkit_js::random::Mulberry32;
use tavernkit_sillytavern::lore::*;
use tavernkit_sillytavern::macros::{Engine, EngineKind, Environment};
use tavernkit_sillytavern::regex_scripts::{Origin, ScriptSet};
use tavernkit_tokens::Tokenizers;

use crate::suites::Outcome;

/// The fields of an entry that a case does not name, in the recorder's order.
const TEMPLATE: &str = include_str!("world-info-entry.json");

/// Chat completion counts every text as a message without a role.
pub(super) const TOKENS_PER_TEXT: usize = 6;

pub(super) fn run(_: &Value, case: &Value) -> Outcome {
    answer(case).unwrap_or_else(|problem| Outcome::Failed(problem.into()))
}

fn answer(case: &Value) -> Result<Outcome, &'static str> {
    let settings: LoreSettings = match case.get("settings") {
        Some(settings) => {
            serde_json::from_value(settings.clone()).map_err(|_| "the settings cannot be read")?
        }
        None => LoreSettings::default(),
    };
    let compile = |(kind, book): (SourceKind, Book)| {
        (kind, Arc::new(CompiledBook::compile(book, settings.key_rules())))
    };
    let set = LoreSet::new(books(case)?.into_iter().map(compile).collect(), settings.strategy);
    let forced = forced(case)?;
    let scripts = scripts(case)?;
    let world = World::of(case);
    let tags = texts(&case["tags_map"]);
    let mut variables = variables(case);
    let mut cache = LoreCache::default();
    let stored = case["metadata"]["timedWorldInfo"].clone();
    let mut timed: TimedEffects = serde_json::from_value(stored).unwrap_or_default();
    let turns = case["turns"].as_array().cloned().unwrap_or_else(|| vec![json!({})]);
    let mut runs = Vec::new();
    for (i, turn) in turns.iter().enumerate() {
        let or_case = |name: &str| turn.get(name).or(case.get(name)).unwrap_or(&Value::Null);
        let messages = texts(or_case("messages"));
        let messages: Vec<ScanMessage<'_>> =
            messages.iter().rev().map(|text| ScanMessage { name: None, text }).collect();
        let mut random = Recorded(Mulberry32::new(or_case("seed").as_i64().unwrap_or(1) as u32), Vec::new());
        let counter = tokenizers().for_model("gpt-4o").into_counter();
        let mut host =
            EngineHost::new(&world.engine, &world.environment, &mut variables, &mut random, &*counter);
        host.tokens_per_text = TOKENS_PER_TEXT;
        host.scripts = Some(&scripts);
        let injected: Vec<String> = scanned_prompts(case).map(|text| host.expand(text)).collect();
        let injected: Vec<&str> = injected.iter().map(String::as_str).collect();
        let input = ScanInput {
            messages: &messages,
            sources: world.sources(case),
            injected: &injected,
            trigger: or_case("trigger").as_str().unwrap_or("normal"),
            character: Some(FilterCharacter { file_name: &world.character, tags: &tags }),
            max_prompt: or_case("max_context").as_f64().unwrap_or(4096.0),
            run: if *or_case("dry_run") == true { RunKind::Dry } else { RunKind::Real },
            timed: Some(&timed),
            // Forced entries are used up by the first scan.
            forced: if i == 0 { &forced } else { &[] },
            detail: Detail::Sweeps,
        };
        let result = set.scan(&settings, &input, &mut host, &mut cache);
        let mut recorded = as_recorded(&result);
        recorded["rng"] = json!(random.1);
        if let Some(note) = case.get("authors_note") {
            let text = note["prompt"].as_str().unwrap_or_default();
            recorded["an_value"] =
                if note["interval"] == 1 { json!(result.wrap_note(text)) } else { json!("") };
        }
        runs.push(recorded);
        timed = result.timed;
    }
    Ok(Outcome::compare(&json!({ "runs": runs }), &case["expected"]))
}

/// The tokenizers. Vocabularies are large, so they serve all cases.
pub(super) fn tokenizers() -> &'static Tokenizers {
    static TOKENIZERS: OnceLock<Tokenizers> = OnceLock::new();
    TOKENIZERS.get_or_init(Tokenizers::new)
}

/// Names, card and macro engine of a case.
struct World<'c> {
    engine: Engine,
    environment: Environment<'c>,
    character: String,
}

impl<'c> World<'c> {
    fn of(case: &'c Value) -> Self {
        let character = case["characters"][0]["name"].as_str().unwrap_or("Bram");
        let user = case["persona"]["name"].as_str().unwrap_or("Ilse");
        let kind = if case["engine"] == "legacy" { EngineKind::Legacy } else { EngineKind::V2 };
        Self {
            engine: Engine::new(kind),
            environment: Environment::named(user, character),
            character: character.to_owned(),
        }
    }

    fn sources(&self, case: &'c Value) -> ScanSources<'c> {
        let field = |name: &str| case["characters"][0][name].as_str().unwrap_or_default();
        ScanSources {
            persona_description: case["persona"]["description"].as_str().unwrap_or_default(),
            character_description: field("description"),
            character_personality: field("personality"),
            character_depth_prompt: field("depth_prompt"),
            scenario: field("scenario"),
            creator_notes: field("creator_notes"),
        }
    }
}

/// Chance that remembers what it gave.
struct Recorded(Mulberry32, Vec<f64>);

impl RandomSource for Recorded {
    fn next_f64(&mut self) -> f64 {
        let value = self.0.next_f64();
        self.1.push(value);
        value
    }
}

fn full_entry(own: &Value) -> Result<Map<String, Value>, &'static str> {
    let mut entry: Map<String, Value> =
        serde_json::from_str(TEMPLATE).map_err(|_| "the template is broken")?;
    let own = own.as_object().ok_or("an entry is no object")?;
    entry.extend(own.iter().map(|(name, value)| (name.clone(), value.clone())));
    Ok(entry)
}

/// A book of a case: a list of entries, each completed with what the recorder filled in.
pub(super) fn book(name: &str, list: &Value) -> Result<Book, &'static str> {
    let mut entries = Map::new();
    for entry in list.as_array().into_iter().flatten() {
        entries.insert(entry["uid"].to_string(), Value::Object(full_entry(entry)?));
    }
    Ok(Book::read(name, &json!({ "entries": entries })).0)
}

fn books(case: &Value) -> Result<Vec<(SourceKind, Book)>, &'static str> {
    let worlds = case["worlds"].as_object().ok_or("the case has no worlds")?;
    let links = match case.get("links") {
        Some(links) => serde_json::from_value(links.clone()).map_err(|_| "the links cannot be read")?,
        None => BookLinks { global: worlds.keys().cloned().collect(), ..Default::default() },
    };
    let mut books = Vec::new();
    for (kind, name) in links.resolve() {
        books.push((kind, book(name, worlds.get(name).unwrap_or(&Value::Null))?));
    }
    Ok(books)
}

fn forced(case: &Value) -> Result<Vec<ForcedEntry>, &'static str> {
    let mut forced = Vec::new();
    for want in case["force_activate"].as_array().into_iter().flatten() {
        let world = want["world"].as_str().ok_or("a forced entry has no world")?;
        let entries = case["worlds"][world].as_array().ok_or("a forced entry's world is missing")?;
        let own = entries.iter().find(|e| e["uid"] == want["uid"]).ok_or("a forced entry is missing")?;
        let mut entry = full_entry(own)?;
        entry.extend(
            want.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())),
        );
        let replacement = Some(Box::new(Entry::read(&entry)));
        forced.push(ForcedEntry { world: world.to_owned(), uid: want["uid"].to_string(), replacement });
    }
    Ok(forced)
}

fn scripts(case: &Value) -> Result<ScriptSet, &'static str> {
    let mut set = ScriptSet::default();
    set.add(Origin::Global, &script_list(&case["regex"]["global"])?);
    Ok(set)
}

/// The regex scripts of a list.
pub(super) fn script_list(list: &Value) -> Result<Vec<RegexScript>, &'static str> {
    let read = |script: &Value| serde_json::from_value(script.clone()).map_err(|_| "a script is no object");
    list.as_array().into_iter().flatten().map(read).collect()
}

fn variables(case: &Value) -> Variables {
    let map = |scope: &str| {
        let values = case["variables"][scope].as_object().into_iter().flatten();
        values.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    Variables::new(map("local"), map("global"))
}

/// The injected texts that ask to be scanned, in order of registration.
fn scanned_prompts(case: &Value) -> impl Iterator<Item = &str> {
    let prompts = case["extension_prompts"].as_array().into_iter().flatten();
    prompts.filter(|prompt| prompt["scan"] == true).filter_map(|prompt| prompt["value"].as_str())
}

pub(super) fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.map(|item| item.as_str().unwrap_or_default().to_owned()).collect()
}

/// The result in the shape of the recording.
fn as_recorded(result: &LoreResult) -> Value {
    let texts = |list: &[LoreText]| json!(list.iter().map(|text| text.text.clone()).collect::<Vec<_>>());
    let depth = |depth: Depth| match depth {
        Depth::At(depth) => json!(depth),
        Depth::Null | Depth::Missing => Value::Null,
    };
    let outlets: Map<String, Value> =
        result.outlets.iter().map(|(name, list)| (name.clone(), texts(list))).collect();
    let activated = result.activated.iter().map(|a| json!({"world": a.id.world, "uid": uid(&a.id)}));
    let examples = result.examples.iter().map(|example| {
        json!({"position": if example.anchor == Anchor::Before { 0 } else { 1 }, "content": example.text.text})
    });
    let at_depth = result.at_depth.iter().map(
        |group| json!({"depth": depth(group.depth), "entries": texts(&group.texts), "role": group.role}),
    );
    json!({
        "activated": activated.collect::<Vec<_>>(), "before": result.before_text(), "after": result.after_text(),
        "examples": examples.collect::<Vec<_>>(), "depth": at_depth.collect::<Vec<_>>(),
        "an_top": texts(&result.note_top), "an_bottom": texts(&result.note_bottom), "outlets": outlets,
        "scans": sweeps(result), "timed": json!(result.timed),
    })
}

/// An entry's number, as the recorder writes it.
pub(super) fn uid(id: &EntryId) -> Value {
    id.uid.parse::<i64>().map_or(json!(id.uid), |uid| json!(uid))
}

/// The sweeps of a scan in the shape of the recording.
pub(super) fn sweeps(result: &LoreResult) -> Vec<Value> {
    let state = |state: ScanState| match state {
        ScanState::None => 0,
        ScanState::Initial => 1,
        ScanState::Recursion => 2,
        ScanState::MinActivations => 3,
    };
    let ids = |list: &[EntryId]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    let sweep = |(i, sweep): (usize, &Sweep)| {
        json!({"loop": i + 1, "state": state(sweep.state), "next": state(sweep.next), "found": ids(&sweep.found),
            "successful": ids(&sweep.successful), "budget": result.budget.limit, "overflowed": sweep.overflowed})
    };
    result.sweeps.iter().enumerate().map(sweep).collect()
}
