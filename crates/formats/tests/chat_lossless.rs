//! A chat that nobody changed comes back byte for byte, and a change touches its own line only.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tavernkit_formats::Limits;
use tavernkit_formats::chat::{Chat, ChatReader, ChatWriter, Names, Party};

fn anything() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1000i64..1000).prop_map(Value::from),
        (-100.0f64..100.0).prop_map(Value::from),
        "[a-zé\\\\\"\\n ]{0,12}".prop_map(Value::from),
        prop::collection::vec("[a-z]{0,4}".prop_map(Value::from), 0..3).prop_map(Value::Array),
        Just(json!({"a": {"b": [1.5, null]}})),
    ]
}

const FIELDS: [&str; 14] = [
    "name",
    "is_user",
    "is_system",
    "mes",
    "send_date",
    "swipes",
    "swipe_id",
    "swipe_info",
    "extra",
    "force_avatar",
    "gen_started",
    "chat_metadata",
    "mood",
    "0",
];

fn object() -> impl Strategy<Value = String> {
    let fields = prop::collection::vec((prop::sample::select(&FIELDS[..]), anything()), 0..8);
    fields.prop_map(|fields| {
        let map: Map<String, Value> =
            fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Value::Object(map).to_string()
    })
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => object(),
        1 => "[a-z{}\",: ]{0,10}",
        1 => object().prop_map(|text| text.replace(':', " : ")),
        1 => Just("\r".to_owned()),
        1 => object().prop_map(|text| format!("{text}\r")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chats_come_back_byte_for_byte(lines in prop::collection::vec(line(), 0..12), party in 0usize..3, newline: bool) {
        let mut text = lines.join("\n");
        if newline && !lines.is_empty() {
            text.push('\n');
        }
        let party = [Party::Solo, Party::Group, Party::Unknown][party];
        let chat = Chat::parse(text.as_bytes(), party, &Limits::default()).unwrap().value;
        prop_assert_eq!(chat.to_jsonl(), text.clone());

        let mut reader = ChatReader::new(text.as_bytes(), party, Limits::default());
        let mut writer = ChatWriter::new(Vec::new());
        while let Some(line) = reader.next_line().unwrap() {
            writer.write(&line).unwrap();
        }
        let out = writer.finish(reader.ended_with_newline()).unwrap();
        prop_assert_eq!(String::from_utf8(out).unwrap(), text);
    }

    #[test]
    fn an_edit_touches_its_line_only(lines in prop::collection::vec(object(), 2..8), pick: prop::sample::Index) {
        let text = lines.join("\n");
        let mut chat = Chat::parse(text.as_bytes(), Party::Solo, &Limits::default()).unwrap().value;
        let index = pick.index(chat.messages.len());
        chat.messages[index].text = "changed here".into();
        let now = chat.to_jsonl();
        for (number, (was, now)) in lines.iter().zip(now.split('\n')).enumerate() {
            if number == index + 1 {
                let mut was: Value = serde_json::from_str(was).unwrap();
                was["mes"] = json!("changed here");
                prop_assert_eq!(serde_json::from_str::<Value>(now).unwrap(), was);
            } else {
                prop_assert_eq!(was, now);
            }
        }
    }

    #[test]
    fn imports_never_panic_and_keep_every_text(texts in prop::collection::vec("[a-z]{1,8}", 1..6), kind in 0usize..5) {
        let messages: Vec<Value> = texts.iter().enumerate().map(|(index, text)| match kind {
            0 => json!({"role": if index % 2 == 0 { "user" } else { "assistant" }, "content": text}),
            1 => json!({"msg": text, "x": index}),
            2 => json!({"role": "char", "data": text, "x": index}),
            3 => json!({"src": {"is_human": index % 2 == 0}, "text": text}),
            _ => json!(["", text]),
        }).collect();
        let file = match kind {
            0 => json!(messages),
            1 => json!({"messages": messages}),
            2 => json!({"type": "risuChat", "data": {"message": messages}}),
            3 => json!({"histories": {"histories": [{"msgs": messages}]}}),
            _ => json!({"data_visible": messages}),
        };
        let chats = Chat::import(file.to_string().as_bytes(), &Names::default(), &Limits::default()).unwrap().value;
        let read: Vec<&str> = chats[0].messages.iter().map(|message| message.text.as_str()).collect();
        prop_assert_eq!(read, texts);
    }

    #[test]
    fn any_json_is_refused_or_read(value in anything(), name in prop::sample::select(vec!["messages", "histories", "data_visible", "actions", "data", "savedsettings", "type"])) {
        let file = json!({name: value, "type": "risuChat"});
        let _ = Chat::import(file.to_string().as_bytes(), &Names::default(), &Limits::default());
    }
}
