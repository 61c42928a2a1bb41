//! One expansion as a request and an answer in JSON, for command lines and services.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tavernkit_core::{Scope, Variables, Warning};
use tavernkit_js::moment::{self, Zone};
use tavernkit_js::random::Mulberry32;

use super::engine::{Engine, EngineKind};
use super::env::{Clock, Environment};
use super::options::{Options, State, Tracing};
use super::trace::Trace;

/// What SillyTavern calls a user who has not said a name.
pub const DEFAULT_USER: &str = "User";
/// Who answers when no character is chosen.
pub const DEFAULT_CHARACTER: &str = "Assistant";

/// A text to expand. Only the template is needed.
///
/// ```
/// use tavernkit_sillytavern::macros::request::MacroRequest;
///
/// let request: MacroRequest = serde_json::from_str(
///     r#"{"template": "{{char}} has {{incvar::gold}} coins.", "char": "Bram", "variables": {"local": {"gold": "4"}}}"#,
/// ).unwrap();
/// let answer = request.answer(Default::default());
/// assert_eq!(answer.output, "Bram has 5 coins.");
/// assert_eq!(
///     serde_json::to_string(&answer).unwrap(),
///     r#"{"output":"Bram has 5 coins.","warnings":[],"variables":{"local":{"gold":5},"global":{}}}"#,
/// );
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MacroRequest {
    /// The text.
    pub template: String,
    /// The user's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The character's name.
    #[serde(rename = "char", skip_serializing_if = "Option::is_none")]
    pub character: Option<String>,
    /// The variables before.
    pub variables: RequestVariables,
    /// Where chance starts; 1 when not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// The present; the caller's when not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<Now>,
    /// Which of the two engines.
    pub engine: EngineKind,
    /// Say what every macro did?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub explain: bool,
}

/// Variables in a request or an answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RequestVariables {
    /// Of the chat.
    pub local: IndexMap<String, Value>,
    /// Of all chats.
    pub global: IndexMap<String, Value>,
}

/// A time in a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Now {
    /// Milliseconds since 1970.
    UnixMs(f64),
    /// Such as `2031-05-04T21:07:33Z`. An offset in it is the local time's.
    Iso(String),
}

impl Now {
    /// The clock this names; `None` when the text is no date.
    fn clock(&self, fallback: Clock) -> Option<Clock> {
        match self {
            Now::UnixMs(ms) => Some(Clock { unix_ms: *ms as i64, ..fallback }),
            Now::Iso(text) => {
                let unix_ms = moment::parse(text, Zone::Local(fallback.utc_offset_minutes)).unix_ms()?;
                // What the text would be without its offset tells how far ahead its writer was.
                let local_ms = moment::parse(without_offset(text), Zone::Utc(0)).unix_ms()?;
                let utc_offset_minutes = i32::try_from((local_ms - unix_ms) / 60_000).ok()?;
                Some(Clock { unix_ms, utc_offset_minutes })
            }
        }
    }
}

/// An ISO date without the `Z` or `+02:00` after its time.
fn without_offset(text: &str) -> &str {
    let text = text.trim();
    let Some(time) = text.find(['T', ' ']) else { return text };
    match text[time..].find(['Z', 'z', '+', '-']) {
        Some(at) => &text[..time + at],
        None => text,
    }
}

/// What came of a request.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MacroAnswer {
    /// The expanded text.
    pub output: String,
    /// What was odd.
    pub warnings: Vec<Warning>,
    /// The variables after.
    pub variables: RequestVariables,
    /// What every macro did, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

impl MacroRequest {
    /// Expands the text. `now` is the present for requests that do not name one.
    pub fn answer(&self, now: Clock) -> MacroAnswer {
        self.answer_in(now, Environment::default())
    }

    /// Expands the text in a scene that is already known; the request's own names and time win over it.
    pub fn answer_in(&self, now: Clock, mut environment: Environment<'_>) -> MacroAnswer {
        let mut warnings = Vec::new();
        let name = |given: &Option<String>, known: &str, default: &str| match given {
            Some(name) => name.clone(),
            None if known.is_empty() => default.to_owned(),
            None => known.to_owned(),
        };
        environment.cast.user = name(&self.user, &environment.cast.user, DEFAULT_USER).into();
        if environment.cast.group.is_none() || self.character.is_some() {
            environment.cast.character =
                name(&self.character, &environment.cast.character, DEFAULT_CHARACTER).into();
        }
        environment.clock = match &self.now {
            None => now,
            Some(given) => given.clock(now).unwrap_or_else(|| {
                let message =
                    "`now` is neither an ISO date nor milliseconds since 1970; the present was used";
                warnings.push(Warning::new("macro.request_now", message).at("now"));
                now
            }),
        };
        let mut variables = Variables::new(self.variables.local.clone(), self.variables.global.clone());
        let mut random = Mulberry32::new(self.seed.unwrap_or(1) as u32);
        let options =
            Options { tracing: if self.explain { Tracing::On } else { Tracing::Off }, ..Options::default() };
        let state = State { variables: &mut variables, random: &mut random };
        let expansion = Engine::new(self.engine).expand(&self.template, &environment, &options, state);
        warnings.extend(expansion.warnings);
        let all =
            |scope| variables.iter(scope).map(|(name, value)| (name.to_owned(), value.clone())).collect();
        MacroAnswer {
            output: expansion.text,
            warnings,
            variables: RequestVariables { local: all(Scope::Local), global: all(Scope::Global) },
            trace: expansion.trace,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(request: Value) -> MacroAnswer {
        serde_json::from_value::<MacroRequest>(request).unwrap().answer(Clock::default())
    }

    #[test]
    fn what_is_not_given_has_a_default() {
        assert_eq!(
            answer(json!({"template": "{{user}}, {{char}}, {{time}}"})).output,
            "User, Assistant, 12:00 AM"
        );
        assert_eq!(answer(json!({"template": "{{user}}", "user": ""})).output, "");
    }

    #[test]
    fn now_is_a_date_or_a_number() {
        let at = |now: Value| answer(json!({"template": "{{isodate}} {{isotime}}", "now": now})).output;
        assert_eq!(at(json!("2031-05-04T21:07:33.000Z")), "2031-05-04 21:07");
        assert_eq!(at(json!("2031-05-04T21:07:33-07:00")), "2031-05-04 21:07");
        assert_eq!(at(json!(1_000)), "1970-01-01 00:00");
        let wrong = answer(json!({"template": "{{isodate}}", "now": "soon"}));
        assert_eq!(
            (wrong.output.as_str(), wrong.warnings[0].code.as_ref()),
            ("1970-01-01", "macro.request_now")
        );
    }

    #[test]
    fn the_old_engine_can_be_asked() {
        let request = json!({"template": "{{if 1}}a{{/if}}", "engine": "legacy"});
        assert_eq!(answer(request).output, "{{if 1}}a{{/if}}");
    }

    #[test]
    fn explaining_adds_a_trace() {
        let trace = answer(json!({"template": "a{{.x = 1}}", "explain": true})).trace.unwrap();
        assert_eq!((trace.macros.len(), trace.variables.len()), (1, 1));
    }
}
