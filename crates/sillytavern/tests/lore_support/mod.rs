//! Surroundings for scans in tests: a few macros, seeded chance, a word counter.

use std::collections::HashMap;

use tavernkit_sillytavern::lore::LoreHost;

/// A host whose every answer follows from its seed and the calls made so far.
pub struct TestHost {
    pub user: String,
    pub character: String,
    pub variables: HashMap<String, String>,
    pub seed: u32,
    pub draws: Vec<f64>,
    /// Applied to active texts: (find, replace).
    pub scripts: Vec<(regress::Regex, String)>,
}

impl TestHost {
    pub fn new(seed: u32) -> Self {
        Self {
            user: "Ilse".into(),
            character: "Bram".into(),
            variables: HashMap::new(),
            seed,
            draws: Vec::new(),
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
        self.seed = self.seed.wrapping_add(0x6D2B_79F5);
        let mut t = self.seed;
        t = (t ^ (t >> 15)).wrapping_mul(t | 1);
        t ^= t.wrapping_add((t ^ (t >> 7)).wrapping_mul(t | 61));
        let value = f64::from(t ^ (t >> 14)) / 4_294_967_296.0;
        self.draws.push(value);
        value
    }

    /// Words, numbers and runs of signs, a line feed staying with the signs before it; 6 on top for each text.
    fn count_tokens(&mut self, text: &str) -> usize {
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
        if text.is_empty() { 0 } else { count + 6 }
    }

    fn rewrite(&mut self, text: String, _depth: Option<f64>) -> String {
        self.scripts.iter().fold(text, |text, (find, replace)| find.replace_all(&text, replace))
    }
}
