use serde_json::{Value, json};
use tavernkit_core::{Scope, Variables};
use tavernkit_formats::Limits;

use super::*;
use crate::macros::{Engine, Environment, State};

/// A script that runs on everything, with changes.
fn script(changes: Value) -> RegexScript {
    let mut script =
        json!({"scriptName": "test", "findRegex": "/a/g", "replaceString": "X", "placement": [1, 2]});
    for (key, value) in changes.as_object().unwrap() {
        script[key] = value.clone();
    }
    RegexScript::parse(script.to_string().as_bytes(), &Limits::default()).unwrap().value[0].clone()
}

fn set(scripts: &[RegexScript]) -> ScriptSet {
    let mut set = ScriptSet::default();
    set.add(Origin::Global, scripts);
    set
}

fn run_on<'t>(set: &ScriptSet, text: &'t str, call: &Call<'_>) -> Regexed<'t> {
    let (engine, environment) = (Engine::default(), Environment::named("Ilse", "Bram"));
    set.run(text, call, &mut EngineExpander::without_state(&engine, &environment))
}

fn creation() -> Call<'static> {
    Call::new(Placement::AiOutput, Occasion::Creation)
}

fn replace(changes: Value, text: &str) -> String {
    run_on(&set(&[script(changes)]), text, &creation()).text.into_owned()
}

#[test]
fn each_occasion_has_its_scripts() {
    let lasting = script(json!({}));
    let edit = script(json!({"runOnEdit": true}));
    let display = script(json!({"markdownOnly": true}));
    let prompt = script(json!({"promptOnly": true}));
    let both = script(json!({"markdownOnly": true, "promptOnly": true}));
    let meant = |script: &RegexScript| {
        let script = Script::compile(script, Origin::Global);
        [Occasion::Creation, Occasion::Edit, Occasion::Display, Occasion::Prompt]
            .map(|occasion| script.is_meant(&Call::new(Placement::AiOutput, occasion)))
    };
    assert_eq!(meant(&lasting), [true, false, false, false]);
    assert_eq!(meant(&edit), [true, true, false, false]);
    assert_eq!(meant(&display), [false, false, true, false]);
    assert_eq!(meant(&prompt), [false, false, false, true]);
    assert_eq!(meant(&both), [false, false, true, true]);
}

#[test]
fn depth_counts_only_where_there_is_one() {
    let limited = Script::compile(&script(json!({"minDepth": 1, "maxDepth": 2})), Origin::Global);
    let at = |depth: Option<i64>| limited.is_meant(&Call { depth, ..creation() });
    assert_eq!(
        [None, Some(-1), Some(0), Some(1), Some(2), Some(3)].map(at),
        [true, false, false, true, true, false]
    );
    let no_limit = Script::compile(&script(json!({"minDepth": -2, "maxDepth": -1})), Origin::Global);
    assert!(no_limit.is_meant(&creation().at_depth(-5)) && no_limit.is_meant(&creation().at_depth(50)));
}

#[test]
fn placement_and_switch() {
    let scripts = set(&[script(json!({"placement": [5]})), script(json!({"disabled": true}))]);
    assert_eq!(run_on(&scripts, "a", &creation()).text, "a");
    assert_eq!(run_on(&scripts, "a", &Call::new(Placement::WorldInfo, Occasion::Creation)).text, "X");
}

#[test]
fn global_then_preset_then_card() {
    let add = |letter: &str| [script(json!({"findRegex": "$", "replaceString": letter}))];
    let mut set = ScriptSet::default();
    set.add(Origin::Card, &add("c"));
    set.add(Origin::Global, &add("g"));
    set.add(Origin::Preset, &add("p"));
    set.add(Origin::Global, &add("h"));
    let result = run_on(&set, "-", &creation());
    assert_eq!((result.text.as_ref(), result.changed_by.as_slice()), ("-ghpc", [0, 1, 2, 3].as_slice()));
}

#[test]
fn arguments_beyond_the_groups() {
    assert_eq!(replace(json!({"findRegex": "/(b)/", "replaceString": "[$2|$3|$4]"}), "ab"), "a[1|ab|]");
    assert_eq!(
        replace(json!({"findRegex": "/(a)/", "replaceString": "[$2]"}), "ab"),
        "[]b",
        "offset 0 prints nothing"
    );
    assert_eq!(
        replace(json!({"findRegex": "/b/", "replaceString": "$1"}), "😀b"),
        "😀2",
        "offsets count units"
    );
    assert_eq!(replace(json!({"findRegex": "/(?<n>b)/", "replaceString": "$<n>$<m>$5!"}), "ab"), "ab!");
}

#[test]
fn what_is_no_text_cannot_be_filled_in() {
    let odd = script(json!({"findRegex": "/b/", "replaceString": "$1", "trimStrings": ["x"]}));
    let result = run_on(&set(&[odd, script(json!({}))]), "ab", &creation());
    assert_eq!((result.text.as_ref(), result.changed_by), ("Xb", vec![1]));
    assert_eq!(result.warnings[0].code, "regex_script.no_text");
    let groups = set(&[script(json!({"findRegex": "/(?<n>b)/", "replaceString": "$4"}))]);
    assert_eq!(run_on(&groups, "ab", &creation()).warnings[0].code, "regex_script.no_text");
}

#[test]
fn trim_strings_know_the_character_of_the_message() {
    let scripts = set(&[script(
        json!({"findRegex": "/.+/", "replaceString": "$0", "trimStrings": ["{{char}}: ", ""]}),
    )]);
    assert_eq!(run_on(&scripts, "Bram: hello", &creation()).text, "hello");
    assert_eq!(run_on(&scripts, "Mira: hello", &creation().by("Mira")).text, "hello");
}

#[test]
fn replacements_are_expanded_with_what_was_filled_in() {
    assert_eq!(replace(json!({"replaceString": "{{user}}"}), "a a"), "Ilse Ilse");
    assert_eq!(replace(json!({"findRegex": "/<(\\w+)>/g", "replaceString": "{{$1}}"}), "<user>!"), "Ilse!");
}

#[test]
fn patterns_with_macros() {
    let raw = |find: &str| json!({"findRegex": find, "substituteRegex": 1});
    assert_eq!(replace(raw("/{{char}}/g"), "Bram {{char}}"), "X {{char}}");
    let mut variables = Variables::default();
    variables.set(Scope::Local, "v", "a.b/");
    let (engine, environment) = (Engine::default(), Environment::named("Ilse", "Bram"));
    let mut run = |mode: u8, text: &str| {
        let set = set(&[script(json!({"findRegex": "/{{getvar::v}}/g", "substituteRegex": mode}))]);
        let state = State { variables: &mut variables, random: &mut || 0.0 };
        let mut macros = EngineExpander::new(&engine, &environment, state);
        set.run(text, &creation(), &mut macros).text.into_owned()
    };
    assert_eq!(run(2, "a.b/ axb/"), "X axb/");
    assert_eq!(run(1, "a.b/ axb/"), "X X");
    assert_eq!(run(0, "a.b/"), "a.b/");
}

#[test]
fn the_compiled_pattern_follows_the_macros() {
    let set = set(&[script(json!({"findRegex": "/{{char}}/g", "substituteRegex": 1}))]);
    let engine = Engine::default();
    for name in ["Bram", "Mira", "Bram"] {
        let environment = Environment::named("Ilse", name);
        let mut macros = EngineExpander::without_state(&engine, &environment);
        assert_eq!(set.run(name, &creation(), &mut macros).text, "X");
    }
}

#[test]
fn an_endless_script_is_skipped_named_and_changes_no_variable() {
    let slow = script(
        json!({"scriptName": "slow", "findRegex": "/b|(.+)+\\1x/g", "replaceString": "{{incvar::n}}"}),
    );
    let set = set(&[slow, script(json!({"findRegex": "/c/g"}))]).with_fuel(10_000);
    let text = format!("b{}c", "a".repeat(2_000));
    let (engine, environment) = (Engine::default(), Environment::named("Ilse", "Bram"));
    let mut variables = Variables::default();
    let state = State { variables: &mut variables, random: &mut || 0.0 };
    let result = set.run(&text, &creation(), &mut EngineExpander::new(&engine, &environment, state));
    assert_eq!(result.text, text.replace('c', "X"));
    assert_eq!(
        result.warnings[0].to_string(),
        "[regex_script.exhausted] the script \"slow\" was skipped: no answer after 10000 steps (at global regex script \"slow\")"
    );
    assert!(!variables.has(Scope::Local, "n"));
}

#[test]
fn an_invalid_pattern_is_said_before_and_while_running() {
    let set = set(&[script(json!({"scriptName": "broken", "findRegex": "/(/g"}))]);
    assert_eq!(set.warnings()[0].code, "regex_script.invalid_pattern");
    let result = run_on(&set, "a", &creation());
    assert_eq!((result.text, result.warnings.len()), (Cow::Borrowed("a"), 1));
}

#[test]
fn emoji_are_replaced_by_halves_without_the_unicode_flag() {
    assert_eq!(replace(json!({"findRegex": "/./g", "replaceString": "."}), "😀"), "..");
    assert_eq!(replace(json!({"findRegex": "/./gu", "replaceString": "."}), "😀"), ".");
    assert_eq!(replace(json!({"findRegex": "/a/g"}), "😀a"), "😀X");
    assert_eq!(replace(json!({"findRegex": ".", "replaceString": ">{{match}}"}), "😀a"), ">😀a");
    assert_eq!(replace(json!({"findRegex": "/|/g", "replaceString": "$1"}), "😀"), "\u{fffd}1\u{fffd}2");
}

#[test]
fn nothing_to_do_costs_no_copy() {
    let set = set(&[script(json!({}))]);
    assert!(matches!(run_on(&set, "zzz", &creation()).text, Cow::Borrowed("zzz")));
    assert!(matches!(run_on(&set, "", &creation()).text, Cow::Borrowed("")));
}
