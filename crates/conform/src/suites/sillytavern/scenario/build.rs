//! One generation, from the input to the end of the lore scan.

use std::sync::Arc;

use serde_json::Value;
use tavernkit_formats::regex_script::Placement;
use tavernkit_sillytavern::lore::*;
use tavernkit_sillytavern::regex_scripts::{Call, Occasion};

use super::super::fixture::{settings, text};
use super::super::world_info::{TOKENS_PER_TEXT, book, texts, tokenizers};
use super::stage::Stage;
use super::{Problem, items};

/// The key of the author's note among the injections.
pub(super) const NOTE: &str = "2_floating_prompt";

/// Kinds of generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Normal,
    Continue,
    Impersonate,
    Swipe,
    Regenerate,
    Quiet,
}

impl Kind {
    pub(super) fn of(generate: &Value) -> Self {
        match text(generate, "type") {
            "continue" => Self::Continue,
            "impersonate" => Self::Impersonate,
            "swipe" => Self::Swipe,
            "regenerate" => Self::Regenerate,
            "quiet" => Self::Quiet,
            _ => Self::Normal,
        }
    }

    fn trigger(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Continue => "continue",
            Self::Impersonate => "impersonate",
            Self::Swipe => "swipe",
            Self::Regenerate => "regenerate",
            Self::Quiet => "quiet",
        }
    }
}

/// What a build is asked for.
pub(super) struct Build<'b> {
    pub(super) kind: Kind,
    pub(super) input: &'b str,
    pub(super) quiet_prompt: &'b str,
    pub(super) is_dry: bool,
    /// After tools were called.
    pub(super) is_follow_up: bool,
}

/// A message on its way into the prompt.
struct Line {
    /// Its place in the chat.
    id: usize,
    text: String,
    depth: i64,
}

/// The card's texts that entries may match against.
struct Sources {
    persona: String,
    description: String,
    personality: String,
    depth_prompt: String,
    scenario: String,
    creator_notes: String,
}

impl Stage<'_> {
    /// Builds as far as lore goes.
    pub(super) fn build(&mut self, build: &Build<'_>) -> Result<LoreResult, Problem> {
        let quiet_prompt = self.expand(build.quiet_prompt);
        self.change_chat(build)?;
        let sources = self.sources();
        let scan_notes = self.around.scenario["authors_note"]["allowWIScan"] == true;
        self.injections.remove_prefixed("DEPTH_PROMPT");
        let depth_prompts = self.joined_depth_prompts();
        if depth_prompts.is_empty() {
            self.injections.set("DEPTH_PROMPT", sources.depth_prompt.as_str(), scan_notes);
        }
        for (i, prompt) in depth_prompts.into_iter().enumerate() {
            self.injections.set(&format!("DEPTH_PROMPT_{i}"), prompt, scan_notes);
        }
        self.expand_first_message();
        let lines = self.history(build.kind)?;
        let note = self.note();
        self.injections.set(NOTE, note.as_deref().unwrap_or_default(), scan_notes);
        self.injections.set("QUIET_PROMPT", quiet_prompt, true);
        let result = self.scan(build, &lines, &sources)?;
        self.injections.set("QUIET_PROMPT", "", true);
        self.around.metadata.insert("timedWorldInfo".into(), serde_json::json!(result.timed));
        let note = note.map(|note| result.wrap_note(&note));
        self.place_persona(note, scan_notes);
        Ok(result)
    }

    /// Registers the persona and the finished note. The scan saw the persona of the build before this one.
    fn place_persona(&mut self, note: Option<String>, scan_note: bool) {
        let persona = &self.around.scenario["persona"];
        let description = text(persona, "description");
        let position = persona["position"].as_i64().filter(|_| !description.is_empty());
        let note = note.map(|note| match position {
            Some(2) => format!("{description}\n{note}"),
            Some(3) => format!("{note}\n{description}"),
            _ => note,
        });
        self.injections.set(NOTE, note.unwrap_or_default(), scan_note);
        let is_at_depth = position == Some(4);
        self.injections.set("PERSONA_DESCRIPTION", if is_at_depth { description } else { "" }, is_at_depth);
    }

    /// What the kind of generation does to the chat before anything is read from it.
    fn change_chat(&mut self, build: &Build<'_>) -> Result<(), Problem> {
        if build.is_dry || build.is_follow_up {
            return Ok(());
        }
        match build.kind {
            Kind::Regenerate => {
                self.chat.pop_if(|last| !last.is_user);
            }
            Kind::Swipe => self.chat.last_mut().into_iter().for_each(|last| last.begin_swipe()),
            Kind::Normal | Kind::Continue if build.input.trim().starts_with('/') => {
                return Err(Problem::NotCovered("slash commands in the input"));
            }
            Kind::Normal | Kind::Continue if !build.input.is_empty() => self.add_user_message(build.input)?,
            Kind::Normal => {
                let stand_in = text(&self.around.golden["effective"]["oai_settings"], "send_if_empty").trim();
                if !stand_in.is_empty() {
                    self.add_user_message(stand_in)?;
                }
            }
            Kind::Continue | Kind::Impersonate | Kind::Quiet => {}
        }
        Ok(())
    }

    /// Expands the card's fields, all of them and in the program's order: their macros may change variables.
    fn sources(&mut self) -> Sources {
        self.join_cards();
        self.expand("{{charPrompt}}");
        self.expand("{{mesExamplesRaw}}");
        let mut description = self.expand("{{description}}");
        let mut personality = self.expand("{{personality}}");
        let persona = self.expand("{{persona}}");
        let mut scenario = self.expand("{{scenario}}");
        self.expand("{{charInstruction}}");
        let depth_prompt = self.expand("{{charDepthPrompt}}");
        let creator_notes = self.expand("{{creatorNotes}}");
        self.expand("{{charFirstMessage}}");
        if let Some(joined) = &self.around.joined {
            description.clone_from(&joined.description);
            personality.clone_from(&joined.personality);
            scenario.clone_from(&joined.scenario);
        }
        Sources { persona, description, personality, depth_prompt, scenario, creator_notes }
    }

    /// The messages that go into the prompt, oldest first, with regex scripts, attachments and reasoning applied.
    fn history(&mut self, kind: Kind) -> Result<Vec<Line>, Problem> {
        let with_tools = self.can_use_tools();
        let is_included = |id: &usize| {
            let message = &self.chat[*id];
            !message.is_system || (with_tools && message.extra["tool_invocations"].is_array())
        };
        let mut ids: Vec<usize> = (0..self.chat.len()).filter(is_included).collect();
        if kind == Kind::Swipe {
            ids.pop();
        }
        let newest = ids.len() as i64 - if kind == Kind::Continue { 2 } else { 1 };
        let mut lines = Vec::new();
        for (i, id) in ids.into_iter().enumerate() {
            let depth = newest - i as i64;
            let message = &self.chat[id];
            let placement = if message.is_user { Placement::UserInput } else { Placement::AiOutput };
            let text = message.text.clone();
            let text = self.regexed(&text, &Call::new(placement, Occasion::Prompt).at_depth(depth))?;
            lines.push(Line { id, text: self.chat[id].with_attachments(text), depth });
        }
        self.add_reasoning(kind, &mut lines)?;
        Ok(lines)
    }

    fn add_reasoning(&mut self, kind: Kind, lines: &mut [Line]) -> Result<(), Problem> {
        let reasoning = &self.around.power_user()["reasoning"];
        let is_on = reasoning["add_to_prompts"] == true;
        let most = reasoning["max_additions"].as_u64().unwrap_or(1);
        let is_group = self.around.scenario.get("group").is_some();
        let mut added = 0;
        for (back, line) in lines.iter_mut().rev().enumerate() {
            let is_continued = kind == Kind::Continue && back == 0;
            let message = &self.chat[line.id];
            let is_own = !is_group || message.name == self.around.speaker_name();
            if is_own && (is_continued || (is_on && added < most)) {
                let call = Call::new(Placement::Reasoning, Occasion::Prompt).at_depth(line.depth);
                let thought = text(&message.extra, "reasoning").to_owned();
                let thought = self.regexed(&thought, &call)?;
                if !thought.is_empty() && thought != "\u{200b}" {
                    added += 1;
                    let prefix = self.expand(text(reasoning, "prefix"));
                    let separator = self.expand(text(reasoning, "separator"));
                    let suffix = self.expand(text(reasoning, "suffix"));
                    line.text = if is_continued && line.text.is_empty() {
                        format!("{prefix}{thought}")
                    } else {
                        format!("{prefix}{thought}{suffix}{separator}{}", line.text)
                    };
                }
            }
            if !is_on || added >= most {
                break;
            }
        }
        Ok(())
    }

    /// The author's note if its turn has come.
    fn note(&self) -> Option<String> {
        let metadata = &self.around.metadata;
        let interval = metadata.get("note_interval").and_then(Value::as_i64).unwrap_or(1);
        let written = self.chat.iter().filter(|message| message.is_user).count() as i64;
        let written = if interval == 1 { 1 } else { written };
        let is_due = self.around.speaker.is_some()
            && written > 0
            && interval > 0
            && if written >= interval { written % interval == 0 } else { interval == written };
        if !is_due {
            return None;
        }
        let settings = &self.around.scenario["authors_note"];
        let note = metadata.get("note_prompt").and_then(Value::as_str).unwrap_or(text(settings, "default"));
        let note = note.replace("\r\n", "\n");
        let is_own =
            |own: &&Value| own["name"].as_str() == self.around.file_name() && own["useChara"] == true;
        let Some(own) = items(&settings["chara"]).iter().find(is_own) else { return Some(note) };
        Some(match own["position"].as_i64() {
            Some(1) => format!("{}\n{note}", text(own, "prompt")),
            Some(2) => format!("{note}\n{}", text(own, "prompt")),
            _ => text(own, "prompt").to_owned(),
        })
    }

    /// The books in force, compiled.
    fn books(&self, settings: &LoreSettings) -> Result<LoreSet, Problem> {
        let scenario = self.around.scenario;
        let links = &scenario["world_links"];
        let name = |value: &Value| value.as_str().map(str::to_owned);
        let of_speaker = |part: &str| {
            let speaker = self.around.speaker.map(|speaker| speaker.to_string()).unwrap_or_default();
            &links[part][speaker]
        };
        let card =
            self.around.speaker.map_or(&Value::Null, |speaker| &scenario["characters"][speaker]["data"]);
        let links = BookLinks {
            global: texts(&links["global"]),
            character: name(of_speaker("character")).or_else(|| name(&card["extensions"]["world"])),
            character_extra: texts(of_speaker("character_extra")),
            chat: self.around.metadata.get("world_info").and_then(name),
            persona: name(&links["persona"]).or_else(|| name(&scenario["persona"]["lorebook"])),
        };
        let mut books = Vec::new();
        for (kind, name) in links.resolve() {
            // A link to a book that is not there is no error.
            let Some(list) = scenario["worlds"].get(name) else { continue };
            let book = book(name, list)?;
            books.push((kind, Arc::new(CompiledBook::compile(book, settings.key_rules()))));
        }
        Ok(LoreSet::new(books, settings.strategy))
    }

    fn scan(&mut self, build: &Build<'_>, lines: &[Line], sources: &Sources) -> Result<LoreResult, Problem> {
        let effective = &self.around.golden["effective"];
        let settings: LoreSettings = settings(&effective["world_info_settings"]);
        let set = self.books(&settings)?;
        let scripts = self.scripts()?;
        // Chat completion counts a text as a message for the vocabularies of OpenAI only.
        let (model, is_chat) = match text(effective, "tokenizer") {
            "OPENAI" => ("gpt-3.5-turbo", false),
            model => (model, effective["main_api"] == "openai"),
        };
        let tokenizer = tokenizers().for_model(model);
        let is_openai = tokenizer.id().ends_with("k_base");
        let counter = tokenizer.into_counter();
        let names: Vec<String> = lines.iter().map(|line| self.chat[line.id].name.clone()).collect();
        let messages: Vec<ScanMessage<'_>> = lines
            .iter()
            .zip(&names)
            .rev()
            .map(|(line, name)| ScanMessage { name: Some(name), text: &line.text })
            .collect();
        let stored = self.around.metadata.get("timedWorldInfo").cloned().unwrap_or_default();
        let timed: TimedEffects = serde_json::from_value(stored).unwrap_or_default();
        let place = self.around.speaker.map(|speaker| speaker.to_string()).unwrap_or_default();
        let tags = texts(&self.around.scenario["tags_map"][place]);
        let file_name = self.around.file_name();
        let scanned = self.injections.scanned();
        let max_prompt = effective["max_prompt_tokens"].as_f64().unwrap_or(0.0);
        self.random.seek_lore();
        Ok(self.with_environment(|engine, environment, variables, random, cache| {
            let mut host = EngineHost::new(engine, environment, variables, random, &*counter);
            host.tokens_per_text = if is_chat && is_openai { TOKENS_PER_TEXT } else { 0 };
            host.scripts = Some(&scripts);
            let injected: Vec<String> = scanned.iter().map(|text| host.expand(text)).collect();
            let injected: Vec<&str> =
                injected.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
            let input = ScanInput {
                messages: &messages,
                sources: ScanSources {
                    persona_description: &sources.persona,
                    character_description: &sources.description,
                    character_personality: &sources.personality,
                    character_depth_prompt: &sources.depth_prompt,
                    scenario: &sources.scenario,
                    creator_notes: &sources.creator_notes,
                },
                injected: &injected,
                trigger: build.kind.trigger(),
                character: file_name.map(|file_name| FilterCharacter { file_name, tags: &tags }),
                max_prompt,
                run: if build.is_dry { RunKind::Dry } else { RunKind::Real },
                timed: Some(&timed),
                forced: &[],
                detail: Detail::Sweeps,
            };
            set.scan(&settings, &input, &mut host, cache)
        }))
    }
}
