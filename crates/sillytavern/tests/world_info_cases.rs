//! The recorded world-info cases, against the reference in the tests and against the engine.
#![allow(clippy::unwrap_used, reason = "a test whose input cannot be read must fail")]

mod lore_naive;
mod lore_support;

use std::sync::Arc;

use lore_support::TestHost;
use serde_json::{Map, Value, json};
use tavernkit_js::regex::Regex;
use tavernkit_sillytavern::lore::*;
use tavernkit_tokens::{TokenCounter, Tokenizers};

type Engine = fn(&[(SourceKind, Book)], &LoreSettings, &ScanInput<'_>, &mut dyn LoreHost) -> LoreResult;

/// The fields that a case's entry does not name.
fn template() -> Map<String, Value> {
    serde_json::from_str(include_str!("lore_support/entry-template.json")).unwrap()
}

fn full_entry(own: &Value) -> Map<String, Value> {
    let mut map = template();
    for (name, value) in own.as_object().into_iter().flatten() {
        map.insert(name.clone(), value.clone());
    }
    map
}

fn books(case: &Value) -> Vec<(SourceKind, Book)> {
    let worlds = case["worlds"].as_object().cloned().unwrap_or_default();
    let links = match case.get("links") {
        Some(links) => serde_json::from_value(links.clone()).unwrap(),
        None => BookLinks { global: worlds.keys().cloned().collect(), ..Default::default() },
    };
    let read = |name: &str| {
        let mut entries = Map::new();
        for entry in worlds.get(name)?.as_array()? {
            entries.insert(entry["uid"].to_string(), Value::Object(full_entry(entry)));
        }
        Some(Book::read(name, &json!({ "entries": entries })).0)
    };
    links.resolve().into_iter().filter_map(|(kind, name)| Some((kind, read(name)?))).collect()
}

fn forced(case: &Value) -> Vec<ForcedEntry> {
    let wanted = case["force_activate"].as_array().cloned().unwrap_or_default();
    wanted
        .iter()
        .map(|want| {
            let world = want["world"].as_str().unwrap().to_owned();
            let own =
                case["worlds"][&world].as_array().unwrap().iter().find(|e| e["uid"] == want["uid"]).unwrap();
            let mut entry = full_entry(own);
            for (name, value) in want.as_object().unwrap() {
                entry.insert(name.clone(), value.clone());
            }
            ForcedEntry {
                world,
                uid: want["uid"].to_string(),
                replacement: Some(Box::new(Entry::read(&entry))),
            }
        })
        .collect()
}

fn regex_scripts(case: &Value) -> Vec<(Regex, String)> {
    let scripts = case["regex"]["global"].as_array().cloned().unwrap_or_default();
    let read = |script: &Value| {
        let find = Regex::from_literal(script["findRegex"].as_str().unwrap()).unwrap();
        (find, script["replaceString"].as_str().unwrap().to_owned())
    };
    scripts.iter().map(read).collect()
}

fn run_case(case: &Value, counter: &Arc<dyn TokenCounter>, engine: Engine) -> Result<(), String> {
    let settings: LoreSettings = serde_json::from_value(case.get("settings").cloned().unwrap_or(json!({})))
        .map_err(|e| e.to_string())?;
    let books = books(case);
    let forced = forced(case);
    let character = &case["characters"][0];
    let field = |name: &str| character[name].as_str().unwrap_or_default();
    let tags: Vec<String> =
        case["tags_map"].as_array().into_iter().flatten().map(|t| t.as_str().unwrap().to_owned()).collect();
    let injected: Vec<String> = case["extension_prompts"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|prompt| prompt["scan"] == true)
        .map(|prompt| TestHost::new(0).expand(prompt["value"].as_str().unwrap()))
        .collect();
    let injected: Vec<&str> = injected.iter().map(String::as_str).collect();
    let mut timed: TimedEffects = case["metadata"]
        .get("timedWorldInfo")
        .map(|t| serde_json::from_value(t.clone()).unwrap())
        .unwrap_or_default();
    let turns = case["turns"].as_array().cloned().unwrap_or_else(|| vec![json!({})]);
    let or_case = |turn: &Value, name: &str| turn.get(name).or(case.get(name)).cloned().unwrap_or_default();
    let mut pending = forced.as_slice();
    for (i, turn) in turns.iter().enumerate() {
        let texts = or_case(turn, "messages");
        let texts: Vec<&str> = texts.as_array().unwrap().iter().rev().map(|m| m.as_str().unwrap()).collect();
        let messages: Vec<ScanMessage> = texts.iter().map(|text| ScanMessage { name: None, text }).collect();
        let trigger = or_case(turn, "trigger");
        let seed = or_case(turn, "seed").as_i64().unwrap_or(1) as u32;
        let counter = Some(counter.clone());
        let mut host = TestHost { scripts: regex_scripts(case), counter, ..TestHost::new(seed) };
        let input = ScanInput {
            messages: &messages,
            sources: ScanSources {
                persona_description: case["persona"]["description"].as_str().unwrap_or_default(),
                character_description: field("description"),
                character_personality: field("personality"),
                character_depth_prompt: field("depth_prompt"),
                scenario: field("scenario"),
                creator_notes: field("creator_notes"),
            },
            injected: &injected,
            trigger: trigger.as_str().unwrap_or("normal"),
            character: Some(FilterCharacter {
                file_name: character["name"].as_str().unwrap_or("Bram"),
                tags: &tags,
            }),
            max_prompt: or_case(turn, "max_context").as_f64().unwrap_or(4096.0),
            run: if or_case(turn, "dry_run") == true { RunKind::Dry } else { RunKind::Real },
            timed: Some(&timed),
            forced: pending,
            detail: Detail::Sweeps,
        };
        let result = engine(&books, &settings, &input, &mut host);
        let mut actual = as_recorded(&result);
        actual["rng"] = json!(host.draws);
        let expected = &case["expected"]["runs"][i];
        if let Some(note) = case.get("authors_note") {
            let due = note["interval"] == 1;
            let text = note["prompt"].as_str().unwrap_or_default();
            actual["an_value"] = if due { json!(result.wrap_note(text)) } else { json!("") };
        }
        if actual != *expected {
            return Err(format!("run {i}\n  expected {expected}\n  actual   {actual}"));
        }
        pending = &[];
        timed = result.timed;
    }
    Ok(())
}

/// The result in the shape of the recording.
fn as_recorded(result: &LoreResult) -> Value {
    let uid = |id: &EntryId| id.uid.parse::<i64>().map_or(json!(id.uid), |uid| json!(uid));
    let texts = |list: &[LoreText]| json!(list.iter().map(|t| t.text.clone()).collect::<Vec<_>>());
    let number = |n: f64| if n.fract() == 0.0 { json!(n as i64) } else { json!(n) };
    let depth = |depth: Depth| match depth {
        Depth::At(depth) => number(depth),
        _ => Value::Null,
    };
    let state = |state: ScanState| match state {
        ScanState::None => 0,
        ScanState::Initial => 1,
        ScanState::Recursion => 2,
        ScanState::MinActivations => 3,
    };
    let ids = |list: &[EntryId]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    let outlets: Map<String, Value> = result.outlets.iter().map(|(k, v)| (k.clone(), texts(v))).collect();
    let examples = result
        .examples
        .iter()
        .map(|e| json!({"position": if e.anchor == Anchor::Before { 0 } else { 1 }, "content": e.text.text}));
    let at_depth = result
        .at_depth
        .iter()
        .map(|g| json!({"depth": depth(g.depth), "entries": texts(&g.texts), "role": number(g.role)}));
    let scans = result.sweeps.iter().enumerate().map(|(i, sweep)| {
        json!({"loop": i + 1, "state": state(sweep.state), "next": state(sweep.next), "found": ids(&sweep.found),
            "successful": ids(&sweep.successful), "budget": number(result.budget.limit), "overflowed": sweep.overflowed})
    });
    json!({
        "activated": result.activated.iter().map(|a| json!({"world": a.id.world, "uid": uid(&a.id)})).collect::<Vec<_>>(),
        "before": result.before_text(), "after": result.after_text(),
        "examples": examples.collect::<Vec<_>>(), "depth": at_depth.collect::<Vec<_>>(),
        "an_top": texts(&result.note_top), "an_bottom": texts(&result.note_bottom), "outlets": outlets,
        "scans": scans.collect::<Vec<_>>(), "timed": serde_json::to_value(&result.timed).unwrap(),
    })
}

fn run_all(engine: Engine) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/sillytavern/world-info.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() >= 70);
    let counter = Tokenizers::new().for_model("gpt-4o").into_counter();
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| run_case(case, &counter, engine).err().map(|why| format!("{}: {why}", case["id"])))
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {} cases fail:\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}

#[test]
fn the_reference_agrees_with_the_recording() {
    run_all(lore_naive::scan);
}

/// The engine, with everything compiled for this one scan.
fn engine(
    books: &[(SourceKind, Book)],
    settings: &LoreSettings,
    input: &ScanInput<'_>,
    host: &mut dyn LoreHost,
) -> LoreResult {
    let compile = |book: &Book| Arc::new(CompiledBook::compile(book.clone(), settings.key_rules()));
    let books = books.iter().map(|(kind, book)| (*kind, compile(book))).collect();
    LoreSet::new(books, settings.strategy).scan(settings, input, host, &mut LoreCache::default())
}

#[test]
fn the_engine_agrees_with_the_recording() {
    run_all(engine);
}
