//! Texts that an application injects into prompts at run time.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::message::Role;
use crate::scope::BuildScope;
use crate::warning::Warning;

/// Where an injected text goes. The aliases of the field are understood when reading.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum InjectionPosition {
    /// Nowhere: only lorebook keys look at it.
    None,
    /// After the main prompt, before the chat.
    #[default]
    #[serde(alias = "in_prompt")]
    After,
    /// In the chat, at a depth.
    #[serde(alias = "in_chat")]
    Chat,
    /// Before the main prompt.
    #[serde(alias = "before_prompt")]
    Before,
}

/// An injected text, as plain data.
///
/// ```
/// use tavernkit_core::injection::{Injection, InjectionPosition};
///
/// let injection: Injection = serde_json::from_str(r#"{"id":"weather","content":"It rains.","position":"in_chat"}"#)?;
/// assert_eq!(injection.position, InjectionPosition::Chat);
/// assert_eq!(injection.depth, 4);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Injection {
    /// Its name; a second registration under the same name replaces the first.
    pub id: String,
    /// The text.
    pub content: String,
    /// Where it goes.
    #[serde(default)]
    pub position: InjectionPosition,
    /// Who says it.
    #[serde(default = "system")]
    pub role: Role,
    /// In the chat: 0 is after the last message, N before the Nth from the end.
    #[serde(default = "four")]
    pub depth: usize,
    /// Do lorebook keys look at it?
    #[serde(default)]
    pub scan: bool,
    /// For one generation only. The application removes it afterwards.
    #[serde(default)]
    pub ephemeral: bool,
}

fn system() -> Role {
    Role::System
}

fn four() -> usize {
    4
}

impl Injection {
    /// A system text at depth 4 that is not scanned and stays.
    pub fn new(id: impl Into<String>, content: impl Into<String>, position: InjectionPosition) -> Self {
        Self {
            id: id.into(),
            content: content.into(),
            position,
            role: Role::System,
            depth: 4,
            scan: false,
            ephemeral: false,
        }
    }
}

/// Decides for one build whether an injection counts. The error is a sentence for people.
pub type Filter<C> = Arc<dyn Fn(&C) -> std::result::Result<bool, String> + Send + Sync>;

/// A registered injection: the data, and perhaps a filter over the application's context `C`.
pub struct InjectionEntry<C> {
    injection: Injection,
    filter: Option<Filter<C>>,
}

impl<C> InjectionEntry<C> {
    /// The data.
    pub fn injection(&self) -> &Injection {
        &self.injection
    }

    /// Does it count in this build? A filter that fails is warned about, and its injection counts.
    pub fn is_active(&self, context: &C, scope: &mut BuildScope<'_>) -> Result<bool> {
        let Some(filter) = &self.filter else { return Ok(true) };
        match filter(context) {
            Ok(active) => Ok(active),
            Err(why) => {
                let message = format!(
                    "the filter of injection `{}` failed ({why}); the injection is used",
                    self.injection.id
                );
                scope.warn(Warning::new("injection.filter_failed", message).at(&self.injection.id))?;
                Ok(true)
            }
        }
    }
}

impl<C> Clone for InjectionEntry<C> {
    fn clone(&self) -> Self {
        Self { injection: self.injection.clone(), filter: self.filter.clone() }
    }
}

impl<C> fmt::Debug for InjectionEntry<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let filter = self.filter.as_ref().map(|_| "…");
        f.debug_struct("InjectionEntry").field("injection", &self.injection).field("filter", &filter).finish()
    }
}

/// The injections of a chat, by name, in the order of their names.
///
/// ```
/// use tavernkit_core::injection::{Injection, InjectionPosition, InjectionRegistry};
///
/// let mut registry: InjectionRegistry = InjectionRegistry::new();
/// registry.register(Injection::new("b", "second", InjectionPosition::After));
/// registry.register(Injection::new("a", "first", InjectionPosition::After));
/// registry.register(Injection { ephemeral: true, ..Injection::new("b", "replaced", InjectionPosition::Before) });
/// let ids: Vec<_> = registry.iter().map(|entry| entry.injection().id.as_str()).collect();
/// assert_eq!(ids, ["a", "b"]);
/// assert_eq!(registry.ephemeral_ids().collect::<Vec<_>>(), ["b"]);
/// ```
pub struct InjectionRegistry<C = ()> {
    entries: BTreeMap<String, InjectionEntry<C>>,
}

impl<C> Default for InjectionRegistry<C> {
    fn default() -> Self {
        Self { entries: BTreeMap::new() }
    }
}

impl<C> Clone for InjectionRegistry<C> {
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone() }
    }
}

impl<C> fmt::Debug for InjectionRegistry<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<C> InjectionRegistry<C> {
    /// No injections.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an injection, or replaces the one of the same name.
    pub fn register(&mut self, injection: Injection) {
        self.entries.insert(injection.id.clone(), InjectionEntry { injection, filter: None });
    }

    /// The same, with a filter that is asked in every build.
    pub fn register_filtered(
        &mut self,
        injection: Injection,
        filter: impl Fn(&C) -> std::result::Result<bool, String> + Send + Sync + 'static,
    ) {
        self.entries
            .insert(injection.id.clone(), InjectionEntry { injection, filter: Some(Arc::new(filter)) });
    }

    /// Takes an injection out.
    pub fn remove(&mut self, id: &str) -> Option<Injection> {
        self.entries.remove(id).map(|entry| entry.injection)
    }

    /// All injections, in the order of their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &InjectionEntry<C>> {
        self.entries.values()
    }

    /// The names of those meant for one generation only.
    pub fn ephemeral_ids(&self) -> impl Iterator<Item = &str> {
        self.entries
            .values()
            .filter(|entry| entry.injection.ephemeral)
            .map(|entry| entry.injection.id.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Words, scope};

    #[test]
    fn filters_decide_and_a_failing_filter_warns_and_counts() {
        let mut registry: InjectionRegistry<u32> = InjectionRegistry::new();
        registry
            .register_filtered(Injection::new("late", "x", InjectionPosition::Chat), |turn| Ok(*turn > 3));
        registry.register_filtered(Injection::new("odd", "x", InjectionPosition::Chat), |_| {
            Err("no such field".into())
        });
        scope(&Words, |scope| {
            let active: Vec<_> = registry.iter().map(|entry| entry.is_active(&2, scope).unwrap()).collect();
            assert_eq!(active, [false, true]);
            assert_eq!(
                scope.warnings()[0].message,
                "the filter of injection `odd` failed (no such field); the injection is used"
            );
        });
    }

    #[test]
    fn aliases_are_stored_as_the_canonical_position() {
        for (alias, position) in [
            ("before_prompt", InjectionPosition::Before),
            ("in_prompt", InjectionPosition::After),
            ("in_chat", InjectionPosition::Chat),
            ("none", InjectionPosition::None),
        ] {
            let read: InjectionPosition = serde_json::from_str(&format!("{alias:?}")).unwrap();
            assert_eq!(read, position);
        }
        assert_eq!(serde_json::to_string(&InjectionPosition::Chat).unwrap(), r#""chat""#);
    }

    #[test]
    fn removing_gives_the_injection_back() {
        let mut registry: InjectionRegistry = InjectionRegistry::new();
        registry.register(Injection::new("a", "x", InjectionPosition::None));
        assert_eq!(registry.remove("a").map(|i| i.content).as_deref(), Some("x"));
        assert!(registry.remove("a").is_none());
    }
}
