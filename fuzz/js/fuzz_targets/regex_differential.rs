//! The same matches as `regress`, another ECMAScript engine, on patterns made from the input.
//!
//! Patterns come from a small grammar without what regress is known to do differently (see `docs/regex.md`), and are kept
//! short, for regress has no step limit.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tavernkit_js::regex::{Fuel, Regex};

struct Source<'d>(&'d [u8]);

impl Source<'_> {
    fn pick(&mut self, n: usize) -> usize {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        usize::from(*first) % n
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.pick(of.len())]
    }
}

const ATOMS: &[&str] = &[
    "a", "b", "c", "A", "x", "é", "É", "龙", "ß", "σ", ".", "\\d", "\\w", "\\s", "\\W", "\\S", "[ab]", "[^a]", "[a-cé]", "[^\\w]", "[\\s\\S]",
    "\\1", "\\2", "^", "$", "\\b", "\\B", " ", "\\n", "1",
];
const QUANTIFIERS: &[&str] = &["", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}?", "{2,}"];
const GROUPS: &[&str] = &["(", "(", "(?:", "(?=", "(?!", "(?<=", "(?<!"];

fn pattern(source: &mut Source, depth: usize, out: &mut String) {
    for i in 0..1 + source.pick(3) {
        if i > 0 && source.pick(4) == 0 {
            out.push('|');
        }
        if depth < 3 && source.pick(4) == 0 {
            let group = source.one(GROUPS);
            out.push_str(group);
            pattern(source, depth + 1, out);
            out.push(')');
            if !group.starts_with("(?=") && !group.starts_with("(?!") && !group.starts_with("(?<") {
                out.push_str(source.one(QUANTIFIERS));
            }
        } else {
            let atom = source.one(ATOMS);
            out.push_str(atom);
            if !["^", "$", "\\b", "\\B"].contains(&atom) {
                out.push_str(source.one(QUANTIFIERS));
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let mut source = Source(data);
    let flags = source.one(&["", "i", "m", "s", "u", "iu", "ims", "msu"]);
    let mut text = String::new();
    (0..source.pick(12)).for_each(|_| text.push_str(source.one(&["a", "b", "c", "A", "é", "É", "龙", "1", " ", "\n", "x", "σ", "Σ"])));
    let mut made = String::new();
    pattern(&mut source, 0, &mut made);
    if made.len() > 40 {
        return;
    }
    let (Ok(ours), Ok(theirs)) = (Regex::new(&made, &format!("g{flags}")), regress::Regex::with_flags(&made, flags)) else {
        return;
    };
    // What we can do within the limit, regress can do in a bearable time.
    let Ok(found) = ours.find_all(&text, &mut Fuel::new(20_000)) else { return };
    let ours: Vec<Vec<_>> = found.iter().map(|m| (0..m.group_len()).map(|i| m.group(i)).collect()).collect();
    let theirs: Vec<Vec<_>> = theirs.find_iter(&text).map(|m| m.groups().collect()).collect();
    assert_eq!(ours, theirs, "/{made}/{flags} on {text:?}");
});
