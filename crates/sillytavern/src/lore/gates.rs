//! What keeps an entry out before its keys are looked at.

use super::compile::CompiledEntry;
use super::input::ScanInput;
use super::result::ScanState;

/// What stopped an entry. Small, because every entry gets one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Stop {
    Disabled,
    Trigger,
    Name,
    Tag,
    Delay,
    Cooldown,
    Waits,
    Level,
    Excluded,
    Decorator,
    NoKeys,
    NoKeyFound,
    /// The primary key that was found, and which secondary ones (as bits).
    Secondary(usize, u64),
}

impl Stop {
    /// Whether nothing in this scan can change it.
    pub(crate) fn is_final(self) -> bool {
        matches!(
            self,
            Self::Disabled
                | Self::Trigger
                | Self::Name
                | Self::Tag
                | Self::Delay
                | Self::Cooldown
                | Self::Decorator
                | Self::NoKeys
        )
    }
}

/// What made an entry a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fire {
    Decorator,
    Forced,
    Constant,
    Sticky,
    /// The primary key that was found, and which secondary ones (as bits).
    Key(usize, u64),
}

/// The timed effects that hold for an entry.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Timing {
    pub(crate) sticky: bool,
    pub(crate) cooling: bool,
}

/// Where in the scan we are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) state: ScanState,
    pub(crate) level: f64,
    /// Global recursion is on.
    pub(crate) recursive: bool,
}

/// The gates before the keys, in their order. `Ok(None)` means that the keys decide.
pub(crate) fn pass(
    compiled: &CompiledEntry,
    input: &ScanInput<'_>,
    timing: Timing,
    forced: bool,
    moment: Moment,
) -> Result<Option<Fire>, Stop> {
    let entry = &compiled.entry;
    if entry.disabled {
        return Err(Stop::Disabled);
    }
    if !entry.triggers.is_empty() && !entry.triggers.iter().any(|t| t == input.known_trigger()) {
        return Err(Stop::Trigger);
    }
    let filter = &entry.filter;
    if !filter.names.is_empty() {
        let named = input.character.is_some_and(|c| filter.names.iter().any(|name| name == c.file_name));
        if named == filter.exclude {
            return Err(Stop::Name);
        }
    }
    if let Some(character) = input.character.filter(|_| !filter.tags.is_empty()) {
        let tagged = character.tags.iter().any(|tag| filter.tags.contains(tag));
        if tagged == filter.exclude {
            return Err(Stop::Tag);
        }
    }
    if entry.delay.is_some_and(|delay| (input.messages.len() as f64) < delay) {
        return Err(Stop::Delay);
    }
    if timing.cooling && !timing.sticky {
        return Err(Stop::Cooldown);
    }
    let recursing = moment.state == ScanState::Recursion;
    if !timing.sticky {
        match entry.delay_until_recursion {
            Some(_) if !recursing => return Err(Stop::Waits),
            Some(level) if level > moment.level => return Err(Stop::Level),
            _ if recursing && moment.recursive && entry.exclude_recursion => return Err(Stop::Excluded),
            _ => {}
        }
    }
    if compiled.forced {
        return Ok(Some(Fire::Decorator));
    }
    if compiled.stopped {
        return Err(Stop::Decorator);
    }
    if forced {
        return Ok(Some(Fire::Forced));
    }
    if entry.constant {
        return Ok(Some(Fire::Constant));
    }
    if timing.sticky {
        return Ok(Some(Fire::Sticky));
    }
    if compiled.keys.is_empty() { Err(Stop::NoKeys) } else { Ok(None) }
}
