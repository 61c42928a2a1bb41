//! JavaScript's number operations that platforms use, on top of core's printing and reading.
//!
//! Here: `String(n)` and `Number(text)` (core's [`format`] and [`parse`]), `toFixed`, `parseInt`, `parseFloat`,
//! `Math.round`, `x | 0`, `x >>> 0`, `%` and `**`. They cover variables, timers, dice, probability rolls, token
//! budgets and RisuAI's arithmetic. `Math.floor`, `ceil` and `trunc` are Rust's own.
//!
//! Not here, because no platform prints with them: `toPrecision`, `toExponential`, and `toString(radix)` of anything
//! but a plain integer ([`integer_to_radix`]).

pub use tavernkit_core::number::{format, is_js_space, parse};

/// `Math.round`: halves go up, and the sign of zero is kept.
///
/// ```
/// use tavernkit_js::number;
/// assert_eq!(number::round(2.5), 3.0);
/// assert_eq!(number::round(-2.5), -2.0);
/// assert_eq!(number::round(0.49999999999999994), 0.0);
/// ```
pub fn round(value: f64) -> f64 {
    let below = value.floor();
    let rounded = if value - below >= 0.5 { below + 1.0 } else { below };
    rounded.copysign(value)
}

/// `value >>> 0`: the low 32 bits of the integer part.
pub fn to_uint32(value: f64) -> u32 {
    if !value.is_finite() {
        return 0;
    }
    // The remainder is exact and smaller than 2^32, so the casts lose nothing.
    (value.trunc() % 4_294_967_296.0) as i64 as u32
}

/// `value | 0`: the low 32 bits of the integer part, signed.
///
/// ```
/// use tavernkit_js::number;
/// assert_eq!(number::to_int32(2147483648.0), -2147483648);
/// assert_eq!(number::to_int32(-1.9), -1);
/// ```
pub fn to_int32(value: f64) -> i32 {
    to_uint32(value) as i32
}

/// `a % b`, which takes the sign of `a`.
pub fn remainder(a: f64, b: f64) -> f64 {
    a % b
}

/// `base ** exponent`. Unlike IEEE 754, JavaScript has no answer for `1 ** NaN` and `1 ** Infinity`.
pub fn pow(base: f64, exponent: f64) -> f64 {
    if exponent.is_nan() || (base.abs() == 1.0 && exponent.is_infinite()) {
        return f64::NAN;
    }
    base.powf(exponent)
}

/// The argument of [`to_fixed`] is out of range, which JavaScript answers with a `RangeError`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("toFixed takes 0 to 100 digits, not {digits}")]
pub struct DigitsOutOfRange {
    /// What was asked for.
    pub digits: u32,
}

/// `value.toFixed(digits)`: the exact decimal value, rounded once, halves away from zero.
///
/// ```
/// use tavernkit_js::number;
/// assert_eq!(number::to_fixed(1.005, 2).unwrap(), "1.00");
/// assert_eq!(number::to_fixed(2.5, 0).unwrap(), "3");
/// assert_eq!(number::to_fixed(-0.0000001, 2).unwrap(), "-0.00");
/// ```
pub fn to_fixed(value: f64, digits: u32) -> Result<String, DigitsOutOfRange> {
    if digits > 100 {
        return Err(DigitsOutOfRange { digits });
    }
    if value.is_nan() || value.abs() >= 1e21 {
        return Ok(format(value));
    }
    let digits = digits as usize;
    // 1074 places show every double exactly; cutting that text is the one rounding the language asks for.
    let exact = format!("{:.1074}", value.abs());
    let (whole, fraction) = exact.split_once('.').expect("a precision above 0 prints a point");
    let (kept, dropped) = fraction.split_at(digits);
    let mut decimal: Vec<u8> = whole.bytes().chain(kept.bytes()).collect();
    if dropped.starts_with(|c: char| c >= '5') {
        increment(&mut decimal);
    }
    let mut text = String::with_capacity(decimal.len() + 2);
    // The sign of the number stays even when only zeros are left of it, but -0 itself has none.
    if value < 0.0 {
        text.push('-');
    }
    let point = decimal.len() - digits;
    for (index, digit) in decimal.iter().enumerate() {
        if index == point {
            text.push('.');
        }
        text.push(char::from(*digit));
    }
    Ok(text)
}

/// Adds one to the last of some decimal digits.
fn increment(decimal: &mut Vec<u8>) {
    for digit in decimal.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return;
        }
        *digit = b'0';
    }
    decimal.insert(0, b'1');
}

/// `parseFloat(text)`: the longest number at the start, NaN when there is none.
///
/// ```
/// use tavernkit_js::number;
/// assert_eq!(number::parse_float(" 3.5 gold"), 3.5);
/// assert_eq!(number::parse_float("1e+"), 1.0);
/// assert!(number::parse_float("gold").is_nan());
/// ```
pub fn parse_float(text: &str) -> f64 {
    let text = text.trim_start_matches(is_js_space);
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign_len = text.len() - unsigned.len();
    if unsigned.starts_with("Infinity") {
        return if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    let digits_at =
        |from: usize| unsigned.as_bytes()[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits_at(0);
    let mut end = whole;
    if unsigned[end..].starts_with('.') {
        let fraction = digits_at(end + 1);
        if whole + fraction > 0 {
            end += 1 + fraction;
        }
    }
    if end == 0 {
        return f64::NAN;
    }
    if let Some(exponent) = unsigned[end..].strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['+', '-']));
        let digits = digits_at(end + 1 + sign);
        if digits > 0 {
            end += 1 + sign + digits;
        }
    }
    text[..sign_len + end].parse().unwrap_or(f64::NAN)
}

/// `parseInt(text, radix)`: the longest integer at the start. Without a radix, `0x` means 16, anything else 10.
///
/// ```
/// use tavernkit_js::number;
/// assert_eq!(number::parse_int("12px", None), 12.0);
/// assert_eq!(number::parse_int("0x1f", None), 31.0);
/// assert_eq!(number::parse_int("zz", Some(36)), 1295.0);
/// assert!(number::parse_int("", None).is_nan());
/// ```
pub fn parse_int(text: &str, radix: Option<i32>) -> f64 {
    let text = text.trim_start_matches(is_js_space);
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let negative = text.starts_with('-');
    let radix = radix.unwrap_or(0);
    let (radix, unsigned) = match (radix, unsigned.strip_prefix("0x").or(unsigned.strip_prefix("0X"))) {
        (0 | 16, Some(hex)) => (16, hex),
        (0, None) => (10, unsigned),
        (2..=36, _) => (radix as u32, unsigned),
        _ => return f64::NAN,
    };
    let end = unsigned.find(|c: char| !c.is_digit(radix)).unwrap_or(unsigned.len());
    let digits = &unsigned[..end];
    if digits.is_empty() {
        return f64::NAN;
    }
    let value = integer_value(digits, radix);
    if negative { -value } else { value }
}

/// `number.toString(radix)` of an integer. The radix is brought into 2 to 36, where JavaScript would throw.
///
/// ```
/// use tavernkit_js::number;
/// assert_eq!(number::integer_to_radix(-255, 16), "-ff");
/// assert_eq!(number::integer_to_radix(9007199254740992, 36), "2gosa7pa2gw");
/// ```
pub fn integer_to_radix(value: i64, radix: u32) -> String {
    let radix = radix.clamp(2, 36);
    let mut rest = value.unsigned_abs();
    let mut digits = Vec::new();
    loop {
        let digit = (rest % u64::from(radix)) as u32;
        digits.push(char::from_digit(digit, radix).expect("a remainder is below its radix"));
        rest /= u64::from(radix);
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        digits.push('-');
    }
    digits.iter().rev().collect()
}

/// The value of digits, rounded once where that is cheap: decimal and powers of two are exact, as in browsers.
fn integer_value(digits: &str, radix: u32) -> f64 {
    match radix {
        10 => digits.parse().unwrap_or(f64::NAN),
        16 => parse(&format!("0x{digits}")),
        8 => parse(&format!("0o{digits}")),
        2 => parse(&format!("0b{digits}")),
        _ => digits
            .chars()
            .filter_map(|c| c.to_digit(radix))
            .fold(0.0, |value, digit| value * f64::from(radix) + f64::from(digit)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_digits_round_the_exact_value() {
        let fixed = |value, digits| to_fixed(value, digits).unwrap();
        assert_eq!(fixed(1.45, 1), "1.4");
        assert_eq!(fixed(0.5, 0), "1");
        assert_eq!(fixed(9.995, 2), "9.99");
        assert_eq!(fixed(99.999, 2), "100.00");
        assert_eq!(fixed(-0.0, 2), "0.00");
        assert_eq!(fixed(1e21, 2), "1e+21");
        assert_eq!(fixed(f64::NAN, 2), "NaN");
        assert_eq!(fixed(f64::NEG_INFINITY, 2), "-Infinity");
        assert_eq!(to_fixed(1.0, 101), Err(DigitsOutOfRange { digits: 101 }));
    }

    #[test]
    fn rounding_keeps_the_sign_of_zero() {
        assert!(round(-0.5).is_sign_negative());
        assert!(round(-0.0).is_sign_negative());
        assert_eq!(round(9007199254740991.0), 9007199254740991.0);
        assert!(round(f64::NAN).is_nan());
    }

    #[test]
    fn reads_numbers_at_the_start_of_a_text() {
        assert_eq!(parse_float("-.5e1x"), -5.0);
        assert_eq!(parse_float("5."), 5.0);
        assert!(parse_float(".").is_nan());
        assert!(parse_float("-.e3").is_nan());
        assert_eq!(parse_float("-Infinityx"), f64::NEG_INFINITY);
        assert!(parse_int("0x", None).is_nan());
        assert!(parse_int("1", Some(37)).is_nan());
        assert!(parse_int("1", Some(1)).is_nan());
        assert_eq!(parse_int("-0", None).to_bits(), (-0.0f64).to_bits());
        assert_eq!(parse_int("9007199254740993", None), 9007199254740992.0);
    }

    #[test]
    fn powers_have_two_holes() {
        assert!(pow(1.0, f64::NAN).is_nan());
        assert!(pow(-1.0, f64::INFINITY).is_nan());
        assert_eq!(pow(f64::NAN, 0.0), 1.0);
    }
}
