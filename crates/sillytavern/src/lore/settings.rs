//! The world-info settings that decide a scan.

use serde::{Deserialize, Serialize};

/// SillyTavern's world-info settings, under its own names. Missing fields take the program's defaults.
///
/// ```
/// use tavernkit_sillytavern::lore::LoreSettings;
/// let settings: LoreSettings = serde_json::from_str(r#"{"world_info_depth": 4}"#).unwrap();
/// assert_eq!((settings.depth, settings.budget_percent), (4, 25.0));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoreSettings {
    /// How many messages, counted from the newest, are scanned. 0 scans nothing at all.
    #[serde(rename = "world_info_depth")]
    pub depth: i64,
    /// The share of the prompt that lore may take, in percent.
    #[serde(rename = "world_info_budget")]
    pub budget_percent: f64,
    /// An upper limit in tokens on that share; 0 is no limit.
    #[serde(rename = "world_info_budget_cap")]
    pub budget_cap: f64,
    /// Scan deeper, message by message, until this many entries are active; 0 is off.
    #[serde(rename = "world_info_min_activations")]
    pub min_activations: usize,
    /// How deep that search may go; 0 is the whole chat.
    #[serde(rename = "world_info_min_activations_depth_max")]
    pub min_activations_depth_max: i64,
    /// How many sweeps a scan may take, the first included; 0 is no limit.
    #[serde(rename = "world_info_max_recursion_steps")]
    pub max_recursion_steps: usize,
    /// Whether speakers' names are part of the scanned text.
    #[serde(rename = "world_info_include_names")]
    pub include_names: bool,
    /// Whether the texts of active entries can activate others.
    #[serde(rename = "world_info_recursive")]
    pub recursive: bool,
    /// Whether plain keys respect letter case, unless an entry says otherwise.
    #[serde(rename = "world_info_case_sensitive")]
    pub case_sensitive: bool,
    /// Whether one-word keys match whole words only, unless an entry says otherwise.
    #[serde(rename = "world_info_match_whole_words")]
    pub match_whole_words: bool,
    /// Whether the number of matched keys decides in inclusion groups, unless an entry says otherwise.
    #[serde(rename = "world_info_use_group_scoring")]
    pub group_scoring: bool,
    /// How the entries of global and character books are ordered.
    #[serde(rename = "world_info_character_strategy")]
    pub strategy: InsertionStrategy,
}

impl Default for LoreSettings {
    fn default() -> Self {
        Self {
            depth: 2,
            budget_percent: 25.0,
            budget_cap: 0.0,
            min_activations: 0,
            min_activations_depth_max: 0,
            max_recursion_steps: 0,
            include_names: true,
            recursive: false,
            case_sensitive: false,
            match_whole_words: false,
            group_scoring: false,
            strategy: InsertionStrategy::CharacterFirst,
        }
    }
}

impl LoreSettings {
    /// The settings a book is compiled with.
    pub fn key_rules(&self) -> KeyRules {
        KeyRules { case_sensitive: self.case_sensitive, match_whole_words: self.match_whole_words }
    }

    /// The lore budget in tokens for a prompt of `max_prompt` tokens: never below 1.
    ///
    /// ```
    /// use tavernkit_sillytavern::lore::LoreSettings;
    /// let settings = LoreSettings { budget_cap: 500.0, ..Default::default() };
    /// assert_eq!(settings.budget(1_000.0), 250.0);
    /// assert_eq!(settings.budget(8_000.0), 500.0);
    /// ```
    pub fn budget(&self, max_prompt: f64) -> f64 {
        // JavaScript's Math.round: halves go up.
        let share = (self.budget_percent * max_prompt / 100.0 + 0.5).floor();
        let share = if share == 0.0 || share.is_nan() { 1.0 } else { share };
        if self.budget_cap > 0.0 && share > self.budget_cap { self.budget_cap } else { share }
    }
}

/// The global key rules that become part of a compiled book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct KeyRules {
    /// Plain keys respect letter case.
    pub case_sensitive: bool,
    /// One-word keys match whole words only.
    pub match_whole_words: bool,
}

/// How the entries of global and character books are put in order. Chat and persona books always come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "serde_json::Value", into = "u8")]
pub enum InsertionStrategy {
    /// Both sorted together.
    Evenly,
    /// Character books before global ones.
    #[default]
    CharacterFirst,
    /// Global books before character ones.
    GlobalFirst,
}

impl From<serde_json::Value> for InsertionStrategy {
    fn from(value: serde_json::Value) -> Self {
        match super::json::number(Some(&value)) {
            1.0 => Self::CharacterFirst,
            2.0 => Self::GlobalFirst,
            _ => Self::Evenly,
        }
    }
}

impl From<InsertionStrategy> for u8 {
    fn from(strategy: InsertionStrategy) -> Self {
        match strategy {
            InsertionStrategy::Evenly => 0,
            InsertionStrategy::CharacterFirst => 1,
            InsertionStrategy::GlobalFirst => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_rounds_half_up_and_is_never_zero() {
        let with = |budget_percent| LoreSettings { budget_percent, ..Default::default() };
        assert_eq!(with(25.0).budget(10.0), 3.0);
        assert_eq!(with(0.0).budget(4096.0), 1.0);
        assert_eq!(with(f64::NAN).budget(4096.0), 1.0);
    }

    #[test]
    fn unknown_strategies_are_even() {
        let read = |text: &str| serde_json::from_str::<InsertionStrategy>(text).unwrap();
        assert_eq!(read("2"), InsertionStrategy::GlobalFirst);
        assert_eq!(read("7"), InsertionStrategy::Evenly);
        assert_eq!(read("null"), InsertionStrategy::Evenly);
    }
}
