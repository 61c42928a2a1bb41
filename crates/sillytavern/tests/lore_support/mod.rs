//! Surroundings for scans in tests: a few macros, seeded chance, a word counter.

use std::collections::HashMap;
use std::sync::Arc;

use tavernkit_js::RandomSource;
use tavernkit_js::random::Mulberry32;
use tavernkit_js::regex::{Fuel, Regex};
use tavernkit_sillytavern::lore::LoreHost;
use tavernkit_tokens::TokenCounter;

/// A host whose every answer follows from its seed and the calls made so far.
#[derive(Clone)]
pub struct TestHost {
    pub user: String,
    pub character: String,
    pub variables: HashMap<String, String>,
    pub random: Mulberry32,
    pub draws: Vec<f64>,
    /// Counts tokens, with 6 on top for each text; without one, words are counted.
    pub counter: Option<Arc<dyn TokenCounter>>,
    /// Applied to active texts: (find, replace).
    pub scripts: Vec<(Regex, String)>,
}

impl TestHost {
    pub fn new(seed: u32) -> Self {
        Self {
            user: "Ilse".into(),
            character: "Bram".into(),
            variables: HashMap::new(),
            random: Mulberry32::new(seed),
            draws: Vec::new(),
            counter: None,
            scripts: Vec::new(),
        }
    }

    fn macro_value(&mut self, inner: &str) -> Option<String> {
        let mut parts = inner.split("::");
        match (parts.next()?, parts.next(), parts.next()) {
            ("user", None, _) => Some(self.user.clone()),
            ("char", None, _) => Some(self.character.clone()),
            ("getvar", Some(name), None) => Some(self.variables.get(name).cloned().unwrap_or_default()),
            ("setvar", Some(name), Some(value)) => {
                self.variables.insert(name.into(), value.into());
                Some(String::new())
            }
            ("incvar", Some(name), None) => {
                let value = self.variables.get(name).and_then(|v| v.parse::<i64>().ok()).unwrap_or(0) + 1;
                self.variables.insert(name.into(), value.to_string());
                Some(value.to_string())
            }
            _ => None,
        }
    }
}

impl LoreHost for TestHost {
    fn expand(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("{{") {
            let Some(len) = rest[start..].find("}}") else { break };
            out.push_str(&rest[..start]);
            let whole = &rest[start..start + len + 2];
            match self.macro_value(&whole[2..whole.len() - 2]) {
                Some(value) => out.push_str(&value),
                None => out.push_str(whole),
            }
            rest = &rest[start + len + 2..];
        }
        out.push_str(rest);
        out
    }

    fn random(&mut self) -> f64 {
        let value = self.random.next_f64();
        self.draws.push(value);
        value
    }

    fn count_tokens(&mut self, text: &str) -> usize {
        match &self.counter {
            _ if text.is_empty() => 0,
            Some(counter) => counter.count(text) + 6,
            None => count_words(text) + 6,
        }
    }

    fn rewrite(&mut self, text: String, _depth: Option<f64>) -> String {
        self.scripts
            .iter()
            .fold(text, |text, (find, with)| find.replace(&text, with, &mut Fuel::default()).unwrap())
    }
}

/// Words, numbers and runs of signs; a line feed stays with the signs before it.
fn count_words(text: &str) -> usize {
    #[derive(PartialEq, Clone, Copy)]
    enum Kind {
        Start,
        Space,
        Word,
        Sign,
        Line,
    }
    let mut count = 0;
    let mut last = Kind::Start;
    for c in text.chars() {
        let kind = match c {
            '\n' => Kind::Line,
            c if c.is_whitespace() => Kind::Space,
            c if c.is_alphanumeric() => Kind::Word,
            _ => Kind::Sign,
        };
        let joined = kind == last || kind == Kind::Space || (kind == Kind::Line && last == Kind::Sign);
        if !joined {
            count += 1;
        }
        last = kind;
    }
    count
}
