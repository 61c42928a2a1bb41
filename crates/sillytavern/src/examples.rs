//! Example dialogues of a card: cutting them into blocks, and writing them with instruct sequences.

use crate::macros::{InstructSettings, NamesBehavior};

const START: &str = "<START>";

/// What stands above each example dialogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExampleHeading {
    /// `<START>`: for chat completion and for instruct mode, which replace it later.
    Start,
    /// The expanded separator of the context template; may be empty.
    Separator(String),
}

/// Cuts the example field of a card into dialogues, each with its heading and a newline at the end.
///
/// ```
/// use tavernkit_sillytavern::examples::{ExampleHeading, parse};
/// let blocks = parse("<START>\nA: hi\n<start>\nB: bye", &ExampleHeading::Separator("***".into()));
/// assert_eq!(blocks, ["***\nA: hi\n", "***\nB: bye\n"]);
/// ```
pub fn parse(examples: &str, heading: &ExampleHeading) -> Vec<String> {
    if examples.is_empty() || examples == START {
        return Vec::new();
    }
    let head = match heading {
        ExampleHeading::Start => format!("{START}\n"),
        ExampleHeading::Separator(separator) if separator.is_empty() => String::new(),
        ExampleHeading::Separator(separator) => format!("{separator}\n"),
    };
    let trim = |text: &str| tavernkit_js::string::trim(text).to_owned();
    let with_start;
    let examples = if examples.starts_with(START) {
        examples
    } else {
        with_start = format!("{START}\n{}", trim(examples));
        &with_start
    };
    split_at_start(examples).skip(1).map(|block| format!("{head}{}\n", trim(block))).collect()
}

/// Splits at `<START>` in any case.
fn split_at_start(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let found = text.char_indices().map(|(at, _)| at).find(|at| {
            text.as_bytes()[*at..]
                .get(..START.len())
                .is_some_and(|s| s.eq_ignore_ascii_case(START.as_bytes()))
        });
        match found {
            Some(at) => {
                rest = Some(&text[at + START.len()..]);
                Some(&text[..at])
            }
            None => rest.take(),
        }
    })
}

/// How to write example dialogues with instruct sequences.
pub struct InstructExamples<'a> {
    /// The sequences.
    pub instruct: &'a InstructSettings,
    /// The separator of the context template, not yet expanded.
    pub separator: &'a str,
    /// The user's name.
    pub user: &'a str,
    /// The character's name.
    pub character: &'a str,
    /// The members' names in a group chat.
    pub members: Option<&'a [&'a str]>,
}

/// Input and output parts, expanded for a turn.
struct Sequences {
    input: String,
    output: String,
    input_suffix: String,
    output_suffix: String,
}

impl InstructExamples<'_> {
    /// The pieces to put into the prompt, in order: headings and turns.
    pub fn format(&self, blocks: &[String], expand: &mut dyn FnMut(&str) -> String) -> Vec<String> {
        let heading = match self.separator {
            "" => String::new(),
            separator => format!("{}\n", expand(separator)),
        };
        let plain = || -> Vec<String> {
            blocks.iter().map(|block| block.replacen(&format!("{START}\n"), &heading, 1)).collect()
        };
        if self.instruct.skip_examples {
            return plain();
        }
        let sequences = self.sequences(expand);
        let separator = if self.instruct.wrap { "\n" } else { "" };
        let prefixed = self.members.is_some() && self.instruct.names_behavior != NamesBehavior::None;
        let mut pieces = Vec::new();
        for block in blocks {
            let turns = self.turns(block, prefixed);
            if turns.is_empty() {
                continue;
            }
            if !heading.is_empty() {
                pieces.push(heading.clone());
            }
            for turn in turns {
                let (prefix, suffix, name) = if turn.is_user {
                    (&sequences.input, &sequences.input_suffix, self.user)
                } else {
                    (&sequences.output, &sequences.output_suffix, self.character)
                };
                let named = !prefixed
                    && match self.instruct.names_behavior {
                        NamesBehavior::Always => true,
                        NamesBehavior::Force => turn.is_user,
                        NamesBehavior::None => false,
                    };
                let text = if named { format!("{name}: {}", turn.text) } else { turn.text };
                let parts = [prefix.clone(), format!("{text}{suffix}")];
                let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
                pieces.push(parts.join(separator));
            }
        }
        if pieces.is_empty() { plain() } else { pieces }
    }

    fn sequences(&self, expand: &mut dyn FnMut(&str) -> String) -> Sequences {
        let instruct = self.instruct;
        let mut sequences = Sequences {
            input: instruct.input_sequence.clone(),
            output: instruct.output_sequence.clone(),
            input_suffix: instruct.input_suffix.clone(),
            output_suffix: instruct.output_suffix.clone(),
        };
        if instruct.expand_macros {
            let mut filled = |text: &str, name: &str| replace_name(&expand(text), name);
            sequences.input = filled(&sequences.input, self.user);
            sequences.output = filled(&sequences.output, self.character);
            sequences.input_suffix = filled(&sequences.input_suffix, self.user);
            sequences.output_suffix = filled(&sequences.output_suffix, self.character);
            for suffix in [&mut sequences.input_suffix, &mut sequences.output_suffix] {
                if suffix.is_empty() && instruct.wrap {
                    suffix.push('\n');
                }
            }
        }
        sequences
    }

    /// Cuts a dialogue into turns. Lines of the same side run together.
    fn turns(&self, block: &str, prefixed: bool) -> Vec<Turn> {
        let block = block.replacen(START, "", 1).replace('\r', "");
        let user_label = format!("{}:", self.user);
        let mut bot_name = self.character.to_owned();
        let mut turns: Vec<Turn> = Vec::new();
        let mut lines: Vec<&str> = Vec::new();
        let mut side: Option<bool> = None;
        let mut finish = |lines: &mut Vec<&str>, is_user: bool, bot_name: &str| {
            let name = if is_user { self.user } else { bot_name };
            let text = lines.join("\n").replacen(&format!("{name}:"), "", 1);
            let text = tavernkit_js::string::trim(&text);
            let text = if prefixed { format!("{name}: {text}") } else { text.to_owned() };
            turns.push(Turn { is_user, text });
            lines.clear();
        };
        for line in block.split('\n').skip(1) {
            let is_member = |name: &&str| line.starts_with(&format!("{name}:"));
            if line.starts_with(&user_label) {
                if side == Some(false) {
                    finish(&mut lines, false, &bot_name);
                }
                side = Some(true);
            } else if is_member(&self.character)
                || self.members.is_some_and(|members| members.iter().any(is_member))
            {
                if side == Some(true) {
                    finish(&mut lines, true, &bot_name);
                }
                side = Some(false);
                if let Some((label, _)) = line.split_once(':') {
                    bot_name = label.to_owned();
                }
            }
            lines.push(line);
        }
        if let Some(is_user) = side {
            finish(&mut lines, is_user, &bot_name);
        }
        turns
    }
}

struct Turn {
    is_user: bool,
    text: String,
}

/// Replaces `{{name}}` in any case.
fn replace_name(text: &str, name: &str) -> String {
    const NAME: &str = "{{name}}";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.get(..NAME.len()).is_some_and(|head| head.eq_ignore_ascii_case(NAME)) {
            out.push_str(name);
            rest = &rest[NAME.len()..];
        } else {
            out.push('{');
            rest = &rest[1..];
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_without_a_start_get_one() {
        assert_eq!(parse("A: hi ", &ExampleHeading::Start), ["<START>\nA: hi\n"]);
        assert!(parse("<START>", &ExampleHeading::Start).is_empty());
        assert_eq!(parse("x<START>y", &ExampleHeading::Separator(String::new())), ["x\n", "y\n"]);
    }

    #[test]
    fn turns_are_wrapped_in_their_sequences() {
        let instruct = InstructSettings {
            enabled: true,
            input_sequence: "<u {{name}}>".into(),
            output_sequence: "<a>".into(),
            ..InstructSettings::default()
        };
        let format = InstructExamples {
            instruct: &instruct,
            separator: "--",
            user: "Ilse",
            character: "Bram",
            members: None,
        };
        let blocks = ["<START>\nIlse: Hello\nIlse: again\nBram: Aye.\n".to_owned()];
        let pieces = format.format(&blocks, &mut |text| text.to_owned());
        assert_eq!(pieces, ["--\n", "<u Ilse>\nIlse: Hello\nIlse: again\n", "<a>\nAye.\n"]);
    }
}
