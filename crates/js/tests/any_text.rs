//! Whatever people type: an answer or an error, never a panic.

use proptest::prelude::*;
use serde_json::json;
use tavernkit_js::dice::Formula;
use tavernkit_js::handlebars::Template;
use tavernkit_js::moment::{self, Moment, Suffix, Zone};
use tavernkit_js::{date, number, object, string};

/// Texts made of the pieces that mean something in templates.
fn template() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{{",
        "}}",
        "{{{",
        "}}}",
        "{{{{",
        "}}}}",
        "~",
        "#",
        "/",
        "^",
        "!",
        "--",
        "&",
        ">",
        "*",
        "(",
        ")",
        "[",
        "]",
        "\"",
        "'",
        "\\",
        "=",
        "|",
        " as |",
        "@",
        ".",
        "..",
        " ",
        "\n",
        "else",
        "if",
        "each",
        "with",
        "lookup",
        "list",
        "char",
        "x",
        "5",
        "é",
        "😀",
        "{{#if char}}",
        "{{else}}",
        "{{/if}}",
        "{{#each list}}",
        "{{/each}}",
        "{{#*inline \"x\"}}",
        "{{/inline}}",
        "{{> x}}",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Texts made of the pieces of dates and formats.
fn date_text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "2024",
        "+012024",
        "-000001",
        "02",
        "29",
        "T",
        "W",
        "13",
        ":",
        "05",
        ".",
        ",",
        "Z",
        "+",
        "-",
        "/",
        " ",
        "Feb",
        "PM",
        "GMT",
        "Thu, ",
        "(",
        ")",
        "é",
        "😀",
        "999999999999",
        "/Date(",
        "[",
        "]",
        "\\",
        "LLLL",
        "DDDo",
        "w|",
        "\n",
    ]);
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn templates(text in template()) {
        let context = json!({"char": "Tess", "list": [1, "é", null, [2]], "x": {"5": true}});
        if let Ok(template) = Template::compile(&text) {
            let _ = template.render(&context);
        }
    }

    #[test]
    fn dates(text in date_text(), ms in any::<i64>(), offset in -1440..=1440i32) {
        let read = moment::parse(&text, Zone::Local(offset));
        let now = Moment::new(ms, Zone::Utc(offset));
        now.format(&text);
        now.with_offset_text(&text).format_default();
        now.since(&read).humanize(Suffix::With);
        date::parse(&text, offset);
    }

    #[test]
    fn numbers_and_dice(text in "\\PC{0,12}", value in any::<f64>(), digits in 0..=101u32) {
        number::parse_float(&text);
        number::parse_int(&text, Some(digits as i32));
        let _ = number::to_fixed(value, digits);
        if let Some(formula) = Formula::parse_argument(&text) {
            let _ = formula.roll(&mut || 0.5);
        }
    }

    #[test]
    fn cuts(text in "[a-c😀é龙]{0,8}", start in -12..12i64, end in prop::option::of(-12..12i64)) {
        let slice = string::slice(&text, start, end);
        prop_assert!(string::length(&slice) <= string::length(&text));
        string::substring(&text, start, end);
        string::substr(&text, start, end);
        prop_assert_eq!(object::stringify(&json!(text.as_str())), serde_json::to_string(&text).unwrap());
    }
}
