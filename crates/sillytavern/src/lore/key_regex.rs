//! A regular expression used as a key, and how far it can see.
//!
//! The scanned text is made of parts (messages, card texts, entries) with a separator between them. An expression that
//! cannot look over a separator can be tested part by part, and the answers kept. [`Reach`] says which can.

use tavernkit_js::regex::{Fuel, Regex};

/// A compiled regular-expression key.
#[derive(Debug, Clone)]
pub(crate) struct KeyRegex {
    regex: Regex,
    pub(crate) reach: Reach,
    /// Folded ASCII texts that every match contains.
    pub(crate) literals: Vec<Box<str>>,
}

/// The answer of one test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Hit,
    Miss,
    /// The step limit ended the search. It counts as a miss, and is reported.
    Exhausted,
}

impl KeyRegex {
    /// Compiles; `None` when the pattern or its flags are invalid.
    pub(crate) fn new(pattern: &str, flags: &str) -> Option<Self> {
        let regex = Regex::new(pattern, flags).ok()?;
        let Shape { reach, literals } = Shape::of(pattern, flags);
        Some(Self { regex, reach, literals })
    }

    /// Tests a text.
    pub(crate) fn test(&self, text: &str) -> Answer {
        // Enough for any honest expression to pass over a long text.
        let mut fuel = Fuel::new(1_000_000 + 64 * text.len() as u64);
        match self.regex.is_match(text, &mut fuel) {
            Ok(true) => Answer::Hit,
            Ok(false) => Answer::Miss,
            Err(_) => Answer::Exhausted,
        }
    }
}

/// What the matches of an expression can take in or look at, seen conservatively.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Reach {
    /// Can match a line feed.
    pub(crate) newline: bool,
    /// Can match U+0001.
    pub(crate) control: bool,
    /// Looks outside its match: anchors, lookaround, the sticky flag.
    pub(crate) outside: bool,
}

impl Reach {
    /// Whether every match lies within one part (its separator characters included).
    ///
    /// A separator is a line feed and U+0001, so whoever cannot match one of the two cannot cross it.
    pub(crate) fn is_local(self) -> bool {
        let crosses = self.newline && self.control;
        !self.outside && !crosses
    }
}

/// What can be read off a pattern without running it.
#[derive(Debug, Default)]
struct Shape {
    reach: Reach,
    literals: Vec<Box<str>>,
}

/// Shorter literals are in most texts and sort out nothing.
const MIN_LITERAL: usize = 3;
const MAX_LITERALS: usize = 3;

impl Shape {
    fn of(pattern: &str, flags: &str) -> Self {
        let mut reader = Reader { chars: pattern.chars().collect(), at: 0, reach: Reach::default() };
        reader.reach.outside = flags.contains('y');
        let dot_all = flags.contains('s');
        let mut runs = Runs::default();
        let mut depth = 0_usize;
        while let Some(c) = reader.next() {
            match c {
                '\\' => {
                    let literal = reader.escape();
                    runs.add(literal.filter(|_| depth == 0));
                }
                '[' => {
                    reader.class();
                    runs.end();
                }
                '(' => {
                    reader.group_head();
                    depth += 1;
                    runs.end();
                }
                ')' => {
                    depth = depth.saturating_sub(1);
                    runs.end();
                }
                '|' if depth == 0 => {
                    runs.spoiled = true;
                }
                '.' => {
                    reader.reach.control = true;
                    reader.reach.newline |= dot_all;
                    runs.end();
                }
                '^' | '$' => {
                    reader.reach.outside = true;
                    runs.end();
                }
                '*' | '?' => runs.make_optional(),
                '{' => {
                    runs.make_optional();
                    reader.quantifier();
                }
                '+' => runs.end(),
                '\n' => {
                    reader.reach.newline = true;
                    runs.end();
                }
                '\u{1}' => {
                    reader.reach.control = true;
                    runs.end();
                }
                literal => runs.add(Some(literal).filter(|_| depth == 0)),
            }
        }
        runs.end();
        // With both flags a plain letter also matches a few letters far away in Unicode.
        let unsure = runs.spoiled || (flags.contains('i') && flags.contains('u'));
        Self { reach: reader.reach, literals: if unsure { Vec::new() } else { runs.longest() } }
    }
}

/// Collects runs of literal characters that must appear one after the other.
#[derive(Default)]
struct Runs {
    current: String,
    done: Vec<String>,
    /// There is a choice at the top: nothing is certain to appear.
    spoiled: bool,
}

impl Runs {
    fn add(&mut self, literal: Option<char>) {
        match literal {
            Some(c) if c.is_ascii_alphanumeric() || c == ' ' || c == '_' || c == '-' => {
                self.current.push(c.to_ascii_lowercase());
            }
            _ => self.end(),
        }
    }

    fn end(&mut self) {
        if self.current.len() >= MIN_LITERAL {
            self.done.push(std::mem::take(&mut self.current));
        }
        self.current.clear();
    }

    /// The character before may be absent.
    fn make_optional(&mut self) {
        self.current.pop();
        self.end();
    }

    fn longest(mut self) -> Vec<Box<str>> {
        self.done.sort_by_key(|run| std::cmp::Reverse(run.len()));
        self.done.truncate(MAX_LITERALS);
        self.done.into_iter().map(String::into_boxed_str).collect()
    }
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    reach: Reach,
}

impl Reader {
    fn next(&mut self) -> Option<char> {
        let c = self.chars.get(self.at).copied();
        self.at += usize::from(c.is_some());
        c
    }

    fn rest_starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c))
    }

    /// Reads what follows a backslash; the character it stands for when that is plain.
    fn escape(&mut self) -> Option<char> {
        let c = self.next()?;
        match c {
            'd' | 'w' | 'b' | 'B' | 't' | 'v' | 'f' | 'r' => None,
            's' | 'n' => {
                self.reach.newline = true;
                None
            }
            'S' => {
                self.reach.control = true;
                None
            }
            'c' => {
                self.reach.newline = true;
                self.reach.control = true;
                self.next();
                None
            }
            c if c.is_ascii_alphanumeric() => {
                // Classes, numbers and names: anything is possible, and their tails are read as plain characters.
                self.reach.newline = true;
                self.reach.control = true;
                self.skip_name();
                None
            }
            sign => Some(sign),
        }
    }

    /// Passes over the digits, letters or braces that belong to an escape.
    fn skip_name(&mut self) {
        while self.chars.get(self.at).is_some_and(|c| c.is_ascii_hexdigit()) {
            self.at += 1;
        }
        let close = match self.chars.get(self.at) {
            Some('{') => '}',
            Some('<') => '>',
            _ => return,
        };
        while self.next().is_some_and(|c| c != close) {}
    }

    /// Passes over the rest of `{2}`, `{2,}` or `{2,3}`; anything else in braces is plain text.
    fn quantifier(&mut self) {
        let tail = &self.chars[self.at..];
        let close = tail.iter().position(|c| !c.is_ascii_digit() && *c != ',');
        if let Some(close) = close.filter(|close| *close > 0 && tail[*close] == '}') {
            self.at += close + 1;
        }
    }

    /// Reads a character class.
    fn class(&mut self) {
        if self.rest_starts_with("^") {
            self.reach.newline = true;
            self.reach.control = true;
        }
        while let Some(c) = self.next() {
            match c {
                ']' => return,
                '\\' => {
                    // It may begin a range that runs over the line feed.
                    self.reach.newline |= "btvfr".chars().any(|c| self.chars.get(self.at) == Some(&c));
                    self.escape();
                }
                '\u{1}' => self.reach.control = true,
                '\n' => self.reach.newline = true,
                // The start of a range below the blank.
                c if c < ' ' => {
                    self.reach.newline = true;
                    self.reach.control = true;
                }
                _ => {}
            }
        }
    }

    /// Reads what follows an opening parenthesis.
    fn group_head(&mut self) {
        if !self.rest_starts_with("?") || self.rest_starts_with("?:") {
            return;
        }
        let named =
            self.rest_starts_with("?<") && !self.rest_starts_with("?<=") && !self.rest_starts_with("?<!");
        if named {
            while self.next().is_some_and(|c| c != '>') {}
        } else {
            self.reach.outside = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(pattern: &str, flags: &str) -> (bool, Vec<String>) {
        let shape = Shape::of(pattern, flags);
        (shape.reach.is_local(), shape.literals.iter().map(|l| l.to_string()).collect())
    }

    #[test]
    fn expressions_that_stay_within_a_part_are_local() {
        for pattern in
            [r"rope", r"\bbrass\w*\s+timber\b", r"r.pe", r"(?:rope|sail)s?", r"[a-z]+\d", r"(?<n>a)b"]
        {
            assert!(shape(pattern, "i").0, "{pattern}");
        }
        let crossing = [
            r"^rope",
            r"rope$",
            r"a[^b]c",
            r"\x01Bram",
            r"\W",
            r"(?=a)b",
            r"(?<!a)b",
            r"\u0001",
            r"a\s.b",
            r"\1",
            "\u{1}a\n",
            r"\D",
            r"\cA\cJ",
            r"\p{L}",
            r"[\t-z].",
        ];
        for pattern in crossing {
            assert!(!shape(pattern, "").0, "{pattern}");
        }
        assert!(!shape("a.b", "s").0 && !shape("ab", "y").0);
    }

    #[test]
    fn literals_are_what_every_match_contains() {
        assert_eq!(shape(r"\bbrass\w*\s+timber\b", "i").1, ["timber", "brass"]);
        assert_eq!(shape("ropes?", "").1, ["rope"]);
        assert_eq!(shape("ropes*x", "").1, ["rope"]);
        assert_eq!(shape("rop{0,2}e", "").1, Vec::<String>::new());
        assert_eq!(shape("rope|sail", "").1, Vec::<String>::new());
        assert_eq!(shape("(rope|sail)anchor", "").1, ["anchor"]);
        assert_eq!(shape("abc+def", "").1, ["abc", "def"]);
        assert_eq!(shape("ab{100}cde", "").1, ["cde"]);
        assert_eq!(shape(r"\cJabc", "").1, ["abc"]);
        assert_eq!(shape(r"a\.bcd", "").1, ["bcd"]);
        assert_eq!(shape("mask", "iu").1, Vec::<String>::new());
        assert_eq!(shape(r"\u0041abc", "").1, Vec::<String>::new());
        assert_eq!(shape("(abc)?xyz", "").1, ["xyz"]);
    }

    #[test]
    fn invalid_expressions_are_refused() {
        assert!(KeyRegex::new("bad(", "").is_none() && KeyRegex::new("a", "gg").is_none());
        assert_eq!(KeyRegex::new("b", "y").map(|r| r.test("ab")), Some(Answer::Miss));
    }
}
