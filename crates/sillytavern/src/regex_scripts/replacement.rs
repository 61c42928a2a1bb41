//! A script's replacement text and how it is filled in.

use tavernkit_js::regex::Match;
use tavernkit_js::string;

use super::expander::MacroExpander;
use super::script::needs_macros;

/// A replacement text, cut at the places to fill in.
#[derive(Debug)]
pub(super) struct Replacement {
    parts: Vec<Part>,
}

#[derive(Debug, PartialEq)]
enum Part {
    Text(String),
    /// `$1`; no such argument when the number is too big.
    Argument(Option<usize>),
    /// `$<name>`
    Named(String),
}

/// A position was to be filled in, but trim strings cannot be taken out of what is no text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoText {
    pub argument: usize,
}

/// Whether the pattern names any of its groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    None,
    Some,
}

/// One of the arguments JavaScript gives to a replacing function, in its order.
enum Argument<'m> {
    /// A group, the whole match, or the whole input.
    Text(&'m str),
    /// Where the match begins, in UTF-16 units.
    Offset(usize),
    /// The object with the named groups.
    Groups,
    Missing,
}

impl Replacement {
    pub fn parse(text: &str) -> Self {
        let text = with_match_as_group(text);
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find('$') {
            literal.push_str(&rest[..at]);
            rest = &rest[at..];
            match reference(&rest[1..]) {
                Some((length, part)) => {
                    if !literal.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut literal)));
                    }
                    parts.push(part);
                    rest = &rest[1 + length..];
                }
                None => {
                    literal.push('$');
                    rest = &rest[1..];
                }
            }
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(Part::Text(literal));
        }
        Self { parts }
    }

    /// The text for one match, macros expanded.
    pub fn fill(
        &self,
        found: &Match<'_>,
        names: Names,
        offset: &mut OffsetCounter,
        trim: &mut Trim<'_>,
    ) -> Result<String, NoText> {
        let mut text = String::new();
        for part in &self.parts {
            let (argument, index) = match part {
                Part::Text(literal) => {
                    text.push_str(literal);
                    continue;
                }
                Part::Argument(None) => continue,
                Part::Argument(Some(index)) => (argument(found, *index, names, offset), *index),
                Part::Named(name) => (found.name_text(name).map_or(Argument::Missing, Argument::Text), 0),
            };
            match argument {
                Argument::Missing | Argument::Offset(0) => {}
                Argument::Text(value) => text.push_str(&trim.apply(value)),
                Argument::Offset(_) | Argument::Groups if !trim.strings.is_empty() => {
                    return Err(NoText { argument: index });
                }
                Argument::Offset(units) => text.push_str(&units.to_string()),
                Argument::Groups => text.push_str("[object Object]"),
            }
        }
        Ok(if needs_macros(&text) { trim.macros.expand(&text, None) } else { text })
    }
}

/// Writes `{{match}}`, in any case, as `$0`.
fn with_match_as_group(text: &str) -> String {
    const MACRO: &str = "{{match}}";
    let lower = text.to_ascii_lowercase();
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for (at, found) in lower.match_indices(MACRO) {
        result.push_str(&text[done..at]);
        result.push_str("$0");
        done = at + found.len();
    }
    result + &text[done..]
}

/// What follows a dollar sign: digits, or a name in angle brackets.
fn reference(text: &str) -> Option<(usize, Part)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        return Some((digits, Part::Argument(text[..digits].parse().ok())));
    }
    let name = text.strip_prefix('<')?;
    let end = name.find('>').filter(|end| *end > 0)?;
    Some((end + 2, Part::Named(name[..end].to_owned())))
}

fn argument<'m>(found: &Match<'m>, index: usize, names: Names, offset: &mut OffsetCounter) -> Argument<'m> {
    let groups = found.group_len();
    match index.checked_sub(groups) {
        None => found.group_text(index).map_or(Argument::Missing, Argument::Text),
        Some(0) => Argument::Offset(offset.units_before(found.input(), found.start())),
        Some(1) => Argument::Text(found.input()),
        Some(2) if names == Names::Some => Argument::Groups,
        Some(_) => Argument::Missing,
    }
}

/// Counts the UTF-16 units before each match without starting over.
#[derive(Default)]
pub(super) struct OffsetCounter {
    bytes: usize,
    units: usize,
}

impl OffsetCounter {
    fn units_before(&mut self, text: &str, byte: usize) -> usize {
        if byte < self.bytes {
            *self = Self::default();
        }
        self.units += string::length(text.get(self.bytes..byte).unwrap_or(""));
        self.bytes = byte;
        self.units
    }
}

/// The texts that are taken out of whatever is filled in.
pub(super) struct Trim<'x> {
    pub strings: &'x [String],
    pub character: Option<&'x str>,
    pub macros: &'x mut dyn MacroExpander,
}

impl Trim<'_> {
    fn apply(&mut self, value: &str) -> String {
        let mut value = value.to_owned();
        if value.is_empty() {
            return value;
        }
        for string in self.strings {
            // Expanded each time, for macros may answer differently.
            let expanded;
            let string = if needs_macros(string) {
                expanded = self.macros.expand(string, self.character);
                &expanded
            } else {
                string
            };
            if !string.is_empty() {
                value = value.replace(string.as_str(), "");
            }
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_digits_or_names() {
        let parts = Replacement::parse("$1a$$2$&$<n>$<>$").parts;
        assert_eq!(
            parts,
            [
                Part::Argument(Some(1)),
                Part::Text("a$".into()),
                Part::Argument(Some(2)),
                Part::Text("$&".into()),
                Part::Named("n".into()),
                Part::Text("$<>$".into()),
            ]
        );
    }

    #[test]
    fn the_match_macro_is_group_zero_even_before_a_digit() {
        assert_eq!(Replacement::parse("{{Match}}!").parts, [Part::Argument(Some(0)), Part::Text("!".into())]);
        assert_eq!(Replacement::parse("{{match}}2").parts, [Part::Argument(Some(2))]);
        assert_eq!(Replacement::parse("$99999999999999999999999").parts, [Part::Argument(None)]);
    }
}
