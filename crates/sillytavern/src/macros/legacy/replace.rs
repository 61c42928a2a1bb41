//! Finding and replacing the tags of the old engine. Each kind of inside is one of its regular expressions.
//!
//! A pass is one walk through the text: what lies ahead (the next brace, the next line end) is remembered, so that many
//! unfinished tags do not each look to the end.

use memchr::memmem;

/// What stands between the head of a tag and its `}}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside {
    /// Nothing.
    Nothing,
    /// At least one character, none of them a `}`.
    NoBrace,
    /// Anything, even nothing, without a `}`.
    MaybeNoBrace,
    /// A name without a colon, then `::`, then anything without a `}`.
    NameAndValue,
    /// As little as possible on one line, but at least one character.
    ShortLine,
    /// Two parts with `::` between them, each as little as possible, on one line.
    TwoParts,
    /// As little as possible over any number of lines.
    Shortest,
    /// As much as possible on one line, then `"}}`.
    QuotedLine,
}

/// A text and its lower-case copy, in which heads are searched.
pub(super) struct Tagged {
    text: String,
    lower: String,
}

impl Tagged {
    pub(super) fn new(text: String) -> Self {
        let lower = text.to_ascii_lowercase();
        Self { text, lower }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Is there anything that could be a tag?
    pub(super) fn has_tags(&self) -> bool {
        memmem::find(self.lower.as_bytes(), b"{{").is_some()
    }

    /// Replaces every tag that starts with `head` (in any case). The replacement is asked for with the text inside and
    /// the place of the tag; `None` leaves it and goes on right after its start. What was put in is not looked at.
    pub(super) fn replace(
        &mut self,
        head: &str,
        inside: Inside,
        mut replacement: impl FnMut(&str, usize) -> Option<String>,
    ) {
        let head = head.to_ascii_lowercase();
        let finder = memmem::Finder::new(&head);
        let mut ahead = Ahead::new(&self.text);
        let mut out = String::new();
        let (mut copied, mut at) = (0, 0);
        while let Some(found) = finder.find(&self.lower.as_bytes()[at..]) {
            at += found;
            let start = at + head.len();
            let replaced = ahead
                .end_of(start, inside)
                .and_then(|end| Some((replacement(&self.text[start..end], at)?, end + 2)));
            match replaced {
                None => at += 1,
                Some((new, after)) => {
                    out.push_str(&self.text[copied..at]);
                    out.push_str(&new);
                    copied = after;
                    at = after;
                }
            }
        }
        if copied > 0 {
            out.push_str(&self.text[copied..]);
            *self = Self::new(out);
        }
    }
}

/// Where things are that lie ahead. Asked for with growing places only, so every search is paid once.
struct Ahead<'t> {
    text: &'t str,
    brace: Option<usize>,
    close: Option<usize>,
    colons: Option<usize>,
    line_end: Option<usize>,
    /// The last `"}}` of the line that ends at the first number.
    quote: Option<(usize, Option<usize>)>,
}

impl<'t> Ahead<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, brace: None, close: None, colons: None, line_end: None, quote: None }
    }

    /// The next place at or after `from`, or the end of the text.
    fn next(
        text: &str,
        known: &mut Option<usize>,
        from: usize,
        find: impl FnOnce(&str) -> Option<usize>,
    ) -> usize {
        if let Some(place) = known.filter(|place| *place >= from) {
            return place;
        }
        let place = find(&text[from..]).map_or(text.len(), |at| from + at);
        *known = Some(place);
        place
    }

    fn close(&mut self, from: usize) -> Option<usize> {
        let place = Self::next(self.text, &mut self.close, from, |rest| rest.find("}}"));
        (place < self.text.len()).then_some(place)
    }

    fn colons(&mut self, from: usize) -> Option<usize> {
        let place = Self::next(self.text, &mut self.colons, from, |rest| rest.find("::"));
        (place < self.text.len()).then_some(place)
    }

    /// The next `}`, if another one follows it.
    fn brace_pair(&mut self, from: usize) -> Option<usize> {
        let place = Self::next(self.text, &mut self.brace, from, |rest| rest.find('}'));
        self.text[place..].starts_with("}}").then_some(place)
    }

    fn line_end(&mut self, from: usize) -> usize {
        Self::next(self.text, &mut self.line_end, from, |rest| {
            rest.find(['\n', '\r', '\u{2028}', '\u{2029}'])
        })
    }

    /// Where the inside that starts at `start` ends; the `}}` of its tag is there.
    fn end_of(&mut self, start: usize, inside: Inside) -> Option<usize> {
        let line_end = self.line_end(start);
        match inside {
            Inside::Nothing => self.text[start..].starts_with("}}").then_some(start),
            Inside::NoBrace => self.brace_pair(start).filter(|end| *end > start),
            Inside::MaybeNoBrace => self.brace_pair(start),
            Inside::NameAndValue => self.colons(start).and_then(|colons| self.brace_pair(colons + 2)),
            Inside::ShortLine => {
                let first = self.text[start..].chars().next()?.len_utf8();
                self.close(start + first).filter(|end| *end <= line_end)
            }
            Inside::TwoParts => {
                let colons = self.colons(start)?;
                self.close(colons + 2).filter(|end| *end <= line_end)
            }
            Inside::Shortest => self.close(start),
            Inside::QuotedLine => {
                let last = match self.quote {
                    Some((end, last)) if end == line_end => last,
                    _ => self.text[start..line_end].rfind("\"}}").map(|at| start + at),
                };
                self.quote = Some((line_end, last));
                last.filter(|quote| *quote >= start).map(|quote| quote + 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(text: &str, head: &str, inside: Inside) -> String {
        let mut tagged = Tagged::new(text.to_owned());
        tagged.replace(head, inside, |inside, at| Some(format!("[{inside}@{at}]")));
        tagged.into_text()
    }

    #[test]
    fn each_kind_of_inside_ends_where_its_expression_would() {
        assert_eq!(replaced("{{USER}} {{user }}", "{{user", Inside::Nothing), "[@0] {{user }}");
        assert_eq!(replaced("{{getvar::{{x}} }}", "{{getvar::", Inside::NoBrace), "[{{x@0] }}");
        assert_eq!(replaced("{{getvar::}}", "{{getvar::", Inside::NoBrace), "{{getvar::}}");
        assert_eq!(replaced("{{reverse:a}b}}", "{{reverse:", Inside::ShortLine), "[a}b@0]");
        assert_eq!(replaced("{{reverse:a\nb}}", "{{reverse:", Inside::ShortLine), "{{reverse:a\nb}}");
        assert_eq!(replaced("{{//a\nb}}c}}", "{{//", Inside::Shortest), "[a\nb@0]c}}");
        assert_eq!(replaced("{{b \"x\"}} \"}}", "{{b \"", Inside::QuotedLine), "[x\"}} \"@0]");
    }
}
