//! The state of a scenario between generations.

use std::collections::VecDeque;

use serde_json::{Map, Value, json};
use tavernkit_core::Variables;
use tavernkit_formats::regex_script::Placement;
use tavernkit_js::random::Mulberry32;
use tavernkit_sillytavern::lore::{LoreCache, LoreResult};
use tavernkit_sillytavern::macros::{ChatView, Clock, Engine, EngineKind, Environment, Options, State};
use tavernkit_sillytavern::regex_scripts::{Call, EngineExpander, Occasion, Origin, ScriptSet};

use super::super::fixture::{self, Fixture, text};
use super::super::world_info::{script_list, sweeps, uid};
use super::build::{Build, Kind, NOTE};
use super::chat::ChatMessage;
use super::group::JoinedCards;
use super::injections::Injections;
use super::replay::Replay;
use super::reply::Received;
use super::{Problem, items};

/// What macros need to know besides the chat.
pub(super) struct Surroundings<'s> {
    pub(super) scenario: &'s Value,
    pub(super) golden: &'s Value,
    fixture: Fixture<'s>,
    /// The chat's metadata.
    pub(super) metadata: Map<String, Value>,
    /// Whose turn it is.
    pub(super) speaker: Option<usize>,
    /// Dry runs of groups have a card but no name.
    is_nameless: bool,
    /// The texts of all cards of a group, where they are joined.
    pub(super) joined: Option<JoinedCards>,
    clock: Option<Clock>,
}

impl<'s> Surroundings<'s> {
    fn environment<'e>(&'e self, chat: &'e dyn ChatView) -> Environment<'e> {
        let mut environment = self.fixture.environment_without_chat();
        environment.cast.character = self.speaker_name().into();
        if let Some(speaker) = self.speaker {
            environment.card = self.fixture.card_of(speaker);
            let card = &mut environment.card;
            for (key, field) in [
                ("scenario", &mut card.scenario),
                ("mes_example", &mut card.examples),
                ("system_prompt", &mut card.system_prompt),
            ] {
                if let Some(own) =
                    self.metadata.get(key).and_then(Value::as_str).filter(|own| !own.is_empty())
                {
                    *field = own.into();
                }
            }
        }
        if let Some(joined) = &self.joined {
            let card = &mut environment.card;
            card.description = joined.description.as_str().into();
            card.personality = joined.personality.as_str().into();
            card.scenario = joined.scenario.as_str().into();
            card.examples = joined.examples.as_str().into();
        }
        environment.chat = Some(chat);
        environment.first_displayed_message = (!chat.is_empty()).then_some(0);
        environment.clock = self.clock.unwrap_or_default();
        environment
    }

    /// The name of a character by its place in the list.
    pub(super) fn name_of(&self, character: usize) -> &'s str {
        text(&self.scenario["characters"][character]["data"], "name")
    }

    /// The name that new messages of the character get.
    pub(super) fn speaker_name(&self) -> &'s str {
        self.speaker.filter(|_| !self.is_nameless).map_or("", |speaker| self.name_of(speaker))
    }

    /// The name of the card's file, without its ending.
    pub(super) fn file_name(&self) -> Option<&'s str> {
        let avatar = self.golden["setup"]["avatars"][self.speaker?].as_str()?;
        Some(avatar.rsplit_once('.').map_or(avatar, |(stem, _)| stem))
    }

    pub(super) fn user(&self) -> &'s str {
        text(&self.golden["effective"], "name1")
    }

    pub(super) fn power_user(&self) -> &'s Value {
        &self.golden["effective"]["power_user"]
    }
}

/// A scenario being played.
pub(super) struct Stage<'s> {
    pub(super) around: Surroundings<'s>,
    pub(super) engine: Engine,
    pub(super) chat: Vec<ChatMessage>,
    pub(super) injections: Injections,
    pub(super) variables: Variables,
    pub(super) random: Replay,
    pub(super) cache: LoreCache,
    pub(super) replies: VecDeque<Value>,
}

impl<'s> Stage<'s> {
    /// A scenario before its first step.
    pub(super) fn open(scenario: &'s Value, golden: &'s Value) -> Result<Self, Problem> {
        let kind = if scenario["macro_engine"] == "legacy" { EngineKind::Legacy } else { EngineKind::V2 };
        let fixture = Fixture::of_scenario(scenario, &golden["effective"]);
        let variables = fixture.variables();
        let is_group = scenario.get("group").is_some();
        let has_characters = !items(&scenario["characters"]).is_empty();
        let active = scenario["character"].as_u64().unwrap_or(0) as usize;
        let around = Surroundings {
            scenario,
            golden,
            fixture,
            metadata: metadata(scenario),
            speaker: (has_characters && !is_group).then_some(active),
            is_nameless: false,
            joined: None,
            clock: fixture::clock(&scenario["time"]),
        };
        let mut stage = Self {
            around,
            engine: Engine::new(kind),
            chat: Vec::new(),
            injections: Injections::default(),
            variables,
            random: Replay::Seeded(Mulberry32::new(1)),
            cache: LoreCache::default(),
            replies: VecDeque::new(),
        };
        stage.open_chat(active)?;
        stage.open_injections()?;
        Ok(stage)
    }

    fn open_chat(&mut self, active: usize) -> Result<(), Problem> {
        let scenario = self.around.scenario;
        for message in items(&scenario["chat"]["messages"]) {
            let member = message["member"].as_u64().map_or(active, |member| member as usize);
            let name =
                if message["is_user"] == true { self.around.user() } else { self.around.name_of(member) };
            self.chat.push(ChatMessage::read(message, name));
        }
        if self.chat.is_empty() {
            if scenario.get("group").is_some() {
                self.greet_group();
                return Ok(());
            }
            let greeting = text(&scenario["characters"][active]["data"], "first_mes").to_owned();
            if !greeting.is_empty() {
                let greeting =
                    self.regexed(&greeting, &Call::new(Placement::AiOutput, Occasion::Creation))?;
                self.chat.push(ChatMessage::new(self.around.speaker_name(), greeting, false));
            }
        }
        if self.around.speaker.is_some() {
            self.expand_first_message();
        }
        Ok(())
    }

    /// The first message is expanded in place: when a chat is opened, and in every build.
    pub(super) fn expand_first_message(&mut self) {
        if !self.chat.is_empty() {
            let first = std::mem::take(&mut self.chat[0].text);
            self.chat[0].text = self.expand(&first);
        }
    }

    fn open_injections(&mut self) -> Result<(), Problem> {
        let stored = self.around.metadata.get("script_injects").and_then(Value::as_object).cloned();
        for (id, inject) in stored.into_iter().flatten() {
            self.injections.set(
                &format!("script_inject_{id}"),
                text(&inject, "value"),
                inject["scan"] == true,
            );
        }
        for inject in items(&self.around.scenario["injects"]) {
            self.injections.inject(inject, text(inject, "value"))?;
        }
        for line in items(&self.around.scenario["slash"]) {
            self.injections.command(line.as_str().unwrap_or_default())?;
        }
        for prompt in items(&self.around.scenario["extension_prompts"]) {
            self.injections.set(text(prompt, "key"), text(prompt, "value"), prompt["scan"] == true);
        }
        Ok(())
    }

    /// Adds answers that the backend gives before its standing one.
    pub(super) fn queue_replies(&mut self, replies: &Value) {
        if !replies.is_null() {
            self.replies = items(replies).iter().cloned().collect();
        }
    }

    /// Plays one step and gives its lore in the shape of the recording.
    pub(super) fn play(&mut self, step: &Value, recorded: &Value) -> Result<Value, Problem> {
        self.prepare(step, recorded)?;
        let generate = &step["generate"];
        let kind = Kind::of(generate);
        let is_dry = generate["dry_run"] == true;
        let mut input = text(generate, "input");
        let (mut activated, mut scans) = (Vec::new(), Vec::new());
        let is_group = self.around.scenario.get("group").is_some();
        let turns = if is_group { self.drafted(is_dry, recorded)? } else { vec![self.around.speaker] };
        if turns.is_empty() && !is_dry && !input.is_empty() {
            self.add_user_message(input)?;
        }
        for speaker in turns {
            self.around.speaker = speaker;
            self.around.is_nameless = is_group && is_dry;
            // In groups a regeneration is a normal generation of whoever was chosen.
            let kind = if is_group && kind == Kind::Regenerate { Kind::Normal } else { kind };
            let mut build = Build {
                kind,
                input: std::mem::take(&mut input),
                quiet_prompt: text(generate, "quiet_prompt"),
                is_dry,
                is_follow_up: false,
            };
            loop {
                let result = self.build(&build)?;
                if !is_dry && !result.activated.is_empty() {
                    activated.push(event(&result));
                }
                scans.extend(recorded_scan(&result));
                if is_dry || self.receive(build.kind, recorded)? == Received::Answer {
                    break;
                }
                // The results of tools go back in a normal generation.
                build = Build { kind: Kind::Normal, input: "", quiet_prompt: "", is_dry, is_follow_up: true };
            }
            if !is_dry {
                self.injections.end_generation();
            }
        }
        if is_group {
            self.around.speaker = None;
        }
        if let Some(complaint) = self.random.complaint() {
            return Err(complaint.into());
        }
        // Other parts of the prompt change variables too; what they came to is recorded.
        if let Some(local) = recorded["metadata_after"]["variables"].as_object() {
            let global = recorded["globals_after"].as_object();
            let map = |map: &Map<String, Value>| {
                map.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
            };
            self.variables = Variables::new(map(local), global.map(map).unwrap_or_default());
        }
        let mut ours = json!({ "activated": activated, "scans": scans, "note": self.injections.value(NOTE) });
        if recorded["metadata_after"]["timedWorldInfo"].is_object() {
            ours["timed"] = self.around.metadata.get("timedWorldInfo").cloned().unwrap_or_default();
        }
        if recorded["chat_after"].is_array() {
            ours["chat"] = self.chat.iter().map(|message| json!([message.name, message.text])).collect();
        }
        Ok(ours)
    }

    fn prepare(&mut self, step: &Value, recorded: &Value) -> Result<(), Problem> {
        for message in items(&step["append"]) {
            self.chat.push(ChatMessage::read(message, ""));
        }
        if let Some(length) = step["truncate"].as_u64() {
            self.chat.truncate(length as usize);
        }
        for (key, value) in step["metadata"].as_object().into_iter().flatten() {
            self.around.metadata.insert(key.clone(), value.clone());
        }
        for line in items(&step["slash"]) {
            self.injections.command(line.as_str().unwrap_or_default())?;
        }
        self.queue_replies(&step["mock"]["replies"]);
        let time = step.get("time").unwrap_or(&self.around.scenario["time"]);
        self.around.clock = fixture::clock(time);
        self.random = match recorded {
            Value::Null => Replay::Seeded(Mulberry32::new(step["seed"].as_i64().unwrap_or(1) as u32)),
            _ => Replay::of(recorded),
        };
        Ok(())
    }

    /// What the user wrote becomes a message.
    pub(super) fn add_user_message(&mut self, input: &str) -> Result<(), Problem> {
        if input.contains("{{bias") {
            return Err(Problem::NotCovered("a bias in the input"));
        }
        let regexed = self.regexed(input, &Call::new(Placement::UserInput, Occasion::Creation))?;
        let text = self.expand(&regexed);
        self.chat.push(ChatMessage::new(self.around.user(), text, true));
        Ok(())
    }

    /// Expands macros.
    pub(super) fn expand(&mut self, text: &str) -> String {
        self.expand_with(text, &Options::default())
    }

    /// Expands macros in another way than usual.
    pub(super) fn expand_with(&mut self, text: &str, options: &Options<'_>) -> String {
        let views: Vec<_> = self.chat.iter().map(ChatMessage::view).collect();
        let environment = self.around.environment(&views);
        let state = State { variables: &mut self.variables, random: &mut self.random };
        self.engine.expand(text, &environment, options, state).text
    }

    /// Sends a text through the regex scripts.
    pub(super) fn regexed(&mut self, text: &str, call: &Call<'_>) -> Result<String, Problem> {
        let scripts = self.scripts()?;
        let views: Vec<_> = self.chat.iter().map(ChatMessage::view).collect();
        let environment = self.around.environment(&views);
        let state = State { variables: &mut self.variables, random: &mut self.random };
        let mut macros = EngineExpander::new(&self.engine, &environment, state);
        Ok(scripts.run(text, call, &mut macros).text.into_owned())
    }

    /// The scripts in force: the user's, and the current card's if they are allowed.
    pub(super) fn scripts(&self) -> Result<ScriptSet, Problem> {
        let scenario = self.around.scenario;
        let mut set = ScriptSet::default();
        set.add(Origin::Global, &script_list(&scenario["regex"]["global"])?);
        if let Some(speaker) = self.around.speaker.filter(|_| scenario["regex"]["scoped_allowed"] != false) {
            let card = &scenario["characters"][speaker]["data"];
            set.add(Origin::Card, &script_list(&card["extensions"]["regex_scripts"])?);
        }
        Ok(set)
    }

    /// Runs a scan with everything that macros need.
    pub(super) fn with_environment<T>(
        &mut self,
        scan: impl FnOnce(&Engine, &Environment<'_>, &mut Variables, &mut Replay, &mut LoreCache) -> T,
    ) -> T {
        let views: Vec<_> = self.chat.iter().map(ChatMessage::view).collect();
        let environment = self.around.environment(&views);
        scan(&self.engine, &environment, &mut self.variables, &mut self.random, &mut self.cache)
    }
}

/// The chat's metadata as the recorder stored it.
fn metadata(scenario: &Value) -> Map<String, Value> {
    let mut metadata = scenario["chat"]["metadata"].as_object().cloned().unwrap_or_default();
    for key in ["prompt", "interval", "depth", "position", "role"] {
        if let Some(value) = scenario["authors_note"].get(key) {
            metadata.insert(format!("note_{key}"), value.clone());
        }
    }
    if let Some(book) = scenario["world_links"].get("chat") {
        metadata.insert("world_info".into(), book.clone());
    }
    metadata
}

/// The entries of a scan as the program announces them.
fn event(result: &LoreResult) -> Value {
    let entries = result.activated.iter().map(|entry| {
        json!({"world": entry.id.world, "uid": uid(&entry.id), "comment": entry.comment,
            "order": entry.order, "content": entry.content})
    });
    entries.collect()
}

/// The sweeps of a scan; the last one says what is active in the end.
fn recorded_scan(result: &LoreResult) -> Vec<Value> {
    let mut scans = sweeps(result);
    if let Some(last) = scans.last_mut() {
        last["activated"] = result.activated.iter().map(|entry| entry.id.to_string()).collect();
    }
    scans
}
