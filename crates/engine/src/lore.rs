//! Lore without a build: which entries of a SillyTavern scene fire, and why.

use std::sync::Arc;

use serde_json::Value;
use tavernkit_core::{Message, SeededRandom, TokenCounter, Variables, Warning};
use tavernkit_formats::card::Character;
use tavernkit_sillytavern::lore::{
    Book, CompiledBook, Detail, EngineHost, FilterCharacter, LoreCache, LoreResult, LoreSet, LoreSettings,
    RunKind, ScanInput, ScanMessage, ScanSources, SourceKind, TimedEffects,
};
use tavernkit_sillytavern::macros;

use crate::build::{Chosen, Engine};
use crate::error::EngineError;
use crate::request::{BookLink, Platform};
use crate::resolve::ResolvedRequest;

/// SillyTavern counts a text as a message of its own: so much more than its tokens.
const TOKENS_PER_TEXT: usize = 6;

/// SillyTavern's sizes of a prompt and a reply when the settings say nothing.
const DEFAULT_CONTEXT: f64 = 4095.0;
const DEFAULT_REPLY: f64 = 300.0;

impl Engine {
    /// Scans the lorebooks of a SillyTavern scene as the next generation would, and says of every entry why it fired or did not.
    /// Nothing is kept: no timed effect, no variable.
    pub fn explain_lore(&self, request: &ResolvedRequest) -> Result<LoreResult, EngineError> {
        if request.platform != Platform::Sillytavern {
            let why = "only SillyTavern scenes have lore to explain; write `platform: sillytavern`";
            return Err(EngineError::Field { field: "platform", why: why.into() });
        }
        let settings = lore_settings(request)?;
        let (set, mut warnings) = books(request, &settings);
        let (character, chat) = (request.card(), request.chat_view());
        let environment = request.environment(character.as_ref(), &chat);
        let expander = macros::Engine::default();
        let mut variables: Variables = request.variables.clone();
        let mut random = SeededRandom::new(request.seed);
        let Chosen { counter, .. } = self.choose_tokenizer(request)?;
        let counter = self.counts.wrap(counter);
        let mut host = EngineHost::new(
            &expander,
            &environment,
            &mut variables,
            &mut random,
            &counter as &dyn TokenCounter,
        );
        host.tokens_per_text = TOKENS_PER_TEXT;

        let newest_first = newest_first(request);
        let messages: Vec<ScanMessage<'_>> =
            newest_first.iter().map(|m| ScanMessage { name: m.name.as_deref(), text: &m.content }).collect();
        let timed: Option<TimedEffects> = timed_effects(request, &mut warnings);
        let sources = scan_sources(&request.persona.description, character.as_ref());
        let input = ScanInput {
            messages: &messages,
            sources,
            injected: &[],
            trigger: request.generation.as_str(),
            character: character
                .as_ref()
                .map(|card| FilterCharacter { file_name: &card.name, tags: &card.tags }),
            max_prompt: max_prompt(request),
            run: RunKind::Real,
            timed: timed.as_ref(),
            forced: &[],
            detail: Detail::Reasons,
        };
        let mut result = set.scan(&settings, &input, &mut host, &mut LoreCache::default());
        warnings.extend(request.warnings.iter().cloned());
        warnings.append(&mut host.warnings);
        warnings.append(&mut result.warnings);
        result.warnings = warnings;
        Ok(result)
    }
}

fn lore_settings(request: &ResolvedRequest) -> Result<LoreSettings, EngineError> {
    // In a settings file they lie one level deeper than where they are edited.
    let map = request.settings.get("world_info_settings").cloned();
    let map = map.unwrap_or_else(|| Value::Object(request.settings.clone()));
    serde_json::from_value(map)
        .map_err(|error| EngineError::Field { field: "settings", why: error.to_string() })
}

fn books(request: &ResolvedRequest, settings: &LoreSettings) -> (LoreSet, Vec<Warning>) {
    let mut warnings = Vec::new();
    let mut compiled = Vec::new();
    for (link, name, lorebook) in &request.lorebooks {
        let kind = match link {
            BookLink::Global => SourceKind::Global,
            BookLink::Character => SourceKind::Character,
            BookLink::Chat => SourceKind::Chat,
            BookLink::Persona => SourceKind::Persona,
        };
        let (book, odd) = Book::from_lorebook(name.as_str(), lorebook);
        warnings.extend(odd);
        compiled.push((kind, Arc::new(CompiledBook::compile(book, settings.key_rules()))));
    }
    (LoreSet::new(compiled, settings.strategy), warnings)
}

fn scan_sources<'r>(persona: &'r str, card: Option<&'r Character>) -> ScanSources<'r> {
    let card = card.map(|card| ScanSources {
        character_description: &card.description,
        character_personality: &card.personality,
        character_depth_prompt: &card.depth_prompt.prompt,
        scenario: &card.scenario,
        creator_notes: &card.creator_notes,
        ..ScanSources::default()
    });
    ScanSources { persona_description: persona, ..card.unwrap_or_default() }
}

fn newest_first(request: &ResolvedRequest) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::with_capacity(request.history.len() + 1);
    if !request.message.trim().is_empty() {
        let user = Message::new(tavernkit_core::Role::User, request.message.as_str());
        messages.push(if request.persona.name.is_empty() {
            user
        } else {
            user.named(request.persona.name.clone())
        });
    }
    messages.extend(request.history.iter().rev().cloned());
    messages
}

/// The chat's timed effects. Ones that cannot be read are said, not silently forgotten.
fn timed_effects(request: &ResolvedRequest, warnings: &mut Vec<Warning>) -> Option<TimedEffects> {
    let value = request.metadata.raw().get("timedWorldInfo")?.clone();
    let read = serde_json::from_value(value).map_err(|error| {
        let message =
            format!("the chat's timed effects cannot be read ({error}); the scan starts without them");
        warnings.push(Warning::new("lore.timed_effects", message).at("chat_metadata.timedWorldInfo"));
    });
    read.ok()
}

/// The size of the prompt, of which lore may take a share.
fn max_prompt(request: &ResolvedRequest) -> f64 {
    if let Some(trim) = &request.trim {
        return trim.max_tokens.saturating_sub(trim.reserve_tokens) as f64;
    }
    let setting = |name: &str| {
        request.settings.get("oai_settings").and_then(|oai| oai.get(name)).and_then(Value::as_f64)
    };
    setting("openai_max_context").unwrap_or(DEFAULT_CONTEXT)
        - setting("openai_max_tokens").unwrap_or(DEFAULT_REPLY)
}
