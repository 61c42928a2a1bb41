//! `/pattern/flags` as in JavaScript source.

use super::error::{RegexError, RegexErrorKind};

/// The pattern and the flags of a literal.
pub(super) fn split(text: &str) -> Result<(&str, &str), RegexError> {
    let fault = |at, message: &str| Err(RegexError::new(RegexErrorKind::Literal, at, message));
    let Some(body) = text.strip_prefix('/') else { return fault(0, "a literal begins with \"/\"") };
    let mut in_class = false;
    let mut escaped = false;
    for (at, c) in body.char_indices() {
        match c {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => return fault(at + 1, "a literal cannot have line ends"),
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if at == 0 => return fault(0, "an empty literal is written /(?:)/"),
            '*' if at == 0 => return fault(1, "a literal cannot begin with \"*\""),
            '/' if !in_class => return Ok((&body[..at], &body[at + 1..])),
            _ => {}
        }
    }
    fault(text.len(), "a literal ends with \"/\" and flags")
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn literals_split_as_in_source() {
        assert_eq!(split("/a/"), Ok(("a", "")));
        assert_eq!(split(r"/[\]/]\/é/gu"), Ok((r"[\]/]\/é", "gu")));
        for bad in ["", "a", "/a", "//", "/*/", "/[/", "/a\n/", r"/a\/"] {
            assert!(split(bad).is_err(), "{bad}");
        }
    }
}
