//! Sticky, cooldown and delay.
//!
//! State is the chat's own metadata, in SillyTavern's shape, in and out. Effects find their entry by its hash, so an
//! edited entry loses them.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A chat's timed effects: `timedWorldInfo` of its metadata. Keys are `book.uid`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TimedEffects {
    /// Entries that stay active.
    #[serde(deserialize_with = "only_effects")]
    pub sticky: IndexMap<String, TimedEffect>,
    /// Entries that rest.
    #[serde(deserialize_with = "only_effects")]
    pub cooldown: IndexMap<String, TimedEffect>,
}

/// One effect. Counted in messages of the chat.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TimedEffect {
    /// The hash of the entry.
    #[serde(serialize_with = "whole")]
    pub hash: f64,
    /// The chat's length when it began.
    #[serde(serialize_with = "whole")]
    pub start: f64,
    /// The chat's length at which it ends.
    #[serde(serialize_with = "whole")]
    pub end: f64,
    /// Whether it outlives a chat that was cut back to its start.
    pub protected: bool,
}

/// Drops what is not an effect, as SillyTavern does.
fn only_effects<'de, D: serde::Deserializer<'de>>(
    input: D,
) -> Result<IndexMap<String, TimedEffect>, D::Error> {
    let Ok(Value::Object(object)) = Value::deserialize(input) else { return Ok(IndexMap::new()) };
    let effect = |(key, value): (String, Value)| {
        let object = value.as_object()?;
        let number = |name: &str| super::json::number(object.get(name));
        let protected = super::json::truthy(object.get("protected"));
        Some((
            key,
            TimedEffect { hash: number("hash"), start: number("start"), end: number("end"), protected },
        ))
    };
    Ok(object.into_iter().filter_map(effect).collect())
}

/// Whole numbers are written without a fraction.
fn whole<S: serde::Serializer>(value: &f64, out: S) -> Result<S::Ok, S::Error> {
    let whole = *value as i64;
    if whole as f64 == *value { out.serialize_i64(whole) } else { out.serialize_f64(*value) }
}

/// What timed effects need to know about an entry.
pub(crate) trait TimedEntry {
    fn hash(&self) -> u64;
    fn key(&self) -> String;
    fn sticky(&self) -> Option<f64>;
    fn cooldown(&self) -> Option<f64>;
}

/// The effects that hold during one scan, by entry hash.
#[derive(Debug, Default)]
pub(crate) struct ActiveEffects {
    pub(crate) sticky: Vec<(u64, TimedEffect)>,
    pub(crate) cooldown: Vec<(u64, TimedEffect)>,
}

impl ActiveEffects {
    /// Reads the stored effects for a chat of `length` messages: ends what has ended, starts the cooldowns that follow
    /// a sticky, and says what holds. `find` gives the first entry with a hash.
    pub(crate) fn load<E: TimedEntry>(
        effects: &mut TimedEffects,
        length: f64,
        find: impl Fn(u64) -> Option<E>,
    ) -> Self {
        let mut active = Self::default();
        let mut started = Vec::new();
        effects.sticky.retain(|_, effect| {
            let verdict = judge(effect, length, &find, E::sticky);
            if let Verdict::Active(hash) = verdict {
                active.sticky.push((hash, *effect));
            }
            if let Verdict::Ended(entry) = &verdict {
                let follow = |cooldown| TimedEffect {
                    hash: effect.hash,
                    start: length,
                    end: length + cooldown,
                    protected: true,
                };
                started.extend(entry.cooldown().map(|cooldown| (entry.key(), follow(cooldown))));
            }
            matches!(verdict, Verdict::Active(_) | Verdict::Kept)
        });
        effects.cooldown.extend(started);
        effects.cooldown.retain(|_, effect| {
            let verdict = judge(effect, length, &find, E::cooldown);
            if let Verdict::Active(hash) = verdict {
                active.cooldown.push((hash, *effect));
            }
            matches!(verdict, Verdict::Active(_) | Verdict::Kept)
        });
        active
    }
}

impl TimedEffects {
    /// Stores the effects of an entry that became active, unless one of that kind is stored already.
    pub(crate) fn store(&mut self, entry: &impl TimedEntry, length: f64) {
        if entry.sticky().is_none() && entry.cooldown().is_none() {
            return;
        }
        let hash = entry.hash() as f64;
        let begin = |value: f64| TimedEffect { hash, start: length, end: length + value, protected: false };
        if let Some(sticky) = entry.sticky() {
            self.sticky.entry(entry.key()).or_insert_with(|| begin(sticky));
        }
        if let Some(cooldown) = entry.cooldown() {
            self.cooldown.entry(entry.key()).or_insert_with(|| begin(cooldown));
        }
    }
}

enum Verdict<E> {
    Dropped,
    Kept,
    Ended(E),
    Active(u64),
}

fn judge<E: TimedEntry>(
    effect: &TimedEffect,
    length: f64,
    find: impl Fn(u64) -> Option<E>,
    field: impl Fn(&E) -> Option<f64>,
) -> Verdict<E> {
    if length <= effect.start && !effect.protected {
        return Verdict::Dropped; // The chat was cut back.
    }
    let hash = effect.hash as u64;
    let Some(entry) = find(hash) else {
        return if length >= effect.end { Verdict::Dropped } else { Verdict::Kept };
    };
    if field(&entry).is_none() {
        return Verdict::Dropped;
    }
    if length >= effect.end { Verdict::Ended(entry) } else { Verdict::Active(hash) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Clone)]
    struct Fake(Option<f64>, Option<f64>);

    impl TimedEntry for Fake {
        fn hash(&self) -> u64 {
            7
        }
        fn key(&self) -> String {
            "B.0".into()
        }
        fn sticky(&self) -> Option<f64> {
            self.0
        }
        fn cooldown(&self) -> Option<f64> {
            self.1
        }
    }

    fn load(effects: &mut TimedEffects, length: f64, entry: &Fake) -> ActiveEffects {
        ActiveEffects::load(effects, length, |hash| (hash == 7).then(|| entry.clone()))
    }

    #[test]
    fn a_sticky_that_ends_starts_a_protected_cooldown() {
        let entry = Fake(Some(2.0), Some(3.0));
        let mut effects = TimedEffects::default();
        effects.store(&entry, 1.0);
        assert!(!load(&mut effects, 2.0, &entry).sticky.is_empty());
        let active = load(&mut effects, 3.0, &entry);
        assert!(active.sticky.is_empty() && effects.sticky.is_empty());
        assert_eq!(effects.cooldown["B.0"], TimedEffect { hash: 7.0, start: 3.0, end: 6.0, protected: true });
        assert_eq!(active.cooldown.len(), 1);
        // Protected: it stays although the chat has not grown.
        assert_eq!(load(&mut effects, 3.0, &entry).cooldown.len(), 1);
    }

    #[test]
    fn effects_of_a_chat_cut_back_are_dropped_and_of_a_missing_entry_kept_until_their_end() {
        let entry = Fake(Some(5.0), None);
        let mut effects = TimedEffects::default();
        effects.store(&entry, 3.0);
        assert!(load(&mut effects.clone(), 3.0, &entry).sticky.is_empty());
        let nobody = |_| None::<Fake>;
        ActiveEffects::load(&mut effects, 4.0, nobody);
        assert_eq!(effects.sticky.len(), 1);
        ActiveEffects::load(&mut effects, 8.0, nobody);
        assert!(effects.sticky.is_empty());
    }

    #[test]
    fn an_entry_that_lost_the_field_loses_the_effect() {
        let mut effects = TimedEffects::default();
        effects.store(&Fake(Some(5.0), None), 1.0);
        load(&mut effects, 2.0, &Fake(None, None));
        assert!(effects.sticky.is_empty());
    }

    #[test]
    fn the_shape_is_the_metadata_of_the_chat() {
        let stored = json!({"sticky": {"B.0": {"hash": 4321945275024729_u64, "start": 3, "end": 8, "protected": false},
            "B.1": null}, "cooldown": 5});
        let effects: TimedEffects = serde_json::from_value(stored).unwrap();
        let expected = json!({"sticky": {"B.0": {"hash": 4321945275024729_u64, "start": 3, "end": 8, "protected": false}},
            "cooldown": {}});
        assert_eq!(serde_json::to_value(effects).unwrap(), expected);
    }
}
