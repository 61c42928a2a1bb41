//! A card as SillyTavern 1.19 holds it after loading.

use serde_json::{Map, Number, Value, json};
use tavernkit_core::number;

use super::character::split_tags;
use super::{Card, Version};

/// What becomes of fields that V1 does not know but a V2 card has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extra {
    /// SillyTavern leaves them at the top level, where nothing reads them.
    Ignore,
    /// We carry them into `data`.
    Carry,
}

/// The JSON SillyTavern works with after it has loaded the card: V1 becomes V2; for V2 and V3 the top-level copies
/// of the fields are taken from `data`.
///
/// `chat` is the name SillyTavern would give to a new chat (`<name> - <time>`): time is an input. Without it the field
/// stays as it is.
///
/// ```
/// use tavernkit_formats::card::{self, Card};
///
/// let value = serde_json::json!({"spec": "chara_card_v2", "name": "old", "data": {"name": "Bram", "extensions": {"fav": true}}});
/// let card = Card::from_value(value, &mut Vec::new())?;
/// let loaded = card::as_sillytavern_loads(&card, None);
/// assert_eq!((&loaded["name"], &loaded["fav"]), (&"Bram".into(), &true.into()));
/// # Ok::<(), tavernkit_formats::Error>(())
/// ```
pub fn as_sillytavern_loads(card: &Card, chat: Option<&str>) -> Value {
    let mut raw = if card.raw().contains_key("spec") {
        let mut raw = card.raw().clone();
        mirror(&mut raw);
        raw
    } else {
        let Value::Object(raw) = v1_to_v2(card.raw(), Extra::Ignore).into_value() else { return Value::Null };
        raw
    };
    if let (Some(chat), true) = (chat, raw.get("chat").is_none_or(Value::is_null)) {
        raw.insert("chat".into(), chat.into());
    }
    Value::Object(raw)
}

/// Copies fields of `data` to the top level.
fn mirror(raw: &mut Map<String, Value>) {
    let Some(data) = raw.get("data").cloned() else { return };
    raw.shift_remove("json_data");
    for key in ["name", "description", "personality", "scenario", "first_mes", "mes_example"] {
        if let Some(value) = data.get(key) {
            raw.insert(key.into(), value.clone());
        }
    }
    // A missing one of these two ends up undefined, which no JSON holds.
    for key in ["talkativeness", "fav"] {
        match data.get("extensions").and_then(|extensions| extensions.get(key)) {
            Some(value) => raw.insert(key.into(), value.clone()),
            None => raw.shift_remove(key),
        };
    }
    if let Some(tags) = data.get("tags") {
        raw.insert("tags".into(), tags.clone());
    }
}

/// SillyTavern's conversion of a V1 card. Unknown fields stay.
pub(super) fn v1_to_v2(v1: &Map<String, Value>, extra: Extra) -> Card {
    let source = Card::from_parts(v1.clone(), Version::V1);
    let get = |key: &str| match extra {
        Extra::Ignore => v1.get(if key == "creator_notes" { "creatorcomment" } else { key }),
        Extra::Carry => source.field(key).map(|(_, value)| value),
    };
    let or_empty =
        |key: &str| get(key).filter(|value| is_truthy(value)).cloned().unwrap_or_else(|| "".into());
    let beyond_v1 = |key: &str| if extra == Extra::Carry { or_empty(key) } else { "".into() };
    let talkativeness =
        get("talkativeness").filter(|value| is_truthy(value)).cloned().unwrap_or_else(|| json!(0.5));
    let fav = Value::Bool(get("fav").is_some_and(|fav| *fav == "true"));
    let tags = match get("tags") {
        Some(Value::String(tags)) => split_tags(tags).into(),
        Some(tags) if is_truthy(tags) => tags.clone(),
        _ => json!([]),
    };

    let mut raw = v1.clone();
    raw.shift_remove("json_data");
    let name = get("name").cloned();
    set(&mut raw, "name", name.clone());
    for key in ["description", "personality", "scenario", "first_mes", "mes_example"] {
        raw.insert(key.into(), or_empty(key));
    }
    raw.insert("creatorcomment".into(), or_empty("creator_notes"));
    raw.insert("avatar".into(), "none".into());
    raw.insert("talkativeness".into(), talkativeness.clone());
    raw.insert("fav".into(), fav.clone());
    raw.insert("tags".into(), tags.clone());
    raw.insert("spec".into(), "chara_card_v2".into());
    raw.insert("spec_version".into(), "2.0".into());

    let mut data = match raw.get("data") {
        Some(Value::Object(data)) => data.clone(),
        _ => Map::new(),
    };
    set(&mut data, "name", name);
    for key in ["description", "personality", "scenario", "first_mes", "mes_example", "creator_notes"] {
        data.insert(key.into(), or_empty(key));
    }
    data.insert("system_prompt".into(), beyond_v1("system_prompt"));
    data.insert("post_history_instructions".into(), beyond_v1("post_history_instructions"));
    data.insert("tags".into(), tags);
    data.insert("creator".into(), or_empty("creator"));
    data.insert("character_version".into(), beyond_v1("character_version"));
    let greetings = match get("alternate_greetings").filter(|_| extra == Extra::Carry) {
        Some(Value::Array(greetings)) => greetings.clone(),
        Some(greeting @ Value::String(_)) => vec![greeting.clone()],
        _ => Vec::new(),
    };
    data.insert("alternate_greetings".into(), greetings.into());
    if extra == Extra::Carry {
        carry(v1, &mut data);
    }
    extend(&mut data, v1, talkativeness, fav);
    raw.insert("data".into(), data.into());
    Card::from_parts(raw, Version::V2)
}

/// The book and the extensions of a card that has them without being V2.
fn carry(v1: &Map<String, Value>, data: &mut Map<String, Value>) {
    for key in ["character_book", "extensions"] {
        if let Some(value @ Value::Object(_)) = v1.get(key) {
            data.entry(key).or_insert_with(|| value.clone());
        }
    }
}

fn extend(data: &mut Map<String, Value>, v1: &Map<String, Value>, talkativeness: Value, fav: Value) {
    let extensions = object_at(data, "extensions");
    extensions.insert("talkativeness".into(), talkativeness);
    extensions.insert("fav".into(), fav);
    if extensions.get("world").is_none_or(|world| !is_truthy(world)) {
        extensions.insert("world".into(), "".into());
    }
    let given = |key: &str| v1.get(key).filter(|value| !value.is_null()).cloned();
    let prompt = object_at(extensions, "depth_prompt");
    let kept = |prompt: &Map<String, Value>, key: &str| prompt.get(key).cloned();
    let text = given("depth_prompt_prompt").or_else(|| kept(prompt, "prompt")).unwrap_or_else(|| "".into());
    let depth = match v1.get("depth_prompt_depth") {
        Some(value) => javascript_number(value).map_or(json!(4), as_number),
        None => kept(prompt, "depth").unwrap_or_else(|| json!(4)),
    };
    let role = given("depth_prompt_role").or_else(|| kept(prompt, "role")).unwrap_or_else(|| "system".into());
    prompt.insert("prompt".into(), text);
    prompt.insert("depth".into(), depth);
    prompt.insert("role".into(), role);
}

fn object_at<'a>(map: &'a mut Map<String, Value>, key: &str) -> &'a mut Map<String, Value> {
    let slot = map.entry(key).or_insert(Value::Null);
    if !slot.is_object() {
        *slot = Value::Object(Map::new());
    }
    slot.as_object_mut().expect("the slot was just made an object")
}

/// Sets a value that JavaScript may hold as undefined.
fn set(map: &mut Map<String, Value>, key: &str, value: Option<Value>) {
    match value {
        Some(value) => map.insert(key.into(), value),
        None => map.shift_remove(key),
    };
}

/// JavaScript's truthiness.
fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// JavaScript's `Number(value)` for what a field may hold; `None` for NaN.
fn javascript_number(value: &Value) -> Option<f64> {
    match value {
        Value::Null => Some(0.0),
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        Value::Number(number) => number.as_f64(),
        Value::String(text) => Some(number::parse(text)).filter(|number| !number.is_nan()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn as_number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        // Whole and small enough: the cast is exact.
        return Value::from(value as i64);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}
