//! A recorded state of SillyTavern as the environment of macros.
//!
//! `fixtures` of a case file say what was set, `fixture_state` what that came to. Both are needed: the first has the
//! card and the chat, the second the settings with their defaults filled in.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tavernkit_core::Variables;
use tavernkit_js::hash::string_hash;
use tavernkit_js::moment::{self, Zone};
use tavernkit_sillytavern::macros::{
    Api, CardFields, Cast, ChatView, Clock, Engine, EngineKind, Environment, Field, GroupMember, MessageView,
    Notes, PickSeed, TokenLimits,
};

/// The date the recorder gave to messages that had none.
pub(super) const SEND_DATE: &str = "2031-01-01T00:00:00.000Z";

/// One fixture of a case file.
pub(super) struct Fixture<'f> {
    fixture: &'f Value,
    state: &'f Value,
    first_message: String,
}

impl<'f> Fixture<'f> {
    /// The fixture that a case names, or the first one.
    pub(super) fn of_case(file: &'f Value, case: &Value) -> Option<Self> {
        let fixtures = file.get("fixtures")?.as_object()?;
        let name = match case.get("fixture") {
            Some(name) => name.as_str()?,
            None => fixtures.keys().next()?,
        };
        let state = file.get("fixture_state").and_then(|states| states.get(name)).unwrap_or(&Value::Null);
        let mut fixture = Self { fixture: fixtures.get(name)?, state, first_message: String::new() };
        fixture.first_message = fixture.opened_first_message();
        Some(fixture)
    }

    /// A scenario with the settings its recording gives as `effective`. Its chat grows, so it is not read from here.
    pub(super) fn of_scenario(scenario: &'f Value, effective: &'f Value) -> Self {
        Self { fixture: scenario, state: effective, first_message: String::new() }
    }

    /// SillyTavern expands the first message in place when a chat is opened.
    fn opened_first_message(&self) -> String {
        let Some(first) = self.raw_messages().next() else { return String::new() };
        let environment = self.environment_without_chat();
        Engine::new(EngineKind::V2).expand_simple(text(first, "mes"), &environment)
    }

    fn raw_messages(&self) -> impl Iterator<Item = &'f Value> + use<'f> {
        self.fixture["chat"]["messages"].as_array().into_iter().flatten()
    }

    /// The messages of the chat.
    pub(super) fn messages(&self) -> Vec<MessageView<'_>> {
        let view = |(id, message): (usize, &'f Value)| {
            let is_user = message["is_user"] == true;
            // Opening a chat gives every message of a character its text as a first swipe.
            let opened = (!is_user && message["swipes"].is_null()).then_some((1, 0));
            MessageView {
                text: if id == 0 { &self.first_message } else { text(message, "mes") },
                is_user,
                is_system: message["is_system"] == true,
                swipes: message["swipes"].as_array().map(Vec::len).or(opened.map(|(count, _)| count)),
                swipe_id: message["swipe_id"].as_i64().or(opened.map(|(_, id)| id)),
                send_date: Some(message["send_date"].as_str().unwrap_or(SEND_DATE)),
            }
        };
        self.raw_messages().enumerate().map(view).collect()
    }

    /// What macros see, with the messages that [`Self::messages`] gave.
    pub(super) fn environment<'e>(&'e self, messages: &'e dyn ChatView) -> Environment<'e> {
        let mut environment = self.environment_without_chat();
        environment.chat = Some(messages);
        environment.first_displayed_message = (!messages.is_empty()).then_some(0);
        environment
    }

    /// The variables it starts with.
    pub(super) fn variables(&self) -> Variables {
        let map = |scope: &str| {
            let values = self.fixture["variables"][scope].as_object().into_iter().flatten();
            values.map(|(name, value)| (name.clone(), value.clone())).collect()
        };
        Variables::new(map("local"), map("global"))
    }

    /// What macros see before there is a chat.
    pub(super) fn environment_without_chat(&self) -> Environment<'f> {
        let power_user = &self.state["power_user"];
        let metadata = &self.fixture["chat"]["metadata"];
        let persona = &self.fixture["persona"];
        let is_text = self.fixture["api"] == "text";
        Environment {
            cast: self.cast(),
            card: self.card(),
            persona: text(persona, "description").into(),
            prefer_card_prompt: power_user["prefer_character_prompt"] == true,
            prefer_card_instruction: power_user["prefer_character_jailbreak"] == true,
            collapse_newlines: power_user["collapse_newlines"] == true,
            first_included_message: metadata["lastInContextMessageId"].as_u64(),
            pick: PickSeed { chat_id_hash: self.state["chat_id_hash"].as_u64().unwrap_or(0), reroll: None },
            api: if is_text { Api::TextCompletion } else { Api::ChatCompletion },
            model: self.model().into(),
            tokens: self.tokens(is_text),
            instruct: Cow::Owned(settings(&power_user["instruct"])),
            context: Cow::Owned(settings(&power_user["context"])),
            system_prompt: Cow::Owned(settings(&power_user["sysprompt"])),
            reasoning: Cow::Owned(settings(&power_user["reasoning"])),
            notes: Notes {
                chat: text(&self.fixture["authors_note"], "prompt").into(),
                character: "".into(),
                default: text(&self.fixture["authors_note"], "default").into(),
            },
            outlets: Cow::Owned(self.outlets()),
            // The recorder turned off every extension but this one.
            extensions: Cow::Owned(vec!["regex".to_owned()]),
            ..Environment::default()
        }
    }

    fn characters(&self) -> impl Iterator<Item = &'f Value> + use<'f> {
        self.fixture["characters"].as_array().into_iter().flatten()
    }

    fn cast(&self) -> Cast<'f> {
        let names: Vec<&str> = self.characters().map(|card| text(&card["data"], "name")).collect();
        let user =
            self.state["name1"].as_str().unwrap_or_else(|| text(&self.fixture["persona"], "name")).into();
        let Some(group) = self.fixture.get("group") else {
            let active = self.fixture["character"].as_u64().unwrap_or(0) as usize;
            return Cast { user, character: names.get(active).copied().unwrap_or("").into(), group: None };
        };
        let indices = |key: &str| {
            let list = group.get(key).and_then(Value::as_array)?;
            Some(list.iter().filter_map(Value::as_u64).map(|index| index as usize).collect::<Vec<_>>())
        };
        let muted = indices("disabled_members").unwrap_or_default();
        let members = indices("members").unwrap_or_else(|| (0..names.len()).collect());
        let member = |index: usize| {
            Some(GroupMember { name: (*names.get(index)?).into(), muted: muted.contains(&index) })
        };
        Cast { user, character: "".into(), group: Some(members.into_iter().filter_map(member).collect()) }
    }

    /// The active card. Between the turns of a group there is none.
    fn card(&self) -> CardFields<'f> {
        let active = self.fixture["character"].as_u64().unwrap_or(0) as usize;
        if self.fixture.get("group").is_some() { CardFields::default() } else { self.card_of(active) }
    }

    /// The card of a character by its place in the list.
    pub(super) fn card_of(&self, character: usize) -> CardFields<'f> {
        let Some(card) = self.characters().nth(character) else { return CardFields::default() };
        let data = &card["data"];
        let field = |key: &str| Field::from(text(data, key));
        CardFields {
            system_prompt: field("system_prompt"),
            post_history_instructions: field("post_history_instructions"),
            description: field("description"),
            personality: field("personality"),
            scenario: field("scenario"),
            examples: field("mes_example"),
            depth_prompt: text(&data["extensions"]["depth_prompt"], "prompt").into(),
            creator_notes: field("creator_notes"),
            first_message: field("first_mes"),
            alternate_greetings: data["alternate_greetings"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|greeting| greeting.as_str().unwrap_or("").into())
                .collect(),
            version: text(data, "character_version").into(),
        }
    }

    fn model(&self) -> &'f str {
        let settings = &self.state["oai_settings"];
        match settings["chat_completion_source"].as_str() {
            None => "Oracle",
            Some("claude") => text(settings, "claude_model"),
            Some("makersuite") => text(settings, "google_model"),
            Some("mistralai") => text(settings, "mistralai_model"),
            Some("custom") => text(settings, "custom_model"),
            Some(_) => text(settings, "openai_model"),
        }
    }

    fn tokens(&self, is_text: bool) -> TokenLimits {
        let number = |value: &Value| value.as_i64().unwrap_or(0);
        let settings = &self.state["oai_settings"];
        let (context, response) = if is_text {
            (number(&self.state["max_context"]), number(&self.state["max_response"]))
        } else {
            (number(&settings["openai_max_context"]), number(&settings["openai_max_tokens"]))
        };
        TokenLimits::new(context, response)
    }

    fn outlets(&self) -> IndexMap<String, String> {
        let prompts = self.fixture["extension_prompts"].as_array().into_iter().flatten();
        prompts
            .filter_map(|prompt| {
                let name = prompt["key"].as_str()?.strip_prefix("customWIOutlet_")?;
                Some((name.to_owned(), text(prompt, "value").to_owned()))
            })
            .collect()
    }
}

/// What a case of a direct suite changes in the environment: the clock, the input box, the chat's metadata.
pub(super) fn apply_case<'e>(environment: &mut Environment<'e>, case: &'e Value) {
    if let Some(clock) = clock(&case["time"]) {
        environment.clock = clock;
    }
    environment.input = text(case, "input").into();
    let metadata = &case["chat_metadata"];
    if let Some(main_chat) = metadata["main_chat"].as_str() {
        environment.pick.chat_id_hash = string_hash(main_chat);
    }
    environment.pick.reroll = match &metadata["pick_reroll_seed"] {
        Value::String(seed) => Some(seed.as_str().into()),
        Value::Number(seed) if seed.as_f64() != Some(0.0) => Some(seed.to_string().into()),
        _ => None,
    };
    if let Some(id) = metadata["lastInContextMessageId"].as_u64() {
        environment.first_included_message = Some(id);
    }
}

/// The frozen clock of a case; the recorder's time zone is UTC.
pub(super) fn clock(time: &Value) -> Option<Clock> {
    let unix_ms = moment::parse(time.as_str()?, Zone::Utc(0)).unix_ms()?;
    Some(Clock { unix_ms, utc_offset_minutes: 0 })
}

/// A text field, empty when it is missing.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

/// Settings under SillyTavern's own names; what is missing has its default.
pub(super) fn settings<T: DeserializeOwned + Default>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_default()
}
