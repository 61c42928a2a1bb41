//! The order of an object's keys, and JSON text as JavaScript writes it.
//!
//! JavaScript lists keys that look like array indices first, in ascending order, then all others in the order of their
//! first assignment. Lorebooks are objects with number keys, so the order shows in prompts.

use serde_json::{Map, Value};
use std::cmp::Ordering;
use std::fmt::Write;

use crate::number;

/// `String(value)`.
pub use tavernkit_core::variables::to_text;

/// The number of a key that counts as an array index: decimal without leading zeros, below 2³² − 1.
///
/// ```
/// use tavernkit_js::object::index_key;
/// assert_eq!(index_key("10"), Some(10));
/// assert_eq!(index_key("010"), None);
/// assert_eq!(index_key("4294967295"), None);
/// ```
pub fn index_key(key: &str) -> Option<u32> {
    let plain = key.bytes().all(|byte| byte.is_ascii_digit()) && (key.len() == 1 || !key.starts_with('0'));
    if !plain {
        return None;
    }
    key.parse().ok().filter(|index| *index != u32::MAX)
}

/// Compares two keys for a stable sort: indices by value, before all others; others keep their places.
pub fn compare_keys(a: &str, b: &str) -> Ordering {
    match (index_key(a), index_key(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}

/// `Object.entries(map)`: the members in JavaScript's order.
///
/// ```
/// use serde_json::json;
/// use tavernkit_js::object;
/// let map = json!({"b": 0, "10": 1, "9": 2, "a": 3});
/// let keys: Vec<_> = object::ordered_entries(map.as_object().unwrap()).into_iter().map(|(key, _)| key).collect();
/// assert_eq!(keys, ["9", "10", "b", "a"]);
/// ```
pub fn ordered_entries(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<_> = map.iter().collect();
    if entries.iter().any(|(key, _)| index_key(key).is_some()) {
        entries.sort_by(|(a, _), (b, _)| compare_keys(a, b));
    }
    entries
}

/// `JSON.stringify(value)`: no blanks, numbers as JavaScript prints them, keys in JavaScript's order.
///
/// ```
/// use serde_json::json;
/// use tavernkit_js::object;
/// assert_eq!(object::stringify(&json!({"b": 1.0, "1": [true, null]})), r#"{"1":[true,null],"b":1}"#);
/// ```
pub fn stringify(value: &Value) -> String {
    stringify_indented(value, "")
}

/// `JSON.stringify(value, null, indent)`: as JavaScript, only the first ten units of the indent count.
///
/// ```
/// use serde_json::json;
/// use tavernkit_js::object;
/// assert_eq!(object::stringify_indented(&json!([1, {}]), "  "), "[\n  1,\n  {}\n]");
/// ```
pub fn stringify_indented(value: &Value, indent: &str) -> String {
    let indent = crate::string::slice(indent, 0, Some(10));
    let mut text = String::new();
    write_value(&mut text, value, &indent, 0);
    text
}

// The depth is bounded by the reader: serde_json refuses to nest deeper than 128.
fn write_value(text: &mut String, value: &Value, indent: &str, depth: usize) {
    match value {
        Value::Null | Value::Bool(_) => text.push_str(&to_text(value)),
        Value::Number(number) => match number.as_f64() {
            Some(number) if number.is_finite() => text.push_str(&number::format(number)),
            _ => text.push_str("null"),
        },
        Value::String(string) => write_quoted(text, string),
        Value::Array(items) => {
            write_members(text, ['[', ']'], items, indent, depth, |text, item| {
                write_value(text, item, indent, depth + 1);
            });
        }
        Value::Object(map) => {
            write_members(text, ['{', '}'], ordered_entries(map), indent, depth, |text, (key, member)| {
                write_quoted(text, key);
                text.push_str(if indent.is_empty() { ":" } else { ": " });
                write_value(text, member, indent, depth + 1);
            });
        }
    }
}

fn write_members<T>(
    text: &mut String,
    [open, close]: [char; 2],
    members: impl IntoIterator<Item = T>,
    indent: &str,
    depth: usize,
    mut write: impl FnMut(&mut String, T),
) {
    let new_line = |text: &mut String, depth: usize| {
        if !indent.is_empty() {
            text.push('\n');
            text.extend(std::iter::repeat_n(indent, depth));
        }
    };
    text.push(open);
    let mut empty = true;
    for member in members {
        if !empty {
            text.push(',');
        }
        empty = false;
        new_line(text, depth + 1);
        write(text, member);
    }
    if !empty {
        new_line(text, depth);
    }
    text.push(close);
}

fn write_quoted(text: &mut String, string: &str) {
    text.push('"');
    for c in string.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            '\0'..='\u{1f}' => {
                // Writing to a String cannot fail.
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            }
            _ => text.push(c),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn indices_come_first_and_others_keep_their_order() {
        let map = json!({"-1": 0, "1": 1, "01": 2, "4294967294": 3, "4294967295": 4, "0": 5, "1e3": 6});
        let keys: Vec<_> =
            ordered_entries(map.as_object().unwrap()).into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["0", "1", "4294967294", "-1", "01", "4294967295", "1e3"]);
        assert_eq!(index_key(""), None);
    }

    #[test]
    fn json_text_escapes_what_javascript_escapes() {
        assert_eq!(stringify(&json!("\u{1f}\u{7f}\u{2028}/\"")), "\"\\u001f\u{7f}\u{2028}/\\\"\"");
        assert_eq!(stringify(&json!(1e21)), "1e+21");
        assert_eq!(stringify(&json!(-0.0)), "0");
    }

    #[test]
    fn a_long_indent_is_cut() {
        assert_eq!(stringify_indented(&json!([1]), "0123456789abc"), "[\n01234567891\n]");
    }
}
