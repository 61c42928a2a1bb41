//! What goes in comes out: for every recorded card, and for cards nobody has written yet.

#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use serde_json::{Map, Value};
use tavernkit_formats::card::{self, Card, CardFile, Form, PngForm};
use tavernkit_formats::png::Png;
use tavernkit_formats::{Limits, json};

fn open(bytes: &[u8]) -> CardFile {
    card::read(bytes, None, &Limits::default()).unwrap()
}

/// Every way out and in again, for a card given as JSON.
fn comes_back(value: &Value) {
    let limits = Limits::default();
    let text = json::compact(value);
    let file = open(text.as_bytes());
    assert_eq!(file.write_json(Form::AsIs), text.as_bytes(), "untouched JSON");

    let mut touched = open(text.as_bytes());
    touched.card_mut();
    assert_eq!(
        json::compact(&open(&touched.write_json(Form::AsIs)).card().clone().into_value()),
        text,
        "rewritten JSON"
    );

    let picture = file.write_png(&Png::smallest(), PngForm::AsRead, &limits).unwrap();
    let from_picture = open(&picture);
    assert_eq!(from_picture.write_png(&picture, PngForm::AsRead, &limits).unwrap(), picture, "untouched PNG");
    let both = file.write_png(&Png::smallest(), PngForm::Both, &limits).unwrap();
    assert_eq!(open(&both).card(), &file.to_v3(), "V3 in PNG");
    let v2 = file.write_png(&both, PngForm::V2, &limits).unwrap();
    assert_eq!(open(&v2).card(), &file.to_v2(), "V2 in PNG");
    assert_eq!(pixels(&v2), pixels(&Png::smallest()), "pixels");

    let archive = file.write_charx(None, &limits).unwrap();
    assert_eq!(open(&archive).card(), &file.to_v3(), "CHARX");
    assert_eq!(open(&archive).write_charx(Some(&archive), &limits).unwrap(), archive, "untouched CHARX");

    // The words of the character are the same in every version.
    assert_eq!(file.to_v2().to_v3().character(), file.to_v3().character());
    assert_eq!(file.to_v3().to_v2().to_v3(), file.to_v3());
}

fn pixels(png: &[u8]) -> Vec<Vec<u8>> {
    let png = Png::parse(png, &Limits::default()).unwrap();
    png.chunks.iter().filter(|chunk| &chunk.kind == b"IDAT").map(|chunk| chunk.data().to_vec()).collect()
}

#[test]
fn every_recorded_card() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/sillytavern/png-cards.json");
    let cases: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut cards = 0;
    for case in cases["cases"].as_array().unwrap() {
        let written = case["data"].as_str().unwrap_or_default();
        let read = case["expected"]["output"].as_str().unwrap_or_default();
        for text in [written, read] {
            if let Ok(file) = card::read(text.as_bytes(), None, &Limits::default()) {
                comes_back(&file.card().clone().into_value());
                cards += 1;
            }
        }
        let picture = STANDARD.decode(case["png"].as_str().unwrap()).unwrap();
        if let Ok(file) = card::read(&picture, None, &Limits::default()) {
            assert_eq!(
                file.write_png(&picture, PngForm::AsRead, &Limits::default()).unwrap(),
                picture,
                "{}",
                case["id"]
            );
        }
    }
    assert!(cards >= 8, "only {cards} cards found");
    let scenarios = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/sillytavern/scenarios");
    for entry in std::fs::read_dir(scenarios).unwrap() {
        let path = entry.unwrap().path();
        if path.to_string_lossy().ends_with(".scenario.json") {
            let scenario: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            scenario["characters"].as_array().into_iter().flatten().for_each(comes_back);
        }
    }
}

/// Texts with everything that has ever broken a parser.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,20}",
        "\\PC{0,12}",
        Just("\u{0}\u{1f}\"\\\n\r\t\u{2028}\u{feff}😀".to_owned()),
        Just(String::new())
    ]
}

/// Any JSON. Whole floats are left out: `1.0` is written as `1`, which is the same number.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e6..1e6).prop_filter("whole", |number: &f64| number.fract() != 0.0).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// The known fields, mostly well typed, with unknown ones between them.
fn fields(names: &'static [&'static str]) -> impl Strategy<Value = Map<String, Value>> {
    let known = prop::sample::subsequence(names, 0..=names.len()).prop_shuffle();
    let unknown = prop::collection::vec(("[a-z_/0-9]{1,10}", any_json()), 0..4);
    (
        known,
        prop::collection::vec(prop_oneof![4 => text().prop_map(Value::from), 1 => any_json()], 20),
        unknown,
    )
        .prop_map(|(known, values, unknown)| {
            let known = known.into_iter().map(str::to_owned).zip(values);
            unknown.into_iter().chain(known).collect()
        })
}

const DATA: &[&str] = &[
    "description",
    "personality",
    "scenario",
    "first_mes",
    "mes_example",
    "creator_notes",
    "system_prompt",
    "post_history_instructions",
    "creator",
    "character_version",
    "nickname",
    "source",
    "creation_date",
    "assets",
    "creator_notes_multilingual",
    "group_only_greetings",
];

fn card() -> impl Strategy<Value = Value> {
    let extensions = prop::collection::vec((text(), any_json()), 0..4);
    let v2 = (fields(DATA), text(), extensions, fields(&["name", "avatar", "chat"]), any::<bool>()).prop_map(
        |(mut data, name, extensions, top, v3)| {
            data.insert("name".into(), name.into());
            data.insert("extensions".into(), Value::Object(extensions.into_iter().collect()));
            let mut card = top;
            card.insert("spec".into(), if v3 { "chara_card_v3" } else { "chara_card_v2" }.into());
            card.insert("spec_version".into(), if v3 { "3.0" } else { "2.0" }.into());
            card.insert("data".into(), data.into());
            Value::Object(card)
        },
    );
    let v1 = fields(&DATA[..6]).prop_map(|mut card| {
        for taken in ["spec", "data", "name"] {
            card.shift_remove(taken);
        }
        card.insert("name".into(), "Bram".into());
        card.insert("description".into(), "d".into());
        Value::Object(card)
    });
    prop_oneof![3 => v2, 1 => v1]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_cards_come_back(value in card()) {
        comes_back(&value);
    }

    #[test]
    fn any_json_is_read_and_written_the_same(value in any_json()) {
        let limits = Limits::default();
        for text in [json::compact(&value), json::indented(&value, 4)] {
            let parsed = json::parse(text.as_bytes(), &limits).unwrap();
            prop_assert_eq!(&parsed.value, &value);
            prop_assert!(parsed.warnings.is_empty());
            // The slow path reads clean JSON as the fast one does: a harmless oddity sends it there.
            let odd = json::parse(format!("{text}\0").as_bytes(), &limits).unwrap();
            prop_assert_eq!(&odd.value, &value);
        }
    }

    #[test]
    fn v2_and_v3_keep_unknown_fields_in_order(value in card()) {
        let card = Card::from_value(value, &mut Vec::new()).unwrap();
        let order = |card: &Card| -> Vec<String> {
            let ours = ["spec", "spec_version", "group_only_greetings"];
            let known = |key: &&String| !ours.contains(&key.as_str()) && !DATA.contains(&key.as_str());
            card.raw().keys().filter(known).chain(card.data().keys().filter(known)).cloned().collect()
        };
        if card.version() != card::Version::V1 {
            prop_assert_eq!(order(&card), order(&card.to_v2()));
            prop_assert_eq!(order(&card), order(&card.to_v3()));
        }
    }

    #[test]
    fn garbage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300), start in prop::sample::select(vec![
        &b""[..], b"{", b"\x89PNG\r\n\x1a\n", b"PK\x03\x04", b"\xff\xd8\xff\xe1", b"RIFF\0\0\0\0WEBPEXIF", b"name: ",
    ])) {
        let _ = card::read(&[start, &bytes].concat(), Some("x.yaml"), &Limits::default());
    }
}

#[test]
fn a_card_of_every_version_is_generated() {
    // Guards the strategies: a property over nothing proves nothing.
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..100 {
        let value = proptest::strategy::ValueTree::current(&card().new_tree(&mut runner).unwrap());
        seen.insert(Card::from_value(value, &mut Vec::new()).unwrap().version());
    }
    assert_eq!(seen.len(), 3);
}
