//! Dice formulas as the npm package `droll` 0.2.1 reads and rolls them, and what `{{roll}}` accepts on top.

use crate::{RandomSource, number, string};
use std::fmt;

/// More dice than this are refused: JavaScript would roll until the tab dies.
pub const MAX_DICE: u32 = 1_000_000;

/// A formula such as `3d6+4`: how many dice, with how many sides, and what to add.
///
/// The numbers are doubles because JavaScript's are; `1d99999999999999999999999` is a legal die.
///
/// ```
/// use tavernkit_js::dice::Formula;
/// let formula = Formula::parse("2d6-1").unwrap();
/// assert_eq!((formula.dice, formula.sides, formula.modifier), (2.0, 6.0, -1.0));
/// assert_eq!(formula.roll(&mut || 0.5).unwrap().to_string(), "4 + 4 - 1 = 7");
/// assert!(Formula::parse("2d6 - 1").is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Formula {
    /// Number of dice, at least 1.
    pub dice: f64,
    /// Sides of each die, at least 1.
    pub sides: f64,
    /// What is added to the sum.
    pub modifier: f64,
}

/// The formula asks for more than [`MAX_DICE`] dice.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{} dice are too many, the limit is {MAX_DICE}", number::format(*.dice))]
pub struct TooManyDice {
    /// What was asked for.
    pub dice: f64,
}

impl Formula {
    /// Reads `[count]d<sides>[+|-modifier]`. No blanks, no leading zeros in count and sides; `d` in any case.
    pub fn parse(text: &str) -> Option<Self> {
        let (count, rest) = text.split_once(['d', 'D'])?;
        let (sides, modifier) = rest.split_at(rest.find(['+', '-']).unwrap_or(rest.len()));
        if !(count.is_empty() || is_plain_count(count)) || !is_plain_count(sides) {
            return None;
        }
        let modifier_digits = modifier.get(1..).unwrap_or("");
        if !modifier.is_empty() && !is_digits(modifier_digits) {
            return None;
        }
        let value = |digits: &str| if digits.is_empty() { 0.0 } else { number::parse(digits) };
        let sign = if modifier.starts_with('-') { -1.0 } else { 1.0 };
        Some(Self {
            dice: if count.is_empty() { 1.0 } else { value(count) },
            sides: value(sides),
            // Adding zero turns the -0 of `1d6-0` into 0.
            modifier: sign * value(modifier_digits) + 0.0,
        })
    }

    /// Reads what people write in `{{roll:…}}`: blanks around are dropped and plain digits mean one die of so many sides.
    ///
    /// ```
    /// use tavernkit_js::dice::Formula;
    /// assert_eq!(Formula::parse_argument(" 20 "), Formula::parse("1d20"));
    /// ```
    pub fn parse_argument(text: &str) -> Option<Self> {
        let text = string::trim(text);
        if is_digits(text) { Self::parse(&format!("1d{text}")) } else { Self::parse(text) }
    }

    /// Smallest possible total.
    pub fn min(&self) -> f64 {
        self.dice + self.modifier
    }

    /// Greatest possible total.
    pub fn max(&self) -> f64 {
        self.dice * self.sides + self.modifier
    }

    /// Rolls every die in turn, one random number each.
    pub fn roll(&self, random: &mut (impl RandomSource + ?Sized)) -> Result<Roll, TooManyDice> {
        if self.dice > f64::from(MAX_DICE) {
            return Err(TooManyDice { dice: self.dice });
        }
        let rolls: Vec<f64> =
            (0..self.dice as u32).map(|_| 1.0 + (random.next_f64() * self.sides).floor()).collect();
        let total = rolls.iter().sum::<f64>() + self.modifier;
        Ok(Roll { rolls, modifier: self.modifier, total })
    }
}

/// What the dice showed.
#[derive(Clone, Debug, PartialEq)]
pub struct Roll {
    /// Each die, in order.
    pub rolls: Vec<f64>,
    /// The formula's modifier.
    pub modifier: f64,
    /// Sum of the dice and the modifier.
    pub total: f64,
}

impl fmt::Display for Roll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, roll) in self.rolls.iter().enumerate() {
            let plus = if index == 0 { "" } else { " + " };
            write!(f, "{plus}{}", number::format(*roll))?;
        }
        if self.modifier != 0.0 {
            let sign = if self.modifier > 0.0 { '+' } else { '-' };
            write!(f, " {sign} {}", number::format(self.modifier.abs()))?;
        } else if self.rolls.len() == 1 {
            return Ok(());
        }
        write!(f, " = {}", number::format(self.total))
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Digits that do not start with a zero.
fn is_plain_count(text: &str) -> bool {
    is_digits(text) && !text.starts_with('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_droll_refuses() {
        for text in
            ["", "d", "6", "0d6", "1d06", "1d 6", "1d6+", "1d6+-2", "1d6+2d4", "1d-6", "1d6\n", "１d6", "dF"]
        {
            assert_eq!(Formula::parse(text), None, "{text:?}");
        }
        assert_eq!(Formula::parse_argument("007"), None);
        assert_eq!(Formula::parse_argument("\u{3000}1d4\n"), Formula::parse("d4"));
    }

    #[test]
    fn an_endless_roll_is_an_error() {
        let formula = Formula::parse("99999999999d6").unwrap();
        let error = formula.roll(&mut || 0.0).unwrap_err();
        assert_eq!(error.to_string(), "99999999999 dice are too many, the limit is 1000000");
    }

    #[test]
    fn prints_like_droll() {
        let print = |text: &str| Formula::parse(text).unwrap().roll(&mut || 0.0).unwrap().to_string();
        assert_eq!(print("d6"), "1");
        assert_eq!(print("1d6-0"), "1");
        assert_eq!(print("2d6"), "1 + 1 = 2");
        assert_eq!(print("1d6+3"), "1 + 3 = 4");
        assert_eq!(print("1d2-2"), "1 - 2 = -1");
    }
}
