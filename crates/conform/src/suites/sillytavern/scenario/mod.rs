//! The lore part of whole scenarios: everything that happens in a generation up to the end of the lore scan.
//!
//! A scenario is played step by step: the chat grows, timed effects, variables and injections carry over, and each
//! build scans what SillyTavern would scan. What is not modelled is taken from the recording or makes the scenario
//! *not covered*: who speaks in a group, random numbers, the messages of tools, and variables that other parts of the
//! prompt changed are read from the recording; a bias in the input and slash commands other than `/inject` are not covered.

mod build;
mod chat;
mod group;
mod injections;
mod replay;
mod reply;
mod stage;

use serde_json::{Value, json};

use crate::suites::Outcome;
use stage::Stage;

/// Why a scenario has no answer.
enum Problem {
    /// A part of the program that does not exist yet.
    NotCovered(&'static str),
    /// The scenario or the play is wrong.
    Wrong(String),
}

impl From<&'static str> for Problem {
    fn from(text: &'static str) -> Self {
        Self::Wrong(text.into())
    }
}

/// Whether the recording of a scenario has lore scans. Without entries in any linked book there is none.
pub fn has_lore(case: &Value) -> bool {
    let mut steps = case["golden"]["steps"].as_array().into_iter().flatten();
    steps.any(|step| ["activated", "scans"].iter().any(|part| !items(&step["world_info"][part]).is_empty()))
}

/// Plays a scenario and compares activated entries, sweeps, the author's note, timed effects and the chat of every step.
pub fn scenario_lore(_: &Value, case: &Value) -> Outcome {
    match play(&case["scenario"], &case["golden"]) {
        Ok(ours) => Outcome::compare(&ours, &expected(&case["golden"])),
        Err(Problem::NotCovered(what)) => Outcome::Unsupported(what.into()),
        Err(Problem::Wrong(why)) => Outcome::Failed(why),
    }
}

fn play(scenario: &Value, golden: &Value) -> Result<Value, Problem> {
    let mut stage = Stage::open(scenario, golden)?;
    if scenario["warmup"] == true {
        // The program's own dry run after a chat is opened. Its numbers are not recorded; its seed is 1.
        stage.play(&json!({"generate": {"dry_run": true}, "seed": 1}), &Value::Null)?;
    }
    let single = [json!({ "generate": scenario["generate"] })];
    let steps = scenario["steps"].as_array().map_or(&single[..], Vec::as_slice);
    let recorded = items(&golden["steps"]);
    if steps.len() != recorded.len() {
        return Err("the recording has another number of steps".into());
    }
    stage.queue_replies(&scenario["mock"]["replies"]);
    let mut ours = Vec::new();
    for (step, recorded) in steps.iter().zip(recorded) {
        ours.push(stage.play(step, recorded)?);
    }
    Ok(Value::Array(ours))
}

/// The parts of a recording that are compared.
fn expected(golden: &Value) -> Value {
    let step = |step: &Value| {
        let lore = &step["world_info"];
        let brief = |entry: &Value| {
            json!({"world": entry["world"], "uid": entry["uid"], "comment": entry["comment"],
                "order": entry["order"], "content": entry["content"]})
        };
        let event = |event: &Value| Value::Array(items(event).iter().map(brief).collect());
        let mut scans = items(&lore["scans"]).to_vec();
        // What is active after a sweep is compared at the end of its scan only.
        for i in 0..scans.len() {
            let is_last = scans.get(i + 1).is_none_or(|next| next["loop"] == 1);
            if let (false, Some(scan)) = (is_last, scans[i].as_object_mut()) {
                scan.remove("activated");
            }
        }
        let mut parts = json!({
            "activated": items(&lore["activated"]).iter().map(event).collect::<Vec<_>>(),
            "scans": scans,
            "note": step["extension_prompts"][build::NOTE]["value"].as_str().unwrap_or_default(),
        });
        if let timed @ Value::Object(_) = &step["metadata_after"]["timedWorldInfo"] {
            parts["timed"] = timed.clone();
        }
        if let Some(chat) = step["chat_after"].as_array() {
            let line = |line: &Value| json!([line["name"], line["mes"]]);
            parts["chat"] = chat.iter().map(line).collect();
        }
        parts
    };
    items(&golden["steps"]).iter().map(step).collect()
}

fn items(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}
