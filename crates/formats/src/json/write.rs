//! JSON text as JavaScript's `JSON.stringify` lays it out.

use serde_json::Value;
use tavernkit_core::number;

/// Writes without any white space, as `JSON.stringify(value)`.
///
/// Integers that fit 64 bits keep all their digits; other numbers print as JavaScript prints them.
///
/// ```
/// use tavernkit_formats::json;
/// let value = serde_json::json!({"a": [1.0, 1e21, "é\n"], "b": {}});
/// assert_eq!(json::compact(&value), r#"{"a":[1,1e+21,"é\n"],"b":{}}"#);
/// ```
pub fn compact(value: &Value) -> String {
    let mut out = String::new();
    write(value, None, 0, &mut out);
    out
}

/// Writes with one item per line, as `JSON.stringify(value, null, indent)`. SillyTavern's files use 4.
///
/// ```
/// use tavernkit_formats::json;
/// let value = serde_json::json!({"a": [1], "b": []});
/// assert_eq!(json::indented(&value, 2), "{\n  \"a\": [\n    1\n  ],\n  \"b\": []\n}");
/// ```
pub fn indented(value: &Value, indent: usize) -> String {
    let mut out = String::new();
    write(value, Some(indent), 0, &mut out);
    out
}

fn write(value: &Value, indent: Option<usize>, level: usize, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => match number.as_f64() {
            Some(double) if number.is_f64() => out.push_str(&number::format(double)),
            _ => out.push_str(&number.to_string()),
        },
        Value::String(text) => string(text, out),
        Value::Array(list) => {
            out.push('[');
            for (index, item) in list.iter().enumerate() {
                separate(index, indent, level + 1, out);
                write(item, indent, level + 1, out);
            }
            close(list.is_empty(), indent, level, out);
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (index, (key, item)) in map.iter().enumerate() {
                separate(index, indent, level + 1, out);
                string(key, out);
                out.push_str(if indent.is_some() { ": " } else { ":" });
                write(item, indent, level + 1, out);
            }
            close(map.is_empty(), indent, level, out);
            out.push('}');
        }
    }
}

fn separate(index: usize, indent: Option<usize>, level: usize, out: &mut String) {
    if index > 0 {
        out.push(',');
    }
    new_line(indent, level, out);
}

fn close(empty: bool, indent: Option<usize>, level: usize, out: &mut String) {
    if !empty {
        new_line(indent, level, out);
    }
}

fn new_line(indent: Option<usize>, level: usize, out: &mut String) {
    if let Some(indent) = indent {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', indent * level));
    }
}

fn string(text: &str, out: &mut String) {
    out.reserve(text.len() + 2);
    out.push('"');
    let mut clean_from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0..=0x1f => "",
            _ => continue,
        };
        // Escaped bytes are ASCII, so both sides of one are character boundaries.
        out.push_str(&text[clean_from..at]);
        if escape.is_empty() {
            out.push_str("\\u00");
            out.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
            out.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
        } else {
            out.push_str(escape);
        }
        clean_from = at + 1;
    }
    out.push_str(&text[clean_from..]);
    out.push('"');
}
