//! What is different in groups.

use serde_json::Value;
use tavernkit_core::number::is_js_space;
use tavernkit_sillytavern::macros::{CardAccess, Options};

use super::super::fixture::text;
use super::chat::ChatMessage;
use super::stage::Stage;
use super::{Problem, items};

/// Texts of all members' cards, one after the other.
pub(super) struct JoinedCards {
    pub(super) description: String,
    pub(super) personality: String,
    pub(super) scenario: String,
    pub(super) examples: String,
}

/// How a group uses the cards of its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CardMode {
    /// Only the speaker's.
    Swap,
    /// All but the muted ones.
    Join,
    /// All.
    JoinMuted,
}

impl Stage<'_> {
    fn group(&self) -> &Value {
        &self.around.scenario["group"]
    }

    fn card_mode(&self) -> CardMode {
        match self.group()["generation_mode"].as_i64() {
            Some(1) => CardMode::Join,
            Some(2) => CardMode::JoinMuted,
            _ => CardMode::Swap,
        }
    }

    fn members(&self) -> Vec<usize> {
        match self.group()["members"].as_array() {
            Some(members) => members.iter().filter_map(Value::as_u64).map(|member| member as usize).collect(),
            None => (0..items(&self.around.scenario["characters"]).len()).collect(),
        }
    }

    fn is_muted(&self, member: usize) -> bool {
        items(&self.group()["disabled_members"]).iter().any(|muted| muted.as_u64() == Some(member as u64))
    }

    /// Every member says its first message, with its own name in it.
    pub(super) fn greet_group(&mut self) {
        for member in self.members() {
            let (name, card) =
                (self.around.name_of(member), &self.around.scenario["characters"][member]["data"]);
            let greeting = text(card, "first_mes");
            if !greeting.is_empty() {
                let options = Options { character: Some(name.into()), ..Options::default() };
                let greeting = self.expand_with(greeting, &options);
                self.chat.push(ChatMessage::new(name, greeting, false));
            }
        }
    }

    /// Who speaks: as recorded, or the first who may in a dry run.
    pub(super) fn drafted(&self, is_dry: bool, recorded: &Value) -> Result<Vec<Option<usize>>, Problem> {
        if is_dry {
            return Ok(self
                .members()
                .into_iter()
                .find(|member| !self.is_muted(*member))
                .map(Some)
                .into_iter()
                .collect());
        }
        let avatars = items(&self.around.golden["setup"]["avatars"]);
        let find = |avatar: &Value| avatars.iter().position(|known| known == avatar);
        items(&recorded["group_drafted"])
            .iter()
            .map(|avatar| find(avatar).map(Some).ok_or("an unknown character was drafted".into()))
            .collect()
    }

    /// A card's text as the program puts it into a prompt, spoken of one member.
    fn member_text(&mut self, value: &str, member: usize) -> String {
        let options = Options {
            character: Some(self.around.name_of(member).into()),
            card: CardAccess::Hidden,
            ..Options::default()
        };
        let mut text = self.expand_with(value, &options);
        if self.around.power_user()["collapse_newlines"] == true {
            while text.contains("\n\n") {
                text = text.replace("\n\n", "\n");
            }
        }
        text.replace('\r', "")
    }

    /// Joins the members' cards, if the group wants that.
    pub(super) fn join_cards(&mut self) {
        self.around.joined = None;
        if self.card_mode() == CardMode::Swap {
            return;
        }
        let description = self.joined_field("description", "Description");
        let personality = self.joined_field("personality", "Personality");
        let scenario = self.joined_or_own("scenario", "Scenario");
        let examples = self.joined_or_own("mes_example", "Example Messages");
        self.around.joined = Some(JoinedCards { description, personality, scenario, examples });
    }

    /// The chat's own text in place of the cards'.
    fn joined_or_own(&mut self, field: &str, label: &str) -> String {
        match (text_of(self.around.metadata.get(field)), self.around.speaker) {
            (Some(own), Some(speaker)) => self.member_text(&own, speaker),
            _ => self.joined_field(field, label),
        }
    }

    fn joined_field(&mut self, field: &str, label: &str) -> String {
        let group = self.group();
        let around = ["generation_mode_join_prefix", "generation_mode_join_suffix"]
            .map(|key| with_label(text(group, key), label));
        let mut texts = Vec::new();
        for member in self.members() {
            let is_speaker = self.around.speaker == Some(member);
            if self.is_muted(member) && !is_speaker && self.card_mode() != CardMode::JoinMuted {
                continue;
            }
            let value =
                text(&self.around.scenario["characters"][member]["data"], field).trim_matches(is_js_space);
            if value.is_empty() {
                continue;
            }
            let start =
                if field == "mes_example" && !value.starts_with("<START>") { "<START>\n" } else { "" };
            let value = with_label(&format!("{start}{value}"), label);
            let [prefix, suffix] = [0, 1].map(|i| self.member_text(&around[i], member));
            let value = self.member_text(value.trim_matches(is_js_space), member);
            texts.push(format!("{prefix}{value}{suffix}"));
        }
        texts.join("\n")
    }

    /// The depth prompts of the members, where cards are joined.
    pub(super) fn joined_depth_prompts(&mut self) -> Vec<String> {
        if self.card_mode() == CardMode::Swap {
            return Vec::new();
        }
        let mut prompts = Vec::new();
        for member in self.members() {
            if self.is_muted(member) && self.around.speaker != Some(member) {
                continue;
            }
            let card = &self.around.scenario["characters"][member]["data"];
            let prompt = text(&card["extensions"]["depth_prompt"], "prompt").trim_matches(is_js_space);
            prompts.push(self.member_text(prompt, member));
        }
        prompts.retain(|prompt| !prompt.is_empty());
        prompts
    }
}

fn text_of(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Puts a field's label in place of `<FIELDNAME>`, in any case.
fn with_label(text: &str, label: &str) -> String {
    const MARK: &str = "<FIELDNAME>";
    let mut out = String::new();
    let mut rest = text;
    // ASCII letters keep their places when their case changes.
    while let Some(at) = rest.to_ascii_uppercase().find(MARK) {
        out.push_str(&rest[..at]);
        out.push_str(label);
        rest = &rest[at + MARK.len()..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn joined_cards_are_the_recorded_ones() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/sillytavern/scenarios");
        let files = crate::load(&folder, None).unwrap();
        let joins = |case: &&Value| {
            case["scenario"]["group"]["generation_mode"].as_i64().is_some_and(|mode| mode > 0)
        };
        let cases: Vec<&Value> = files.iter().flat_map(|file| &file.cases).filter(joins).collect();
        assert!(!cases.is_empty());
        for case in cases {
            let Ok(mut stage) = Stage::open(&case["scenario"], &case["golden"]) else {
                panic!("{}", case["id"])
            };
            let step = &case["golden"]["steps"][0];
            let Ok(drafted) = stage.drafted(false, step) else { panic!("{}", case["id"]) };
            stage.around.speaker = drafted[0];
            stage.join_cards();
            let joined = stage.around.joined.expect("the cards are joined");
            let sent = items(&step["requests"][0]["body"]["messages"]);
            for part in [&joined.description, &joined.personality, &joined.scenario] {
                let is_sent = sent.iter().any(|message| text(message, "content") == part.as_str());
                assert!(is_sent, "{}: {part:?} is not in {sent:#?}", case["id"]);
            }
        }
    }

    #[test]
    fn the_label_is_put_in_whatever_the_case() {
        assert_eq!(with_label("[<FieldName> é] <FIELDNAME", "Scenario"), "[Scenario é] <FIELDNAME");
    }
}
