//! Which vocabulary a model uses, from its name.

use crate::embedded::Encoding;
use tavernkit_core::Exactness;

/// What the table says about a model name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelMatch {
    /// The family the name belongs to, as people call it.
    pub family: &'static str,
    /// The embedded vocabulary to count with.
    pub encoding: Encoding,
    /// Why that vocabulary is not the model's own; `None` when it is.
    pub stand_in: Option<StandIn>,
}

/// Why another vocabulary counts for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StandIn {
    /// The maker does not publish the vocabulary.
    Unpublished,
    /// The vocabulary exists but is not inside the binary: the model's `tokenizer.json` gives exact counts.
    NeedsFile,
    /// Nobody told us about this model.
    UnknownModel,
}

impl ModelMatch {
    /// Exact when the vocabulary is the model's own.
    pub fn exactness(&self) -> Exactness {
        match self.stand_in {
            None => Exactness::Exact,
            Some(_) => Exactness::Estimate,
        }
    }

    /// One sentence for people.
    pub fn why(&self) -> String {
        let Self { family, encoding, .. } = self;
        match self.stand_in {
            None => format!("{family} uses {encoding}"),
            Some(StandIn::Unpublished) => {
                format!("the vocabulary of {family} is not published; {encoding} stands in")
            }
            Some(StandIn::NeedsFile) => {
                format!("{encoding} stands in for {family}; its own tokenizer.json would be exact")
            }
            Some(StandIn::UnknownModel) => format!("unknown model; {encoding} stands in"),
        }
    }
}

/// How a row finds its models.
enum Finds {
    /// The name is this, or goes on with `-`, `:` or `@` (`gpt-4-turbo`, but not `gpt-4.2`).
    Name(&'static str),
    /// The name starts with this.
    Prefix(&'static str),
    /// The name contains this anywhere.
    Part(&'static str),
}

use Encoding::{Cl100kBase, O200kBase};
use Finds::{Name, Part, Prefix};
use StandIn::{NeedsFile, UnknownModel, Unpublished};

/// The first row that finds the name wins, so the special stands before the general.
///
/// Stand-ins are chosen by how dense the vocabularies are: small or older ones split non-English text about as
/// cl100k_base does, the large multilingual ones about as o200k_base does.
const TABLE: &[(Finds, &str, Encoding, Option<StandIn>)] = &[
    // OpenAI. gpt-oss adds control tokens to o200k_base; ordinary text is split the same.
    (Part("gpt-oss"), "gpt-oss", O200kBase, None),
    (Prefix("gpt-5"), "GPT-5", O200kBase, None),
    (Prefix("gpt-4.5"), "GPT-4.5", O200kBase, None),
    (Prefix("gpt-4.1"), "GPT-4.1", O200kBase, None),
    (Prefix("gpt-4o"), "GPT-4o", O200kBase, None),
    (Prefix("chatgpt-4o"), "GPT-4o", O200kBase, None),
    (Name("o1"), "OpenAI o1", O200kBase, None),
    (Name("o3"), "OpenAI o3", O200kBase, None),
    (Name("o4"), "OpenAI o4", O200kBase, None),
    (Name("gpt-4"), "GPT-4", Cl100kBase, None),
    (Prefix("gpt-3.5-turbo"), "GPT-3.5", Cl100kBase, None),
    (Prefix("gpt-35-turbo"), "GPT-3.5", Cl100kBase, None),
    (Prefix("text-embedding-3"), "OpenAI embeddings", Cl100kBase, None),
    (Prefix("text-embedding-ada-002"), "OpenAI embeddings", Cl100kBase, None),
    (Name("davinci-002"), "davinci-002", Cl100kBase, None),
    (Name("babbage-002"), "babbage-002", Cl100kBase, None),
    (Prefix("text-davinci"), "GPT-3", Cl100kBase, Some(NeedsFile)),
    (Name("gpt2"), "GPT-2", Cl100kBase, Some(NeedsFile)),
    (Name("gpt-2"), "GPT-2", Cl100kBase, Some(NeedsFile)),
    (Prefix("gpt-"), "a newer GPT", O200kBase, Some(UnknownModel)),
    // Makers that keep their vocabulary to themselves.
    (Part("claude"), "Claude", Cl100kBase, Some(Unpublished)),
    (Part("grok"), "Grok", O200kBase, Some(Unpublished)),
    (Part("gemini"), "Gemini", O200kBase, Some(Unpublished)),
    (Part("learnlm"), "LearnLM", O200kBase, Some(Unpublished)),
    // Open weights. A distilled model's name holds two families; the one it was distilled *into* splits its text.
    (Part("distill-qwen"), "Qwen", O200kBase, Some(NeedsFile)),
    (Part("distill-llama"), "Llama 3", O200kBase, Some(NeedsFile)),
    (Part("gemma"), "Gemma", O200kBase, Some(NeedsFile)),
    (Part("deepseek"), "DeepSeek", O200kBase, Some(NeedsFile)),
    (Part("qwen"), "Qwen", O200kBase, Some(NeedsFile)),
    (Part("qwq"), "Qwen", O200kBase, Some(NeedsFile)),
    (Part("kimi"), "Kimi", O200kBase, Some(NeedsFile)),
    (Part("glm-"), "GLM", O200kBase, Some(NeedsFile)),
    (Part("minimax"), "MiniMax", O200kBase, Some(NeedsFile)),
    (Part("nemo"), "Mistral NeMo", O200kBase, Some(NeedsFile)),
    (Part("pixtral"), "Pixtral", O200kBase, Some(NeedsFile)),
    (Part("ministral"), "Ministral", O200kBase, Some(NeedsFile)),
    (Part("mixtral"), "Mixtral", Cl100kBase, Some(NeedsFile)),
    (Part("mistral-7b"), "Mistral 7B", Cl100kBase, Some(NeedsFile)),
    (Part("mistral"), "Mistral", O200kBase, Some(NeedsFile)),
    (Part("llama-2"), "Llama 2", Cl100kBase, Some(NeedsFile)),
    (Part("llama2"), "Llama 2", Cl100kBase, Some(NeedsFile)),
    (Part("codellama"), "Code Llama", Cl100kBase, Some(NeedsFile)),
    (Part("llama"), "Llama 3", O200kBase, Some(NeedsFile)),
    (Part("command-"), "Command", O200kBase, Some(NeedsFile)),
    (Part("jamba"), "Jamba", Cl100kBase, Some(NeedsFile)),
    (Part("phi-"), "Phi", Cl100kBase, Some(NeedsFile)),
    (Name("yi"), "Yi", Cl100kBase, Some(NeedsFile)),
];

/// Looks a model name up, in any case, with or without a provider before it (`openai/gpt-4o`, `models/gemini-…`) and
/// with or without OpenAI's `ft:`.
///
/// ```
/// use tavernkit_tokens::{Encoding, Exactness, StandIn, model_match};
///
/// let found = model_match("openai/gpt-4.1-mini");
/// assert_eq!((found.encoding, found.exactness()), (Encoding::O200kBase, Exactness::Exact));
///
/// let found = model_match("meta-llama/Llama-3.3-70B-Instruct");
/// assert_eq!(found.stand_in, Some(StandIn::NeedsFile));
/// assert_eq!(found.why(), "o200k_base stands in for Llama 3; its own tokenizer.json would be exact");
///
/// assert_eq!(model_match("my-own-merge-v7").stand_in, Some(StandIn::UnknownModel));
/// ```
pub fn model_match(model: &str) -> ModelMatch {
    let name = bare_name(model);
    TABLE.iter().find(|(finds, ..)| finds.finds(&name)).map_or(
        ModelMatch { family: "unknown", encoding: O200kBase, stand_in: Some(UnknownModel) },
        |&(_, family, encoding, stand_in)| ModelMatch { family, encoding, stand_in },
    )
}

/// The name in lower case without provider, folder or fine-tuning marks.
pub(crate) fn bare_name(model: &str) -> String {
    let name = model.trim().to_lowercase();
    let name = name.rsplit('/').next().unwrap_or_default();
    name.strip_prefix("ft:").unwrap_or(name).to_owned()
}

impl Finds {
    fn finds(&self, name: &str) -> bool {
        match self {
            Name(word) => name
                .strip_prefix(word)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', ':', '@'])),
            Prefix(start) => name.starts_with(start),
            Part(part) => name.contains(part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(model: &str) -> (Encoding, Option<StandIn>) {
        let found = model_match(model);
        (found.encoding, found.stand_in)
    }

    #[test]
    fn openai_models_are_exact() {
        for model in [
            "gpt-4o",
            "gpt-4o-mini-2024-07-18",
            "chatgpt-4o-latest",
            "gpt-4.1-nano",
            "gpt-4.5-preview",
            "gpt-5",
            "gpt-5.1-chat-latest",
            "o1",
            "o1-preview",
            "o3-mini",
            "o4-mini",
            "openai/gpt-oss-120b",
            "OpenAI/GPT-4o",
            "ft:gpt-4o-mini:acme::abc",
        ] {
            assert_eq!(found(model), (O200kBase, None), "{model}");
        }
        for model in [
            "gpt-4",
            "gpt-4-turbo",
            "gpt-4-32k-0613",
            "gpt-4-0125-preview",
            "gpt-3.5-turbo-16k",
            "text-embedding-3-small",
            "text-embedding-ada-002",
            " gpt-4 ",
            "ft:gpt-3.5-turbo:acme",
        ] {
            assert_eq!(found(model), (Cl100kBase, None), "{model}");
        }
    }

    #[test]
    fn others_are_estimates() {
        assert_eq!(found("anthropic/claude-opus-4.1"), (Cl100kBase, Some(Unpublished)));
        assert_eq!(found("models/gemini-2.5-pro"), (O200kBase, Some(Unpublished)));
        assert_eq!(found("google/gemma-4-27b-it"), (O200kBase, Some(NeedsFile)));
        assert_eq!(found("mistralai/Mistral-7B-Instruct-v0.2"), (Cl100kBase, Some(NeedsFile)));
        assert_eq!(found("mistral-large-latest"), (O200kBase, Some(NeedsFile)));
        assert_eq!(found("Qwen/Qwen3-235B-A22B"), (O200kBase, Some(NeedsFile)));
        assert_eq!(model_match("deepseek-r1-distill-llama-70b").family, "Llama 3");
        for model in ["", "/", "gpt-6-ultra", "gpt-40", "gpt-4x", "gpt-4.9", "o5", "o12", "yippee", "ünïcode"]
        {
            assert_eq!(found(model).1, Some(UnknownModel), "{model}");
        }
    }
}
