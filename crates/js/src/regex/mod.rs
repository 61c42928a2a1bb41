//! ECMAScript regular expressions with a step limit.
//!
//! Patterns are those of ECMAScript 2025 with Annex B, flags `d g i m s u v y`. The matcher is our own: it gives up with
//! [`Exhausted`] when the [`Fuel`] is used up, which is not the same as "no match", and remembers its failures, so that
//! patterns without back references do not need more than a small multiple of pattern size times text length.
//!
//! ```
//! use tavernkit_js::regex::{Fuel, Regex};
//! let regex = Regex::new(r"\*([^*]+)\*", "g").unwrap();
//! let out = regex.replace("She *smiles* and *nods*.", "<em>$1</em>", &mut Fuel::default()).unwrap();
//! assert_eq!(out, "She <em>smiles</em> and <em>nods</em>.");
//! ```
//!
//! # Strings
//! JavaScript's strings are UTF-16, ours UTF-8. Without `u`, a character above U+FFFF is two units to JavaScript, and
//! `.` matches half of it. Such texts are matched by units when the pattern can tell the difference. A match that begins
//! or ends inside a character is reported with the whole character; [`Regex::find_utf16`] gives the exact units. In a
//! replaced text, half a character that is left over becomes U+FFFD.
//!
//! # Map
//! `parse*` → `ast` → `compile` → `program` → `exec` over `input`, with `analyse`, `prefilter` and `memo` for speed; `search` and
//! `replace` are what callers use.

mod analyse;
mod ast;
mod case_tables;
mod classes;
mod compile;
mod error;
mod exec;
mod exec_run;
mod flags;
mod fuel;
mod input;
mod literal;
mod matches;
mod memo;
mod pairs;
mod parse;
mod parse_class;
mod parse_escape;
mod prefilter;
mod program;
mod replace;
mod search;
mod unicode;

use std::sync::{Arc, OnceLock};

pub use error::{Exhausted, RegexError, RegexErrorKind};
pub use flags::{Flags, UnicodeMode};
pub use fuel::Fuel;
pub use matches::{Match, MatchUtf16};
pub use replace::{Places, replace_text, replace_text_utf16};

#[cfg(test)]
use prefilter::Prefilter;

use ast::Pattern;
use program::{Encoding, Program};

/// A compiled regular expression. Cheap to clone; share it between threads.
#[derive(Clone)]
pub struct Regex {
    inner: Arc<Inner>,
}

struct Inner {
    source: String,
    flags: Flags,
    pattern: Pattern,
    utf8: Program,
    /// Whether UTF-8 gives the same matches as UTF-16, whatever the text: see `pairs.rs`.
    utf8_is_exact: bool,
    /// For texts in UTF-16, made when first needed.
    utf16: OnceLock<Program>,
}

impl Regex {
    /// Compiles a pattern with flags, as `new RegExp(pattern, flags)` does.
    pub fn new(pattern: &str, flags: &str) -> Result<Regex, RegexError> {
        let flags = Flags::parse(flags)?;
        let source: Vec<u32> = if flags.is_unicode() {
            pattern.chars().map(u32::from).collect()
        } else {
            pattern.encode_utf16().map(u32::from).collect()
        };
        let parsed = parse::parse(&source, flags).map_err(|e| {
            let offset = byte_offset(pattern, e.offset(), flags);
            RegexError::new(e.kind(), offset, e.message())
        })?;
        Ok(Self::compile(pattern.to_owned(), flags, parsed))
    }

    /// As [`Regex::new`] for a pattern in UTF-16, which may have lone surrogates.
    pub fn from_utf16(pattern: &[u16], flags: &str) -> Result<Regex, RegexError> {
        let flags = Flags::parse(flags)?;
        let source: Vec<u32> = if flags.is_unicode() {
            let decoded = char::decode_utf16(pattern.iter().copied());
            decoded.map(|c| c.map_or_else(|lone| lone.unpaired_surrogate().into(), u32::from)).collect()
        } else {
            pattern.iter().map(|unit| u32::from(*unit)).collect()
        };
        let parsed = parse::parse(&source, flags)?;
        Ok(Self::compile(String::from_utf16_lossy(pattern), flags, parsed))
    }

    /// Compiles a literal `/pattern/flags`, split as in JavaScript source: the pattern ends at the first `/` that is
    /// neither escaped nor in a class.
    ///
    /// ```
    /// use tavernkit_js::regex::Regex;
    /// let regex = Regex::from_literal(r"/a[/]b\/c/gi").unwrap();
    /// assert_eq!((regex.source(), regex.flags().to_string().as_str()), (r"a[/]b\/c", "gi"));
    /// ```
    pub fn from_literal(text: &str) -> Result<Regex, RegexError> {
        let (pattern, flags) = literal::split(text)?;
        Self::new(pattern, flags)
    }

    fn compile(source: String, flags: Flags, pattern: Pattern) -> Regex {
        let utf8 = compile::compile(&pattern, flags, Encoding::Utf8);
        let utf8_is_exact = flags.is_unicode() || pairs::is_blind_to_pairs(&pattern.node);
        let utf16 = OnceLock::new();
        Regex { inner: Arc::new(Inner { source, flags, pattern, utf8, utf8_is_exact, utf16 }) }
    }

    /// The pattern as it was given.
    pub fn source(&self) -> &str {
        &self.inner.source
    }

    /// The flags.
    pub fn flags(&self) -> Flags {
        self.inner.flags
    }

    /// How many capturing groups there are, the whole match not counted.
    pub fn group_count(&self) -> usize {
        self.inner.pattern.groups as usize
    }

    /// The group names in the order of the pattern, each with the numbers of its groups (more than one when
    /// alternatives share a name).
    pub fn group_names(&self) -> impl Iterator<Item = (&str, &[u32])> {
        self.inner.pattern.names.iter().map(|(name, groups)| (name.as_str(), groups.as_slice()))
    }

    fn utf8_program(&self) -> &Program {
        &self.inner.utf8
    }

    fn utf16_program(&self) -> &Program {
        let encoding = if self.inner.flags.is_unicode() { Encoding::CodePoints } else { Encoding::Units };
        self.inner.utf16.get_or_init(|| compile::compile(&self.inner.pattern, self.inner.flags, encoding))
    }
}

impl std::fmt::Debug for Regex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Regex(/{}/{})", self.inner.source, self.inner.flags)
    }
}

/// The byte where the `index`-th unit (or code point) of a text begins.
fn byte_offset(text: &str, index: usize, flags: Flags) -> usize {
    let mut seen = 0;
    for (at, c) in text.char_indices() {
        seen += if flags.is_unicode() { 1 } else { c.len_utf16() };
        if seen > index {
            return at;
        }
    }
    text.len()
}
