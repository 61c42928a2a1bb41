//! `regex.json`: single scripts, and the user's scripts on a text.

use serde_json::{Value, json};
use tavernkit_formats::regex_script::{Placement, RegexScript};
use tavernkit_js::random::Mulberry32;
use tavernkit_sillytavern::macros::{Engine, State};
use tavernkit_sillytavern::regex_scripts::{Call, EngineExpander, Occasion, Origin, Script, ScriptSet};

use super::fixture::{Fixture, apply_case};
use crate::suites::Outcome;

const FUEL: u64 = 1_000_000;

pub(super) fn run(file: &Value, case: &Value) -> Outcome {
    answer(file, case).unwrap_or_else(|problem| Outcome::Failed(problem.into()))
}

fn answer(file: &Value, case: &Value) -> Result<Outcome, &'static str> {
    let fixture = Fixture::of_case(file, case).ok_or("the fixture of the case does not exist")?;
    let text = case["text"].as_str().ok_or("the case has no text")?;
    let messages = fixture.messages();
    let mut environment = fixture.environment(&messages);
    apply_case(&mut environment, case);
    let engine = Engine::default();
    let mut variables = fixture.variables();
    let mut random = Mulberry32::new(case["seed"].as_i64().unwrap_or(1) as u32);
    let state = State { variables: &mut variables, random: &mut random };
    let mut macros = EngineExpander::new(&engine, &environment, state);
    let options = &case["options"];
    let character = options["characterOverride"].as_str();

    let output = if case["mode"] == "pipeline" {
        let mut set = ScriptSet::default();
        set.add(Origin::Global, &scripts(&case["scripts"])?);
        let call = Call { character, depth: options["depth"].as_i64(), ..call(case)? };
        set.run(text, &call, &mut macros).text.into_owned()
    } else {
        let script = Script::compile(&script(&case["script"])?, Origin::Global);
        // A script that cannot run leaves the text as it is.
        let replaced = script.run(text, character, &mut macros, FUEL).unwrap_or_default();
        replaced.unwrap_or_else(|| text.to_owned())
    };
    Ok(Outcome::compare(&json!({"output": output}), &case["expected"]))
}

fn call(case: &Value) -> Result<Call<'_>, &'static str> {
    let options = &case["options"];
    let flag = |name: &str| options[name] == true;
    let occasion = match (flag("isMarkdown"), flag("isPrompt"), flag("isEdit")) {
        (false, false, false) => Occasion::Creation,
        (false, false, true) => Occasion::Edit,
        (true, false, false) => Occasion::Display,
        (false, true, false) => Occasion::Prompt,
        _ => return Err("SillyTavern never makes such a call"),
    };
    let placement: Placement = match case["placement"].as_u64() {
        Some(1) => Placement::UserInput,
        Some(2) => Placement::AiOutput,
        Some(3) => Placement::SlashCommand,
        Some(5) => Placement::WorldInfo,
        Some(6) => Placement::Reasoning,
        _ => return Err("the case has no known placement"),
    };
    Ok(Call::new(placement, occasion))
}

fn scripts(list: &Value) -> Result<Vec<RegexScript>, &'static str> {
    list.as_array().ok_or("the case has no scripts")?.iter().map(script).collect()
}

fn script(value: &Value) -> Result<RegexScript, &'static str> {
    serde_json::from_value(value.clone()).map_err(|_| "the script is no object")
}
