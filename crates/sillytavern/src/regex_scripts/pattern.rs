//! From a script's find text to a regular expression.

use tavernkit_js::regex::{Regex, RegexError};

/// Flags the pattern's author may write. JavaScript does not know all of them.
const FLAGS: &str = "gmixXsuUAJ";

/// Compiles `/pattern/flags` or a bare pattern; `None` for a text of line breaks only, in which there is no pattern.
///
/// Only the first line counts. A bare pattern has no flags, so only its first match is replaced. If what follows the last
/// slash are letters but no flags, the whole text is the pattern, slashes and all.
pub(super) fn compile(find: &str) -> Option<Result<Regex, RegexError>> {
    let line = find.split(['\n', '\r', '\u{2028}', '\u{2029}']).find(|line| !line.is_empty())?;
    let (pattern, flags) = split(line);
    Some(if flags.is_empty() || are_flags(flags) { Regex::new(pattern, flags) } else { Regex::new(find, "") })
}

/// The pattern between the first and the last slash of a line, and the letters after it.
fn split(line: &str) -> (&str, &str) {
    let Some(body) = line.strip_prefix('/') else { return (line, "") };
    match body.rfind('/') {
        None | Some(0) => (line, ""),
        Some(end) => {
            let after = &body[end + 1..];
            let letters = after.bytes().take_while(u8::is_ascii_alphabetic).count();
            (&body[..end], &after[..letters])
        }
    }
}

/// Each one known and none twice.
fn are_flags(flags: &str) -> bool {
    flags.char_indices().all(|(at, flag)| FLAGS.contains(flag) && !flags[..at].contains(flag))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(find: &str) -> Option<(String, String)> {
        let regex = compile(find)?.ok()?;
        Some((regex.source().to_owned(), regex.flags().to_string()))
    }

    fn pair(pattern: &str, flags: &str) -> Option<(String, String)> {
        Some((pattern.to_owned(), flags.to_owned()))
    }

    #[test]
    fn slashes_and_flags() {
        assert_eq!(read("rope"), pair("rope", ""));
        assert_eq!(read("/a/b/gi"), pair("a/b", "gi"));
        assert_eq!(read("/a/g later"), pair("a", "g"));
        assert_eq!(read("///"), pair("/", ""));
        assert_eq!(read("//"), pair("//", ""));
        assert_eq!(read("//g"), pair("//g", ""));
        assert_eq!(read("/a"), pair("/a", ""));
        assert_eq!(read("\n/a/g\n/b/"), pair("a", "g"));
        assert_eq!(read("\n"), None);
    }

    #[test]
    fn letters_that_are_no_flags_make_all_of_it_the_pattern() {
        assert_eq!(read("/a/y"), pair("/a/y", ""));
        assert_eq!(read("/a/gg"), pair("/a/gg", ""));
        assert_eq!(read("/a/G"), pair("/a/G", ""));
        assert!(compile("/a/x").unwrap().is_err(), "a flag of other languages");
    }
}
