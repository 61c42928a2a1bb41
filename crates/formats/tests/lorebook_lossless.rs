//! No entry and no field of a lorebook is ever lost, whatever the format and wherever it is converted to.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tavernkit_formats::json;
use tavernkit_formats::lorebook::Lorebook;

type Object = Map<String, Value>;

/// Any JSON value, also of a type that a field should not have.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1000i64..1000).prop_map(Value::from),
        (-100.0f64..100.0).prop_map(Value::from),
        "[a-zé/, \\n]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::vec(("[a-z]{1,4}", inner), 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn words() -> impl Strategy<Value = Value> {
    prop::collection::vec("[a-zé/ ]{0,6}", 0..3).prop_map(Value::from)
}

fn text() -> impl Strategy<Value = Value> {
    "[A-Za-z{}\\n ]{0,12}".prop_map(Value::from)
}

fn flag() -> impl Strategy<Value = Value> {
    any::<bool>().prop_map(Value::from)
}

fn number() -> impl Strategy<Value = Value> {
    (0i64..200).prop_map(Value::from)
}

fn maybe(inner: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Value> {
    prop_oneof![Just(Value::Null), inner]
}

/// A well-typed value for a field of a world entry.
fn world_field(name: &'static str) -> BoxedStrategy<Value> {
    match name {
        "key" | "keysecondary" | "triggers" => words().boxed(),
        "comment" | "content" | "outletName" | "group" | "automationId" => text().boxed(),
        "scanDepth" | "sticky" | "cooldown" | "delay" => maybe(number()).boxed(),
        "caseSensitive" | "matchWholeWords" => maybe(flag()).boxed(),
        "position" | "selectiveLogic" | "role" => (0i64..12).prop_map(Value::from).boxed(),
        "order" | "probability" | "depth" | "groupWeight" | "displayIndex" => number().boxed(),
        "delayUntilRecursion" => prop_oneof![flag(), number()].boxed(),
        "characterFilter" => {
            words().prop_map(|names| json!({"isExclude": true, "names": names, "tags": []})).boxed()
        }
        "extensions" => prop::collection::vec(("x[a-z]{1,3}", anything()), 0..3)
            .prop_map(|fields| Value::Object(fields.into_iter().collect()))
            .boxed(),
        _ => flag().boxed(),
    }
}

const WORLD_FIELDS: [&str; 44] = [
    "key",
    "keysecondary",
    "comment",
    "content",
    "constant",
    "vectorized",
    "selective",
    "selectiveLogic",
    "addMemo",
    "order",
    "position",
    "disable",
    "ignoreBudget",
    "excludeRecursion",
    "preventRecursion",
    "matchPersonaDescription",
    "matchCharacterDescription",
    "matchCharacterPersonality",
    "matchCharacterDepthPrompt",
    "matchScenario",
    "matchCreatorNotes",
    "delayUntilRecursion",
    "probability",
    "useProbability",
    "depth",
    "outletName",
    "group",
    "groupOverride",
    "groupWeight",
    "scanDepth",
    "caseSensitive",
    "matchWholeWords",
    "useGroupScoring",
    "automationId",
    "role",
    "sticky",
    "cooldown",
    "delay",
    "characterFilter",
    "triggers",
    "displayIndex",
    "extensions",
    "disable",
    "constant",
];

fn unknown() -> impl Strategy<Value = Vec<(String, Value)>> {
    prop::collection::vec(("u_[a-z]{1,4}", anything()), 0..3)
}

/// Fields in any order, a random part of them.
fn fields(
    names: &'static [&'static str],
    field: fn(&'static str) -> BoxedStrategy<Value>,
) -> impl Strategy<Value = Object> {
    let some = prop::sample::subsequence(names.to_vec(), 0..names.len()).prop_shuffle();
    let some = some.prop_flat_map(move |names| {
        names
            .into_iter()
            .map(|name| field(name).prop_map(move |value| (name.to_owned(), value)))
            .collect::<Vec<_>>()
    });
    (some, unknown()).prop_map(|(known, unknown)| known.into_iter().chain(unknown).collect())
}

fn world() -> impl Strategy<Value = Value> {
    let entries = prop::collection::btree_map(0u32..40, fields(&WORLD_FIELDS, world_field), 0..6);
    (entries.prop_map(|map| map.into_iter().collect::<Vec<_>>()).prop_shuffle(), unknown(), any::<bool>())
        .prop_map(|(entries, unknown, list)| {
            let entries = entries.into_iter().map(|(uid, mut entry)| {
                entry.insert("uid".into(), json!(uid));
                (uid.to_string(), Value::Object(entry))
            });
            let entries = if list {
                // A list holds at least one native entry, else it is a character book.
                let first = std::iter::once(json!({"uid": 99, "key": []}));
                Value::Array(first.chain(entries.map(|(_, entry)| entry)).collect())
            } else {
                Value::Object(entries.collect())
            };
            let mut file: Object = unknown.into_iter().collect();
            file.insert("entries".into(), entries);
            Value::Object(file)
        })
}

const BOOK_FIELDS: [&str; 14] = [
    "keys",
    "secondary_keys",
    "comment",
    "content",
    "constant",
    "selective",
    "insertion_order",
    "enabled",
    "position",
    "use_regex",
    "priority",
    "name",
    "case_sensitive",
    "extensions",
];

const BOOK_EXTENSIONS: [&str; 9] = [
    "position",
    "depth",
    "exclude_recursion",
    "excludeRecursion",
    "probability",
    "useProbability",
    "role",
    "sticky",
    "triggers",
];

fn book_field(name: &'static str) -> BoxedStrategy<Value> {
    match name {
        "keys" | "secondary_keys" | "triggers" => words().boxed(),
        "comment" | "content" | "name" => text().boxed(),
        "insertion_order" | "priority" | "depth" | "probability" | "sticky" => number().boxed(),
        "position" => {
            prop_oneof![Just(json!("before_char")), Just(json!("after_char")), Just(json!("elsewhere"))]
                .boxed()
        }
        "extensions" => fields(&BOOK_EXTENSIONS, book_field).prop_map(Value::Object).boxed(),
        _ => flag().boxed(),
    }
}

fn character_book() -> impl Strategy<Value = Value> {
    let entries = prop::collection::vec((fields(&BOOK_FIELDS, book_field), any::<bool>()), 0..6);
    (entries, unknown()).prop_map(|(entries, unknown)| {
        let entries = entries.into_iter().enumerate().map(|(index, (mut entry, with_id))| {
            if with_id {
                entry.insert("id".into(), json!(index));
            }
            Value::Object(entry)
        });
        let mut book: Object = unknown.into_iter().collect();
        book.insert("entries".into(), entries.collect());
        book.insert("scan_depth".into(), json!(3));
        Value::Object(book)
    })
}

fn read(value: &Value) -> Lorebook {
    // Through text, as files are.
    Lorebook::from_value(serde_json::from_str(&json::compact(value)).unwrap()).unwrap().value
}

fn by_uid(world: &Value) -> Vec<(String, &Object)> {
    let entries: Vec<&Value> = match &world["entries"] {
        Value::Object(map) => map.values().collect(),
        Value::Array(list) => list.iter().collect(),
        other => panic!("entries are {other}"),
    };
    let mut entries: Vec<_> =
        entries.into_iter().map(|entry| (entry["uid"].to_string(), entry.as_object().unwrap())).collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    entries
}

/// Every field of `was` is in `now` with the same value, objects compared the same way.
fn contained(was: &Object, now: &Object) -> Result<(), String> {
    for (name, value) in was {
        match (value, now.get(name)) {
            (Value::Object(was), Some(Value::Object(now))) => contained(was, now)?,
            (value, Some(other)) if value == other => {}
            (value, other) => return Err(format!("{name}: {value} became {other:?}")),
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn worlds_come_back_byte_for_byte(world in world()) {
        prop_assert_eq!(json::compact(&read(&world).to_world().value), json::compact(&world));
    }

    #[test]
    fn books_come_back_byte_for_byte(book in character_book()) {
        prop_assert_eq!(json::compact(&read(&book).to_character_book().value), json::compact(&book));
    }

    #[test]
    fn any_junk_in_a_world_comes_back(entries in prop::collection::vec(("[0-9a-z]{1,3}", anything()), 0..5)) {
        let world = json!({"entries": entries.into_iter().collect::<Object>()});
        prop_assert_eq!(json::compact(&read(&world).to_world().value), json::compact(&world));
    }

    #[test]
    fn wrong_types_come_back(values in prop::collection::vec((0usize..WORLD_FIELDS.len(), anything()), 0..20)) {
        let entry: Object = values.into_iter().map(|(i, value)| (WORLD_FIELDS[i].to_owned(), value)).collect();
        let world = json!({"entries": {"0": entry}});
        prop_assert_eq!(json::compact(&read(&world).to_world().value), json::compact(&world));
    }

    #[test]
    fn a_world_survives_a_trip_through_a_book(world in world()) {
        let book = read(&world).to_character_book().value;
        let back = read(&book).to_world().value;
        let (was, now) = (by_uid(&world), by_uid(&back));
        prop_assert_eq!(was.len(), now.len());
        for ((uid, was), (_, now)) in was.iter().zip(&now) {
            if let Err(lost) = contained(was, now) {
                prop_assert!(false, "entry {}: {}", uid, lost);
            }
        }
        let top: Object = world.as_object().unwrap().iter().filter(|(name, _)| *name != "entries").map(|(n, v)| (n.clone(), v.clone())).collect();
        prop_assert_eq!(contained(&top, back.as_object().unwrap()), Ok(()));
    }

    #[test]
    fn a_book_survives_a_trip_through_a_world(book in character_book()) {
        let world = read(&book).to_world().value;
        let back = read(&world).to_character_book().value;
        let (was, now) = (book["entries"].as_array().unwrap(), back["entries"].as_array().unwrap());
        prop_assert_eq!(was, now);
        prop_assert_eq!(contained(book.as_object().unwrap(), back.as_object().unwrap()), Ok(()));
    }

    #[test]
    fn foreign_books_keep_every_value(
        kind in 0usize..3,
        entries in prop::collection::vec((words(), text(), text(), number(), flag(), unknown()), 0..5),
        top in unknown(),
    ) {
        let count = entries.len();
        let mut wanted = Vec::new();
        let entries: Vec<Value> = entries.into_iter().map(|(keys, title, content, order, enabled, unknown)| {
            wanted.push((keys.clone(), title.clone(), content.clone(), order.clone(), enabled.clone(), unknown.clone()));
            let mut entry: Object = unknown.into_iter().collect();
            let joined: Vec<&str> = keys.as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let own = match kind {
                0 => json!({"key": joined.join(", "), "comment": title, "content": content, "insertorder": order, "alwaysActive": enabled}),
                1 => json!({"keys": keys, "displayName": title, "text": content, "enabled": enabled, "contextConfig": {"budgetPriority": order}}),
                _ => json!({"keywords": keys, "name": title, "entry": content, "weight": order, "enabled": enabled}),
            };
            entry.extend(own.as_object().unwrap().clone());
            Value::Object(entry)
        }).collect();
        let mut file: Object = top.clone().into_iter().collect();
        file.extend(match kind {
            0 => json!({"type": "risu", "ver": 1, "data": entries}),
            1 => json!({"lorebookVersion": 5, "entries": entries}),
            _ => json!({"kind": "memory", "entries": entries}),
        }.as_object().unwrap().clone());
        let part = ["risuai", "novelai", "agnai"][kind];
        // Also after a trip through a card.
        let world = read(&Value::Object(file)).to_world().value;
        for world in [read(&read(&world).to_character_book().value).to_world().value, world] {
            let read = read(&world);
            prop_assert_eq!(read.entries.len(), count);
            for (entry, (keys, title, content, order, enabled, unknown)) in read.entries.iter().zip(&wanted) {
                if kind > 0 {
                    prop_assert_eq!(&json!(entry.key), keys);
                    prop_assert_eq!(&json!(!entry.disable), enabled);
                } else {
                    prop_assert_eq!(&json!(entry.constant), enabled);
                }
                prop_assert_eq!(&json!(entry.comment), title);
                prop_assert_eq!(&json!(entry.content), content);
                prop_assert_eq!(Some(entry.order), order.as_f64());
                for (name, value) in unknown.iter().cloned().collect::<Object>() {
                    prop_assert_eq!(&entry.extensions["tavernkit"][part][&name], &value);
                }
            }
            for (name, value) in top.iter().cloned().collect::<Object>() {
                prop_assert_eq!(&world["extensions"]["tavernkit"][part][&name], &value);
            }
        }
    }
}
