//! A script's replacement text and how it is filled in.

use tavernkit_js::regex::Regex;

use super::expander::MacroExpander;
use super::script::needs_macros;
use super::subject::{Counted, Found, Subject};

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

/// What was to be filled in is no text: the object with the named groups, or an offset where trim strings were to be
/// taken out. SillyTavern stops with an error here, and with it whatever it was doing.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoText {
    pub argument: usize,
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
        found: &Found<'_>,
        search: &mut Searched<'_>,
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
                Part::Argument(Some(index)) => (search.argument(found, *index), *index),
                Part::Named(name) => (search.named(found, name), 0),
            };
            match argument {
                Argument::Missing | Argument::Offset(0) => {}
                Argument::Text(value) => text.push_str(&trim.apply(value)),
                Argument::Offset(units) if trim.strings.is_empty() => text.push_str(&units.to_string()),
                Argument::Offset(_) | Argument::Groups => return Err(NoText { argument: index }),
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

/// What was searched for, and in what: all the arguments that are the same for each match.
pub(super) struct Searched<'s> {
    pub regex: &'s Regex,
    pub subject: &'s Subject<'s>,
    pub counted: Counted,
}

impl Searched<'_> {
    fn argument<'m>(&'m mut self, found: &'m Found<'_>, index: usize) -> Argument<'m> {
        match index.checked_sub(found.groups.len()) {
            None => group(found, index),
            Some(0) => Argument::Offset(self.subject.units_before(found.range.start, &mut self.counted)),
            Some(1) => Argument::Text(self.subject.text()),
            Some(2) if self.regex.group_names().next().is_some() => Argument::Groups,
            Some(_) => Argument::Missing,
        }
    }

    /// Of several groups with one name, the one that took part.
    fn named<'m>(&self, found: &'m Found<'_>, name: &str) -> Argument<'m> {
        let groups = self.regex.group_names().find(|(known, _)| *known == name).map(|(_, groups)| groups);
        let taking_part = groups.into_iter().flatten().map(|index| group(found, *index as usize));
        taking_part
            .into_iter()
            .find(|argument| matches!(argument, Argument::Text(_)))
            .unwrap_or(Argument::Missing)
    }
}

fn group<'m>(found: &'m Found<'_>, index: usize) -> Argument<'m> {
    found.groups.get(index).and_then(Option::as_deref).map_or(Argument::Missing, Argument::Text)
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
