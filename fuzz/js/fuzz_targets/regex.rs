//! Parser, compiler, matcher and replacement on anything: no panic, no hang, and UTF-8 agrees with UTF-16.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tavernkit_js::regex::{Fuel, Regex};

const FLAGS: &[u8; 8] = b"dgimsuvy";

fuzz_target!(|data: &[u8]| {
    let [bits, rest @ ..] = data else { return };
    let flags: String = (0..8).filter(|i| bits >> i & 1 != 0).map(|i| char::from(FLAGS[i])).collect();
    let text = String::from_utf8_lossy(rest);
    let (pattern, text) = text.split_once('\u{1}').unwrap_or((&text, &text));
    let Ok(regex) = Regex::new(pattern, &flags) else { return };
    let fuel = || Fuel::new(100_000);
    let found = regex.find_all(text, &mut fuel());
    let units: Vec<u16> = text.encode_utf16().collect();
    let exact = regex.find_utf16(&units, 0, &mut fuel());
    if let (Ok(found), Ok(exact)) = (&found, &exact) {
        assert_eq!(found.is_empty(), exact.is_none());
        if let (Some(found), Some(exact)) = (found.first(), exact) {
            let range = exact.range();
            let cut = |unit: usize| String::from_utf16_lossy(&units[..unit]).replace('\u{FFFD}', "").len();
            if !text.contains('\u{FFFD}') {
                assert!(found.start() <= cut(range.start) && found.end() >= cut(range.end));
            }
        }
    }
    let _ = regex.replace(text, "$1[$&]$<a>$'", &mut fuel());
    let _ = regex.replace_with(text, &mut fuel(), |m| m.text().to_uppercase());
});
