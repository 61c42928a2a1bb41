//! What the application is doing.

use tavernkit_core::number::is_js_space;

use super::super::registry::Registry;
use super::{Builtin, builtin};

const TEXTS: [(&str, Builtin); 7] = [
    ("lastGenerationType", |call| Ok(call.environment().last_generation_type.to_string())),
    ("authorsNote", |call| Ok(call.environment().notes.chat.to_string())),
    ("charAuthorsNote", |call| Ok(call.environment().notes.character.to_string())),
    ("defaultAuthorsNote", |call| Ok(call.environment().notes.default.to_string())),
    ("reasoningPrefix", |call| Ok(call.environment().reasoning.prefix.clone())),
    ("reasoningSuffix", |call| Ok(call.environment().reasoning.suffix.clone())),
    ("reasoningSeparator", |call| Ok(call.environment().reasoning.separator.clone())),
];

pub(super) fn register(registry: &mut Registry) {
    for (name, handler) in TEXTS {
        registry.register(builtin(&[name], 0, 0, handler));
    }
    registry.register(builtin(&["maxPrompt", "maxPromptTokens"], 0, 0, |call| {
        Ok(call.environment().tokens.prompt.to_string())
    }));
    registry.register(builtin(&["maxContext", "maxContextTokens"], 0, 0, |call| {
        Ok(call.environment().tokens.context.to_string())
    }));
    registry.register(builtin(&["maxResponse", "maxResponseTokens"], 0, 0, |call| {
        Ok(call.environment().tokens.response.to_string())
    }));
    registry.register(builtin(&["isMobile"], 0, 0, |call| Ok(call.environment().is_mobile.to_string())));
    registry.register(builtin(&["hasExtension"], 1, 1, |call| {
        let wanted = call.argument(0).trim_matches(is_js_space).to_lowercase();
        let is_wanted = |name: &String| {
            let name = name.to_lowercase();
            name == wanted || name.strip_prefix("third-party/") == Some(&wanted)
        };
        Ok(call.environment().extensions.iter().any(is_wanted).to_string())
    }));
}
