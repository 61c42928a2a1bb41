//! Numbers as text, the way every platform we follow reads and prints them: as JavaScript does.
//!
//! Variables are counters in people's cards; `1.0` must print as `1` and `"0x10"` must count as 16.

/// Prints a number as JavaScript's `String(number)` does.
///
/// ```
/// use tavernkit_core::number;
/// assert_eq!(number::format(3.0), "3");
/// assert_eq!(number::format(0.1 + 0.2), "0.30000000000000004");
/// assert_eq!(number::format(1e21), "1e+21");
/// assert_eq!(number::format(-0.0), "0");
/// ```
pub fn format(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    if value == 0.0 {
        return "0".into();
    }
    let scientific = format!("{:e}", value.abs());
    let (mantissa, exponent) = scientific.split_once('e').expect("`{:e}` always prints an exponent");
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let exponent: i32 = exponent.parse().expect("`{:e}` prints a decimal exponent");
    let sign = if value < 0.0 { "-" } else { "" };
    // `point` is the position of the decimal point counted from the first digit.
    let point = exponent + 1;
    let count = digits.len() as i32;
    if (count..=21).contains(&point) {
        format!("{sign}{digits}{}", "0".repeat((point - count) as usize))
    } else if (1..=21).contains(&point) {
        let (whole, fraction) = digits.split_at(point as usize);
        format!("{sign}{whole}.{fraction}")
    } else if (-5..=0).contains(&point) {
        format!("{sign}0.{}{digits}", "0".repeat(-point as usize))
    } else {
        let (first, rest) = digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        let exponent_sign = if exponent < 0 { '-' } else { '+' };
        format!("{sign}{first}{dot}{rest}e{exponent_sign}{}", exponent.abs())
    }
}

/// Reads a text as JavaScript's `Number(text)` does: blank is 0, anything that is not wholly a number is NaN.
///
/// ```
/// use tavernkit_core::number;
/// assert_eq!(number::parse(" 12.50 "), 12.5);
/// assert_eq!(number::parse(""), 0.0);
/// assert_eq!(number::parse("0x10"), 16.0);
/// assert!(number::parse("12px").is_nan());
/// ```
pub fn parse(text: &str) -> f64 {
    let text = text.trim_matches(is_js_space);
    if text.is_empty() {
        return 0.0;
    }
    for (prefix, radix) in [("0x", 16), ("0X", 16), ("0o", 8), ("0O", 8), ("0b", 2), ("0B", 2)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            return parse_radix(digits, radix);
        }
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned == "Infinity" {
        return if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    if is_decimal_literal(unsigned) { text.parse().unwrap_or(f64::NAN) } else { f64::NAN }
}

/// JavaScript's white space: what `trim()` removes and `Number()` skips.
pub fn is_js_space(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

/// Digits of a power-of-two radix, rounded once, ties to even, as the language demands of big literals.
fn parse_radix(digits: &str, radix: u32) -> f64 {
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return f64::NAN;
    }
    let bits_per_digit = radix.trailing_zeros();
    let mut mantissa: u128 = 0;
    let mut dropped_bits: u32 = 0;
    let mut sticky = false;
    for digit in digits.chars().filter_map(|c| c.to_digit(radix)) {
        if mantissa >> 100 == 0 {
            mantissa = (mantissa << bits_per_digit) | u128::from(digit);
        } else {
            sticky |= digit != 0;
            dropped_bits = dropped_bits.saturating_add(bits_per_digit);
        }
    }
    // The lowest kept bit stands for everything dropped, so that the one rounding below sees a tie only if it is one.
    let rounded = (mantissa | u128::from(sticky)) as f64;
    if dropped_bits > 2000 {
        if mantissa == 0 { 0.0 } else { f64::INFINITY }
    } else {
        rounded * 2f64.powi(dropped_bits as i32)
    }
}

/// `digits[.digits][e[+-]digits]` with at least one digit before or after the point.
fn is_decimal_literal(text: &str) -> bool {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let exponent_ok = exponent.is_none_or(|e| {
        let e = e.strip_prefix(['+', '-']).unwrap_or(e);
        !e.is_empty() && is_digits(e)
    });
    is_digits(whole) && is_digits(fraction) && !(whole.is_empty() && fraction.is_empty()) && exponent_ok
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_like_javascript() {
        for (value, text) in [
            (1.5, "1.5"),
            (100.0, "100"),
            (1e-7, "1e-7"),
            (0.000001, "0.000001"),
            (123456789012345680000.0, "123456789012345680000"),
            (1.7976931348623157e308, "1.7976931348623157e+308"),
            (5e-324, "5e-324"),
            (-2.5, "-2.5"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(format(value), text);
        }
    }

    #[test]
    fn reads_like_javascript() {
        for (text, value) in [
            ("-0.5", -0.5),
            (".5", 0.5),
            ("5.", 5.0),
            ("\u{feff}7\n", 7.0),
            ("1e3", 1000.0),
            ("0b101", 5.0),
            ("-Infinity", f64::NEG_INFINITY),
        ] {
            assert_eq!(parse(text), value, "{text:?}");
        }
        for text in ["inf", "nan", "1_000", "-0x10", ".", "e5", "1e", "infinity", "0x", "1 2"] {
            assert!(parse(text).is_nan(), "{text:?}");
        }
        assert_eq!(parse("0x20000000000001"), 9007199254740992.0);
        assert_eq!(parse("0x20000000000003"), 9007199254740996.0);
    }
}
