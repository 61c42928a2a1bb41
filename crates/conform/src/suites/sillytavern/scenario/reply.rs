//! What comes back from the backend, and what it does to the chat.

use serde_json::Value;
use tavernkit_formats::regex_script::Placement;
use tavernkit_sillytavern::regex_scripts::{Call, Occasion};

use super::super::fixture::text;
use super::build::Kind;
use super::chat::ChatMessage;
use super::stage::Stage;
use super::{Problem, items};

/// What the backend sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Received {
    /// A text; the generation is over.
    Answer,
    /// Calls of tools, whose results have to be sent.
    ToolCalls,
}

impl Stage<'_> {
    /// Whether messages of tools go into the prompt.
    pub(super) fn can_use_tools(&self) -> bool {
        let effective = &self.around.golden["effective"];
        let settings = &effective["oai_settings"];
        let processing = text(settings, "custom_prompt_post_processing");
        effective["main_api"] == "openai"
            && settings["function_calling"] == true
            && (processing.is_empty() || processing.ends_with("_tools"))
            && settings["chat_completion_source"] != "perplexity"
    }

    /// Takes the next answer of the backend into the chat.
    pub(super) fn receive(&mut self, kind: Kind, recorded: &Value) -> Result<Received, Problem> {
        let standing = self.around.scenario["mock"]["reply"].as_str().unwrap_or("MOCK REPLY.");
        let reply = self.replies.pop_front().unwrap_or_else(|| standing.into());
        let may_call = self.can_use_tools() && matches!(kind, Kind::Normal | Kind::Swipe | Kind::Regenerate);
        let calls_tools = may_call && !items(&reply["tool_calls"]).is_empty();
        let content = reply.as_str().unwrap_or_else(|| text(&reply, "content"));
        if !(calls_tools && matches!(content, "" | "...")) {
            self.take_reply(kind, content)?;
        }
        if !calls_tools {
            return Ok(Received::Answer);
        }
        let message = &recorded["chat_after"][self.chat.len()];
        if !message.is_object() {
            return Err("the message of the tools is not recorded".into());
        }
        let mut message = ChatMessage::read(message, "");
        message.extra = serde_json::json!({ "tool_invocations": [] });
        self.chat.push(message);
        Ok(Received::ToolCalls)
    }

    fn take_reply(&mut self, kind: Kind, reply: &str) -> Result<(), Problem> {
        let bias = match kind {
            Kind::Impersonate | Kind::Continue => "",
            _ => text(self.around.power_user(), "user_prompt_bias"),
        };
        let reply = format!("{}{reply}", self.expand(bias));
        let mut reply = self.regexed(&reply, &Call::new(Placement::AiOutput, Occasion::Creation))?;
        if self.around.power_user()["trim_spaces"] == true {
            reply = reply.trim().to_owned();
        }
        let name = self.around.speaker_name();
        let postfix = text(&self.around.golden["effective"]["oai_settings"], "continue_postfix");
        match (kind, self.chat.last_mut()) {
            (Kind::Impersonate | Kind::Quiet, _) => {}
            (Kind::Swipe, Some(last)) => last.end_swipe(reply),
            (Kind::Continue, Some(last)) => {
                let postfix = if last.text.ends_with(' ') { "" } else { postfix };
                last.text = format!("{}{postfix}{reply}", last.text);
            }
            _ => self.chat.push(ChatMessage::new(name, reply, false)),
        }
        Ok(())
    }
}
