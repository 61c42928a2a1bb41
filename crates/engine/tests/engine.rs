//! The engine from the outside: scenes, assets, builds, lore.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tavernkit_core::{Exactness, Strictness};
use tavernkit_engine::scene::{Format, parse};
use tavernkit_engine::{
    AssetReader, BuildRequest, BuildResult, Engine, EngineError, NoAssets, request_schema,
};
use tavernkit_sillytavern::lore::{Gate, Verdict};

/// Assets in memory.
#[derive(Default)]
struct Memory(HashMap<&'static str, &'static str>);

impl AssetReader for Memory {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.0.get(path).map(|text| text.as_bytes().to_vec()).ok_or_else(|| "no such file".to_owned())
    }
}

/// The sample scenes.
struct Samples;

impl AssetReader for Samples {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/lantern");
        fs::read(folder.join(path)).map_err(|error| error.to_string())
    }
}

fn build(request: BuildRequest) -> Result<BuildResult, EngineError> {
    Engine::new().build(request.resolve(&NoAssets)?)
}

#[test]
fn the_three_formats_say_the_same() {
    let json = r#"{"message": "hi", "now": "2026-05-01T18:30:00+02:00", "trim": {"max_tokens": 10}, "history": [{"role": "user", "content": "a"}]}"#;
    let yaml = "message: hi\nnow: 2026-05-01T18:30:00+02:00\ntrim:\n  max_tokens: 10\nhistory:\n  - role: user\n    content: a\n";
    let toml = "message = 'hi'\nnow = '2026-05-01T18:30:00+02:00'\ntrim = { max_tokens = 10 }\nhistory = [{ role = 'user', content = 'a' }]\n";
    let wanted = parse(json, Format::Json).unwrap();
    assert_eq!(parse(yaml, Format::Yaml).unwrap(), wanted);
    assert_eq!(parse(toml, Format::Toml).unwrap(), wanted);
    let resolved = wanted.resolve(&NoAssets).unwrap();
    assert_eq!((resolved.now.unix_ms, resolved.now.utc_offset_minutes), (1_777_653_000_000, 120));
}

#[test]
fn a_request_survives_json_and_an_empty_scene_is_a_request() {
    let request = BuildRequest { message: "hi".into(), ..BuildRequest::default() };
    let text = serde_json::to_string(&request).unwrap();
    assert_eq!(parse(&text, Format::Json).unwrap(), request);
    assert_eq!(parse("", Format::Yaml).unwrap(), BuildRequest::default());
    assert!(build(BuildRequest::default()).unwrap().plan.blocks.is_empty());
    assert_eq!(request_schema()["additionalProperties"], false);
}

#[test]
fn assets_are_read_by_path_and_errors_name_field_and_path() {
    let chat = "{\"user_name\":\"Ilse\",\"character_name\":\"Bram\",\"chat_metadata\":{}}\n\
                {\"name\":\"Bram\",\"is_user\":false,\"mes\":\"from a chat\"}\n\
                {\"name\":\"Bram\",\"is_system\":true,\"mes\":\"hidden\"}\n";
    let memory = Memory(HashMap::from([
        ("chat.json", r#"[{"role": "user", "content": "from a list"}]"#),
        ("chat.jsonl", chat),
        ("vars.json", r#"{"local": {"gold": 3}}"#),
        ("broken.json", "{\"local\": "),
    ]));
    let read = |scene: &str| parse(scene, Format::Yaml).unwrap().resolve(&memory);
    let resolved = read("history: chat.jsonl\nvariables: vars.json").unwrap();
    assert_eq!(resolved.history.len(), 1, "hidden messages are not sent");
    assert_eq!(
        (resolved.history[0].content.as_ref(), resolved.history[0].name.as_deref()),
        ("from a chat", Some("Bram"))
    );
    assert_eq!(serde_json::to_value(&resolved.variables).unwrap()["local"], json!({"gold": 3}));
    assert_eq!(read("history: chat.json").unwrap().history[0].content.as_ref(), "from a list");
    let message = |scene: &str| read(scene).err().unwrap().to_string();
    assert_eq!(message("history: gone.json"), "field `history`: cannot read `gone.json`: no such file");
    assert!(
        message("variables: broken.json")
            .starts_with("field `variables`: cannot read `broken.json`: EOF while parsing")
    );
    assert!(message("character: broken.json").starts_with("field `character`: cannot read `broken.json`: "));
    assert_eq!(
        parse("history: x.json", Format::Yaml).unwrap().resolve(&NoAssets).err().unwrap().to_string(),
        "field `history`: cannot read `x.json`: this build takes no files; put the data inline"
    );
}

#[test]
fn the_tokenizer_is_the_models_or_the_one_named_and_says_if_it_guesses() {
    let tokens = |scene: &str| build(parse(scene, Format::Yaml).unwrap()).unwrap().tokens;
    let exact = tokens("message: hello there\nmodel: gpt-4o");
    assert_eq!((exact.tokenizer.as_str(), exact.exactness, exact.total), ("o200k_base", Exactness::Exact, 2));
    let guess = tokens("message: hello there\nmodel: claude-sonnet-4-5");
    assert_eq!(guess.exactness, Exactness::Estimate);
    assert!(guess.why.unwrap().contains("not published"));
    assert_eq!(tokens("message: hello there\ntokenizer: cl100k_base").tokenizer, "cl100k_base");
}

#[test]
fn what_a_platform_does_not_use_is_said() {
    let scene = "message: hi\npersona: {name: Ilse}\nlorebooks: [{book: {entries: {}}}]";
    let result = build(parse(scene, Format::Yaml).unwrap()).unwrap();
    let messages: Vec<_> = result.warnings().map(|w| w.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "platform vibetavern does not use `persona`; it was left out",
            "platform vibetavern does not use `lorebooks`; it was left out"
        ]
    );
    let strict = BuildRequest { strictness: Strictness::Strict, ..parse(scene, Format::Yaml).unwrap() };
    assert!(
        build(strict).err().unwrap().to_string().starts_with("strict mode: [engine.field_without_effect]")
    );
}

#[test]
fn builds_are_deterministic_and_traces_have_the_times_they_are_given() {
    let request = || parse("message: hi\ntrace: true", Format::Yaml).unwrap().resolve(&NoAssets).unwrap();
    let engine = Engine::new();
    let first = serde_json::to_string(&engine.build(request()).unwrap()).unwrap();
    assert_eq!(serde_json::to_string(&engine.build(request()).unwrap()).unwrap(), first);
    let mut ticks = 0;
    let clock = || {
        ticks += 1;
        Duration::from_millis(ticks)
    };
    let trace = engine.build_timed(request(), clock).unwrap().plan.trace.unwrap();
    assert!(trace.stages.iter().all(|stage| stage.duration == Duration::from_millis(2)), "{trace:?}");
}

#[test]
fn lore_is_explained_entry_by_entry() {
    let scene =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/lantern/scene.yaml"))
            .unwrap();
    let request = parse(&scene, Format::Yaml).unwrap().resolve(&Samples).unwrap();
    let result = Engine::new().explain_lore(&request).unwrap();
    let verdict = |title: &str| &result.reasons.iter().find(|report| report.title == title).unwrap().verdict;
    for active in ["The salt road", "The top room"] {
        assert!(matches!(verdict(active), Verdict::Active { .. }), "{active}: {:?}", verdict(active));
    }
    assert!(matches!(verdict("The drowned chapel"), Verdict::Stopped { gate: Gate::Disabled, .. }));
    assert_eq!(result.reasons.len(), 10, "every entry has its reason");
    let again = Engine::new().explain_lore(&request).unwrap();
    assert_eq!(serde_json::to_string(&again).unwrap(), serde_json::to_string(&result).unwrap());

    let build = Engine::new().build(request).err().unwrap();
    assert!(build.to_string().starts_with("field `platform`: whole SillyTavern prompts cannot be built yet"));
    let plain = parse("message: hi", Format::Yaml).unwrap().resolve(&NoAssets).unwrap();
    let error = Engine::new().explain_lore(&plain).err().unwrap();
    assert_eq!(
        error.to_string(),
        "field `platform`: only SillyTavern scenes have lore to explain; write `platform: sillytavern`"
    );
}

#[test]
fn timed_effects_that_cannot_be_read_are_said() {
    let chat = "{\"user_name\":\"Ilse\",\"character_name\":\"Bram\",\"chat_metadata\":{\"timedWorldInfo\":7}}\n\
                {\"name\":\"Bram\",\"is_user\":false,\"mes\":\"hello\"}\n";
    let memory = Memory(HashMap::from([("chat.jsonl", chat)]));
    let scene = "platform: sillytavern\nhistory: chat.jsonl";
    let request = parse(scene, Format::Yaml).unwrap().resolve(&memory).unwrap();
    let result = Engine::new().explain_lore(&request).unwrap();
    let told = result.warnings.iter().find(|warning| warning.code == "lore.timed_effects").unwrap();
    assert!(told.message.starts_with("the chat's timed effects cannot be read ("), "{told}");
}
