//! The registry of injected texts, as far as the scan reads it.

use indexmap::IndexMap;
use serde_json::Value;

use super::super::fixture::text;
use super::Problem;

/// A registered text.
struct Injection {
    value: String,
    scan: bool,
    /// Emptied when a generation ends.
    ephemeral: bool,
}

/// The registered texts. Writing to a known key keeps its place.
#[derive(Default)]
pub(super) struct Injections(IndexMap<String, Injection>);

impl Injections {
    /// Registers a text.
    pub(super) fn set(&mut self, key: &str, value: impl Into<String>, scan: bool) {
        self.0.insert(key.to_owned(), Injection { value: value.into(), scan, ephemeral: false });
    }

    /// Takes out every key that begins so.
    pub(super) fn remove_prefixed(&mut self, prefix: &str) {
        self.0.retain(|key, _| !key.starts_with(prefix));
    }

    /// The text under a key, empty when there is none.
    pub(super) fn value(&self, key: &str) -> &str {
        self.0.get(key).map_or("", |injection| &injection.value)
    }

    /// The texts that are scanned, unexpanded, in order.
    pub(super) fn scanned(&self) -> Vec<String> {
        self.0.values().filter(|injection| injection.scan).map(|injection| injection.value.clone()).collect()
    }

    /// Empties what was meant for one generation.
    pub(super) fn end_generation(&mut self) {
        for injection in self.0.values_mut().filter(|injection| injection.ephemeral) {
            injection.value.clear();
        }
    }

    /// Does what `/inject` does with these arguments.
    pub(super) fn inject(&mut self, arguments: &Value, value: &str) -> Result<(), Problem> {
        let is_on = |name: &str| match &arguments[name] {
            Value::String(word) => matches!(word.trim().to_lowercase().as_str(), "on" | "true" | "1"),
            other => *other == true,
        };
        if is_on("scan") && arguments.get("filter").is_some() {
            return Err(Problem::NotCovered("scanned injections with a filter script"));
        }
        let key = format!("script_inject_{}", text(arguments, "id"));
        let injection =
            Injection { value: value.to_owned(), scan: is_on("scan"), ephemeral: is_on("ephemeral") };
        self.0.insert(key, injection);
        Ok(())
    }

    /// Runs a slash command. `/inject` is the only one known.
    pub(super) fn command(&mut self, line: &str) -> Result<(), Problem> {
        let mut rest = line
            .strip_prefix("/inject ")
            .ok_or(Problem::NotCovered("slash commands other than /inject"))?
            .trim_start();
        let mut arguments = serde_json::Map::new();
        while let Some((name, after)) = rest.split_once('=') {
            if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
                break;
            }
            // A closure ends at its own mark, anything else at the next blank.
            let (value, after) = match after.strip_prefix("{:").and_then(|inner| inner.split_once(":}")) {
                Some(parts) => parts,
                None => after.split_once(' ').unwrap_or((after, "")),
            };
            arguments.insert(name.to_owned(), value.into());
            rest = after.trim_start();
        }
        self.inject(&Value::Object(arguments), rest)
    }
}
