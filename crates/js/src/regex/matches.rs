//! What a match gives back.

use std::ops::Range;

use super::Regex;

/// A match in a text: byte ranges of the whole and of the groups.
#[derive(Clone)]
pub struct Match<'t> {
    pub(super) text: &'t str,
    pub(super) spans: Vec<Option<(usize, usize)>>,
    pub(super) regex: Regex,
}

impl<'t> Match<'t> {
    /// The text that was searched.
    pub fn input(&self) -> &'t str {
        self.text
    }

    /// Where the whole match is, in bytes.
    pub fn range(&self) -> Range<usize> {
        self.group(0).unwrap_or(0..0)
    }

    /// Where the match begins.
    pub fn start(&self) -> usize {
        self.range().start
    }

    /// Where the match ends.
    pub fn end(&self) -> usize {
        self.range().end
    }

    /// The matched text.
    pub fn text(&self) -> &'t str {
        self.group_text(0).unwrap_or("")
    }

    /// Where a group matched; nothing when it took no part, or there is no such group. Group 0 is the whole match.
    pub fn group(&self, index: usize) -> Option<Range<usize>> {
        self.spans.get(index).copied().flatten().map(|(start, end)| start..end)
    }

    /// What a group matched.
    pub fn group_text(&self, index: usize) -> Option<&'t str> {
        self.text.get(self.group(index)?)
    }

    /// The number of groups, the whole match counted.
    pub fn group_len(&self) -> usize {
        self.spans.len()
    }

    /// Where a named group matched. Of several with that name, the one that took part.
    pub fn name(&self, name: &str) -> Option<Range<usize>> {
        let (_, groups) = self.regex.group_names().find(|(known, _)| *known == name)?;
        groups.iter().find_map(|group| self.group(*group as usize))
    }

    /// What a named group matched.
    pub fn name_text(&self, name: &str) -> Option<&'t str> {
        self.text.get(self.name(name)?)
    }
}

impl std::fmt::Debug for Match<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let groups: Vec<_> = (0..self.spans.len()).map(|i| self.group_text(i)).collect();
        f.debug_struct("Match").field("range", &self.range()).field("groups", &groups).finish()
    }
}

/// A match in a text of UTF-16: unit ranges of the whole and of the groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchUtf16 {
    pub(super) spans: Vec<Option<(usize, usize)>>,
}

impl MatchUtf16 {
    /// Where the whole match is, in units.
    pub fn range(&self) -> Range<usize> {
        self.group(0).unwrap_or(0..0)
    }

    /// Where a group matched; nothing when it took no part, or there is no such group. Group 0 is the whole match.
    pub fn group(&self, index: usize) -> Option<Range<usize>> {
        self.spans.get(index).copied().flatten().map(|(start, end)| start..end)
    }

    /// The number of groups, the whole match counted.
    pub fn group_len(&self) -> usize {
        self.spans.len()
    }
}
