//! Typed views over lossless JSON objects.
//!
//! A *record* is a struct whose fields are read out of a JSON object and which keeps that object. Writing starts from
//! the kept object and touches only the fields whose typed value changed since it was read. So unknown fields, their
//! order, odd spellings and even values of a wrong type survive a trip through us, and what nobody changed comes back
//! as it was.

mod dict;
mod field;
mod list;
mod scalar;

pub use dict::Dict;
pub use field::{Field, Object};
pub use list::List;
pub use scalar::Scalar;
use tavernkit_core::Warning;

/// What was read or made, and what was odd on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Read<T> {
    /// The result.
    pub value: T,
    /// What was wrong or surprising; the result is usable all the same.
    pub warnings: Vec<Warning>,
}

/// Declares a record: a struct over a JSON object.
///
/// Each line is `field: Type = "name in the file" => default;`, with further spellings after a bar. The default stands
/// for a missing or `null` value.
/// A trailing `keep { name: Type }` block adds fields that are not in the object.
macro_rules! record {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $( $(#[$fmeta:meta])* $field:ident : $type:ty = $key:literal $(| $alias:literal)* => $default:expr; )*
        }
        $( keep { $( $(#[$kmeta:meta])* $keep:ident : $ktype:ty ),* $(,)? } )?
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $( $(#[$fmeta])* pub $field: $type, )*
            $( $( $(#[$kmeta])* pub(crate) $keep: $ktype, )* )?
            /// The object this was read from.
            raw: $crate::record::Object,
        }

        impl Default for $name {
            fn default() -> Self {
                Self::read($crate::record::Object::new(), &$crate::json::Path::Root, &mut Vec::new())
            }
        }

        #[allow(dead_code, reason = "every record has the same set of methods; not every one is needed for each")]
        impl $name {
            /// Reads the object that stands at `at`. What is wrong in it is warned about; nothing of it is dropped.
            pub fn read(
                raw: $crate::record::Object,
                at: &$crate::json::Path<'_>,
                warnings: &mut Vec<tavernkit_core::Warning>,
            ) -> Self {
                Self {
                    $( $field: $crate::record::Field::get(&raw, &[$key $(, $alias)*], at, warnings).unwrap_or_else(|| $default), )*
                    $( $( $keep: Default::default(), )* )?
                    raw,
                }
            }

            /// The object as it was read, with every unknown field.
            pub fn raw(&self) -> &$crate::record::Object {
                &self.raw
            }

            /// The object for writing: as it was read, with the changed fields changed.
            pub fn to_map(&self) -> $crate::record::Object {
                let mut map = self.raw.clone();
                let mut silent = Vec::new();
                $(
                    let was: $type = $crate::record::Field::get(
                        &self.raw, &[$key $(, $alias)*], &$crate::json::Path::Root, &mut silent)
                        .unwrap_or_else(|| $default);
                    if was != self.$field {
                        $crate::record::Field::set(&self.$field, &mut map, &[$key $(, $alias)*]);
                    }
                )*
                map
            }

            /// Like [`Self::to_map`], with every field that is missing or `null` written out with its value.
            pub fn to_full_map(&self) -> $crate::record::Object {
                let mut map = self.to_map();
                $(
                    if ![$key $(, $alias)*].iter().any(|name| map.get(*name).is_some_and(|value| !value.is_null())) {
                        map.insert($key.to_owned(), $crate::record::Field::write(&self.$field));
                    }
                )*
                map
            }

            /// The names under which the fields are written.
            pub const FIELDS: &'static [&'static str] = &[$($key),*];

            /// Other spellings that are read, each with the name it stands for.
            pub const ALIASES: &'static [(&'static str, &'static str)] = &[$( $( ($alias, $key), )* )*];
        }

        impl $crate::record::Field for $name {
            fn read(
                value: &serde_json::Value,
                at: &$crate::json::Path<'_>,
                warnings: &mut Vec<tavernkit_core::Warning>,
            ) -> Option<Self> {
                let raw = <$crate::record::Object as $crate::record::Field>::read(value, at, warnings)?;
                Some($name::read(raw, at, warnings))
            }

            fn write(&self) -> serde_json::Value {
                serde_json::Value::Object(self.to_map())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                serde::Serialize::serialize(&self.to_map(), serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
                let raw = <$crate::record::Object as serde::Deserialize>::deserialize(deserializer)?;
                Ok(Self::read(raw, &$crate::json::Path::Root, &mut Vec::new()))
            }
        }
    };
}
pub(crate) use record;

/// Declares an enum whose values stand in files as fixed JSON values, keeping any other value as it is.
macro_rules! coded {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $(#[$vmeta:meta])* $variant:ident = $code:literal ),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $name {
            $( $(#[$vmeta])* $variant, )*
            /// A value with no known meaning, kept as it is in the file.
            Other(serde_json::Value),
        }

        impl $crate::record::Field for $name {
            fn read(
                value: &serde_json::Value,
                at: &$crate::json::Path<'_>,
                warnings: &mut Vec<tavernkit_core::Warning>,
            ) -> Option<Self> {
                if value.is_null() {
                    return None;
                }
                $(
                    if $crate::record::same_code(value, &serde_json::Value::from($code)) {
                        return Some(Self::$variant);
                    }
                )*
                let known = [$( serde_json::Value::from($code).to_string() ),*].join(", ");
                let message = format!("{value} has no known meaning and no effect; it is kept (known are {known})");
                warnings.push(tavernkit_core::Warning::new("field.unknown_value", message).at(at.to_string()));
                Some(Self::Other(value.clone()))
            }

            fn write(&self) -> serde_json::Value {
                match self {
                    $( Self::$variant => serde_json::Value::from($code), )*
                    Self::Other(value) => value.clone(),
                }
            }
        }
    };
}
pub(crate) use coded;

/// Whether a JSON value is the wanted code: equal, or an equal number in another spelling (`4.0` for `4`).
pub(crate) fn same_code(value: &serde_json::Value, code: &serde_json::Value) -> bool {
    value == code || (value.is_number() && value.as_f64() == code.as_f64())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::json::Path;

    coded! {
        /// A kind.
        pub enum Kind {
            /// One.
            One = 1,
            /// Two.
            Two = 2,
        }
    }

    record! {
        /// A thing.
        pub struct Thing {
            /// Its name.
            name: String = "name" => "nobody".into();
            /// How many.
            count: f64 = "count" | "howMany" => 7.0;
            /// Kind.
            kind: Kind = "kind" => Kind::One;
            /// Limit, if any.
            limit: Option<f64> = "limit" => Some(3.0);
        }
    }

    fn read(value: serde_json::Value) -> (Thing, Vec<String>) {
        let mut warnings = Vec::new();
        let thing = Field::read(&value, &Path::Root, &mut warnings).unwrap();
        (thing, warnings.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn untouched_objects_come_back_as_they_were() {
        let value = json!({"z": 1, "kind": "odd", "count": "12", "name": 5, "a": null});
        let (thing, warnings) = read(value.clone());
        assert_eq!((thing.name.as_str(), thing.count, &thing.kind), ("5", 12.0, &Kind::Other(json!("odd"))));
        assert_eq!(serde_json::to_string(&thing).unwrap(), value.to_string());
        assert_eq!(
            warnings,
            [
                "[field.type] expected a text but found a number; \"5\" was used (at name)",
                "[field.type] expected a number but found a text; 12 was used (at count)",
                "[field.unknown_value] \"odd\" has no known meaning and no effect; it is kept (known are 1, 2) (at kind)",
            ]
        );
    }

    #[test]
    fn only_changed_fields_are_written() {
        let (mut thing, _) = read(json!({"name": 5, "x": [], "howMany": 2}));
        thing.count = 3.0;
        assert_eq!(serde_json::to_string(&thing).unwrap(), r#"{"name":5,"x":[],"howMany":3}"#);
        assert_eq!(
            serde_json::Value::Object(thing.to_full_map()),
            json!({"name": 5, "x": [], "howMany": 3, "kind": 1, "limit": 3})
        );
    }

    #[test]
    fn missing_and_null_take_defaults_but_null_is_a_value_of_an_option() {
        let (thing, warnings) = read(json!({"name": null, "limit": null, "kind": 2.0}));
        assert_eq!((thing.name.as_str(), thing.limit, thing.kind), ("nobody", None, Kind::Two));
        assert!(warnings.is_empty());
        assert_eq!(read(json!({})).0.limit, Some(3.0));
    }
}
