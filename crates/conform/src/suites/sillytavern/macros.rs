//! `macros.json`: a template in a recorded state, and what both engines made of it.

use serde_json::{Map, Value, json};
use tavernkit_core::{Scope, Variables};
use tavernkit_js::random::Mulberry32;
use tavernkit_sillytavern::macros::{DynamicMacro, Engine, EngineKind, Options, State};

use super::fixture::{Fixture, apply_case};
use crate::suites::Outcome;

pub(super) fn run(file: &Value, case: &Value) -> Outcome {
    let Some(fixture) = Fixture::of_case(file, case) else {
        return Outcome::Failed("the fixture of the case does not exist".into());
    };
    let Some(template) = case["template"].as_str() else {
        return Outcome::Failed("the case has no template".into());
    };
    let messages = fixture.messages();
    let mut environment = fixture.environment(&messages);
    apply_case(&mut environment, case);
    let kind = if case["engine"] == "legacy" { EngineKind::Legacy } else { EngineKind::V2 };
    let mut variables = Variables::new(variables(&case["local"]), variables(&case["global"]));
    let mut random = Mulberry32::new(case["seed"].as_i64().unwrap_or(1) as u32);
    let state = State { variables: &mut variables, random: &mut random };
    let expansion = Engine::new(kind).expand(template, &environment, &options(&case["options"]), state);

    let mut ours = Map::new();
    ours.insert("output".into(), expansion.text.into());
    for (scope, before, after) in
        [(Scope::Local, "local", "local_after"), (Scope::Global, "global", "global_after")]
    {
        let now: Map<String, Value> =
            variables.iter(scope).map(|(name, value)| (name.into(), value.clone())).collect();
        let now = Value::Object(now);
        // The recorder leaves out variables that nothing changed.
        if now != *case.get(before).unwrap_or(&json!({})) {
            ours.insert(after.into(), now);
        }
    }
    Outcome::compare(&Value::Object(ours), &case["expected"])
}

fn variables<T: FromIterator<(String, Value)>>(map: &Value) -> T {
    map.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn options(options: &Value) -> Options<'_> {
    let text = |key: &str| options[key].as_str().map(Into::into);
    let mut expanded = Options {
        user: text("name1Override"),
        character: text("name2Override"),
        group: text("groupOverride"),
        original: text("original"),
        ..Options::default()
    };
    if options["replaceCharacterCard"] == false {
        expanded.card = tavernkit_sillytavern::macros::CardAccess::Hidden;
    }
    for (name, value) in options["dynamicMacros"].as_object().into_iter().flatten() {
        expanded.dynamic.insert(name, DynamicMacro::Json(value.clone()));
    }
    expanded
}
