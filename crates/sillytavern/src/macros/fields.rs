//! Card fields: expanded when they are first used, once per expansion.

use std::borrow::Cow;
use std::sync::Arc;

use tavernkit_core::number::is_js_space;

use super::engine::EngineKind;
use super::env::{Environment, Field};
use super::eval::Evaluator;
use super::legacy;
use super::options::{CardAccess, Options};

/// A text of the card or persona that macros can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the card's")]
#[non_exhaustive]
pub enum CardField {
    Description,
    Personality,
    Scenario,
    Persona,
    Examples,
    SystemPrompt,
    PostHistoryInstructions,
    DepthPrompt,
    CreatorNotes,
    FirstMessage,
    AlternateGreeting(usize),
}

impl CardField {
    fn name(self) -> &'static str {
        match self {
            CardField::Description => "description",
            CardField::Personality => "personality",
            CardField::Scenario => "scenario",
            CardField::Persona => "persona",
            CardField::Examples => "mes_example",
            CardField::SystemPrompt => "system_prompt",
            CardField::PostHistoryInstructions => "post_history_instructions",
            CardField::DepthPrompt => "depth_prompt",
            CardField::CreatorNotes => "creator_notes",
            CardField::FirstMessage => "first_mes",
            CardField::AlternateGreeting(_) => "alternate_greetings",
        }
    }

    fn find<'e>(self, env: &'e Environment<'e>) -> Option<&'e Field<'e>> {
        let card = &env.card;
        Some(match self {
            CardField::Description => &card.description,
            CardField::Personality => &card.personality,
            CardField::Scenario => &card.scenario,
            CardField::Persona => &env.persona,
            CardField::Examples => &card.examples,
            CardField::SystemPrompt => return env.prefer_card_prompt.then_some(&card.system_prompt),
            CardField::PostHistoryInstructions => {
                return env.prefer_card_instruction.then_some(&card.post_history_instructions);
            }
            CardField::DepthPrompt => &card.depth_prompt,
            CardField::CreatorNotes => &card.creator_notes,
            CardField::FirstMessage => &card.first_message,
            CardField::AlternateGreeting(index) => return card.alternate_greetings.get(index),
        })
    }
}

/// The fields that were already expanded.
#[derive(Debug, Default)]
pub(super) struct FieldCache(Vec<(CardField, Arc<str>)>);

impl Evaluator<'_> {
    /// The field's text with its macros expanded, by the names of the chat and without card fields in card fields.
    pub(super) fn card_field(&mut self, field: CardField) -> String {
        if self.options.card == CardAccess::Hidden {
            return String::new();
        }
        if let Some((_, text)) = self.fields.0.iter().find(|(known, _)| *known == field) {
            return text.to_string();
        }
        let text = match field.find(self.env) {
            None => String::new(),
            Some(Field::Text(text)) => self.base_text(text.trim_matches(is_js_space), field),
            Some(Field::Parsed(template)) if template.kind == self.engine.kind() => {
                let text = self.in_field(template.original(), field, |evaluator| evaluator.whole(template));
                self.tidy(text)
            }
            Some(Field::Parsed(template)) => self.base_text(template.original(), field),
        };
        self.fields.0.push((field, text.as_str().into()));
        text
    }

    fn base_text(&mut self, text: &str, field: CardField) -> String {
        if !text.contains(['{', '<', '\\', '\0']) {
            return self.tidy(text.to_owned());
        }
        let expanded = self.in_field(text, field, |evaluator| match evaluator.engine.kind() {
            EngineKind::V2 => {
                let template = evaluator.engine.parse(text);
                evaluator.whole(&template)
            }
            EngineKind::Legacy => legacy::expand(evaluator, text),
        });
        self.tidy(expanded)
    }

    fn in_field(
        &mut self,
        text: &str,
        field: CardField,
        work: impl FnOnce(&mut Evaluator<'_>) -> String,
    ) -> String {
        let options = Options { card: CardAccess::Hidden, ..Options::default() };
        let mut inner =
            Evaluator::new(self.engine, self.env, &options, self.variables, self.random, self.run, text);
        inner.field = Some(field.name());
        work(&mut inner)
    }

    fn tidy(&self, mut text: String) -> String {
        if self.env.collapse_newlines {
            text = collapse_newlines(&text).into_owned();
        }
        if text.contains('\r') { text.replace('\r', "") } else { text }
    }
}

/// Makes every run of newlines one.
fn collapse_newlines(text: &str) -> Cow<'_, str> {
    if !text.contains("\n\n") {
        return Cow::Borrowed(text);
    }
    let mut collapsed = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\n' || !collapsed.ends_with('\n') {
            collapsed.push(c);
        }
    }
    Cow::Owned(collapsed)
}

#[cfg(test)]
mod tests {
    use super::super::{Engine, Environment};

    #[test]
    fn fields_are_tidied_and_see_no_other_fields() {
        let mut environment = Environment::named("Ilse", "Bram");
        environment.collapse_newlines = true;
        environment.card.description = "  {{char}}\n\n\nA\r\n\r\nB [{{personality}}] ".into();
        environment.card.personality = "gruff".into();
        assert_eq!(Engine::default().expand_simple("{{description}}", &environment), "Bram\nA\n\nB []");
    }
}
