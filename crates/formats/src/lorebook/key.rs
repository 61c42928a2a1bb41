//! What a key is to SillyTavern: a regular expression or plain text.

use tavernkit_js::regex::{Regex, RegexError};

/// The form of a key.
#[derive(Debug, Clone)]
pub enum KeyForm {
    /// Found as it is written.
    Plain,
    /// A regular expression.
    Regex {
        /// The compiled expression.
        regex: Regex,
        /// Its pattern.
        pattern: String,
        /// Its flags.
        flags: String,
    },
    /// Written like a regular expression, but not a valid one; SillyTavern takes it for plain text.
    Broken(RegexError),
    /// Begins with a slash like a regular expression, but has no proper end or a bare slash inside; plain text too.
    AlmostRegex,
}

impl KeyForm {
    /// Looks at a key, which must be expanded and trimmed.
    ///
    /// ```
    /// use tavernkit_formats::lorebook::KeyForm;
    ///
    /// assert!(matches!(KeyForm::of("ferry"), KeyForm::Plain));
    /// assert!(matches!(KeyForm::of("/ferr(y|ies)/i"), KeyForm::Regex { .. }));
    /// assert!(matches!(KeyForm::of("/usr/bin"), KeyForm::AlmostRegex));
    /// ```
    pub fn of(key: &str) -> Self {
        if !key.starts_with('/') {
            return Self::Plain;
        }
        match split(key) {
            None => Self::AlmostRegex,
            Some((pattern, flags)) => match Regex::new(pattern, flags) {
                Ok(regex) => Self::Regex { regex, pattern: pattern.to_owned(), flags: flags.to_owned() },
                Err(error) => Self::Broken(error),
            },
        }
    }
}

/// Pattern and flags, closed by the first slash after which there are only flags.
fn split(key: &str) -> Option<(&str, &str)> {
    let body = key.strip_prefix('/')?;
    let slashes = body.match_indices('/').map(|(at, _)| at).filter(|at| *at > 0);
    let is_flags = |at: &usize| body[at + 1..].chars().all(|c| "gimsuy".contains(c));
    let close = { slashes }.find(is_flags)?;
    let (pattern, flags) = (&body[..close], &body[close + 1..]);
    let bare_slash =
        pattern.starts_with('/') || pattern.match_indices('/').any(|(at, _)| !pattern[..at].ends_with('\\'));
    (!bare_slash && !pattern.contains('\n')).then_some((pattern, flags))
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn keys_split_where_only_flags_follow() {
        assert_eq!(split("/a/gi"), Some(("a", "gi")));
        assert_eq!(split(r"/a\/b/"), Some((r"a\/b", "")));
        for plain in ["/a/b/", "//", "/", "/a/x", "/a", "///"] {
            assert_eq!(split(plain), None, "{plain}");
        }
    }
}
