//! The prompt manager's definitions and their order.

use std::collections::HashSet;

use serde_json::json;
use tavernkit_core::Warning;

use super::chat::ChatPreset;
use crate::json::Path;
use crate::record::{List, Object, Scalar, coded, record};

/// The id under which SillyTavern keeps the one order it uses, for every character and group.
pub const DUMMY_CHARACTER: f64 = 100_001.0;

coded! {
    /// Whether a prompt stands in the list or in the chat.
    pub enum InjectionPosition {
        /// At its place in the list.
        Relative = 0,
        /// In the chat, `injection_depth` messages from its end.
        InChat = 1,
    }
}

record! {
    /// One prompt of the prompt manager.
    pub struct Prompt {
        /// Its id; built-in ones have fixed ids such as `main`.
        identifier: String = "identifier" => String::new();
        /// Name for people.
        name: String = "name" => String::new();
        /// `system`, `user` or `assistant`; markers have none.
        role: Option<String> = "role" => None;
        /// The text.
        content: String = "content" => String::new();
        /// Whether it belongs to the built-in set.
        system_prompt: bool = "system_prompt" => false;
        /// Whether it only marks the place of something else, such as the history.
        marker: bool = "marker" => false;
        /// Without effect: the order decides.
        enabled: Option<bool> = "enabled" => None;
        /// In the list or in the chat.
        injection_position: InjectionPosition = "injection_position" => InjectionPosition::Relative;
        /// Depth in the chat.
        injection_depth: f64 = "injection_depth" => 4.0;
        /// Order among prompts of the same depth.
        injection_order: f64 = "injection_order" => 100.0;
        /// Generation types it is for; empty is all.
        injection_trigger: Vec<String> = "injection_trigger" => Vec::new();
        /// Whether cards may not replace it.
        forbid_overrides: bool = "forbid_overrides" => false;
    }
}

record! {
    /// The order of prompts for one character.
    pub struct PromptOrder {
        /// Whose order it is; see [`DUMMY_CHARACTER`].
        character_id: Option<Scalar> = "character_id" => None;
        /// The prompts.
        order: List<OrderEntry> = "order" => List::default();
    }
}

record! {
    /// One place in an order.
    pub struct OrderEntry {
        /// The prompt's id.
        identifier: String = "identifier" => String::new();
        /// Whether it is on.
        enabled: bool = "enabled" => false;
    }
}

/// The prompts and the order in use, completed as SillyTavern completes them.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptSet {
    /// Every definition, the built-in ones included.
    pub prompts: Vec<Prompt>,
    /// The order in use; every entry has a definition.
    pub order: Vec<OrderEntry>,
    /// What was completed or left out.
    pub warnings: Vec<Warning>,
}

impl PromptSet {
    /// The definition with this id.
    pub fn get(&self, identifier: &str) -> Option<&Prompt> {
        self.prompts.iter().find(|prompt| prompt.identifier == identifier)
    }

    /// The prompts that are on, in order.
    pub fn enabled(&self) -> impl Iterator<Item = &Prompt> {
        self.order.iter().filter(|entry| entry.enabled).filter_map(|entry| self.get(&entry.identifier))
    }
}

/// The built-in prompts: id, name, whether it is a marker, text.
const BUILT_IN: [(&str, &str, bool, &str); 12] = [
    ("main", "Main Prompt", false, "Write the next reply of {{char}} in a fictional chat with {{user}}."),
    ("nsfw", "Auxiliary Prompt", false, ""),
    ("dialogueExamples", "Chat Examples", true, ""),
    ("jailbreak", "Post-History Instructions", false, ""),
    ("chatHistory", "Chat History", true, ""),
    ("worldInfoAfter", "World Info (after)", true, ""),
    ("worldInfoBefore", "World Info (before)", true, ""),
    (
        "enhanceDefinitions",
        "Enhance Definitions",
        false,
        "Draw on what else is known of {{char}} where the definition is silent; it comes first.",
    ),
    ("charDescription", "Char Description", true, ""),
    ("charPersonality", "Char Personality", true, ""),
    ("scenario", "Scenario", true, ""),
    ("personaDescription", "Persona Description", true, ""),
];

/// The order where a preset has none; all are on but `enhanceDefinitions`.
const DEFAULT_ORDER: [&str; 12] = [
    "main",
    "worldInfoBefore",
    "personaDescription",
    "charDescription",
    "charPersonality",
    "scenario",
    "enhanceDefinitions",
    "nsfw",
    "worldInfoAfter",
    "dialogueExamples",
    "chatHistory",
    "jailbreak",
];

impl Prompt {
    /// The definition of a built-in prompt. Texts are our own words; presets nearly always bring theirs.
    pub fn built_in(identifier: &str) -> Option<Self> {
        let (identifier, name, marker, content) = BUILT_IN.iter().find(|(id, ..)| *id == identifier)?;
        let mut raw = Object::new();
        raw.insert("identifier".into(), json!(identifier));
        raw.insert("name".into(), json!(name));
        raw.insert("system_prompt".into(), json!(true));
        if *marker {
            raw.insert("marker".into(), json!(true));
        } else {
            raw.insert("role".into(), json!("system"));
            raw.insert("content".into(), json!(content));
        }
        Some(Self::read(raw, &Path::Root, &mut Vec::new()))
    }
}

impl PromptOrder {
    /// Whether this is the order SillyTavern uses.
    pub fn is_used(&self) -> bool {
        self.character_id.as_ref().is_some_and(|id| id.to_string() == "100001")
    }
}

impl ChatPreset {
    /// The prompts and order in use, completed as SillyTavern does at start-up and after every change of preset.
    ///
    /// Only the order of [`DUMMY_CHARACTER`] counts; without one the default order is used. Missing built-in prompts are added,
    /// and order entries without a prompt are left out.
    pub fn prompt_set(&self) -> PromptSet {
        let mut warnings = Vec::new();
        let mut prompts: Vec<Prompt> = self.prompts.iter().cloned().collect();
        for (index, prompt) in
            prompts.iter_mut().enumerate().filter(|(_, prompt)| prompt.identifier.is_empty())
        {
            prompt.identifier = format!("prompt-{index}");
            let message = format!(
                "the prompt has no identifier, so nothing can place it; it is called {:?}",
                prompt.identifier
            );
            let place = format!("prompts[{index}]");
            warnings.push(Warning::new("preset.no_identifier", message).at(place));
        }
        let mut known: HashSet<String> = prompts.iter().map(|prompt| prompt.identifier.clone()).collect();
        let missing = BUILT_IN.iter().filter(|(id, ..)| !known.contains(*id));
        prompts.extend(missing.filter_map(|(id, ..)| Prompt::built_in(id)));
        known.extend(BUILT_IN.iter().map(|(id, ..)| (*id).to_owned()));

        let own = self.prompt_order.iter().enumerate().find(|(_, order)| order.is_used());
        let order = match own {
            Some((index, own)) => {
                let mut order = Vec::with_capacity(own.order.len());
                for (place, entry) in own.order.iter().enumerate() {
                    if known.contains(&entry.identifier) {
                        order.push(entry.clone());
                    } else {
                        let message = format!(
                            "there is no prompt {:?}; this place in the order is ignored",
                            entry.identifier
                        );
                        let at = format!("prompt_order[{index}].order[{place}]");
                        warnings.push(Warning::new("preset.unknown_prompt", message).at(at));
                    }
                }
                order
            }
            None => default_order(),
        };
        PromptSet { prompts, order, warnings }
    }
}

fn default_order() -> Vec<OrderEntry> {
    DEFAULT_ORDER
        .iter()
        .map(|identifier| {
            let raw = json!({"identifier": identifier, "enabled": *identifier != "enhanceDefinitions"});
            OrderEntry::read(raw.as_object().cloned().unwrap_or_default(), &Path::Root, &mut Vec::new())
        })
        .collect()
}
