//! JSON and YAML cards: whatever the text is, reading ends; what was read is written and read again as the same value.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tavernkit_formats::card::{self, Container, Form, as_sillytavern_loads};
use tavernkit_formats::{Limits, Result, json, yaml};

fuzz_target!(|data: &[u8]| {
    let limits = Limits::default();
    if let Ok(parsed) = json::parse(data, &limits) {
        for text in [json::compact(&parsed.value), json::indented(&parsed.value, 4)] {
            let again = json::parse_text(&text, &limits).expect("what we write is JSON");
            // 1.0 is written as 1, which is the same number but not the same value.
            assert_eq!(json::compact(&again.value), json::compact(&parsed.value));
        }
    }
    let (text, _) = json::decode(data, &limits);
    let _ = yaml::parse(&text, &limits);
    let _ = round_trip(data, &limits);
});

fn round_trip(bytes: &[u8], limits: &Limits) -> Result<()> {
    let mut file = card::read(bytes, None, limits)?;
    let _ = file.validate();
    let _ = as_sillytavern_loads(file.card(), Some("chat"));
    let v2 = file.to_v2();
    let _ = (v2.to_v3(), v2.character());
    if file.container() == Container::Json {
        assert_eq!(file.write_json(Form::AsIs), bytes);
    }
    file.card_mut().set("description", "Changed");
    let again = card::read(&file.write_json(Form::AsIs), None, limits)?;
    assert_eq!(again.character(), file.character());
    Ok(())
}
