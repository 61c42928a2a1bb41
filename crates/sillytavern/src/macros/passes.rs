//! What happens to the whole text before macros are looked for, and after they are expanded.

use std::ops::Range;

use memchr::{memchr, memchr3_iter};

/// Stands where an `{{else}}` had no `{{if}}`; removed at the very end. The value is SillyTavern's, because a variable
/// may have caught it.
pub(super) const ELSE_MARKER: &str = "\u{0}\u{1f}ELSE\u{1f}\u{0}";

/// The old ways to write names, and the macros they stand for.
const ANGLE_FORMS: [(&str, &str); 5] = [
    ("<USER>", "{{user}}"),
    ("<BOT>", "{{char}}"),
    ("<CHAR>", "{{char}}"),
    ("<GROUP>", "{{group}}"),
    ("<CHARIFNOTGROUP>", "{{charIfNotGroup}}"),
];

/// A text with some parts replaced, and where they were.
#[derive(Debug, Default)]
pub(super) struct Edited {
    pub text: String,
    /// Replaced ranges of the old text with the ranges that stand for them in the new one, in order.
    edits: Vec<(Range<usize>, Range<usize>)>,
    copied: usize,
}

impl Edited {
    fn replace(&mut self, old: &str, range: Range<usize>, with: &str) {
        self.text.push_str(&old[self.copied..range.start]);
        let start = self.text.len();
        self.text.push_str(with);
        self.copied = range.end;
        self.edits.push((range, start..self.text.len()));
    }

    fn finish(mut self, old: &str) -> Option<Self> {
        if self.edits.is_empty() {
            return None;
        }
        self.text.push_str(&old[self.copied..]);
        Some(self)
    }

    /// The place in the old text of a place in the new one.
    pub(super) fn to_old(&self, new: usize) -> usize {
        let before = self.edits.partition_point(|(_, with)| with.start <= new);
        match self.edits[..before].last() {
            None => new,
            Some((range, with)) if new >= with.end => range.end + (new - with.end),
            Some((range, _)) => range.start,
        }
    }

    /// The place in the new text of a place in the old one.
    pub(super) fn to_new(&self, old: usize) -> usize {
        let before = self.edits.partition_point(|(range, _)| range.start <= old);
        match self.edits[..before].last() {
            None => old,
            Some((range, with)) if old >= range.end => with.end + (old - range.end),
            Some((_, with)) => with.start,
        }
    }
}

/// `{{time_UTC+2}}` and `<USER>` become macros of today. `None` when there is nothing to do.
pub(super) fn before(text: &str) -> Option<Edited> {
    let mut edited = Edited::default();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'<', b'{', &bytes[at..]) {
        at += found;
        let rest = &bytes[at..];
        if let Some((form, macro_text)) =
            ANGLE_FORMS.iter().find(|(form, _)| starts_with_ignoring_case(rest, form))
        {
            edited.replace(text, at..at + form.len(), macro_text);
            at += form.len();
        } else if let Some(len) = old_utc_len(rest) {
            let zone = &text[at + "{{time_".len()..at + len];
            edited.replace(text, at..at + len, &format!("{{{{time::{zone}"));
            at += len;
        } else {
            at += 1;
        }
    }
    edited.finish(text)
}

/// The length of a leading `{{time_UTC+2}}`.
fn old_utc_len(bytes: &[u8]) -> Option<usize> {
    const HEAD: &str = "{{time_UTC";
    if !starts_with_ignoring_case(bytes, HEAD) || !matches!(bytes.get(HEAD.len()), Some(b'+' | b'-')) {
        return None;
    }
    let digits = bytes[HEAD.len() + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
    let end = HEAD.len() + 1 + digits;
    (digits > 0 && bytes[end..].starts_with(b"}}")).then_some(end + 2)
}

pub(super) fn starts_with_ignoring_case(bytes: &[u8], what: &str) -> bool {
    bytes.get(..what.len()).is_some_and(|head| head.eq_ignore_ascii_case(what.as_bytes()))
}

/// Takes the backslash from `\{` and `\}`, then `{{trim}}` with the newlines around it, then leftover else markers.
/// Each returned step was applied to the result of the one before.
pub(super) fn after(text: &mut String) -> Vec<Edited> {
    let mut steps = Vec::new();
    if !needs_after(text) {
        return steps;
    }
    let passes: [fn(&str) -> Option<Edited>; 3] = [unescape, trim, remove_markers];
    for pass in passes {
        if let Some(mut edited) = pass(text) {
            *text = std::mem::take(&mut edited.text);
            steps.push(edited);
        }
    }
    steps
}

fn unescape(text: &str) -> Option<Edited> {
    let bytes = text.as_bytes();
    let mut edited = Edited::default();
    let mut at = 0;
    while let Some(found) = memchr(b'\\', &bytes[at..]) {
        at += found;
        if matches!(bytes.get(at + 1), Some(b'{' | b'}')) {
            edited.replace(text, at..at + 1, "");
            at += 1;
        }
        at += 1;
    }
    edited.finish(text)
}

/// Removes every `{{trim}}` with all newlines next to it.
pub(super) fn trim(text: &str) -> Option<Edited> {
    const TRIM: &str = "{{trim}}";
    let bytes = text.as_bytes();
    let mut edited = Edited::default();
    let mut at = 0;
    while let Some(found) = memchr(b'{', &bytes[at..]) {
        at += found;
        if !starts_with_ignoring_case(&bytes[at..], TRIM) {
            at += 1;
            continue;
        }
        let start = edited.copied + without_newlines_at_end(&bytes[edited.copied..at]);
        let end = at + TRIM.len() + newlines_at_start(&bytes[at + TRIM.len()..]);
        edited.replace(text, start..end, "");
        at = end;
    }
    edited.finish(text)
}

/// The length without the trailing run of `\n` and `\r\n`.
fn without_newlines_at_end(bytes: &[u8]) -> usize {
    let mut len = bytes.len();
    while len > 0 && bytes[len - 1] == b'\n' {
        len -= 1;
        if len > 0 && bytes[len - 1] == b'\r' {
            len -= 1;
        }
    }
    len
}

/// The length of the leading run of `\n` and `\r\n`.
fn newlines_at_start(bytes: &[u8]) -> usize {
    let mut len = 0;
    loop {
        match bytes[len..] {
            [b'\n', ..] => len += 1,
            [b'\r', b'\n', ..] => len += 2,
            _ => return len,
        }
    }
}

fn remove_markers(text: &str) -> Option<Edited> {
    let mut edited = Edited::default();
    for (at, marker) in text.match_indices(ELSE_MARKER) {
        edited.replace(text, at..at + marker.len(), "");
    }
    edited.finish(text)
}

/// Could [`after`] change this text?
fn needs_after(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr3_iter(b'\\', 0, b'{', bytes).any(|at| match bytes[at] {
        b'{' => starts_with_ignoring_case(&bytes[at..], "{{trim}}"),
        0 => text[at..].starts_with(ELSE_MARKER),
        _ => matches!(bytes.get(at + 1), Some(b'{' | b'}')),
    })
}

/// Dedents by the first line with a text, then trims: what happens to the body of a scope.
pub(super) fn dedent(text: &str) -> String {
    let js_trim = |text: &str| text.trim_matches(tavernkit_core::number::is_js_space).to_owned();
    let is_blank = |line: &&str| line.trim_matches(tavernkit_core::number::is_js_space).is_empty();
    let indent = |line: &str| line.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
    if memchr(b'\n', text.as_bytes()).is_none() {
        return js_trim(text);
    }
    let base = text.split('\n').find(|line| !is_blank(line)).map_or(0, indent);
    if base == 0 {
        return js_trim(text);
    }
    let mut dedented = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            dedented.push('\n');
        }
        if indent(line) >= base {
            dedented.push_str(&line[base..]);
        } else {
            dedented.push_str(line.trim_start_matches(tavernkit_core::number::is_js_space));
        }
    }
    js_trim(&dedented)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_all(text: &str) -> String {
        let mut text = text.to_owned();
        after(&mut text);
        text
    }

    #[test]
    fn old_forms_become_macros() {
        let edited = before("<user> at {{time_utc-3}}, <Bot>!").unwrap();
        assert_eq!(edited.text, "{{user}} at {{time::utc-3}}, {{char}}!");
        assert_eq!(edited.to_old(edited.text.find("at").unwrap()), 7);
        assert_eq!(edited.to_new(7), edited.text.find("at").unwrap());
        assert!(before("{{ time_UTC+2}} {{time_UTC+}} < user>").is_none());
    }

    #[test]
    fn trim_eats_newlines_only() {
        assert_eq!(after_all("a\r\n\n{{TRIM}}\n\r\nb \n {{trim}} c"), "ab \n  c");
        assert_eq!(after_all("x\n{{trim}}\n{{trim}}\ny"), "xy");
    }

    #[test]
    fn escapes_and_markers_go_at_the_end() {
        assert_eq!(after_all(r"\{\{trim\}\} \\{ \n"), r" \{ \n");
        assert_eq!(after_all(&format!("a{ELSE_MARKER}b")), "ab");
        assert!(needs_after(r"\}") && needs_after("{{Trim}}") && !needs_after(r"\n {{x}} {"));
    }

    #[test]
    fn bodies_are_dedented_by_their_first_line() {
        assert_eq!(dedent("\n\t a\n\t  b\n c\n"), "a\n b\nc");
        assert_eq!(dedent("a\n  b\n"), "a\n  b");
        assert_eq!(dedent(" \n "), "");
    }
}
