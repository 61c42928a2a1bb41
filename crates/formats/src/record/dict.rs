//! An object of records by name that does not lose the values it cannot read.

use indexmap::IndexMap;
use serde_json::Value;
use tavernkit_core::Warning;

use super::{Field, Object};
use crate::json::{Path, field};

/// Records by name, in file order; values of another kind are set aside and written back at their place.
#[derive(Debug, Clone, PartialEq)]
pub struct Dict<T> {
    items: IndexMap<String, T>,
    /// Unreadable values: place, name, value.
    odd: Vec<(usize, String, Value)>,
}

impl<T> Default for Dict<T> {
    fn default() -> Self {
        Self { items: IndexMap::new(), odd: Vec::new() }
    }
}

impl<T> Dict<T> {
    /// The record with this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.items.get(name)
    }

    /// The record with this name, for changing it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        self.items.get_mut(name)
    }

    /// Sets a record; a known name keeps its place.
    pub fn insert(&mut self, name: impl Into<String>, item: T) {
        self.items.insert(name.into(), item);
    }

    /// Removes a record.
    pub fn remove(&mut self, name: &str) -> Option<T> {
        self.items.shift_remove(name)
    }

    /// Names and records in file order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &T)> {
        self.items.iter().map(|(name, item)| (name.as_str(), item))
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

impl<T> FromIterator<(String, T)> for Dict<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(items: I) -> Self {
        Self { items: items.into_iter().collect(), odd: Vec::new() }
    }
}

impl<T: Field> Field for Dict<T> {
    fn read(value: &Value, at: &Path<'_>, warnings: &mut Vec<Warning>) -> Option<Self> {
        if value.is_null() {
            return None;
        }
        let mut dict = Self::default();
        for (place, (name, value)) in field::object(value, at, warnings)?.iter().enumerate() {
            match T::read(value, &at.key(name), warnings) {
                Some(item) => dict.insert(name.clone(), item),
                None => dict.odd.push((place, name.clone(), value.clone())),
            }
        }
        Some(dict)
    }

    fn write(&self) -> Value {
        let mut values: Vec<(String, Value)> =
            self.items.iter().map(|(name, item)| (name.clone(), item.write())).collect();
        for (place, name, value) in &self.odd {
            if self.get(name).is_none() {
                values.insert((*place).min(values.len()), (name.clone(), value.clone()));
            }
        }
        Value::Object(values.into_iter().collect::<Object>())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn odd_values_stay_in_place() {
        let value = json!({"a": {"x": 1}, "b": 3, "c": {}});
        let mut dict: Dict<Object> = Field::read(&value, &Path::Root, &mut Vec::new()).unwrap();
        assert_eq!(dict.len(), 2);
        assert_eq!(dict.write().to_string(), value.to_string());
        dict.remove("a");
        dict.insert("b", Object::new());
        assert_eq!(dict.write().to_string(), r#"{"c":{},"b":{}}"#);
    }
}
