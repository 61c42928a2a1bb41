//! The command from the outside: output, exit codes, error texts.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn tavern(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tavern"))
        .args(arguments)
        .current_dir(root())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn scene(folder: &tempfile::TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn build_shows_messages_with_tokens_and_sources() {
    let output = tavern(&["build", "samples/inn/scene.yaml", "--stages"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("Vibetavern for openai: 5 messages, 127 tokens (o200k_base)\n"), "{text}");
    assert!(text.contains("\nassistant Maren  31 tokens · history#1\nBoots on the mat"), "{text}");
    assert!(text.contains("plan_blocks=5"), "{text}");
    assert!(!text.contains('\u{1b}'), "no colours outside a terminal");
}

#[test]
fn build_gives_json_for_programs_and_the_same_bytes_each_time() {
    let first = tavern(&["build", "samples/inn/scene.yaml", "--json"]);
    let result: Value = serde_json::from_slice(&first.stdout).unwrap();
    assert_eq!(result["tokens"]["total"], 127);
    assert_eq!(result["plan"]["blocks"][4]["source"]["kind"], "user_message");
    assert_eq!(first.stdout, tavern(&["build", "samples/inn/scene.yaml", "--json"]).stdout);
    let request = tavern(&[
        "build",
        "samples/inn/scene.yaml",
        "--request",
        "--dialect",
        "anthropic",
        "--message",
        "Hm.",
    ]);
    let request: Value = serde_json::from_slice(&request.stdout).unwrap();
    assert!(request["system"].as_str().unwrap().starts_with("You are Maren"));
    assert_eq!(request["messages"].as_array().unwrap().last().unwrap()["content"][0]["text"], "Hm.");
}

#[test]
fn errors_point_into_the_file() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text, place, message) in [
        ("a.yaml", "message: hi\nmodle: x\n", ":2:1\n", "unknown field `modle`, expected one of"),
        (
            "a.toml",
            "message = \"hi\"\ntrim = {max_tokens = \"x\"}\n",
            ":2:22\n",
            "invalid type: string \"x\", expected usize",
        ),
        (
            "a.json",
            "{\n  \"history\": [{\"role\": \"user\", \"content\": 3}]\n}",
            ":2:43\n",
            "invalid type: integer `3`, expected a string",
        ),
        ("b.json", "{\"message\": ", ":1:12\n", "EOF while parsing"),
    ] {
        let path = scene(&folder, name, text);
        let output = tavern(&["build", &path]);
        let report = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{report}");
        assert!(report.starts_with(&format!("error: {message}")), "{report}");
        assert!(report.contains(&format!("{path}{place}")), "{report}");
        assert!(report.ends_with("^\n"), "{report}");
    }
}

#[test]
fn hostile_scenes_are_refused_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let deep_map: String = (0..3000).map(|level| format!("{}a:\n", " ".repeat(level + 1))).collect();
    for (name, text) in [
        ("flow.yaml", format!("runtime: {}", "{a: ".repeat(100_000))),
        ("block.yaml", format!("runtime:\n{deep_map}")),
        ("list.yaml", format!("runtime:\n  a: {}x", "- ".repeat(100_000))),
        ("deep.json", format!("{{\"runtime\": {}", "{\"a\":".repeat(100_000))),
        ("deep.toml", format!("runtime = {}", "[".repeat(100_000))),
    ] {
        let output = tavern(&["build", &scene(&folder, name, &text)]);
        assert_eq!(output.status.code(), Some(1), "{name}: {}", stderr(&output));
        assert!(stderr(&output).starts_with("error: "), "{name}");
    }
    let report = stderr(&tavern(&["build", &scene(&folder, "x.yaml", &format!("runtime:\n{deep_map}"))]));
    assert!(report.starts_with("error: too deep or too large for a scene"), "{report}");
}

#[test]
fn what_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = scene(&folder, "a.yaml", "history: nowhere.json\n");
    let report = stderr(&tavern(&["build", &path]));
    assert!(
        report.contains("field `history`: cannot read `nowhere.json`: no such file (looked for "),
        "{report}"
    );
    let report = stderr(&tavern(&["build", "nowhere.yaml"]));
    assert_eq!(report, "error: nowhere.yaml: no such file\n");
    let report = stderr(&tavern(&["build", "README.md"]));
    assert_eq!(report, "error: README.md: a scene ends in .json, .yaml, .yml or .toml\n");
    let report = stderr(&tavern(&["build", &scene(&folder, "b.yaml", "dialect: morse\n")]));
    assert!(report.ends_with("no dialect `morse`; known are: anthropic, openai, text\n"), "{report}");
    let report = stderr(&tavern(&["build", &scene(&folder, "c.yaml", "now: yesterday\n")]));
    assert!(
        report.contains("field `now`: `yesterday` is no date; write it like 2026-05-01T18:30:00+02:00"),
        "{report}"
    );
    let report = stderr(&tavern(&["build", &scene(&folder, "d.yaml", "tokenizer: abacus\n")]));
    assert!(report.contains("field `tokenizer`: "), "{report}");
    let output = tavern(&[
        "build",
        &scene(&folder, "e.yaml", "message: a long way to go\ntrim: {max_tokens: 3, reserve_tokens: 1}\n"),
    ]);
    let report = stderr(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        report.contains(
            "stage `trimming`: what must be in the prompt costs 5 tokens, 3 more than the context of 3 less 1"
        ),
        "{report}"
    );
}

#[test]
fn wrong_usage_is_exit_code_2() {
    for arguments in [&["nonsense"][..], &["build"], &["build", "x.yaml", "--colour"], &[]] {
        assert_eq!(tavern(arguments).status.code(), Some(2), "{arguments:?}");
    }
    let help = tavern(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(stdout(&help).contains("Exit codes: 0 all is well"));
}

#[test]
fn tokens_are_counted_and_estimates_say_so() {
    let output = tavern(&["tokens", "--text", "The inn is quiet tonight."]);
    assert_eq!(stdout(&output), "       6  text\n");
    let output =
        tavern(&["tokens", "--text", "The inn is quiet tonight.", "--model", "claude-sonnet-4-5", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["exactness"], "estimate");
    assert!(stdout(&tavern(&["tokens", "--list"])).contains("o200k_base"));
    let unknown = tavern(&["tokens", "--text", "x", "--tokenizer", "abacus"]);
    assert_eq!(unknown.status.code(), Some(1));
}

#[test]
fn schemas_describe_every_field() {
    let schema: Value = serde_json::from_slice(&tavern(&["schema"]).stdout).unwrap();
    assert!(schema["properties"]["history"].is_object() && schema["additionalProperties"] == false);
    let schema: Value = serde_json::from_slice(&tavern(&["schema", "result"]).stdout).unwrap();
    assert!(schema["properties"]["fingerprint"].is_object());
}

#[test]
fn conform_takes_any_folder_and_fails_on_an_unlisted_failure() {
    let folder = tempfile::tempdir().unwrap();
    let js = folder.path().join("js");
    fs::create_dir(&js).unwrap();
    let hash = fs::read_to_string(root().join("conformance/js/hash.json")).unwrap();
    let mut file: Value = serde_json::from_str(&hash).unwrap();
    fs::write(js.join("hash.json"), &hash).unwrap();
    let good = tavern(&["conform", folder.path().to_str().unwrap(), "--json"]);
    let report: Value = serde_json::from_slice(&good.stdout).unwrap();
    assert_eq!((good.status.code(), report["suites"][0]["passed"].as_u64()), (Some(0), Some(86)));

    file["cases"][0]["output"] = 1.into();
    let elsewhere = folder.path().join("hash.json");
    fs::write(&elsewhere, file.to_string()).unwrap();
    let bad = tavern(&["conform", elsewhere.to_str().unwrap(), "--platform", "js", "--show", "1"]);
    assert_eq!(bad.status.code(), Some(1));
    assert!(stdout(&bad).contains("FAILED js/hash/"), "{}", stdout(&bad));

    let listed = folder.path().join("divergences.md");
    let id = file["cases"][0]["id"].as_str().unwrap();
    fs::write(&listed, format!("- `js/hash/{id}`: on purpose\n")).unwrap();
    let divergences = listed.to_str().unwrap();
    let diverging = tavern(&[
        "conform",
        elsewhere.to_str().unwrap(),
        "--platform",
        "js",
        "--divergences",
        divergences,
        "--json",
    ]);
    let report: Value = serde_json::from_slice(&diverging.stdout).unwrap();
    assert_eq!((diverging.status.code(), report["suites"][0]["diverging"].as_u64()), (Some(0), Some(1)));

    let unknown = tavern(&["conform", elsewhere.to_str().unwrap(), "--platform", "loom", "--json"]);
    let report: Value = serde_json::from_slice(&unknown.stdout).unwrap();
    assert_eq!(
        (report["suites"][0]["passed"].as_u64(), report["suites"][0]["unsupported"].as_u64()),
        (Some(0), Some(86))
    );
    let none = tavern(&["conform", elsewhere.to_str().unwrap(), "--suite", "macros"]);
    assert!(stderr(&none).contains("no cases found"));
}

#[test]
fn a_fall_below_the_baseline_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let baseline = folder.path().join("baseline.json");
    fs::write(&baseline, r#"{"js/hash": 87}"#).unwrap();
    let output = tavern(&["conform", "conformance/js/hash.json", "--baseline", baseline.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("js/hash: 86 cases pass, 87 did before"));
}
