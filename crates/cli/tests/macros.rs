//! `tavern macro` and `tavern regex` from the outside.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tavern"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).stdin(Stdio::null());
    command
}

fn tavern(arguments: &[&str]) -> Output {
    command().args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn macros_see_the_scene_and_explain_themselves() {
    let template = "{{user}} meets {{char}}. {{setvar::gold::5}}{{.gold += 2}}{{getvar::gold}} {{nope}}";
    let output = tavern(&["macro", template, "--scene", "samples/lantern/scene.yaml", "--explain"]);
    let text = stdout(&output);
    assert!(text.starts_with("Ilse meets Maren. 7 {{nope}}\n"), "{text}");
    assert!(text.contains("{{nope}}  → unknown, left as it is"), "{text}");
    assert!(text.contains("Local gold written by setvar"), "{text}");
    let answer: Value =
        serde_json::from_slice(&tavern(&["macro", "{{user}} {{char}}", "--json"]).stdout).unwrap();
    assert_eq!(answer["output"], "User Assistant");
    let legacy = tavern(&["macro", "{{if 1}}a{{/if}}", "--legacy"]);
    assert_eq!(stdout(&legacy), "{{if 1}}a{{/if}}\n");
}

#[test]
fn a_conversation_in_lines_is_answered_line_by_line() {
    let mut child =
        command().args(["macro", "--jsonl"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |request: &str| -> Value {
        writeln!(stdin, "{request}").unwrap();
        stdin.flush().unwrap();
        serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap()
    };
    // Each answer is read before the next request is written: they are flushed one by one.
    let first = ask(
        r#"{"template":"{{user}} {{char}} {{incvar::x}}","user":"Ilse","char":"Bram","variables":{"local":{"x":1},"global":{}}}"#,
    );
    assert_eq!(
        first,
        json!({"output": "Ilse Bram 2", "warnings": [], "variables": {"local": {"x": 2}, "global": {}}})
    );
    assert_eq!(ask("garbage")["error"], "not a JSON request: expected value at line 1 column 1");
    assert_eq!(ask(r#"{"template":"{{time}}","now":"2026-05-01T18:30:00Z"}"#)["output"], "6:30 PM");
    assert_eq!(ask(r#"{"template":"{{user}}","scene":"samples/lantern/scene.yaml"}"#)["output"], "Ilse");
    assert_eq!(ask(r#"{"template":"x","scene":"nowhere.yaml"}"#)["error"], "nowhere.yaml: no such file");
    let same: Vec<Value> =
        (0..2).map(|_| ask(r#"{"template":"{{random::a,b,c,d,e,f,g,h}}","seed":7}"#)).collect();
    assert_eq!(same[0], same[1]);
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn regexes_show_matches_groups_and_give_up_in_time() {
    let output =
        tavern(&["regex", "test", r"/(?<who>\w+) said/gi", "--text", "Bram said no. Ilse SAID yes."]);
    let text = stdout(&output);
    assert!(text.contains("0..9") && text.contains("$1 <who> \"Ilse\""), "{text}");
    let json: Value = serde_json::from_slice(
        &tavern(&[
            "regex",
            "test",
            r"\*(.+?)\*",
            "--flags",
            "g",
            "--text",
            "a *b*",
            "--replace",
            "<$1>",
            "--json",
        ])
        .stdout,
    )
    .unwrap();
    assert_eq!((&json["replaced"], &json["matches"][0]["start"]), (&json!("a <b>"), &json!(2)));
    let hostile = format!("{}b", "a".repeat(60));
    let output = tavern(&["regex", "test", r"(a+)+\1$", "--text", &hostile]);
    assert_eq!(output.status.code(), Some(1));
    let report = String::from_utf8(output.stderr).unwrap();
    assert!(report.contains("this is not \"no match\""), "{report}");
    let broken = tavern(&["regex", "test", "a(b", "--text", "x"]);
    let report = String::from_utf8(broken.stderr).unwrap();
    assert!(report.starts_with("error: unterminated group\n  --> pattern:1:2"), "{report}");
}
