//! The pieces a free date text is made of.

use crate::number::is_js_space;

/// One piece of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token {
    /// Digits: how many, and their value. More than nine significant digits are cut, as in V8.
    Number {
        digits: usize,
        value: i64,
    },
    /// A punctuation mark, or a blank run as `' '`.
    Symbol(char),
    /// A known word.
    Word(Word),
    /// A word V8 skips before the first number.
    Garbage,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Word {
    Month(i64),
    /// Hours to add.
    Meridiem(i64),
    /// Hours ahead of UTC.
    Zone {
        hours: i64,
        is_z: bool,
    },
    TimeSeparator,
}

/// Cuts a text into tokens.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let run = |inside: &dyn Fn(char) -> bool| rest.find(|c| !inside(c)).unwrap_or(rest.len());
        let (token, length) = if first.is_ascii_digit() {
            let length = run(&|c| c.is_ascii_digit());
            let significant = rest[..length].trim_start_matches('0');
            let value = significant[..significant.len().min(9)].parse().unwrap_or(0);
            (Token::Number { digits: length, value }, length)
        } else if is_js_space(first) {
            (Token::Symbol(' '), run(&is_js_space))
        } else if first == '(' {
            (Token::Symbol('('), parentheses(rest))
        } else if is_word(first) {
            let length = run(&is_word);
            (word(&rest[..length]), length)
        } else {
            (Token::Symbol(first), first.len_utf8())
        };
        tokens.push(token);
        rest = &rest[length..];
    }
    tokens
}

/// Everything at or above `A` makes words, brackets and foreign letters too.
fn is_word(c: char) -> bool {
    c >= 'A' && !is_js_space(c)
}

/// The length of a comment in parentheses, which may nest and may lack its end.
fn parentheses(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + c.len_utf8();
        }
    }
    text.len()
}

/// Words are known by their first three letters; only months may go on after those.
fn word(text: &str) -> Token {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let prefix: String = text.chars().take(3).collect::<String>().to_ascii_lowercase();
    if let Some(index) = MONTHS.iter().position(|month| *month == prefix) {
        return Token::Word(Word::Month(index as i64 + 1));
    }
    if text.chars().nth(3).is_some() {
        return Token::Garbage;
    }
    let zone = |hours| Word::Zone { hours, is_z: false };
    Token::Word(match prefix.as_str() {
        "am" => Word::Meridiem(0),
        "pm" => Word::Meridiem(12),
        "z" => Word::Zone { hours: 0, is_z: true },
        "ut" | "utc" | "gmt" => zone(0),
        "edt" => zone(-4),
        "est" | "cdt" => zone(-5),
        "cst" | "mdt" => zone(-6),
        "mst" | "pdt" => zone(-7),
        "pst" => zone(-8),
        "t" => Word::TimeSeparator,
        _ => return Token::Garbage,
    })
}
