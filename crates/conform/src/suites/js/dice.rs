//! Dice: droll, and SillyTavern's `{{roll}}` around it.

use serde_json::{Value, json};
use tavernkit_js::dice::Formula;
use tavernkit_js::{RandomSource, number};

use super::value::malformed;
use crate::suites::Outcome;

/// The recorded random numbers, over and over.
struct Recorded<'c> {
    numbers: &'c [Value],
    used: usize,
}

impl RandomSource for Recorded<'_> {
    fn next_f64(&mut self) -> f64 {
        let number = self.numbers.get(self.used % self.numbers.len().max(1));
        self.used += 1;
        number.and_then(Value::as_f64).unwrap_or_default()
    }
}

pub(super) fn run(_: &Value, case: &Value) -> Outcome {
    let (Some(formula), Some(numbers)) = (case["formula"].as_str(), case["random"].as_array()) else {
        return malformed("formula or random numbers");
    };
    let fresh = || Recorded { numbers, used: 0 };
    let parsed = Formula::parse(formula);
    let rolled = parsed.map(|formula| formula.roll(&mut fresh()));
    let Some(rolled) = rolled.transpose().ok() else {
        return Outcome::Unsupported("more dice than the limit".into());
    };
    let mut random = fresh();
    let st_roll = match Formula::parse_argument(formula).map(|formula| formula.roll(&mut random)) {
        Some(Ok(roll)) => number::format(roll.total),
        Some(Err(_)) => return Outcome::Unsupported("more dice than the limit".into()),
        None => String::new(),
    };
    let ours = json!({
        "valid": parsed.is_some(),
        "parsed": parsed.map(|formula| json!({
            "numDice": formula.dice,
            "numSides": formula.sides,
            "modifier": formula.modifier,
            "minResult": formula.min(),
            "maxResult": formula.max(),
            "avgResult": (formula.min() + formula.max()) / 2.0,
        })),
        "rolls": rolled.as_ref().map(|roll| &roll.rolls),
        "total": rolled.as_ref().map(|roll| roll.total),
        "text": rolled.as_ref().map(ToString::to_string),
        "st_roll": st_roll,
        "st_randoms_used": random.used,
    });
    let fields = ["valid", "parsed", "rolls", "total", "text", "st_roll", "st_randoms_used"];
    let recorded: Value = fields.iter().map(|field| ((*field).to_owned(), case[*field].clone())).collect();
    Outcome::compare(&ours, &recorded)
}
