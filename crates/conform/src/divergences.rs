//! Deliberate differences, read from `docs/divergences.md`.
//!
//! A case is listed by a line that starts with its full name in backticks, `platform/suite/id`, followed by the reason.
//! A listed case that fails counts as diverging; one that passes is stale and should leave the list.

use std::collections::BTreeMap;

/// Cases we chose not to follow, each with its reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Divergences {
    reasons: BTreeMap<String, String>,
}

impl Divergences {
    /// The project's own list, as of this build.
    pub fn built_in() -> Self {
        Self::parse(include_str!("../../../docs/divergences.md"))
    }

    /// Reads the list out of the document.
    ///
    /// ```
    /// use tavernkit_conform::Divergences;
    ///
    /// let list = Divergences::parse("# Cases\n- `smarttavern/build/b07`: the backend loses the last message\n");
    /// assert_eq!(list.reason("smarttavern", "build", "b07"), Some("the backend loses the last message"));
    /// assert_eq!(list.reason("smarttavern", "build", "b08"), None);
    /// ```
    pub fn parse(document: &str) -> Self {
        let reasons = document.lines().filter_map(entry).collect();
        Self { reasons }
    }

    /// Why this case is not followed; `None` when it must pass.
    pub fn reason(&self, platform: &str, suite: &str, id: &str) -> Option<&str> {
        self.reasons.get(&format!("{platform}/{suite}/{id}")).map(String::as_str)
    }

    /// The full names of all listed cases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.reasons.keys().map(String::as_str)
    }
}

/// ``- `platform/suite/id`: reason``. Ids may hold slashes themselves; a line without a reason does not count.
fn entry(line: &str) -> Option<(String, String)> {
    let rest = line.trim_start().strip_prefix("- `")?;
    let (name, reason) = rest.split_once('`')?;
    let reason = reason.strip_prefix(':')?.trim();
    let full = name.splitn(3, '/').filter(|part| !part.is_empty()).count() == 3;
    (full && !reason.is_empty()).then(|| (name.to_owned(), reason.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_full_names_with_reasons_count() {
        let list = Divergences::parse(
            "- `a/b/c/d`: why\n- `a/b/e`:\n- `a/b`: x\ntext `a/b/f`: x\n  - `a/b/g`: indented\n",
        );
        assert_eq!(list.names().collect::<Vec<_>>(), ["a/b/c/d", "a/b/g"]);
    }
}
