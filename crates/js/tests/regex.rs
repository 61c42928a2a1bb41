//! Corners of ECMAScript regular expressions, one test each. What V8 recorded is in `conformance/js`.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use tavernkit_js::regex::{Fuel, Regex, RegexErrorKind};

fn regex(pattern: &str, flags: &str) -> Regex {
    Regex::new(pattern, flags).unwrap_or_else(|e| panic!("/{pattern}/{flags}: {e}"))
}

/// The groups of the first match; `-` for one that took no part.
fn groups(pattern: &str, flags: &str, text: &str) -> Option<String> {
    let found = regex(pattern, flags).find_at(text, 0, &mut Fuel::default()).expect("enough fuel")?;
    let groups: Vec<&str> = (0..found.group_len()).map(|i| found.group_text(i).unwrap_or("-")).collect();
    Some(groups.join(","))
}

fn all(pattern: &str, flags: &str, text: &str) -> Vec<String> {
    let found = regex(pattern, flags).find_all(text, &mut Fuel::default()).expect("enough fuel");
    found.iter().map(|m| m.text().to_owned()).collect()
}

#[test]
fn captures_are_unset_at_the_start_of_each_round() {
    assert_eq!(groups("(?:(a)|(b)|(c))+", "", "abcb").as_deref(), Some("abcb,-,b,-"));
    assert_eq!(groups("(z)((a+)?(b+)?(c))*", "", "zaacbbbcac").as_deref(), Some("zaacbbbcac,z,ac,a,-,c"));
}

#[test]
fn a_round_that_takes_nothing_does_not_count() {
    assert_eq!(groups("(a*)*", "", "b").as_deref(), Some(",-"));
    assert_eq!(groups("(?:a?)*?b", "", "ab").as_deref(), Some("ab"));
    assert_eq!(groups("(?:|a){2,3}b", "", "aab").as_deref(), Some("aab"));
    assert_eq!(groups("(a?){3}", "", "a").as_deref(), Some("a,"));
}

#[test]
fn references_to_groups_that_took_no_part_match_nothing() {
    assert_eq!(groups(r"\1(a)", "", "a").as_deref(), Some("a,a"));
    assert_eq!(groups(r"(?:(a)|b)\1c", "", "bc").as_deref(), Some("bc,-"));
    assert_eq!(groups(r"(?!(a))\1b", "", "b").as_deref(), Some("b,-"));
}

#[test]
fn lookbehind_goes_from_right_to_left() {
    assert_eq!(groups(r"(?<=(\d+)(\d+))$", "", "1053").as_deref(), Some(",1,053"));
    assert_eq!(groups(r"(?<=\1(a))b", "", "aab").as_deref(), Some("b,a"));
    assert_eq!(groups(r"(?<!ab)c", "", "abc"), None);
    assert_eq!(groups(r"(?<=^ab{2,3})c", "", "abbc").as_deref(), Some("c"));
}

#[test]
fn names_may_be_shared_by_alternatives() {
    let regex = regex(r"(?:(?<y>\d{4})-\d\d|\d\d-(?<y>\d{4}))", "");
    let found = regex.find_at("12-2024", 0, &mut Fuel::default()).unwrap().unwrap();
    assert_eq!(found.name_text("y"), Some("2024"));
    assert_eq!(regex.group_names().collect::<Vec<_>>(), [("y", &[1, 2][..])]);
    assert!(Regex::new("(?<y>a)(?<y>b)", "").is_err());
    assert!(Regex::new("(?<y>a(?<y>b))", "").is_err());
    assert_eq!(groups(r"(?:(?<x>a)|(?<x>b))\k<x>", "", "bb").as_deref(), Some("bb,-,b"));
}

#[test]
fn modifiers_hold_inside_their_group() {
    assert_eq!(all("(?i:a)b", "g", "Ab AB"), ["Ab"]);
    assert_eq!(all("(?-i:a)b", "gi", "aB AB"), ["aB"]);
    assert_eq!(all("(?s:.)(?m:^)b", "g", "\nb"), ["\nb"]);
    for bad in ["(?-:a)", "(?ii:a)", "(?i-i:a)", "(?g:a)", "(?i", "(?i)a"] {
        assert!(Regex::new(bad, "").is_err(), "{bad}");
    }
}

#[test]
fn case_has_one_rule_without_u_and_another_with_it() {
    assert_eq!(all("k", "gi", "kK\u{212A}"), ["k", "K"]);
    assert_eq!(all("k", "giu", "kK\u{212A}"), ["k", "K", "\u{212A}"]);
    assert_eq!(all(r"\w", "giu", "ſ-"), ["ſ"]);
    assert_eq!(all(r"[^x]", "giu", "xXy"), ["y"]);
    assert_eq!(all("ß", "giu", "ẞß"), ["ẞ", "ß"]);
    assert_eq!(all("ß", "gi", "ẞß"), ["ß"]);
    assert_eq!(all(r"(é)\1", "gi", "éÉ"), ["éÉ"]);
}

#[test]
fn what_browsers_accept_without_u() {
    assert_eq!(all(r"a{,2}", "", "a{,2}"), ["a{,2}"]);
    assert_eq!(all(r"{{char}}", "", "{{char}}"), ["{{char}}"]);
    assert_eq!(all(r"\8\u{2}", "", "8uu"), ["8uu"]);
    assert_eq!(all(r"[\c_\ca]+", "", "\u{1F}\u{1}"), ["\u{1F}\u{1}"]);
    assert_eq!(all(r"\c", "", r"\c"), [r"\c"]);
    assert_eq!(all(r"[\w-a]+", "", "x-a"), ["x-a"]);
    assert_eq!(all(r"\101\0", "", "A\0"), ["A\0"]);
    assert_eq!(all(r"(?=a)*b", "", "b"), ["b"]);
    for strict in [r"a{,2}", "{", "}", "]", r"\8", r"\c", r"[\w-a]", r"\a", r"(?=a)*", r"\k", r"\u{110000}"] {
        assert!(Regex::new(strict, "u").is_err(), "{strict}");
    }
}

#[test]
fn sets_of_the_v_flag() {
    assert_eq!(all(r"[\p{L}--[a-z]]", "gv", "aBé"), ["B", "é"]);
    assert_eq!(all(r"[[a-z]&&[aeiou]]", "gv", "abe"), ["a", "e"]);
    assert_eq!(all(r"[\q{abc|a|}x]", "gv", "abcax"), ["abc", "a", "x", ""]);
    assert_eq!(all(r"\p{RGI_Emoji}", "gv", "👩‍👩‍👧1️⃣x🇫🇷"), ["👩‍👩‍👧", "1️⃣", "🇫🇷"]);
    for bad in ["[a--b&&c]", "[(]", "[a-]", r"[^\q{ab}]", r"\P{RGI_Emoji}", "[&&a]", "[a&&&b]"] {
        assert!(Regex::new(bad, "v").is_err(), "{bad}");
    }
}

#[test]
fn a_character_above_ffff_is_two_units_without_u() {
    assert_eq!(regex(".", "g").count("😀", &mut Fuel::default()), Ok(2));
    assert_eq!(regex(".", "gu").count("😀", &mut Fuel::default()), Ok(1));
    assert_eq!(regex("", "g").count("😀", &mut Fuel::default()), Ok(3));
    assert_eq!(groups("^.{2}$", "", "😀").as_deref(), Some("😀"));
    assert_eq!(groups(r"^\S$", "", "😀"), None);
    assert_eq!(all("\"[^\"]*\"", "g", "x\"a😀\"y"), ["\"a😀\""]);
}

#[test]
fn empty_matches_move_on() {
    assert_eq!(all("x*", "g", "axb"), ["", "x", "", ""]);
    assert_eq!(all(r"\b", "gy", "ab"), [""]);
    assert_eq!(all("(?<=a)", "g", "aba").len(), 2);
}

#[test]
fn sticky_matches_begin_at_the_start() {
    let sticky = regex("foo", "y");
    assert!(sticky.find_at("barfoo", 0, &mut Fuel::default()).unwrap().is_none());
    assert!(sticky.find_at("barfoo", 3, &mut Fuel::default()).unwrap().is_some());
    assert_eq!(all("a", "gy", "aaba"), ["a", "a"]);
}

#[test]
fn long_counted_loops_count() {
    let text = "ab".repeat(600);
    assert_eq!(groups("^(?:ab){600}$", "", &text), Some(text.clone()));
    assert_eq!(groups("^(?:ab){601}$", "", &text), None);
    assert_eq!(groups("(?:(?:ab?){2,300}?,)+", "", "abab,aba,").as_deref(), Some("abab,aba,"));
    assert_eq!(groups("^(?:a|ab){100,400}?$", "", &"ab".repeat(400)), Some("ab".repeat(400)));
}

#[test]
fn exhaustion_is_not_the_absence_of_a_match() {
    let hungry = regex(r"^(?:(a+)+\1?)+$", "");
    let mut fuel = Fuel::new(5_000);
    assert!(hungry.is_match(&("a".repeat(40) + "b"), &mut fuel).is_err());
    assert_eq!(fuel.remaining(), 0);
    assert_eq!(regex("b", "").is_match("aaa", &mut Fuel::default()), Ok(false));
    // Without back references the memory of failures is enough.
    assert_eq!(
        regex(r"^(?:(a+)+)+$", "").is_match(&("a".repeat(4000) + "b"), &mut Fuel::default()),
        Ok(false)
    );
}

#[test]
fn memory_is_bounded() {
    let text = "ab".repeat(3 << 20);
    for pattern in ["^(?:(a)|(b)|a)*c", "^(?:x|a??)(?:(a)|(b))*c", "^(?:(?:(a)|(b)|a){3}){1000,}c"] {
        assert!(regex(pattern, "").is_match(&text, &mut Fuel::new(u64::MAX)).is_err(), "{pattern}");
    }
}

#[test]
fn failures_inside_looks_are_remembered_rightly() {
    // The look succeeds, what follows fails, and the look is asked again at the same place.
    assert_eq!(groups("^(?:(?=(a+)+b)a|a)*c", "", &("a".repeat(60) + "b")), None);
    assert_eq!(groups("(?:(?=a*(b))a|(?=a*(c))a)+", "", "aaac").as_deref(), Some("aaa,-,c"));
    assert_eq!(groups("^(?:(?!(?:a|a)*c)a)*b", "", &("a".repeat(60) + "b")), Some("a".repeat(60) + "b"));
}

#[test]
fn errors_name_the_place() {
    let error = Regex::new("aé(b", "").unwrap_err();
    assert_eq!((error.kind(), error.offset()), (RegexErrorKind::Syntax, 3));
    assert_eq!(error.to_string(), "invalid regular expression, at 3: unterminated group");
    assert_eq!(Regex::new("a", "gg").unwrap_err().kind(), RegexErrorKind::Flags);
    assert_eq!(Regex::new(&"(".repeat(5000), "").unwrap_err().kind(), RegexErrorKind::TooLarge);
    assert_eq!(Regex::new(&"[".repeat(5000), "v").unwrap_err().kind(), RegexErrorKind::TooLarge);
}

#[test]
fn starts_inside_a_character_are_its_own() {
    let found = regex("é", "").find_at("é", 1, &mut Fuel::default()).unwrap();
    assert_eq!(found.map(|m| m.range()), Some(0..2));
    assert!(regex("", "").find_at("é", 3, &mut Fuel::default()).unwrap().is_none());
}

#[test]
fn replacing_with_a_function_puts_the_text_in_as_it_is() {
    let shout = regex(r"(\w)\w*", "g");
    let out =
        shout.replace_with("ab cd", &mut Fuel::default(), |m| format!("$1{}", m.group_text(1).unwrap_or("")));
    assert_eq!(out.as_deref(), Ok("$1a $1c"));
}
