//! Instruct sequences and the texts of the prompt's frame, as they are set and not expanded.

use super::super::fields::CardField;
use super::super::registry::Registry;
use super::super::settings::InstructSettings;
use super::{Builtin, Failure, Invocation, builtin};

const SEQUENCES: [(&[&str], Builtin); 15] = [
    (&["instructStoryStringPrefix"], |call| sequence(call, |i| &i.story_string_prefix)),
    (&["instructStoryStringSuffix"], |call| sequence(call, |i| &i.story_string_suffix)),
    (&["instructUserPrefix", "instructInput"], |call| sequence(call, |i| &i.input_sequence)),
    (&["instructUserSuffix"], |call| sequence(call, |i| &i.input_suffix)),
    (&["instructAssistantPrefix", "instructOutput"], |call| sequence(call, |i| &i.output_sequence)),
    (&["instructAssistantSuffix", "instructSeparator"], |call| sequence(call, |i| &i.output_suffix)),
    (&["instructSystemPrefix"], |call| sequence(call, |i| &i.system_sequence)),
    (&["instructSystemSuffix"], |call| sequence(call, |i| &i.system_suffix)),
    (&["instructFirstAssistantPrefix", "instructFirstOutputPrefix"], |call| {
        sequence(call, |i| or(&i.first_output_sequence, &i.output_sequence))
    }),
    (&["instructLastAssistantPrefix", "instructLastOutputPrefix"], |call| {
        sequence(call, |i| or(&i.last_output_sequence, &i.output_sequence))
    }),
    (&["instructFirstUserPrefix", "instructFirstInput"], |call| {
        sequence(call, |i| or(&i.first_input_sequence, &i.input_sequence))
    }),
    (&["instructLastUserPrefix", "instructLastInput"], |call| {
        sequence(call, |i| or(&i.last_input_sequence, &i.input_sequence))
    }),
    (&["instructStop"], |call| sequence(call, |i| &i.stop_sequence)),
    (&["instructUserFiller"], |call| sequence(call, |i| &i.user_alignment_message)),
    (&["instructSystemInstructionPrefix"], |call| sequence(call, |i| &i.last_system_sequence)),
];

pub(super) fn register(registry: &mut Registry) {
    for (names, handler) in SEQUENCES {
        registry.register(builtin(names, 0, 0, handler));
    }
    registry.register(builtin(
        &["defaultSystemPrompt", "instructSystem", "instructSystemPrompt"],
        0,
        0,
        |call| Ok(default_system_prompt(call)),
    ));
    registry.register(builtin(&["systemPrompt"], 0, 0, |call| {
        if !call.environment().system_prompt.enabled {
            return Ok(String::new());
        }
        let own = call.card_field(CardField::SystemPrompt);
        Ok(if own.is_empty() { default_system_prompt(call) } else { own })
    }));
    registry.register(builtin(&["exampleSeparator", "chatSeparator"], 0, 0, |call| {
        Ok(call.environment().context.example_separator.clone())
    }));
    registry
        .register(builtin(&["chatStart"], 0, 0, |call| Ok(call.environment().context.chat_start.clone())));
}

fn sequence(
    call: &mut Invocation<'_, '_>,
    which: impl FnOnce(&InstructSettings) -> &String,
) -> Result<String, Failure> {
    let instruct = &call.environment().instruct;
    Ok(if instruct.enabled { which(instruct).clone() } else { String::new() })
}

fn or<'s>(first: &'s String, second: &'s String) -> &'s String {
    if first.is_empty() { second } else { first }
}

fn default_system_prompt(call: &Invocation<'_, '_>) -> String {
    let prompt = &call.environment().system_prompt;
    if prompt.enabled { prompt.content.clone() } else { String::new() }
}
