//! One compiled script.

use std::sync::{Mutex, PoisonError};

use tavernkit_core::Warning;
use tavernkit_formats::regex_script::{Placement, RegexScript, Substitution};
use tavernkit_js::regex::{Fuel, Regex, RegexError};

use super::expander::MacroExpander;
use super::pattern;
use super::replacement::{Replacement, Searched, Trim};
use super::subject::{Counted, Subject};
use super::{Call, Occasion};

/// Where a script comes from, in the order they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The user's own, for all chats.
    Global,
    /// The preset, where the user allowed it.
    Preset,
    /// The card, where the user allowed it.
    Card,
}

/// A script ready to run.
#[derive(Debug)]
pub struct Script {
    name: String,
    origin: Origin,
    placement: Vec<Placement>,
    enabled: bool,
    lasting: Lasting,
    run_on_edit: bool,
    min_depth: Option<f64>,
    max_depth: Option<f64>,
    find: Find,
    replacement: Replacement,
    trim: Vec<String>,
}

/// What a script changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lasting {
    /// The message itself.
    Chat,
    /// Only what is shown, only what is sent, or both.
    View { display: bool, prompt: bool },
}

#[derive(Debug)]
enum Find {
    /// Nothing to look for.
    Nothing,
    Fixed(Result<Regex, RegexError>),
    /// Macros stand in the pattern.
    WithMacros {
        text: String,
        results: Results,
        last: Mutex<Option<Compiled>>,
    },
}

/// What becomes of macro results in a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Results {
    Raw,
    Escaped,
}

/// The last expanded pattern; it is mostly the same in the next call.
#[derive(Debug, Clone)]
struct Compiled {
    text: String,
    regex: Option<Result<Regex, RegexError>>,
}

impl Script {
    /// Compiles a script. A pattern that is none is reported by [`Script::warning`] and does nothing.
    pub fn compile(script: &RegexScript, origin: Origin) -> Self {
        let lasting = match (script.markdown_only, script.prompt_only) {
            (false, false) => Lasting::Chat,
            (display, prompt) => Lasting::View { display, prompt },
        };
        Self {
            name: script.name.clone(),
            origin,
            placement: script.placement.clone(),
            enabled: !script.disabled,
            lasting,
            run_on_edit: script.run_on_edit,
            // Smaller numbers are no limits to SillyTavern.
            min_depth: script.min_depth.filter(|depth| *depth >= -1.0),
            max_depth: script.max_depth.filter(|depth| *depth >= 0.0),
            find: find(script),
            replacement: Replacement::parse(&script.replace),
            trim: script.trim.clone(),
        }
    }

    /// Its name for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it comes from.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Why the script can do nothing, if its pattern is none.
    pub fn warning(&self) -> Option<Warning> {
        match &self.find {
            Find::Fixed(Err(error)) if self.enabled => Some(self.invalid(error)),
            _ => None,
        }
    }

    /// Is the script for such a text on such an occasion?
    pub fn is_meant(&self, call: &Call<'_>) -> bool {
        let occasion = match (self.lasting, call.occasion) {
            (Lasting::Chat, Occasion::Creation) => true,
            (Lasting::Chat, Occasion::Edit) => self.run_on_edit,
            (Lasting::View { display, .. }, Occasion::Display) => display,
            (Lasting::View { prompt, .. }, Occasion::Prompt) => prompt,
            _ => false,
        };
        let depth = call.depth.is_none_or(|depth| {
            let depth = depth as f64;
            self.min_depth.is_none_or(|min| depth >= min) && self.max_depth.is_none_or(|max| depth <= max)
        });
        occasion && depth && self.placement.contains(&call.placement)
    }

    /// Runs the script whatever it is meant for: the new text, or `None` if there is nothing to replace.
    ///
    /// `character` is the name for trim strings. The error says why the text must stay as it is.
    pub fn run(
        &self,
        text: &str,
        character: Option<&str>,
        macros: &mut dyn MacroExpander,
        fuel: u64,
    ) -> Result<Option<String>, Box<Warning>> {
        if !self.enabled || text.is_empty() {
            return Ok(None);
        }
        let regex = match self.regex(macros) {
            None => return Ok(None),
            Some(Err(error)) => return Err(Box::new(self.invalid(&error))),
            Some(Ok(regex)) => regex,
        };
        // All matches are found before anything is expanded: a script that runs out has changed no variable.
        let mut steps = Fuel::new(fuel);
        let subject = Subject::new(text, &regex);
        let Ok(matches) = subject.find_all(&regex, &mut steps) else {
            let message = format!("the script {:?} was skipped: no answer after {fuel} steps", self.name);
            return Err(Box::new(self.note("regex_script.exhausted", message)));
        };
        if matches.is_empty() {
            return Ok(None);
        }
        let mut search = Searched { regex: &regex, subject: &subject, counted: Counted::default() };
        let mut trim = Trim { strings: &self.trim, character, macros };
        let mut replacements = Vec::with_capacity(matches.len());
        for found in &matches {
            let filled = self.replacement.fill(found, &mut search, &mut trim).map_err(|no_text| {
                let message = format!(
                    "the script {:?} was skipped: ${} is not the text of a group",
                    self.name, no_text.argument
                );
                Box::new(self.note("regex_script.no_text", message))
            })?;
            replacements.push(filled);
        }
        Ok(Some(subject.replace(&matches, &replacements)))
    }

    /// The pattern for this call; `None` when there is nothing to look for.
    fn regex(&self, macros: &mut dyn MacroExpander) -> Option<Result<Regex, RegexError>> {
        let (text, last) = match &self.find {
            Find::Nothing => return None,
            Find::Fixed(regex) => return Some(regex.clone()),
            Find::WithMacros { text, results: Results::Raw, last } => (macros.expand(text, None), last),
            Find::WithMacros { text, results: Results::Escaped, last } => (macros.expand_escaped(text), last),
        };
        // A panic elsewhere cannot leave half a value here.
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(compiled) if compiled.text == text => compiled.regex.clone(),
            _ => {
                let regex = pattern::compile(&text);
                *last = Some(Compiled { text, regex: regex.clone() });
                regex
            }
        }
    }

    fn invalid(&self, error: &RegexError) -> Warning {
        let message = format!("the script {:?} does nothing: its pattern is invalid: {error}", self.name);
        self.note("regex_script.invalid_pattern", message)
    }

    fn note(&self, code: &'static str, message: String) -> Warning {
        let origin = match self.origin {
            Origin::Global => "global",
            Origin::Preset => "preset",
            Origin::Card => "card",
        };
        Warning::new(code, message).at(format!("{origin} regex script {:?}", self.name))
    }
}

fn find(script: &RegexScript) -> Find {
    let text = script.find.as_str();
    let results = match script.substitution {
        Substitution::Raw => Some(Results::Raw),
        Substitution::Escaped => Some(Results::Escaped),
        _ => None,
    };
    match results {
        _ if text.is_empty() => Find::Nothing,
        Some(results) if needs_macros(text) => {
            Find::WithMacros { text: text.to_owned(), results, last: Mutex::new(None) }
        }
        _ => pattern::compile(text).map_or(Find::Nothing, Find::Fixed),
    }
}

/// Can the macro engine change this text at all?
pub(super) fn needs_macros(text: &str) -> bool {
    text.contains(['{', '}', '<'])
}
