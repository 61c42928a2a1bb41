//! Sticky, cooldown and delay.

use indexmap::IndexMap;
use tavernkit_sillytavern::lore::*;

use super::ItemRef;

#[derive(Default)]
pub struct Timed {
    sticky: Vec<u64>,
    cooldown: Vec<u64>,
    delay: Vec<u64>,
}

impl Timed {
    pub fn load(stored: &mut TimedEffects, sorted: &[ItemRef], length: usize, run: RunKind) -> Self {
        let mut timed = Self::default();
        let n = length as f64;
        let find = |effect: &TimedEffect| sorted.iter().find(|item| item.hash as f64 == effect.hash);
        if run == RunKind::Real {
            for (key, effect) in stored.sticky.clone() {
                let item = find(&effect);
                let gone = match item {
                    _ if n <= effect.start && !effect.protected => true,
                    None => n >= effect.end,
                    Some(item) if item.entry.sticky.is_none() => true,
                    Some(item) if n >= effect.end => {
                        if let Some(cooldown) = item.entry.cooldown {
                            let follow = TimedEffect {
                                hash: effect.hash,
                                start: n,
                                end: n + cooldown,
                                protected: true,
                            };
                            stored.cooldown.insert(item.key(), follow);
                        }
                        true
                    }
                    Some(item) => {
                        timed.sticky.push(item.hash);
                        false
                    }
                };
                if gone {
                    stored.sticky.shift_remove(&key);
                }
            }
            for (key, effect) in stored.cooldown.clone() {
                let item = find(&effect);
                let gone = match item {
                    _ if n <= effect.start && !effect.protected => true,
                    None => n >= effect.end,
                    Some(item) if item.entry.cooldown.is_none() || n >= effect.end => true,
                    Some(item) => {
                        timed.cooldown.push(item.hash);
                        false
                    }
                };
                if gone {
                    stored.cooldown.shift_remove(&key);
                }
            }
        }
        timed.delay = sorted
            .iter()
            .filter(|item| item.entry.delay.is_some_and(|d| n < d))
            .map(|item| item.hash)
            .collect();
        timed
    }

    pub fn is_sticky(&self, item: &ItemRef) -> bool {
        self.sticky.contains(&item.hash)
    }

    pub fn is_cooling(&self, item: &ItemRef) -> bool {
        self.cooldown.contains(&item.hash)
    }

    pub fn is_delayed(&self, item: &ItemRef) -> bool {
        self.delay.contains(&item.hash)
    }
}

pub fn store(stored: &mut TimedEffects, activated: &IndexMap<String, ItemRef>, length: usize) {
    let n = length as f64;
    for item in activated.values() {
        let begin =
            |value: f64| TimedEffect { hash: item.hash as f64, start: n, end: n + value, protected: false };
        if let Some(value) = item.entry.sticky {
            stored.sticky.entry(item.key()).or_insert_with(|| begin(value));
        }
        if let Some(value) = item.entry.cooldown {
            stored.cooldown.entry(item.key()).or_insert_with(|| begin(value));
        }
    }
}
