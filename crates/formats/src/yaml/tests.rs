use serde_json::json;

use super::*;

fn read(text: &str) -> Value {
    parse(text, &Limits::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn character_files() {
    let text = "---\n# made by hand\nname: \"Bram\"\ngreeting: |\n  *looks up*\n\n    You again.\ncontext: >-\n  Keeper of\n  the lamp.\n\n  Dry.\n\
                example_dialogue: ''\nage: 61\nratio: 0.5\nalive: true\nnothing:\n";
    assert_eq!(
        read(text),
        json!({
            "name": "Bram", "greeting": "*looks up*\n\n  You again.\n", "context": "Keeper of the lamp.\nDry.",
            "example_dialogue": "", "age": 61, "ratio": 0.5, "alive": true, "nothing": null
        })
    );
}

#[test]
fn nested_blocks() {
    let text = "a:\n  b:\n    - 1\n    - c: x\n      d: y\n    -\n      - deep\nlist:\n- one\n- two # why\ne: {k: [1, two, \"three\"], empty: {}}\n";
    assert_eq!(
        read(text),
        json!({"a": {"b": [1, {"c": "x", "d": "y"}, ["deep"]]}, "list": ["one", "two"], "e": {"k": [1, "two", "three"], "empty": {}}})
    );
    assert_eq!(read("- - 1\n  - 2\n- 3"), json!([[1, 2], 3]));
}

#[test]
fn texts_over_several_lines() {
    assert_eq!(
        read("a: one\n  two\n\n  three\nb: 'it''s\n  here'\nc: \"x\\n\\u00e9 \\\n   y\"\n"),
        json!({"a": "one two\nthree", "b": "it's here", "c": "x\né y"})
    );
    assert_eq!(read("a: |+\n  x\n\nb: |2\n   y\n"), json!({"a": "x\n\n", "b": " y\n"}));
    assert_eq!(read("url: http://x.y/z#a\ntime: 12:30\n"), json!({"url": "http://x.y/z#a", "time": "12:30"}));
    assert_eq!(read("a: |\r\n  x\r\n  y\r\n"), json!({"a": "x\ny\n"}));
    assert_eq!(read("just text"), json!("just text"));
    assert_eq!(read(""), json!(null));
}

#[test]
fn errors_name_the_line() {
    for (text, message) in [
        (
            "a: &x 1",
            "line 1: anchors, aliases and tags are not supported; write the value out or use JSON (byte 3)",
        ),
        ("a: \"x", "line 1: a quoted text has no closing quote; the file may be cut off (byte 3)"),
        (
            "a: 'x' y",
            "line 1: nothing may follow the closing quote or bracket; is a quote inside not doubled? (byte 6)",
        ),
        (
            "a: \"\\q\"",
            "line 1: a backslash in double quotes starts no known escape; write `\\\\` for a backslash (byte 4)",
        ),
        ("a: 1\n\tb: 2", "line 2: a tab cannot indent; use spaces (byte 5)"),
        ("a:\n\tb: 2", "line 2: a tab cannot indent; use spaces (byte 3)"),
        ("a: 1\nb", "line 2: a key with a colon is expected here (byte 5)"),
        (
            "a: |x\n",
            "line 1: `|` or `>` may be followed only by `+`, `-` or a digit; put the text in quotes (byte 3)",
        ),
        ("a: [1, 2", "line 1: `,` or `]` is expected here (byte 8)"),
        ("a: [,]", "line 1: a value is expected here (byte 4)"),
        ("? a\n: b", "line 1: keys with a question mark are not supported; write `key: value` (byte 0)"),
        ("a: `x`", "line 1: text that starts with this character must be in quotes (byte 3)"),
        (
            "a: 1\n---\nb: 2",
            "line 2: this line does not fit the indentation above; one document is expected (byte 5)",
        ),
    ] {
        assert_eq!(parse(text, &Limits::default()).unwrap_err().to_string(), message, "{text}");
    }
}

#[test]
fn absurd_nesting_is_an_error() {
    let expected =
        "lists and mappings nest deeper than 256 levels; flatten the data or raise `Limits::depth`";
    assert_eq!(parse(&"- ".repeat(100_000), &Limits::default()).unwrap_err().to_string(), expected);
    assert_eq!(parse(&"[".repeat(100_000), &Limits::default()).unwrap_err().to_string(), expected);
}
