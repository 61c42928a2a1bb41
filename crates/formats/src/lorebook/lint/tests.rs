use serde_json::{Value, json};

use super::*;

/// The findings of a book with one entry: severity, rule and message.
fn findings(fields: Value) -> Vec<(Severity, Rule, String)> {
    let mut entry =
        json!({"uid": 1, "key": ["ferry"], "content": "A ferry.", "position": 0, "selective": true});
    entry.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let book = Lorebook::from_value(json!({"entries": {"1": entry}})).unwrap().value;
    lint(&book, &Options::default()).into_iter().map(|f| (f.severity, f.rule, f.message)).collect()
}

fn only(fields: Value) -> (Severity, Rule, String) {
    let mut all = findings(fields.clone());
    assert_eq!(all.len(), 1, "{fields}: {all:?}");
    all.remove(0)
}

fn key(key: &str) -> (Severity, Rule, String) {
    only(json!({"key": ["ferry", key]}))
}

#[test]
fn a_good_entry_has_no_findings() {
    for fields in [
        json!({}),
        json!({"key": ["/^a|b/", "/a$/m", "/^\\x01Hi/", "{{getvar::k}}", "née", "猫", "two words!"]}),
        json!({"key": [], "constant": true}),
        json!({"key": [], "content": "@@activate\nText"}),
        json!({"position": 4, "depth": 0, "role": 2}),
        json!({"position": 7, "outletName": "harbour"}),
        json!({"disable": true, "key": [], "position": 99}),
        json!({"keysecondary": ["a", "b"], "selectiveLogic": 2, "triggers": ["swipe"]}),
    ] {
        assert_eq!(findings(fields.clone()), [], "{fields}");
    }
}

#[test]
fn keys() {
    use Rule::*;
    use Severity::*;
    assert_eq!(key(""), (Warning, BlankKey, "an empty key is skipped".into()));
    assert_eq!(
        key("  "),
        (
            Warning,
            BlankKey,
            "a key of blanks matches every text; remove it, or make the entry constant".into()
        )
    );
    let (severity, rule, message) = key("/ferr(y/i");
    assert_eq!((severity, rule), (Error, InvalidRegex));
    assert!(
        message.starts_with("not a valid regular expression (")
            && message.ends_with("), so it is looked for as it is written"),
        "{message}"
    );
    assert_eq!(key("/usr/bin").1, InvalidRegex);
    assert_eq!(
        key("/a/x").2,
        "looks like a regular expression but is none: only the flags g i m s u y may follow the last slash, and slashes inside need a backslash"
    );
    assert_eq!(
        key("/^ferry/i"),
        (Error, KeyNeverMatches, "^ stands for the very start of the scanned text, where there is a control character; leave it out".into())
    );
    assert_eq!(key("/ferry/y").1, KeyNeverMatches);
    assert_eq!(
        key("/ferry$/"),
        (Hint, KeyMatchesLess, "$ stands for the end of all scanned text, not of each message; add the flag m for the end of a line".into())
    );
    assert_eq!(
        key("C++"),
        (Hint, KeyMatchesLess, "with whole words on, the '+' at the edge must have a blank or sign beside it, so the key is not found next to a letter or digit".into())
    );
    assert_eq!(findings(json!({"key": ["C++"], "matchWholeWords": false})), []);
}

#[test]
fn unreachable_entries() {
    let reason = |fields: Value| {
        let (severity, rule, message) = only(fields);
        assert_eq!((severity, rule), (Severity::Error, Rule::Unreachable), "{message}");
        message
    };
    assert_eq!(
        reason(json!({"key": []})),
        "the entry has no key and is not constant, so nothing activates it"
    );
    assert_eq!(reason(json!({"scanDepth": 0})), "with a scan depth of 0 no text is searched for the keys");
    assert_eq!(reason(json!({"probability": 0})), "the probability is 0, so the entry never fires");
    assert_eq!(
        reason(json!({"triggers": ["never"]})),
        "none of the triggers is a generation type, so the entry never fires"
    );
    assert_eq!(
        reason(json!({"delayUntilRecursion": true, "excludeRecursion": true})),
        "the entry waits for recursion and is excluded from it, so it never fires"
    );
    assert_eq!(
        reason(json!({"content": "@@dont_activate\nText"})),
        "@@dont_activate keeps the entry off; only a script can bring it in"
    );
    assert_eq!(
        reason(json!({"keysecondary": ["a"], "selectiveLogic": 9})),
        "the logic of the secondary keys is unknown, so they never agree"
    );
    let messages: Vec<String> = findings(json!({"keysecondary": [""]})).into_iter().map(|f| f.2).collect();
    assert_eq!(
        messages,
        ["an empty key is skipped", "all secondary keys are empty, so none of them ever matches"]
    );
    let messages: Vec<String> =
        findings(json!({"keysecondary": ["", "b"], "selectiveLogic": 3})).into_iter().map(|f| f.2).collect();
    assert_eq!(
        messages,
        ["an empty key is skipped", "one of the secondary keys is empty, so they never match all together"]
    );
    assert_eq!(
        only(json!({"key": [], "vectorized": true})).2,
        "without keys the entry waits for a vector search"
    );
    assert_eq!(only(json!({"triggers": ["swipe", "nap"]})).2, "there is no generation type \"nap\"");
}

#[test]
fn positions() {
    let message = |fields: Value| only(fields).2;
    assert_eq!(message(json!({"position": 12})), "position 12 is unknown, so the text goes nowhere");
    assert_eq!(message(json!({"position": 7})), "the outlet has no name, so no macro can fetch the text");
    assert_eq!(
        message(json!({"position": 4, "depth": null})),
        "the depth is null: the text goes to depth 0, and of several such entries only one is kept"
    );
    assert_eq!(
        message(json!({"position": 4, "depth": -1})),
        "depth -1 is outside 0 to 10000, so the text goes nowhere"
    );
    assert_eq!(
        message(json!({"position": 2})),
        "the text goes with the author's note, and is dropped whenever the note is not due"
    );
    assert_eq!(message(json!({"role": 1})), "the role only counts for entries at a depth");
    assert_eq!(message(json!({"depth": 2})), "the depth only counts for entries at a depth");
    assert_eq!(message(json!({"outletName": "x"})), "the outlet's name only counts for entries in an outlet");
    assert_eq!(
        message(json!({"groupOverride": true})),
        "the entry is in no group, so its group settings do nothing"
    );
    assert_eq!(message(json!({"content": " "})), "the entry has no text, so activating it adds nothing");
}

#[test]
fn ids_and_budget() {
    let entry = |uid: usize, words: usize| json!({"uid": uid, "key": ["k"], "position": 0, "content": "word ".repeat(words), "comment": format!("E{words}")});
    let book = json!({"entries": {"0": entry(0, 2), "1": entry(0, 30), "2": entry(2, 100)}});
    let book = Lorebook::from_value(book).unwrap().value;
    let count = |text: &str| text.split_whitespace().count();
    let options = Options { budget: Some(100), count: Some(&count), ..Options::default() };
    let found: Vec<_> =
        lint(&book, &options).into_iter().map(|f| (f.rule, f.label.unwrap(), f.message)).collect();
    assert_eq!(
        found,
        [
            (
                Rule::DuplicateUid,
                "E30".into(),
                "the id 0 is already that of \"E2\"; only one of the two can be active at a time".into()
            ),
            (Rule::BudgetHog, "E30".into(), "the text has 30 tokens, 30 % of the budget of 100".into()),
            (
                Rule::BudgetHog,
                "E100".into(),
                "the text has 100 tokens and never fits into the budget of 100".into()
            ),
        ]
    );
}

#[test]
fn fields_of_a_card_book_that_nobody_reads() {
    let book =
        Lorebook::from_value(json!({"entries": [], "scan_depth": 4, "token_budget": null})).unwrap().value;
    let found = lint(&book, &Options::default());
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].message,
        "SillyTavern does not read a book's `scan_depth`; the user's settings decide"
    );
    assert_eq!(
        serde_json::to_string(&found[0]).unwrap(),
        r#"{"rule":"field_without_effect","severity":"hint","entry":null,"label":null,"subject":"scan_depth","message":"SillyTavern does not read a book's `scan_depth`; the user's settings decide"}"#
    );
}
