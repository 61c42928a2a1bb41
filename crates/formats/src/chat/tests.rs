use serde_json::{Value, json};

use super::*;

fn texts(warnings: &[tavernkit_core::Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

fn parse(text: &str, party: Party) -> Read<Chat> {
    let read = Chat::parse(text.as_bytes(), party, &Limits::default()).unwrap();
    assert_eq!(read.value.to_jsonl(), text, "an untouched chat comes back as it was");
    read
}

fn import(value: &Value) -> Read<Vec<Chat>> {
    Chat::import(value.to_string().as_bytes(), &Names::default(), &Limits::default()).unwrap()
}

fn lines(chat: &Chat) -> Vec<(String, bool, String)> {
    chat.messages.iter().map(|m| (m.name.clone(), m.is_user, m.text.clone())).collect()
}

fn line(name: &str, is_user: bool, text: &str) -> (String, bool, String) {
    (name.into(), is_user, text.into())
}

#[test]
fn broken_lines_are_kept_and_named() {
    let text = concat!(
        "{\"chat_metadata\": {\"variables\": {\"hp\": 3}}, \"user_name\": \"unused\"}\r\n",
        "{\"name\":\"A\",\"mes\":5,\"is_user\":true}\n",
        "not json\n",
        "\n",
        "[1]\n",
        "{\"name\":\"B\",\"mes\":\"b\",\"swipes\":[\"x\"],\"swipe_id\":0}\n",
        "{\"name\":\"C\",\"mes\":\"c\",\"swipes\":[\"c\"],\"swipe_id\":4}\n",
    );
    let read = parse(text, Party::Solo);
    assert_eq!(read.value.messages.len(), 3);
    assert_eq!(read.value.metadata().variables["hp"], 3);
    assert_eq!(
        texts(&read.warnings),
        [
            "[field.type] expected a text but found a number; \"5\" was used (at line 2, mes)",
            "[chat.broken_line] the line is no JSON (expected a value but found `n` at column 1; put text in double quotes); it is kept, and is not part of the chat (at line 3)",
            "[chat.broken_line] expected an object but found a list; it is kept, and is not part of the chat (at line 5)",
            "[chat.swipe_id] there is no swipe 4 of 1; the text is used (at line 7, swipe_id)",
        ]
    );
}

#[test]
fn the_first_line_depends_on_the_party() {
    let text = "{\"name\":\"A\",\"mes\":\"a\"}\n{\"name\":\"B\",\"mes\":\"b\"}";
    let solo = parse(text, Party::Solo);
    assert_eq!(solo.value.messages.len(), 1);
    assert_eq!(
        texts(&solo.warnings),
        [
            "[chat.message_as_header] the first line is a message, but SillyTavern takes it for the header; it is not part of the chat (at line 1)"
        ]
    );
    assert_eq!(parse(text, Party::Group).value.messages.len(), 2);
    assert_eq!(parse(text, Party::Unknown).value.messages.len(), 2);
}

#[test]
fn everything_of_a_message_is_typed() {
    let text = concat!(
        "{\"chat_metadata\":{\"note_prompt\":\"N\",\"note_interval\":2,\"note_position\":1,\"note_role\":2,\"world_info\":\"Book\",",
        "\"timedWorldInfo\":{\"sticky\":{\"Book.3\":{\"hash\":12,\"start\":1,\"end\":4,\"protected\":false}},\"cooldown\":{}},",
        "\"script_injects\":{\"a\":{\"value\":\"v\",\"position\":2,\"depth\":1,\"role\":1,\"scan\":true}},\"persona\":\"i.png\"}}\n",
        "{\"name\":\"T\",\"is_system\":true,\"mes\":\"\",\"extra\":{\"tool_invocations\":[{\"id\":\"1\",\"name\":\"dice\",\"parameters\":\"{}\",\"result\":\"4\"}],",
        "\"media\":[{\"url\":\"/a.png\",\"type\":\"image\"}],\"files\":[{\"url\":\"/f\",\"name\":\"f\"}],\"reasoning\":\"hm\"}}\n",
        "{\"name\":\"N\",\"mes\":\"Rain.\",\"send_date\":1700000000000,\"extra\":{\"type\":\"narrator\"}}",
    );
    let chat = parse(text, Party::Unknown);
    assert!(chat.warnings.is_empty(), "{:?}", chat.warnings);
    let metadata = chat.value.metadata();
    assert_eq!(
        (metadata.note_position, metadata.world_info.as_deref()),
        (Some(InjectPosition::InChat), Some("Book"))
    );
    assert_eq!(metadata.timed_world_info.sticky.get("Book.3").unwrap().end, 4.0);
    assert_eq!(metadata.script_injects.get("a").unwrap().position, InjectPosition::Before);
    let [tool, narrator] = &chat.value.messages[..] else { panic!("two messages") };
    assert!(tool.is_hidden() && narrator.is_narrator());
    assert_eq!(tool.extra.tool_invocations[0].result, "4");
    assert_eq!((tool.extra.media[0].url.as_str(), tool.extra.files[0].name.as_str()), ("/a.png", "f"));
    assert_eq!(narrator.send_date.as_ref().unwrap().to_string(), "1700000000000");
    assert_eq!(chat.value.to_text(), "N: Rain.\n\n");
}

#[test]
fn swipes_are_repaired_as_in_sillytavern() {
    let mut message = ChatMessage::new("B", false, "Hm.");
    message.repair_swipes();
    assert_eq!(message.current_swipe(), Some("Hm."));
    assert_eq!(message.swipe_info.len(), 1);
    let mut user = ChatMessage::new("I", true, "Oh.");
    user.repair_swipes();
    assert!(user.swipes.is_empty());
}

#[test]
fn a_new_chat_has_sillytaverns_header() {
    let chat = Chat::new(vec![ChatMessage::new("Ilse", true, "Hi")]);
    assert_eq!(
        chat.to_jsonl(),
        concat!(
            "{\"chat_metadata\":{},\"user_name\":\"unused\",\"character_name\":\"unused\"}\n",
            "{\"name\":\"Ilse\",\"is_user\":true,\"is_system\":false,\"mes\":\"Hi\",\"extra\":{}}"
        )
    );
}

#[test]
fn a_line_beyond_the_limit_is_refused() {
    let limits = Limits { text_chunk: 10, ..Limits::default() };
    let error = Chat::parse(b"{}\n{\"name\":\"long\"}", Party::Solo, &limits).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2 is longer than the limit of 10 bytes; raise `Limits::text_chunk` if you trust it"
    );
}

#[test]
fn many_warnings_are_counted() {
    let limits = Limits { warnings_per_code: 2, ..Limits::default() };
    let read = Chat::parse("{}\nx\nx\nx\nx\nx".as_bytes(), Party::Solo, &limits).unwrap();
    assert_eq!(read.warnings.len(), 3);
    assert_eq!(read.warnings[2].to_string(), "[chat.broken_line] and 3 more of this kind");
}

#[test]
fn streaming_copies_a_chat_byte_for_byte() {
    let text = "{\"chat_metadata\":{}}\n{ \"mes\" : \"\\u00e9\" }\noops\n\n{\"mes\":1.0}\n";
    let mut reader = ChatReader::new(text.as_bytes(), Party::Unknown, Limits::default());
    let mut writer = ChatWriter::new(Vec::new());
    while let Some(line) = reader.next_line().unwrap() {
        writer.write(&line).unwrap();
    }
    let out = writer.finish(reader.ended_with_newline()).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), text);
}

#[test]
fn kobold_lite() {
    let file = json!({
        "savedsettings": {"chatname": "Ilse", "chatopponent": "Bram||$||Joris"}, "prompt": "The inn.", "memory": "m",
        "actions": ["{{[INPUT]}}Hello{{[OUTPUT]}}", " Hm. ", 4]
    });
    let read = import(&file);
    assert_eq!(
        lines(&read.value[0]),
        [
            line("Bram", false, "The inn."),
            line("Ilse", true, "Hello"),
            line("Bram", false, "Hm."),
            line("", false, "4")
        ]
    );
    assert_eq!(
        texts(&read.warnings),
        [
            "[chat.odd_message] expected a text but found a number; it is kept as a hidden message (at actions[2])"
        ]
    );
    assert_eq!(read.value[0].metadata().raw()["tavernkit"]["koboldlite"]["memory"], "m");
}

#[test]
fn character_ai() {
    let message = |human: bool, text: &str| json!({"src": {"is_human": human, "name": if human { "ann" } else { "Bram" }}, "text": text});
    let file = json!({"info": 1, "histories": {"histories": [
        {"external_id": "x", "msgs": [message(false, "Hi"), message(true, "Ho")]}, {"msgs": [message(false, "Again")]}
    ]}});
    let chats = import(&file).value;
    assert_eq!(chats.len(), 2);
    assert_eq!(lines(&chats[0]), [line("Bram", false, "Hi"), line("ann", true, "Ho")]);
    let names = Names { user: Some("Ilse".into()), character: None };
    let chats = Chat::import(file.to_string().as_bytes(), &names, &Limits::default()).unwrap().value;
    assert_eq!(chats[0].messages[1].name, "Ilse");
}

#[test]
fn agnai_and_risu() {
    let agnai = import(&json!({"name": "Bram", "messages": [
        {"msg": "Hm.", "characterId": "c", "createdAt": "2026-01-01", "_id": "1"}, {"msg": "Oh?", "userId": "u", "handle": "Ilse"}
    ]}));
    assert_eq!(lines(&agnai.value[0]), [line("Bram", false, "Hm."), line("Ilse", true, "Oh?")]);
    assert_eq!(agnai.value[0].messages[0].extra.raw()["tavernkit"]["agnai"]["_id"], "1");
    assert_eq!(agnai.value[0].messages[0].send_date.as_ref().unwrap().to_string(), "2026-01-01");

    let risu = import(&json!({"type": "risuChat", "ver": 2, "data": {"note": "n", "message": [
        {"role": "char", "data": "Hm.", "time": 5, "name": "Bram"}, {"role": "user", "data": "Oh?", "disabled": true}
    ]}}));
    assert_eq!(lines(&risu.value[0]), [line("Bram", false, "Hm."), line("User", true, "Oh?")]);
    assert!(risu.value[0].messages[1].is_hidden());
    assert_eq!(risu.value[0].metadata().raw()["tavernkit"]["risuai"]["data"]["note"], "n");
}

#[test]
fn chub() {
    let text = "{\"user_name\":\"I\",\"character_name\":\"B\"}\n{\"name\":\"B\",\"mes\":{\"message\":\"Hm.\",\"id\":3},\"swipes\":[{\"message\":\"Hm.\"},\"Ah.\"],\"swipe_id\":0}";
    let read = Chat::import(text.as_bytes(), &Names::default(), &Limits::default()).unwrap();
    assert!(read.warnings.is_empty(), "{:?}", read.warnings);
    let message = &read.value[0].messages[0];
    assert_eq!((message.text.as_str(), message.swipes.join("|")), ("Hm.", "Hm.|Ah.".into()));
    assert_eq!(message.extra.raw()["tavernkit"]["chub"]["mes"]["id"], 3);
}

#[test]
fn openai_messages_go_there_and_back() {
    let messages = json!([
        {"role": "system", "content": "Rules."},
        {"role": "user", "content": [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "data:x"}}], "name": "Ilse"},
        {"role": "assistant", "content": "Rolling.", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "dice", "arguments": "{\"n\":6}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "4"},
        {"role": "developer", "content": "Short."},
        {"role": "assistant", "content": "Four.", "refusal": null}
    ]);
    let read = import(&messages);
    assert!(read.warnings.is_empty());
    let chat = &read.value[0];
    assert_eq!(chat.messages.len(), 6);
    assert_eq!(chat.messages[1].extra.media[0].url, "data:x");
    assert_eq!(chat.messages[3].extra.tool_invocations[0].result, "4");
    assert!(chat.messages[3].is_hidden() && chat.messages[0].is_narrator());
    assert_eq!(chat.to_openai(), messages);
    // Also after a trip through a file.
    assert_eq!(parse(&chat.to_jsonl(), Party::Solo).value.to_openai(), messages);
}

#[test]
fn loose_tool_results_and_strange_files() {
    let read =
        import(&json!({"messages": [{"role": "tool", "tool_call_id": "z", "content": "4"}], "model": "m"}));
    assert_eq!(
        texts(&read.warnings),
        [
            "[chat.loose_tool_result] a tool's result without a call before it; it is kept as a hidden message (at messages[0])"
        ]
    );
    assert_eq!(read.value[0].metadata().raw()["tavernkit"]["openai"]["model"], "m");
    let error = Chat::import(b"{\"a\":1}", &Names::default(), &Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "this is not a chat of a known format");
    let error = Chat::import(b"{\"histories\":{}}", &Names::default(), &Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "the export has no list of histories (at histories.histories)");
}
