//! The engine before macros 2.0: one replacement after the other over the whole text.
//!
//! A pass sees what earlier passes put in, so a variable that holds `{{user}}` is expanded on the way. There is no
//! nesting, no scope and no condition. Card fields are expanded when they are met; SillyTavern expands them all at the
//! start, which shows only when a field that is not used changes a variable.

mod replace;
mod values;

use std::borrow::Cow;

use tavernkit_core::Scope;
use tavernkit_core::number;
use tavernkit_js::RandomSource;
use tavernkit_js::dice::Formula;
use tavernkit_js::seedrandom::SeedRandom;

use super::builtins;
use super::eval::Evaluator;
use super::passes;
use super::shorthand::print;
use replace::{Inside, Tagged};

/// Settings of instruct mode: the old name, and the macro of today with the same text.
const INSTRUCT: [(&str, &str); 25] = [
    ("instructStoryStringPrefix", "instructStoryStringPrefix"),
    ("instructStoryStringSuffix", "instructStoryStringSuffix"),
    ("instructInput", "instructInput"),
    ("instructUserPrefix", "instructUserPrefix"),
    ("instructUserSuffix", "instructUserSuffix"),
    ("instructOutput", "instructOutput"),
    ("instructAssistantPrefix", "instructAssistantPrefix"),
    ("instructSeparator", "instructSeparator"),
    ("instructAssistantSuffix", "instructAssistantSuffix"),
    ("instructSystemPrefix", "instructSystemPrefix"),
    ("instructSystemSuffix", "instructSystemSuffix"),
    ("instructFirstOutput", "instructFirstAssistantPrefix"),
    ("instructFirstAssistantPrefix", "instructFirstAssistantPrefix"),
    ("instructLastOutput", "instructLastAssistantPrefix"),
    ("instructLastAssistantPrefix", "instructLastAssistantPrefix"),
    ("instructStop", "instructStop"),
    ("instructUserFiller", "instructUserFiller"),
    ("instructSystemInstructionPrefix", "instructSystemInstructionPrefix"),
    ("instructFirstInput", "instructFirstInput"),
    ("instructFirstUserPrefix", "instructFirstUserPrefix"),
    ("instructLastInput", "instructLastInput"),
    ("instructLastUserPrefix", "instructLastUserPrefix"),
    ("systemPrompt", "systemPrompt"),
    ("chatSeparator", "chatSeparator"),
    ("chatStart", "chatStart"),
];

/// The system prompt under its old names.
const SYSTEM_PROMPT: [&str; 3] = ["defaultSystemPrompt", "instructSystem", "instructSystemPrompt"];

/// Macros without arguments that come after the environment.
const CHAT: [&str; 13] = [
    "maxPrompt",
    "maxPromptTokens",
    "maxContext",
    "maxContextTokens",
    "maxResponse",
    "maxResponseTokens",
    "lastMessage",
    "lastMessageId",
    "lastUserMessage",
    "lastCharMessage",
    "firstIncludedMessageId",
    "firstDisplayedMessageId",
    "lastSwipeId",
];

const TIME: [&str; 5] = ["time", "date", "weekday", "isotime", "isodate"];

/// Expands a text as the old engine did.
pub(super) fn expand(evaluator: &mut Evaluator<'_>, text: &str) -> String {
    let text = Tagged::new(angle_forms(evaluator, text));
    let mut passes = Passes { text, evaluator };
    passes.roll();
    passes.instruct();
    passes.variables();
    passes.simple();
    passes.environment();
    passes.chat();
    passes.time();
    passes.chance();
    passes.text.into_text()
}

/// The old name forms stand for what the environment says, the caller's own macros included.
fn angle_forms(evaluator: &mut Evaluator<'_>, text: &str) -> String {
    let mut text = text.to_owned();
    for (form, name) in [
        ("<USER>", "user"),
        ("<BOT>", "char"),
        ("<CHAR>", "char"),
        ("<CHARIFNOTGROUP>", "group"),
        ("<GROUP>", "group"),
    ] {
        text = values::replace_form(&text, form, || {
            let environment = values::environment(evaluator);
            let entry = environment.iter().find(|entry| entry.name == name);
            entry.map_or_else(String::new, |entry| entry.value(evaluator))
        });
    }
    text
}

struct Passes<'p, 'e> {
    text: Tagged,
    evaluator: &'p mut Evaluator<'e>,
}

impl Passes<'_, '_> {
    /// One pass: every tag with this head is replaced by what `value` answers.
    fn pass(
        &mut self,
        head: &str,
        inside: Inside,
        mut value: impl FnMut(&mut Evaluator<'_>, &str, usize) -> Option<String>,
    ) {
        let Self { text, evaluator } = self;
        if !text.has_tags() {
            return;
        }
        text.replace(head, inside, |inside, at| {
            if !evaluator.run.pay(0) {
                return None;
            }
            let new = value(evaluator, inside, at)?;
            let new = match evaluator.options.post_process {
                Some(post_process) => post_process(new),
                None => new,
            };
            evaluator.run.pay(new.len()).then_some(new)
        });
    }

    /// One pass for a macro without arguments.
    fn exact(&mut self, name: &str, mut value: impl FnMut(&mut Evaluator<'_>) -> String) {
        self.pass(&format!("{{{{{name}"), Inside::Nothing, |evaluator, _, _| Some(value(evaluator)));
    }

    /// A macro without arguments whose text is that of a macro of today.
    fn builtin(&mut self, name: &str, today: &str) {
        self.exact(name, |evaluator| evaluator.builtin(today, &[]).unwrap_or_default());
    }

    fn roll(&mut self) {
        self.pass("{{roll", Inside::NoBrace, |evaluator, inside, _| {
            let formula = inside.strip_prefix([' ', ':']).filter(|formula| !formula.is_empty())?;
            let Some(formula) = Formula::parse_argument(formula) else {
                evaluator.warn(
                    "macro.dice_formula",
                    format!("{formula:?} is no dice formula; nothing was rolled"),
                );
                return Some(String::new());
            };
            if !evaluator.run.pay(formula.dice.min(1e15) as usize) {
                return None;
            }
            formula.roll(evaluator.random).ok().map(|roll| number::format(roll.total))
        });
    }

    fn instruct(&mut self) {
        for (name, today) in INSTRUCT {
            self.builtin(name, today);
        }
        for name in SYSTEM_PROMPT {
            self.builtin(name, name);
        }
    }

    fn variables(&mut self) {
        for (scope, global) in [(Scope::Local, ""), (Scope::Global, "global")] {
            self.pass(&format!("{{{{set{global}var::"), Inside::NameAndValue, |evaluator, inside, _| {
                let (name, value) = values::name_and_value(inside)?;
                let arguments = [name.into(), value.into()];
                evaluator.builtin(&format!("set{global}var"), &arguments)
            });
            self.pass(&format!("{{{{add{global}var::"), Inside::NameAndValue, |evaluator, inside, _| {
                let (name, value) = values::name_and_value(inside)?;
                evaluator.add(scope, name, value.into()).ok()?;
                Some(String::new())
            });
            for (head, by) in [("inc", 1), ("dec", -1)] {
                self.pass(&format!("{{{{{head}{global}var::"), Inside::NoBrace, |evaluator, name, _| {
                    evaluator
                        .add(scope, values::trim(name), by.into())
                        .ok()
                        .map(|sum| values::print_sum(&sum))
                });
            }
            self.pass(&format!("{{{{get{global}var::"), Inside::NoBrace, |evaluator, name, _| {
                Some(print(&evaluator.read(scope, values::trim(name))))
            });
        }
    }

    fn simple(&mut self) {
        self.exact("newline", |_| "\n".into());
        if let Some(trimmed) = passes::trim(self.text.text()) {
            self.text = Tagged::new(trimmed.text);
        }
        self.exact("noop", |_| String::new());
        self.builtin("input", "input");
    }

    fn environment(&mut self) {
        for entry in values::environment(self.evaluator) {
            let name = entry.name.clone();
            self.exact(&name, |evaluator| entry.value(evaluator));
        }
    }

    fn chat(&mut self) {
        for name in CHAT {
            self.builtin(name, name);
        }
        // Without a swipe this engine counts on from nothing.
        self.exact("currentSwipeId", |evaluator| match evaluator.builtin("currentSwipeId", &[]) {
            Some(id) if !id.is_empty() => id,
            _ => "NaN".into(),
        });
        self.builtin("allChatRange", "allChatRange");
        self.pass("{{reverse:", Inside::ShortLine, |_, text, _| Some(text.chars().rev().collect()));
        self.pass("{{//", Inside::Shortest, |_, _, _| Some(String::new()));
    }

    fn time(&mut self) {
        for name in TIME {
            self.builtin(name, name);
        }
        self.pass("{{datetimeformat ", Inside::MaybeNoBrace, |evaluator, format, _| {
            evaluator.builtin("datetimeformat", &[Cow::Borrowed(format.trim_start_matches(' '))])
        });
        self.builtin("idle_duration", "idle_duration");
        self.pass("{{time_UTC", Inside::NoBrace, |evaluator, offset, _| {
            let digits = offset.strip_prefix(['+', '-']).filter(|digits| !digits.is_empty())?;
            if !digits.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            Some(builtins::zoned_time(evaluator.env.clock, &format!("UTC{offset}")))
        });
        self.pass("{{outlet::", Inside::ShortLine, |evaluator, name, _| {
            evaluator.builtin("outlet", &[Cow::Borrowed(name)])
        });
        self.pass("{{timeDiff::", Inside::TwoParts, |evaluator, dates, _| {
            let (left, right) = dates.split_once("::")?;
            Some(builtins::time_difference(evaluator.env.clock, left, right))
        });
        self.pass("{{banned \"", Inside::QuotedLine, |evaluator, quoted, _| {
            let word = quoted.strip_suffix('"').unwrap_or(quoted);
            evaluator.builtin("banned", &[Cow::Borrowed(word)])
        });
    }

    fn chance(&mut self) {
        self.pass("{{random", Inside::NoBrace, |evaluator, list, _| {
            let items = values::items(list)?;
            let index = evaluator.random.next_index(items.len());
            items.into_iter().nth(index)
        });
        // Places are counted in the text as it is now, in UTF-16 units.
        let now = self.text.text().to_owned();
        let (mut counted, mut units) = (0, 0);
        self.pass("{{pick", Inside::NoBrace, |evaluator, list, at| {
            let items = values::items(list)?;
            units += tavernkit_js::string::length(&now[counted..at]) as i64;
            counted = at;
            let seed = evaluator.pick_seed(units, None);
            let index = SeedRandom::from_number(seed as f64).next_index(items.len());
            items.into_iter().nth(index)
        });
    }
}
