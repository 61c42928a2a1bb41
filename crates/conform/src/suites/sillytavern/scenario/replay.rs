//! Random numbers as they were recorded.

use std::collections::VecDeque;

use serde_json::Value;
use tavernkit_core::RandomSource;
use tavernkit_js::random::Mulberry32;

use super::items;

/// The numbers of one step. Parts of the program that are not played drew some of them; those are passed over.
pub(super) enum Replay {
    /// Recorded numbers.
    Recorded {
        /// What is left: the number, and whether the lore scan drew it.
        left: VecDeque<(f64, bool)>,
        /// More was asked for than there is.
        exhausted: bool,
    },
    /// The recorder's generator, where no numbers were recorded.
    Seeded(Mulberry32),
}

impl Replay {
    /// The numbers of a recorded step. Choosing speakers comes first and is not played.
    pub(super) fn of(recorded: &Value) -> Self {
        let caller = |draw: &Value, file: &str| draw["who"].as_str().is_some_and(|who| who.contains(file));
        let draws = items(&recorded["rng_draws"]).iter().filter(|draw| !caller(draw, "group-chats.js"));
        let number = |draw: &Value| (draw["v"].as_f64().unwrap_or(f64::NAN), caller(draw, "world-info.js"));
        Self::Recorded { left: draws.map(number).collect(), exhausted: false }
    }

    /// Passes over the numbers before the next one of a lore scan, if there is one.
    pub(super) fn seek_lore(&mut self) {
        if let Self::Recorded { left, .. } = self
            && let Some(next) = left.iter().position(|(_, is_lore)| *is_lore)
        {
            left.drain(..next);
        }
    }

    /// What is wrong at the end of a step.
    pub(super) fn complaint(&self) -> Option<&'static str> {
        match self {
            Self::Recorded { exhausted: true, .. } => Some("more random numbers are drawn than recorded"),
            Self::Recorded { left, .. } if left.iter().any(|(_, is_lore)| *is_lore) => {
                Some("fewer random numbers are drawn by lore than recorded")
            }
            _ => None,
        }
    }
}

impl RandomSource for Replay {
    fn next_f64(&mut self) -> f64 {
        match self {
            Self::Seeded(random) => random.next_f64(),
            Self::Recorded { left, exhausted } => left.pop_front().map_or_else(
                || {
                    *exhausted = true;
                    0.0
                },
                |(value, _)| value,
            ),
        }
    }
}
