//! The fast path: clean JSON, read by serde_json.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::Limits;

/// Above this, an integer in the text may have lost digits on its way into a float.
const EXACT_INTEGERS: f64 = 18_446_744_073_709_551_615.0;

/// The value of clean JSON. `None` for anything that deserves a warning or an error: the lenient parser finds out which.
pub(super) fn parse(text: &str, limits: &Limits) -> Option<Value> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    // serde_json guards its own recursion at 128 levels; what is deeper goes to the lenient parser.
    let value = Seed { levels: limits.depth }.deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(value)
}

#[derive(Clone, Copy)]
struct Seed {
    levels: usize,
}

impl Seed {
    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        match self.levels.checked_sub(1) {
            Some(levels) => Ok(Self { levels }),
            None => Err(E::custom("too deep")),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Seed {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }
    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        if value.abs() >= EXACT_INTEGERS {
            return Err(E::custom("may have lost digits"));
        }
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("not finite"))
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }
    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let seed = self.deeper()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(seed)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let seed = self.deeper()?;
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(seed)?;
            if map.insert(key, value).is_some() {
                return Err(A::Error::custom("duplicate key"));
            }
        }
        Ok(Value::Object(map))
    }
}
