//! Who takes part, and what the card says.

use std::borrow::Cow;

use super::super::env::{Api, Cast};
use super::super::fields::CardField;
use super::super::registry::Registry;
use super::{Builtin, Failure, INTEGER, Invocation, builtin};
use crate::examples::{ExampleHeading, InstructExamples};

/// Macros that give a field of the card or persona.
const FIELDS: [(&[&str], Builtin); 9] = [
    (&["charPrompt"], |call| Ok(call.card_field(CardField::SystemPrompt))),
    (&["charInstruction"], |call| Ok(call.card_field(CardField::PostHistoryInstructions))),
    (&["charDescription", "description"], |call| Ok(call.card_field(CardField::Description))),
    (&["charPersonality", "personality"], |call| Ok(call.card_field(CardField::Personality))),
    (&["charScenario", "scenario"], |call| Ok(call.card_field(CardField::Scenario))),
    (&["persona"], |call| Ok(call.card_field(CardField::Persona))),
    (&["mesExamplesRaw"], |call| Ok(call.card_field(CardField::Examples))),
    (&["charDepthPrompt"], |call| Ok(call.card_field(CardField::DepthPrompt))),
    (&["charCreatorNotes", "creatorNotes"], |call| Ok(call.card_field(CardField::CreatorNotes))),
];

pub(super) fn register(registry: &mut Registry) {
    registry.register(builtin(&["user"], 0, 0, |call| Ok(call.user().into())));
    registry.register(builtin(&["char"], 0, 0, |call| Ok(call.character().into())));
    registry.register(builtin(&["group", "charIfNotGroup"], 0, 0, |call| {
        Ok(group(call, |cast, character| group_names(cast, character, |_| true)))
    }));
    registry.register(builtin(&["groupNotMuted"], 0, 0, |call| {
        Ok(group(call, |cast, character| group_names(cast, character, |muted| !muted)))
    }));
    registry.register(builtin(&["notChar"], 0, 0, |call| {
        let user = call.user();
        Ok(group(call, |cast, character| not_character_names(cast, user, character)))
    }));
    for (names, handler) in FIELDS {
        registry.register(builtin(names, 0, 0, handler));
    }
    registry.register(builtin(&["mesExamples"], 0, 0, |call| Ok(examples(call))));
    registry.register(builtin(&["charFirstMessage", "greeting"], 0, 1, greeting).types(INTEGER));
    registry.register(builtin(&["charVersion", "version", "char_version"], 0, 0, |call| {
        let hidden = call.evaluator.options.card == super::super::CardAccess::Hidden;
        Ok(if hidden { String::new() } else { call.environment().card.version.to_string() })
    }));
    registry.register(builtin(&["model"], 0, 0, |call| Ok(call.environment().model.to_string())));
    registry.register(builtin(&["original"], 0, 0, |call| {
        call.evaluator.take_original().ok_or_else(|| Failure::new("there is no original text here"))
    }));
}

/// What a text's own group names say, or else the cast.
fn group(call: &Invocation<'_, '_>, from_cast: impl FnOnce(&Cast<'_>, &str) -> String) -> String {
    match &call.evaluator.options.group {
        Some(group) => group.to_string(),
        None => from_cast(&call.environment().cast, call.character()),
    }
}

/// The members of a group, or the character of a solo chat.
fn group_names(cast: &Cast<'_>, character: &str, wanted: impl Fn(bool) -> bool) -> String {
    match &cast.group {
        None => character.to_owned(),
        Some(members) => {
            join(members.iter().filter(|member| wanted(member.muted)).map(|member| &member.name))
        }
    }
}

/// Everyone but the character: the user of a solo chat, or the members that are not muted.
fn not_character_names(cast: &Cast<'_>, user: &str, character: &str) -> String {
    match &cast.group {
        None => user.to_owned(),
        Some(members) => {
            let others = members.iter().filter(|member| !member.muted && member.name != character);
            join(others.map(|member| &member.name))
        }
    }
}

fn join<'n>(names: impl Iterator<Item = &'n Cow<'n, str>>) -> String {
    names.map(|name| &**name).collect::<Vec<_>>().join(", ")
}

fn greeting(call: &mut Invocation<'_, '_>) -> Result<String, Failure> {
    let index = tavernkit_core::number::parse(call.argument(0));
    Ok(if index == 0.0 {
        call.card_field(CardField::FirstMessage)
    } else if index >= 1.0 {
        call.card_field(CardField::AlternateGreeting(index as usize - 1))
    } else {
        String::new()
    })
}

/// The example dialogues, ready for the prompt of the API in use.
fn examples(call: &mut Invocation<'_, '_>) -> String {
    let text = call.card_field(CardField::Examples);
    if text.is_empty() {
        return text;
    }
    let env = call.environment();
    let instruct = env.instruct.enabled && env.api != Api::ChatCompletion;
    let separator = &env.context.example_separator;
    let heading = if instruct || env.api == Api::ChatCompletion {
        ExampleHeading::Start
    } else {
        let separator = call.expand(separator);
        ExampleHeading::Separator(separator)
    };
    let blocks = crate::examples::parse(&text, &heading);
    if !instruct {
        return blocks.concat();
    }
    let (user, character) = (call.user(), call.character());
    let members: Vec<&str> = env.cast.group.iter().flatten().map(|member| &*member.name).collect();
    let format = InstructExamples {
        instruct: &env.instruct,
        separator,
        user,
        character,
        members: env.cast.group.is_some().then_some(&members),
    };
    format.format(&blocks, &mut |text| call.expand(text)).concat()
}
