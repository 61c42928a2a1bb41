//! Pipelines from the outside: order, halves, errors, strictness, traces.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::time::Duration;

use serde_json::json;
use tavernkit_core::instrument::TraceCollector;
use tavernkit_core::{
    BuildScope, Error, ErrorKind, Exactness, Pipeline, Result, SeededRandom, Stage, Strictness, TokenCounter,
    Warning,
};

struct Bytes;

impl TokenCounter for Bytes {
    fn id(&self) -> &str {
        "bytes"
    }

    fn exactness(&self) -> Exactness {
        Exactness::Estimate
    }

    fn count(&self, text: &str) -> usize {
        text.len()
    }
}

/// Notes when its halves run.
struct Note(&'static str);

impl Stage<Vec<String>> for Note {
    fn run(&self, state: &mut Vec<String>, scope: &mut BuildScope<'_>) -> Result<()> {
        scope.stat("seen", || json!(state.len()));
        state.push(self.0.to_owned());
        Ok(())
    }

    fn finish(&self, state: &mut Vec<String>, _: &mut BuildScope<'_>) -> Result<()> {
        state.push(format!("{} again", self.0));
        Ok(())
    }
}

fn pipeline() -> Pipeline<Vec<String>> {
    let mut pipeline = Pipeline::new();
    pipeline.push("first", Note("first")).unwrap();
    pipeline.push("second", Note("second")).unwrap();
    pipeline
}

fn run(pipeline: &Pipeline<Vec<String>>, strictness: Strictness) -> (Result<()>, Vec<String>, Vec<Warning>) {
    let mut random = SeededRandom::new(0);
    let mut scope = BuildScope::new(&Bytes, &mut random).with_strictness(strictness);
    let mut state = Vec::new();
    let outcome = pipeline.run(&mut state, &mut scope);
    (outcome, state, scope.take_warnings())
}

#[test]
fn first_halves_in_order_second_halves_in_reverse() {
    let (outcome, state, _) = run(&pipeline(), Strictness::Tolerant);
    outcome.unwrap();
    assert_eq!(state, ["first", "second", "second again", "first again"]);
}

#[test]
fn stages_are_inserted_replaced_and_removed_by_name() {
    let base = pipeline();
    let mut own = base.clone();
    own.insert_before("first", "zeroth", Note("zeroth")).unwrap();
    own.insert_after("first", "middle", Note("middle")).unwrap();
    own.replace("second", Note("other")).unwrap();
    own.remove("first").unwrap();
    assert_eq!(own.names().collect::<Vec<_>>(), ["zeroth", "middle", "second"]);
    assert_eq!(run(&own, Strictness::Tolerant).1[2], "other");
    assert_eq!(base.names().count(), 2, "a copy is its owner's");

    let unknown = own.remove("third").err().unwrap();
    assert_eq!(unknown.to_string(), "the pipeline has no stage `third`; it has: zeroth, middle, second");
    let twice = own.push("middle", Note("x")).err().unwrap();
    assert_eq!(
        (twice.kind(), twice.to_string().as_str()),
        (ErrorKind::DuplicateStage, "the pipeline already has a stage `middle`")
    );
}

#[test]
fn an_error_carries_the_name_of_its_stage_and_its_cause() {
    let mut pipeline = pipeline();
    let fail = |_: &mut Vec<String>, _: &mut BuildScope<'_>| -> Result<()> {
        let cause = "x".parse::<u8>().unwrap_err();
        Err(Error::wrap("the number of turns is no number", cause))
    };
    pipeline.insert_after("first", "count", fail).unwrap();
    let (outcome, state, _) = run(&pipeline, Strictness::Tolerant);
    let error = outcome.unwrap_err();
    assert_eq!(error.to_string(), "stage `count`: the number of turns is no number");
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "invalid digit found in string");
    assert_eq!(state, ["first"], "nothing runs after an error");
}

#[test]
fn a_warning_is_data_when_tolerant_and_an_error_when_strict() {
    let mut pipeline = pipeline();
    let warn = |_: &mut Vec<String>, scope: &mut BuildScope<'_>| scope.warn(Warning::new("test.odd", "odd"));
    pipeline.push("odd", warn).unwrap();
    let (outcome, _, warnings) = run(&pipeline, Strictness::Tolerant);
    outcome.unwrap();
    assert_eq!(warnings, [Warning::new("test.odd", "odd").in_stage("odd")]);
    let error = run(&pipeline, Strictness::Strict).0.unwrap_err();
    assert_eq!((error.kind(), error.stage()), (ErrorKind::Strict, Some("odd")));
    assert_eq!(error.to_string(), "stage `odd`: strict mode: [test.odd] odd");
    assert_eq!(error.warning().map(|w| w.code.as_ref()), Some("test.odd"));
}

#[test]
fn a_trace_has_times_stats_warnings_and_errors_by_stage() {
    let mut pipeline = pipeline();
    let fail = |_: &mut Vec<String>, scope: &mut BuildScope<'_>| -> Result<()> {
        scope.warn(Warning::new("test.odd", "odd"))?;
        Err(Error::new(ErrorKind::Other, "broken"))
    };
    pipeline.push("third", fail).unwrap();
    let mut ticks = 0;
    let mut collector = TraceCollector::new(move || {
        ticks += 1;
        Duration::from_millis(ticks * ticks)
    });
    let mut random = SeededRandom::new(0);
    let mut scope = BuildScope::new(&Bytes, &mut random).with_instrumenter(&mut collector);
    pipeline.run(&mut Vec::new(), &mut scope).unwrap_err();
    let trace = collector.into_trace();
    let times: Vec<_> = trace.stages.iter().map(|s| (s.name.as_str(), s.duration.as_millis())).collect();
    assert_eq!(times, [("first", 3), ("second", 7), ("third", 11)]);
    assert_eq!(trace.stage("second").unwrap().stats, [("seen".to_owned(), json!(1))]);
    assert_eq!(trace.stage("third").unwrap().warnings.len(), 1);
    assert_eq!(trace.stage("third").unwrap().error.as_deref(), Some("broken"));
    assert!(!trace.is_success());
}
