//! The flags of a regular expression.

use super::error::{RegexError, RegexErrorKind};

/// How character classes and characters are read: the `u` and `v` flags, which exclude each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum UnicodeMode {
    /// Neither: UTF-16 units, and the lenient grammar of web browsers.
    #[default]
    Units,
    /// `u`: code points and the strict grammar.
    CodePoints,
    /// `v`: as `u`, with set operations and strings in classes.
    Sets,
}

/// The flags of a regular expression, in JavaScript's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Flags {
    /// `d`: the caller wants positions. We always give them; kept for `flags()`.
    pub has_indices: bool,
    /// `g`: all matches.
    pub global: bool,
    /// `i`.
    pub ignore_case: bool,
    /// `m`: `^` and `$` match at line ends.
    pub multiline: bool,
    /// `s`: `.` matches line ends.
    pub dot_all: bool,
    /// `u` or `v`.
    pub unicode: UnicodeMode,
    /// `y`: a match must begin at the start position.
    pub sticky: bool,
}

impl Flags {
    /// Reads a flags text; every letter at most once, `u` and `v` not together.
    pub fn parse(text: &str) -> Result<Flags, RegexError> {
        let mut flags = Flags::default();
        for (at, c) in text.char_indices() {
            let bad =
                || RegexError::new(RegexErrorKind::Flags, at, format!("invalid flags \"{text}\": \"{c}\""));
            let seen = match c {
                'd' => std::mem::replace(&mut flags.has_indices, true),
                'g' => std::mem::replace(&mut flags.global, true),
                'i' => std::mem::replace(&mut flags.ignore_case, true),
                'm' => std::mem::replace(&mut flags.multiline, true),
                's' => std::mem::replace(&mut flags.dot_all, true),
                'u' => std::mem::replace(&mut flags.unicode, UnicodeMode::CodePoints) != UnicodeMode::Units,
                'v' => std::mem::replace(&mut flags.unicode, UnicodeMode::Sets) != UnicodeMode::Units,
                'y' => std::mem::replace(&mut flags.sticky, true),
                _ => true,
            };
            if seen {
                return Err(bad());
            }
        }
        Ok(flags)
    }

    /// Whether the pattern works on code points (`u` or `v`).
    pub fn is_unicode(&self) -> bool {
        self.unicode != UnicodeMode::Units
    }
}

impl std::fmt::Display for Flags {
    /// The letters in the order JavaScript's `flags` property gives them.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let letters = [
            (self.has_indices, "d"),
            (self.global, "g"),
            (self.ignore_case, "i"),
            (self.multiline, "m"),
            (self.dot_all, "s"),
            (self.unicode == UnicodeMode::CodePoints, "u"),
            (self.unicode == UnicodeMode::Sets, "v"),
            (self.sticky, "y"),
        ];
        letters.iter().filter(|(on, _)| *on).try_for_each(|(_, letter)| f.write_str(letter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_print_in_order() {
        assert_eq!(Flags::parse("yvsmigd").unwrap().to_string(), "dgimsvy");
    }

    #[test]
    fn wrong_flags_are_refused() {
        for bad in ["x", "gg", "uv", "vu", "uu", "G"] {
            assert!(Flags::parse(bad).is_err(), "{bad}");
        }
    }
}
