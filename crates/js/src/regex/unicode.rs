//! Unicode properties and case folding, from tables made by `scripts/gen-unicode.mjs`.
//!
//! `properties.bin` is a list of entries: one byte of kind (`b` binary property, `g` general category, `s` script,
//! `x` script extensions where they differ from the script, `q` property of strings), the names (length, text, separated
//! by blanks), the length of the body, the body. Numbers are little-endian base-128. A body of ranges holds, for each
//! range, the gap since the last one and the length less one; a body of strings holds their count, then each as its
//! length and its characters.

use super::ast::Fold;
use super::case_tables::{FOLD, UPPER};
use super::classes::{CharSet, MAX};

static PROPERTIES: &[u8] = include_bytes!("properties.bin");

/// What a `\p{…}` stands for.
#[derive(Debug, PartialEq)]
pub(super) enum Property {
    Chars(CharSet),
    /// A property of strings; only `v` allows it.
    Strings(Vec<Vec<u32>>),
}

/// Looks up `name` or `name=value`, spelled exactly as the specification wants.
pub(super) fn property(name: &str, value: Option<&str>) -> Option<Property> {
    let chars = |set| Some(Property::Chars(set));
    match (name, value) {
        ("General_Category" | "gc", Some(value)) => chars(ranges(b'g', value)?),
        ("Script" | "sc", Some(value)) => chars(ranges(b's', value)?),
        ("Script_Extensions" | "scx", Some(value)) => {
            chars(ranges(b'x', value).or_else(|| ranges(b's', value))?)
        }
        (_, Some(_)) => None,
        ("Any", None) => chars(CharSet::all()),
        ("ASCII", None) => chars(CharSet::from_ranges(vec![(0, 0x7F)])),
        ("Assigned", None) => chars(ranges(b'g', "Cn")?.complement()),
        ("RGI_Emoji", None) => {
            let parts = EMOJI_PARTS.iter().filter_map(|part| strings(part));
            Some(Property::Strings(parts.flatten().collect()))
        }
        (name, None) => match ranges(b'g', name).or_else(|| ranges(b'b', name)) {
            Some(set) => chars(set),
            None => strings(name).map(Property::Strings),
        },
    }
}

/// The properties of strings whose union is `RGI_Emoji`.
const EMOJI_PARTS: [&str; 6] = [
    "Basic_Emoji",
    "Emoji_Keycap_Sequence",
    "RGI_Emoji_Modifier_Sequence",
    "RGI_Emoji_Flag_Sequence",
    "RGI_Emoji_Tag_Sequence",
    "RGI_Emoji_ZWJ_Sequence",
];

/// A reader of the table; a table cut short reads as zeros, so that it cannot panic.
struct Reader(&'static [u8]);

impl Reader {
    fn take(&mut self, n: usize) -> &'static [u8] {
        let (head, rest) = self.0.split_at(n.min(self.0.len()));
        self.0 = rest;
        head
    }

    fn number(&mut self) -> u32 {
        let mut value = 0;
        for shift in (0..32).step_by(7) {
            let byte = self.take(1).first().copied().unwrap_or(0);
            value |= u32::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }
}

/// The body of the entry of that kind and name.
fn entry(kind: u8, name: &str) -> Option<Reader> {
    let mut table = Reader(PROPERTIES);
    while let [found, ..] = table.take(1) {
        let length = table.number() as usize;
        let names = table.take(length);
        let length = table.number() as usize;
        let body = table.take(length);
        if *found == kind && names.split(|b| *b == b' ').any(|n| n == name.as_bytes()) {
            return Some(Reader(body));
        }
    }
    None
}

fn ranges(kind: u8, name: &str) -> Option<CharSet> {
    let mut body = entry(kind, name)?;
    let mut out = Vec::new();
    let mut next = 0;
    while !body.0.is_empty() {
        let lo = next + body.number();
        let hi = lo + body.number();
        out.push((lo, hi));
        next = hi + 1;
    }
    Some(CharSet::from_ranges(out))
}

fn strings(name: &str) -> Option<Vec<Vec<u32>>> {
    let mut body = entry(b'q', name)?;
    let count = body.number();
    Some((0..count).map(|_| (0..body.number()).map(|_| body.number()).collect()).collect())
}

/// A mapping of characters for comparison without case.
type Rows = &'static [(u32, u32, u32, i32)];

fn rows(fold: Fold) -> Rows {
    match fold {
        Fold::Exact => &[],
        Fold::Upper => UPPER,
        Fold::Simple => FOLD,
    }
}

/// The specification's Canonicalize: two characters are the same without case when this maps them to the same one.
pub(super) fn canonicalize(c: u32, fold: Fold) -> u32 {
    if c < 0x80 {
        return match fold {
            Fold::Upper if (0x61..=0x7A).contains(&c) => c - 0x20,
            Fold::Simple if (0x41..=0x5A).contains(&c) => c + 0x20,
            _ => c,
        };
    }
    let rows = rows(fold);
    let i = rows.partition_point(|row| row.1 < c);
    match rows.get(i) {
        Some(&(first, _, step, delta)) if first <= c && (c - first).is_multiple_of(step) => {
            c.wrapping_add_signed(delta)
        }
        _ => c,
    }
}

/// Every pair of a character and what it maps to, where the two differ.
fn pairs(fold: Fold) -> impl Iterator<Item = (u32, u32)> {
    rows(fold).iter().flat_map(|&(first, last, step, delta)| {
        (first..=last).step_by(step as usize).map(move |c| (c, c.wrapping_add_signed(delta)))
    })
}

/// All characters equal to one of the set's without case.
pub(super) fn close_over_case(set: &CharSet, fold: Fold) -> CharSet {
    if fold == Fold::Exact {
        return set.clone();
    }
    if set.ranges().last().is_none_or(|(_, hi)| *hi < 0x80) {
        // A few characters: no need to go through the tables.
        let relatives = set.chars().flat_map(|c| same_without_case(c, fold).ranges().to_vec());
        return CharSet::from_ranges(relatives.collect());
    }
    // Blanks and digits have no case; asking the few hundred rows is cheaper than going through thousands of pairs.
    let has_case = rows(fold).iter().any(|&(first, last, _, delta)| {
        set.meets(first, last) || set.meets(first.wrapping_add_signed(delta), last.wrapping_add_signed(delta))
    });
    if !has_case {
        return set.clone();
    }
    let folded = fold_set(set, fold);
    unfold_set(&folded, fold).union(set)
}

/// The canonical forms of the characters of a set.
pub(super) fn fold_set(set: &CharSet, fold: Fold) -> CharSet {
    if fold == Fold::Exact {
        return set.clone();
    }
    let (mut gone, mut added) = (Vec::new(), Vec::new());
    for (from, to) in pairs(fold).filter(|(from, _)| set.contains(*from)) {
        gone.push((from, from));
        added.push((to, to));
    }
    set.subtract(&CharSet::from_ranges(gone)).union(&CharSet::from_ranges(added))
}

/// All characters whose canonical form is in a set of canonical forms.
pub(super) fn unfold_set(folded: &CharSet, fold: Fold) -> CharSet {
    let others = pairs(fold).filter(|(_, to)| folded.contains(*to)).map(|(from, _)| (from, from)).collect();
    folded.union(&CharSet::from_ranges(others))
}

/// The canonical forms of all characters.
pub(super) fn all_folded(fold: Fold) -> CharSet {
    CharSet::from_ranges(pairs(fold).map(|(from, _)| (from, from)).collect()).complement()
}

/// The characters equal to this one without case, itself among them.
pub(super) fn same_without_case(c: u32, fold: Fold) -> CharSet {
    let mut set = CharSet::single(c);
    if fold == Fold::Exact || c > MAX {
        return set;
    }
    let ascii_letter = |c: u32| c < 0x80 && (c as u8).is_ascii_alphabetic();
    if c < 0x80 && !ascii_letter(c) {
        return set;
    }
    if ascii_letter(c) && (fold == Fold::Upper || !matches!(c | 0x20, 0x6B | 0x73)) {
        // Without u nothing outside ASCII equals an ASCII letter; with u only k and s have such relatives.
        set.add(c ^ 0x20, c ^ 0x20);
        return set;
    }
    let to = canonicalize(c, fold);
    set.add(to, to);
    for (from, _) in pairs(fold).filter(|pair| pair.1 == to) {
        set.add(from, from);
    }
    set
}

/// Whether a character may begin a group's name.
pub(super) fn is_name_start(c: u32) -> bool {
    match char::from_u32(c) {
        Some('$' | '_') => true,
        Some(c) if c.is_ascii() => c.is_ascii_alphabetic(),
        Some(_) => ranges(b'b', "ID_Start").is_some_and(|set| set.contains(c)),
        None => false,
    }
}

/// Whether a character may go on in a group's name.
pub(super) fn is_name_part(c: u32) -> bool {
    match char::from_u32(c) {
        Some('$' | '_' | '\u{200C}' | '\u{200D}') => true,
        Some(c) if c.is_ascii() => c.is_ascii_alphanumeric(),
        Some(_) => ranges(b'b', "ID_Continue").is_some_and(|set| set.contains(c)),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(name: &str, value: Option<&str>) -> CharSet {
        match property(name, value) {
            Some(Property::Chars(set)) => set,
            other => panic!("{name}: {other:?}"),
        }
    }

    #[test]
    fn properties_are_found_by_their_exact_names() {
        assert!(chars("L", None).contains(0x9F99));
        assert_eq!(chars("L", None), chars("gc", Some("Letter")));
        assert!(chars("Script", Some("Greek")).contains(0x3B1));
        assert!(chars("scx", Some("Deva")).contains(0x964) && !chars("sc", Some("Deva")).contains(0x964));
        assert!(chars("Cs", None).contains(0xD800) && chars("Any", None).contains(0xDFFF));
        assert!(!chars("Lu", None).contains(0xD800));
        for (name, value) in
            [("lu", None), ("Greek", None), ("Block", Some("Basic_Latin")), ("sc", Some("Foo"))]
        {
            assert_eq!(property(name, value), None, "{name}");
        }
    }

    #[test]
    fn emoji_sequences_are_strings() {
        let Some(Property::Strings(all)) = property("RGI_Emoji", None) else { panic!() };
        let family: Vec<u32> = "👩‍👩‍👧".chars().map(u32::from).collect();
        assert!(all.contains(&family));
        assert!(all.len() > 3000);
    }

    #[test]
    fn case_has_two_rules() {
        let same = |c: char, fold| -> String {
            same_without_case(c.into(), fold).chars().filter_map(char::from_u32).collect()
        };
        assert_eq!(same('k', Fold::Upper), "Kk");
        assert_eq!(same('k', Fold::Simple), "Kk\u{212A}");
        assert_eq!(same('s', Fold::Simple), "Ssſ");
        assert_eq!(same('ſ', Fold::Upper), "ſ");
        assert_eq!(same('σ', Fold::Upper), "Σςσ");
        assert_eq!(same('ß', Fold::Upper), "ß");
        assert_eq!(same('ß', Fold::Simple), "ßẞ");
        assert_eq!(same('ı', Fold::Upper), "ı");
        assert_eq!(same('İ', Fold::Simple), "İ");
        assert_eq!(canonicalize(0x10428, Fold::Simple), canonicalize(0x10400, Fold::Simple));
        assert_eq!(canonicalize(0x10428, Fold::Upper), 0x10428);
        assert_eq!(canonicalize(u32::from('é'), Fold::Upper), u32::from('É'));
    }
}
