//! Finding and replacing the tags of the old engine. Each of these functions is one of its regular expressions.

use memchr::memmem;

use super::super::passes::starts_with_ignoring_case;

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

/// Replaces every tag that starts with `head` (in any case). The replacement is asked for with the text inside and the
/// place of the tag; `None` leaves it and goes on right after its start. No tag is looked for in what was put in.
pub(super) fn tags(
    text: &mut String,
    head: &str,
    inside: Inside,
    mut replacement: impl FnMut(&str, usize) -> Option<String>,
) {
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = memmem::find(&text.as_bytes()[at..], b"{{") {
        at += found;
        let replaced = starts_with_ignoring_case(&text.as_bytes()[at..], head)
            .then(|| at + head.len())
            .and_then(|start| Some((start, end_of_inside(text, start, inside)?)))
            .and_then(|(start, (end, after))| Some((replacement(&text[start..end], at)?, after)));
        match replaced {
            None => at += 1,
            Some((new, after)) => {
                out.push_str(&text[copied..at]);
                out.push_str(&new);
                copied = after;
                at = after;
            }
        }
    }
    if copied > 0 {
        out.push_str(&text[copied..]);
        *text = out;
    }
}

/// Where the inside that starts at `start` ends, and where its tag does.
fn end_of_inside(text: &str, start: usize, inside: Inside) -> Option<(usize, usize)> {
    let rest = &text[start..];
    let closing = |from: usize| rest.get(from..)?.find("}}").map(|at| from + at);
    let one_line = |end: &usize| !rest[..*end].contains(['\n', '\r', '\u{2028}', '\u{2029}']);
    let first = || rest.chars().next().map_or(0, char::len_utf8);
    let no_brace = || rest.find('}').filter(|end| rest[*end..].starts_with("}}"));
    let end = match inside {
        Inside::Nothing => Some(0).filter(|_| rest.starts_with("}}")),
        Inside::NoBrace => no_brace().filter(|end| *end > 0),
        Inside::MaybeNoBrace => no_brace(),
        Inside::NameAndValue => rest.find("::").and_then(|colons| {
            let value = colons + 2;
            rest[value..].find('}').map(|end| value + end).filter(|end| rest[*end..].starts_with("}}"))
        }),
        Inside::ShortLine => closing(first()).filter(one_line).filter(|end| *end > 0),
        Inside::TwoParts => rest.find("::").and_then(|colons| closing(colons + 2)).filter(one_line),
        Inside::Shortest => closing(0),
        Inside::QuotedLine => {
            let line = rest.split(['\n', '\r', '\u{2028}', '\u{2029}']).next().unwrap_or(rest);
            line.rfind("\"}}").map(|quote| quote + 1)
        }
    }?;
    Some((start + end, start + end + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(text: &str, head: &str, inside: Inside) -> String {
        let mut text = text.to_owned();
        tags(&mut text, head, inside, |inside, at| Some(format!("[{inside}@{at}]")));
        text
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
