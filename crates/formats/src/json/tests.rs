use serde_json::json;

use super::*;

fn read(text: &str) -> Parsed {
    parse(text.as_bytes(), &Limits::default()).unwrap()
}

fn failure(text: &str) -> String {
    parse(text.as_bytes(), &Limits::default()).unwrap_err().to_string()
}

fn told(text: &str) -> Vec<String> {
    read(text).warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn clean_text_has_no_warnings_and_keeps_order() {
    let parsed = read(r#" {"z":1,"10":-0.5,"2":[true,null,"\ud83d\ude00"]} "#);
    assert!(parsed.warnings.is_empty());
    assert_eq!(compact(&parsed.value), r#"{"z":1,"10":-0.5,"2":[true,null,"😀"]}"#);
}

#[test]
fn byte_order_marks_of_three_encodings() {
    for bytes in
        [&b"\xef\xbb\xbf[1]"[..], b"\xff\xfe[\x001\x00]\x00", b"\xfe\xff\x00[\x001\x00]", b"[\x001\x00]\x00"]
    {
        let parsed = parse(bytes, &Limits::default()).unwrap();
        assert_eq!((parsed.value, parsed.warnings), (json!([1]), vec![]), "{bytes:?}");
    }
    assert_eq!(parse_text("\u{feff}{}", &Limits::default()).unwrap().value, json!({}));
}

#[test]
fn odd_text_is_read_with_a_warning_that_names_the_place() {
    for (text, value, warning) in [
        (
            r#"{"a":["x\ud83dy"]}"#,
            json!({"a": ["x\u{fffd}y"]}),
            r"[json.lone_surrogate] half of a character (\ud83d) stands alone; U+FFFD stands in its place (at a[0])",
        ),
        (
            r#"{"a":1,"b":2,"a":3}"#,
            json!({"a": 3, "b": 2}),
            r#"[json.duplicate_key] the key stands more than once; the last value was used, as JavaScript does (at a)"#,
        ),
        (
            "[1,]",
            json!([1]),
            "[json.trailing_comma] a comma stands before the closing bracket; it was ignored (at the top level)",
        ),
        (
            r#"{"data":{"depth":NaN}}"#,
            json!({"data": {"depth": null}}),
            "[json.not_finite] `NaN` is not JSON; it was read as null, as JavaScript writes it (at data.depth)",
        ),
        (
            "[-Infinity]",
            json!([null]),
            "[json.not_finite] `-Infinity` is not JSON; it was read as null, as JavaScript writes it (at [0])",
        ),
        (
            "{\"a\":\"one\ntwo\"}",
            json!({"a": "one\ntwo"}),
            "[json.control_character] a raw control character (U+000A) stands in a text; it was kept (at a)",
        ),
        ("{}\0\0", json!({}), "[json.padding] zero bytes after the value were ignored (at byte 2)"),
        (
            "[1e999]",
            json!(["1e999"]),
            "[json.number_range] 1e999 is too large for a number; it was kept as text (at [0])",
        ),
        (
            "[123456789012345678901234567890]",
            json!([123456789012345678901234567890.0]),
            "[json.number_precision] 123456789012345678901234567890 has more digits than a number keeps; it was read as \
             1.2345678901234568e+29 (at [0])",
        ),
    ] {
        let parsed = read(text);
        assert_eq!(parsed.value, value, "{text}");
        assert_eq!(told(text), [warning], "{text}");
    }
}

#[test]
fn a_high_surrogate_followed_by_another_escape_loses_only_itself() {
    assert_eq!(read(r#"["\ud83d\u0041\ude00\ud83d\ude00"]"#).value, json!(["\u{fffd}A\u{fffd}😀"]));
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    let parsed = parse(b"{\"a\":\"x\xff\xfey\"}", &Limits::default()).unwrap();
    assert_eq!(parsed.value, json!({"a": "x\u{fffd}\u{fffd}y"}));
    assert_eq!(
        parsed.warnings[0].to_string(),
        "[json.invalid_utf8] bytes [ff] are not UTF-8; U+FFFD stands in their place (at byte 7)"
    );
}

#[test]
fn what_is_not_plain_is_an_error_with_line_and_column() {
    for (text, message) in [
        ("", "expected a value but found the end at line 1, column 1; the file may be cut off (byte 0)"),
        (
            "{\n  'a': 1}",
            "expected a key in double quotes or `}` but found `'` at line 2, column 3; quote the key (byte 4)",
        ),
        (
            "{\"a\" 1}",
            "expected `:` after the key but found `1` at line 1, column 6; give the key a value (byte 5)",
        ),
        (
            "[\"é\" \"b\"]",
            "expected `,` or `]` but found `\"` at line 1, column 6; a comma or bracket is missing, or a quote inside a text \
             is not escaped (byte 6)",
        ),
        ("[1", "expected `,` or `]` but found the end at line 1, column 3; the file may be cut off (byte 2)"),
        ("[\"abc", "a text has no closing quote; the file may be cut off (line 1, column 2) (byte 1)"),
        (
            r#"["\x"]"#,
            "a backslash starts no known escape; write `\\\\` for a backslash (line 1, column 3) (byte 2)",
        ),
        (r#"["\u12"]"#, "`\\u` needs four hexadecimal digits after it (line 1, column 3) (byte 2)"),
        (
            "[01]",
            "`01` is not a number JSON knows; write it like 12, -0.5 or 1e3 (line 1, column 2) (byte 1)",
        ),
        (
            "[1.]",
            "`1.` is not a number JSON knows; write it like 12, -0.5 or 1e3 (line 1, column 2) (byte 1)",
        ),
        (
            "{} x",
            "expected the end of the text but found `x` at line 1, column 4; remove what follows the value (byte 3)",
        ),
        ("[,]", "expected a value but found `,` at line 1, column 2; put text in double quotes (byte 1)"),
        ("[1,,]", "expected a value but found `,` at line 1, column 4; put text in double quotes (byte 3)"),
    ] {
        assert_eq!(failure(text), message, "{text}");
    }
}

#[test]
fn absurd_nesting_is_an_error_not_an_overflow() {
    let text = "[".repeat(1_000_000);
    assert_eq!(
        failure(&text),
        "lists and objects nest deeper than 256 levels; flatten the data or raise `Limits::depth` (byte 256)"
    );
    let allowed = format!("{}{}", "[".repeat(256), "]".repeat(256));
    assert!(read(&allowed).warnings.is_empty());
    let limits = Limits { depth: 2, ..Limits::default() };
    assert!(parse(b"[[[1]]]", &limits).is_err());
    assert!(parse(b"[[1]]", &limits).is_ok());
}

#[test]
fn too_long_input_is_refused() {
    let limits = Limits { input: 3, ..Limits::default() };
    assert_eq!(
        parse(b"[1,2]", &limits).unwrap_err().to_string(),
        "the input has 5 bytes, more than the limit of 3; raise `Limits::input` if you trust it"
    );
}

#[test]
fn many_warnings_of_one_kind_are_counted() {
    let text = format!("[{}]", vec![r#""\ud800""#; 60].join(","));
    let parsed = read(&text);
    assert_eq!(parsed.warnings.len(), 51);
    assert_eq!(parsed.warnings[50].message, "and 10 more of this kind");
}

#[test]
fn numbers_keep_what_they_can() {
    let text = "[18446744073709551615,-9223372036854775808,0.1,1e21,-0,1.0]";
    let parsed = read(text);
    assert!(parsed.warnings.is_empty());
    assert_eq!(compact(&parsed.value), "[18446744073709551615,-9223372036854775808,0.1,1e+21,0,1]");
    let javascript = order::as_javascript(&parsed.value);
    assert_eq!(compact(&javascript), "[18446744073709552000,-9223372036854776000,0.1,1e+21,0,1]");
}

#[test]
fn writes_escapes_as_javascript_does() {
    let value = json!("\u{0}\u{8}\t\n\u{b}\u{c}\r\u{1f}\u{7f}\u{2028}\"\\/é😀");
    assert_eq!(compact(&value), "\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\u{7f}\u{2028}\\\"\\\\/é😀\"");
}

mod fields {
    use super::*;
    use crate::json::field;

    fn with<T>(read: impl FnOnce(&Path<'_>, &mut Vec<Warning>) -> T) -> (T, Vec<String>) {
        let mut warnings = Vec::new();
        let value = read(&Path::Root.key("f"), &mut warnings);
        (value, warnings.iter().map(|w| w.message.clone()).collect())
    }

    #[test]
    fn texts_of_other_types() {
        for (value, text, message) in [
            (json!(1.0), "1", "expected a text but found a number; \"1\" was used"),
            (json!(true), "true", "expected a text but found true or false; \"true\" was used"),
            (json!(["a"]), r#"["a"]"#, "expected a text but found a list; its JSON text was used"),
        ] {
            let (read, warnings) = with(|path, w| field::text(&value, path, w).into_owned());
            assert_eq!((read.as_str(), warnings), (text, vec![message.to_owned()]));
        }
    }

    #[test]
    fn numbers_of_other_types() {
        for (value, number, message) in [
            (json!(" 4 "), Some(4.0), "expected a number but found a text; 4 was used"),
            (json!(""), None, "expected a number but found a text; the default is used"),
            (json!("four"), None, "expected a number but found a text; the default is used"),
            (json!(true), Some(1.0), "expected a number but found true or false; 1 was used"),
            (json!([4]), None, "expected a number but found a list; the default is used"),
        ] {
            assert_eq!(with(|path, w| field::number(&value, path, w)), (number, vec![message.to_owned()]));
        }
        assert_eq!(with(|path, w| field::integer(&json!(4.0), path, w)), (Some(4), vec![]));
        assert_eq!(
            with(|path, w| field::integer(&json!(4.5), path, w)),
            (Some(4), vec!["expected a whole number but found a number; 4 was used".to_owned()])
        );
    }

    #[test]
    fn booleans_of_other_types() {
        for (value, flag) in [
            (json!("false"), false),
            (json!("False"), false),
            (json!("0"), false),
            (json!(""), false),
            (json!("yes"), true),
            (json!(0), false),
            (json!(2), true),
            (json!([]), true),
        ] {
            let (read, warnings) = with(|path, w| field::boolean(&value, path, w));
            assert_eq!((read, warnings.len()), (flag, 1), "{value}");
        }
    }

    #[test]
    fn lists_and_objects_of_other_types() {
        assert_eq!(with(|path, w| field::texts(&json!(["a", 1]), path, w)).0, ["a", "1"]);
        assert_eq!(with(|path, w| field::texts(&json!("a, b"), path, w)).0, ["a, b"]);
        assert_eq!(
            with(|path, w| field::texts(&json!(5), path, w)).1,
            ["expected a list of texts but found a number; an empty list is used"]
        );
        assert!(with(|path, w| field::list(&json!({}), path, w).is_none()).0);
        assert_eq!(
            with(|path, w| field::object(&json!([]), path, w).is_none()).1,
            ["expected an object but found a list; the default is used"]
        );
    }
}
