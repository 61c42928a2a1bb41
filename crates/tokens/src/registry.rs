//! The vocabularies a program has, each unpacked once.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::embedded::{EmbeddedCounter, Encoding};
use crate::error::TokensError;
use crate::heuristic::HeuristicCounter;
use crate::models::{bare_name, model_match};
use tavernkit_core::{Exactness, TokenCounter};

/// Owns the tokenizers of a program.
///
/// Keep one and clone it: clones share what is unpacked. An embedded vocabulary is unpacked when it is first asked for.
///
/// ```
/// use std::sync::Arc;
/// use tavernkit_tokens::{Encoding, Exactness, TokenCounter, Tokenizers};
///
/// let tokenizers = Tokenizers::new();
/// assert_eq!(tokenizers.encoding(Encoding::O200kBase).count("hello world"), 2);
///
/// // The caller knows better: this server runs a model that splits text as cl100k_base does.
/// let exact = tokenizers.encoding(Encoding::Cl100kBase);
/// let tokenizers = tokenizers.with_model("my-merge", exact);
/// let chosen = tokenizers.for_model("local/My-Merge-v7");
/// assert_eq!((chosen.id(), chosen.exactness()), ("cl100k_base", Exactness::Exact));
/// ```
#[derive(Clone, Default)]
pub struct Tokenizers {
    embedded: Arc<[OnceLock<Arc<EmbeddedCounter>>; Encoding::ALL.len()]>,
    /// The caller's own, latest first in effect: part of a model name, its counter.
    models: Vec<(String, Arc<dyn TokenCounter>)>,
}

impl Tokenizers {
    /// The embedded vocabularies, none of them unpacked yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts models whose name contains `name_part` (in any case) with `counter`.
    ///
    /// Goes before the table of known models, and before what was added earlier. The counter's own exactness is
    /// believed.
    #[must_use]
    pub fn with_model(mut self, name_part: &str, counter: Arc<dyn TokenCounter>) -> Self {
        self.models.push((name_part.to_lowercase(), counter));
        self
    }

    /// An embedded vocabulary, unpacked now if it was not before.
    pub fn encoding(&self, encoding: Encoding) -> Arc<EmbeddedCounter> {
        let slot = match encoding {
            Encoding::O200kBase => &self.embedded[0],
            Encoding::Cl100kBase => &self.embedded[1],
        };
        Arc::clone(slot.get_or_init(|| Arc::new(EmbeddedCounter::new(encoding))))
    }

    /// A tokenizer by its [`id`](TokenCounter::id): an embedded one, one of the caller's, or the heuristic.
    pub fn by_id(&self, id: &str) -> Result<Arc<dyn TokenCounter>, TokensError> {
        if let Ok(encoding) = id.parse::<Encoding>() {
            return Ok(self.encoding(encoding));
        }
        if id == HeuristicCounter.id() {
            return Ok(Arc::new(HeuristicCounter));
        }
        let own = self.models.iter().rev().find(|(_, counter)| counter.id() == id);
        own.map(|(_, counter)| Arc::clone(counter))
            .ok_or_else(|| TokensError::UnknownTokenizer { id: id.to_owned(), known: self.ids() })
    }

    /// The ids that [`by_id`](Self::by_id) knows.
    pub fn ids(&self) -> Vec<String> {
        let mut ids: Vec<String> =
            Encoding::ALL.iter().map(|encoding| encoding.as_str().to_owned()).collect();
        ids.push(HeuristicCounter.id().to_owned());
        for (_, counter) in &self.models {
            if !ids.iter().any(|id| id == counter.id()) {
                ids.push(counter.id().to_owned());
            }
        }
        ids
    }

    /// The best tokenizer at hand for a model, with how good it is and why it was chosen.
    ///
    /// Every name gets an answer; one that is not the model's own vocabulary says
    /// [`Estimate`](Exactness::Estimate).
    pub fn for_model(&self, model: &str) -> ModelTokenizer {
        // A name part may hold a provider (`meta-llama/`), so the whole name is searched too.
        let (whole, bare) = (model.to_lowercase(), bare_name(model));
        let own = self.models.iter().rev().find(|(part, _)| whole.contains(part) || bare.contains(part));
        if let Some((part, counter)) = own {
            let why = format!("{} was given for models named `{part}`", counter.id());
            return ModelTokenizer { counter: Arc::clone(counter), why };
        }
        let found = model_match(model);
        let counter = self.encoding(found.encoding);
        let counter: Arc<dyn TokenCounter> = match found.exactness() {
            Exactness::Exact => counter,
            Exactness::Estimate => Arc::new(StandInCounter(counter)),
        };
        ModelTokenizer { counter, why: found.why() }
    }
}

impl fmt::Debug for Tokenizers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokenizers").field("ids", &self.ids()).finish_non_exhaustive()
    }
}

/// The tokenizer chosen for a model. Made by [`Tokenizers::for_model`].
#[derive(Clone)]
pub struct ModelTokenizer {
    counter: Arc<dyn TokenCounter>,
    why: String,
}

impl ModelTokenizer {
    /// The id of the vocabulary that counts.
    pub fn id(&self) -> &str {
        self.counter.id()
    }

    /// Whether that vocabulary is the model's own.
    pub fn exactness(&self) -> Exactness {
        self.counter.exactness()
    }

    /// Why this one was chosen: one sentence for people.
    pub fn why(&self) -> &str {
        &self.why
    }

    /// The counter; it reports the same exactness as [`exactness`](Self::exactness).
    pub fn counter(&self) -> &Arc<dyn TokenCounter> {
        &self.counter
    }

    /// The counter, to keep.
    pub fn into_counter(self) -> Arc<dyn TokenCounter> {
        self.counter
    }
}

impl fmt::Debug for ModelTokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelTokenizer")
            .field("id", &self.id())
            .field("exactness", &self.exactness())
            .field("why", &self.why)
            .finish()
    }
}

/// A vocabulary that counts for a model it does not belong to: the same id and counts, but estimates.
struct StandInCounter(Arc<EmbeddedCounter>);

impl TokenCounter for StandInCounter {
    fn id(&self) -> &str {
        self.0.id()
    }

    fn exactness(&self) -> Exactness {
        Exactness::Estimate
    }

    fn count(&self, text: &str) -> usize {
        self.0.count(text)
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        self.0.count_up_to(text, limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_unpacked_vocabulary() {
        let tokenizers = Tokenizers::new();
        let clone = tokenizers.clone().with_model("x", Arc::new(HeuristicCounter));
        assert!(Arc::ptr_eq(
            &tokenizers.encoding(Encoding::Cl100kBase),
            &clone.encoding(Encoding::Cl100kBase)
        ));
    }

    #[test]
    fn ids_are_found_or_listed() {
        let tokenizers = Tokenizers::new();
        assert_eq!(tokenizers.by_id("heuristic").unwrap().id(), "heuristic");
        assert_eq!(tokenizers.by_id("cl100k_base").unwrap().count("hello world"), 2);
        let error = tokenizers.by_id("nerdstash").err().unwrap();
        assert_eq!(
            error.to_string(),
            "unknown tokenizer `nerdstash`; known are o200k_base, cl100k_base, heuristic"
        );
    }

    #[test]
    fn the_callers_own_goes_first_and_the_latest_wins() {
        let tokenizers = Tokenizers::new();
        let exact = tokenizers.encoding(Encoding::Cl100kBase);
        let tokenizers =
            tokenizers.with_model("meta-llama/", Arc::new(HeuristicCounter)).with_model("Llama-3", exact);
        assert_eq!(tokenizers.for_model("meta-llama/Llama-3-8B").id(), "cl100k_base");
        assert_eq!(tokenizers.for_model("meta-llama/Llama-4-Scout").id(), "heuristic");
        let estimate = tokenizers.for_model("claude-3-opus");
        assert_eq!((estimate.id(), estimate.exactness()), ("cl100k_base", Exactness::Estimate));
        assert_eq!(estimate.why(), "the vocabulary of Claude is not published; cl100k_base stands in");
    }
}
