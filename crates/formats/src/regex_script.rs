//! Regex scripts: SillyTavern's, from settings, presets and cards, and RisuAI's.

use serde_json::Value;
use tavernkit_core::Warning;

use crate::json::{self, Path};
use crate::record::{Field, List, Object, Read, Scalar, coded, record};
use crate::{Error, ErrorKind, Limits, Result};

coded! {
    /// Which texts a script is for.
    pub enum Placement {
        /// Old scripts for the display only; without effect today.
        Display = 0,
        /// What the user writes.
        UserInput = 1,
        /// What the model writes.
        AiOutput = 2,
        /// What slash commands write.
        SlashCommand = 3,
        /// Lorebook entries.
        WorldInfo = 5,
        /// Reasoning blocks.
        Reasoning = 6,
    }
}

coded! {
    /// What happens to macros in the find pattern.
    pub enum Substitution {
        /// They stay as written.
        None = 0,
        /// They are expanded.
        Raw = 1,
        /// They are expanded and their results escaped.
        Escaped = 2,
    }
}

record! {
    /// One of SillyTavern's regex scripts.
    pub struct RegexScript {
        /// The id, a UUID.
        id: Option<Scalar> = "id" => None;
        /// Name for people.
        name: String = "scriptName" => String::new();
        /// The pattern: `/pattern/flags`, or a pattern without flags.
        find: String = "findRegex" => String::new();
        /// What matches become; `{{match}}`, `$1` and `$<name>` are filled in.
        replace: String = "replaceString" => String::new();
        /// Texts removed from what is filled in.
        trim: Vec<String> = "trimStrings" => Vec::new();
        /// The texts it is for.
        placement: Vec<Placement> = "placement" => Vec::new();
        /// Switched off.
        disabled: bool = "disabled" => false;
        /// Only changes what is shown.
        markdown_only: bool = "markdownOnly" => false;
        /// Only changes what is sent.
        prompt_only: bool = "promptOnly" => false;
        /// Also runs when a message is edited.
        run_on_edit: bool = "runOnEdit" => false;
        /// Macros in the pattern.
        substitution: Substitution = "substituteRegex" => Substitution::None;
        /// Only for messages at least this deep; `None` is no limit.
        min_depth: Option<f64> = "minDepth" => None;
        /// Only for messages at most this deep; `None` is no limit.
        max_depth: Option<f64> = "maxDepth" => None;
    }
}

record! {
    /// One of RisuAI's regex scripts.
    pub struct RisuRegex {
        /// Name for people.
        comment: String = "comment" => String::new();
        /// The pattern.
        find: String = "in" => String::new();
        /// The replacement, or a directive starting with `@@`.
        out: String = "out" => String::new();
        /// When it runs: `editinput`, `editoutput`, `editprocess`, `editdisplay`.
        kind: String = "type" => String::new();
        /// Flags and `<directives>`, used when `able_flag`.
        flag: String = "flag" => String::new();
        /// Whether `flag` counts.
        able_flag: bool = "ableFlag" => false;
    }
}

record! {
    /// A module of RisuAI: lore, scripts and triggers to switch on together.
    pub struct RisuModule {
        /// Name for people.
        name: String = "name" => String::new();
        /// Description for people.
        description: String = "description" => String::new();
        /// Its id.
        id: Option<Scalar> = "id" => None;
        /// Name by which other modules and chats refer to it.
        namespace: String = "namespace" => String::new();
        /// Its regex scripts.
        regex: List<RisuRegex> = "regex" => List::default();
        /// Its lore entries, in RisuAI's form.
        lorebook: Vec<Value> = "lorebook" => Vec::new();
        /// Its triggers, in RisuAI's form.
        trigger: Vec<Value> = "trigger" => Vec::new();
        /// Its toggles, as text.
        toggles: String = "customModuleToggle" => String::new();
    }
}

impl RegexScript {
    /// Whether this could be a script: SillyTavern's import asks for a name.
    pub fn is_one(value: &Value) -> bool {
        value.get("scriptName").is_some_and(Value::is_string)
    }

    /// Reads a script file: one script, or a list of them.
    ///
    /// ```
    /// use tavernkit_formats::{Limits, regex_script::{Placement, RegexScript}};
    ///
    /// let file = br#"{"scriptName": "Dashes", "findRegex": "/--/g", "replaceString": "\u2014", "placement": [2]}"#;
    /// let scripts = RegexScript::parse(file, &Limits::default())?.value;
    /// assert_eq!(scripts[0].placement, [Placement::AiOutput]);
    /// # Ok::<(), tavernkit_formats::Error>(())
    /// ```
    pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Read<List<Self>>> {
        let parsed = json::parse(bytes, limits)?;
        let mut warnings = parsed.warnings;
        let value = match parsed.value {
            value @ Value::Array(_) => value,
            value if Self::is_one(&value) => Value::Array(vec![value]),
            _ => {
                let message = "this is not a regex script: it has no `scriptName`";
                return Err(Error::new(ErrorKind::UnknownFormat, message));
            }
        };
        let scripts: List<Self> = Field::read(&value, &Path::Root, &mut warnings).unwrap_or_default();
        for (index, script) in scripts.iter().enumerate() {
            script.note(&Path::Root.index(index), &mut warnings);
        }
        Ok(Read { value: scripts, warnings })
    }

    /// The scripts that a preset or a card carries: `extensions.regex_scripts`.
    pub fn from_extensions(extensions: &Object, at: &Path<'_>, warnings: &mut Vec<Warning>) -> List<Self> {
        Field::get(extensions, &["regex_scripts"], at, warnings).unwrap_or_default()
    }

    /// Warns about what makes the script do nothing.
    fn note(&self, at: &Path<'_>, warnings: &mut Vec<Warning>) {
        let mut note = |field: &str, message: &str| {
            warnings.push(Warning::new("regex.no_effect", message).at(at.key(field).to_string()));
        };
        if self.find.is_empty() {
            note("findRegex", "the pattern is empty, so the script changes nothing");
        }
        if self.placement.is_empty() {
            note("placement", "no placement is given, so the script never runs");
        }
    }
}

impl RisuRegex {
    /// Reads RisuAI's regex scripts: a list, an export `{type: "regex", data: […]}`, or a module.
    pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Read<List<Self>>> {
        let parsed = json::parse(bytes, limits)?;
        let mut warnings = parsed.warnings;
        let value = parsed.value;
        let (list, name) = match &value {
            Value::Array(_) => (Some(&value), ""),
            _ if value.get("type").is_some_and(|kind| kind == "regex") => (value.get("data"), "data"),
            _ => match value.get("module") {
                Some(module) => (module.get("regex"), "module.regex"),
                None => (value.get("regex"), "regex"),
            },
        };
        let Some(list) = list else {
            let message = "these are no regex scripts of RisuAI: expected a list, or an object with `regex`";
            return Err(Error::new(ErrorKind::UnknownFormat, message));
        };
        let root = Path::Root;
        let at = if name.is_empty() { root } else { root.key(name) };
        let scripts = Field::read(list, &at, &mut warnings).unwrap_or_default();
        Ok(Read { value: scripts, warnings })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(value: &Value) -> Result<Read<List<RegexScript>>> {
        RegexScript::parse(value.to_string().as_bytes(), &Limits::default())
    }

    #[test]
    fn scripts_come_back_as_they_were() {
        let value = json!([{"id": "u", "scriptName": "A", "findRegex": "/a/", "placement": [1, 4, "2"], "minDepth": null,
            "maxDepth": "", "substituteRegex": 2, "mine": 1}, 7]);
        let read = parse(&value).unwrap();
        assert_eq!(read.value.write().to_string(), value.to_string());
        let script = &read.value[0];
        assert_eq!(script.placement[0], Placement::UserInput);
        assert_eq!(script.placement[1], Placement::Other(json!(4)));
        assert_eq!(script.substitution, Substitution::Escaped);
        assert_eq!((script.min_depth, script.max_depth), (None, None));
        let codes: Vec<_> =
            read.warnings.iter().map(|w| (w.code.as_ref(), w.at.as_deref().unwrap_or(""))).collect();
        assert_eq!(
            codes,
            [
                ("field.unknown_value", "[0].placement[1]"),
                ("field.unknown_value", "[0].placement[2]"),
                ("field.type", "[0].maxDepth"),
                ("field.odd_item", "[1]"),
            ]
        );
    }

    #[test]
    fn scripts_that_do_nothing_are_said() {
        let warnings = parse(&json!({"scriptName": "Empty"})).unwrap().warnings;
        let texts: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "[regex.no_effect] the pattern is empty, so the script changes nothing (at [0].findRegex)",
                "[regex.no_effect] no placement is given, so the script never runs (at [0].placement)",
            ]
        );
    }

    #[test]
    fn what_is_no_script_is_refused() {
        let error = parse(&json!({"name": "x"})).unwrap_err();
        assert_eq!(error.to_string(), "this is not a regex script: it has no `scriptName`");
        let error = RisuRegex::parse(b"{}", &Limits::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "these are no regex scripts of RisuAI: expected a list, or an object with `regex`"
        );
    }

    #[test]
    fn risu_scripts_from_every_place() {
        let script = json!({"comment": "c", "in": "a", "out": "b", "type": "editoutput", "flag": "g<cbs>", "ableFlag": true});
        for file in [
            json!([script]),
            json!({"type": "regex", "data": [script]}),
            json!({"type": "risuModule", "module": {"name": "m", "regex": [script]}}),
            json!({"name": "m", "regex": [script]}),
        ] {
            let scripts = RisuRegex::parse(file.to_string().as_bytes(), &Limits::default()).unwrap().value;
            assert_eq!((scripts[0].find.as_str(), scripts[0].kind.as_str()), ("a", "editoutput"));
            assert_eq!(scripts[0].write(), script);
        }
    }
}
