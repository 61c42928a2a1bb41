//! The contract of the platform, from the outside.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tavernkit_core::dialect::OpenAi;
use tavernkit_core::instrument::TraceCollector;
use tavernkit_core::message::ToolCall;
use tavernkit_core::{
    BudgetGroup, BuildScope, ErrorKind, Exactness, Message, Result, Role, Scope, SeededRandom, TokenCounter,
    Variables,
};
use tavernkit_vibetavern::{Built, Input, Runtime, State, build, build_with, pipeline};

struct Words;

impl TokenCounter for Words {
    fn id(&self) -> &str {
        "words"
    }

    fn exactness(&self) -> Exactness {
        Exactness::Estimate
    }

    fn count(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }
}

fn built(input: Input) -> Built {
    let mut random = SeededRandom::new(0);
    build(input, &mut BuildScope::new(&Words, &mut random)).unwrap()
}

#[test]
fn history_and_message_become_blocks_with_their_origin() {
    let mut call = Message::new(Role::Assistant, "").named("Bram");
    call.metadata.tool_calls.push(ToolCall::function("c1", "look", "{}"));
    let plan =
        built(Input::new().history([Message::new(Role::User, "Hi."), call.clone()]).message("  Raw text. "))
            .plan;
    let seen: Vec<_> = plan
        .blocks
        .iter()
        .map(|b| (b.slot.as_deref().unwrap(), b.group.clone(), b.source.to_string()))
        .collect();
    assert_eq!(
        seen,
        [
            ("history", BudgetGroup::History, "history#0".to_owned()),
            ("history", BudgetGroup::History, "history#1".to_owned()),
            ("user_message", BudgetGroup::History, "user_message".to_owned()),
        ]
    );
    assert_eq!(plan.blocks[1].message(), call, "name and metadata pass through");
    assert_eq!(plan.blocks[2].content.as_ref(), "  Raw text. ", "the text is not stripped");
    assert!(plan.warnings.is_empty() && plan.trace.is_none());
    let body = plan.render(&OpenAi).unwrap().body;
    assert_eq!(body[1]["tool_calls"][0]["id"], "c1");
}

#[test]
fn a_blank_message_is_none() {
    assert!(built(Input::new().message(" \n\t")).plan.blocks.is_empty());
}

#[test]
fn the_runtime_is_normalised_and_fixed_once_the_build_runs() {
    let mut own = pipeline();
    let read = |state: &mut State, _: &mut BuildScope<'_>| -> Result<()> {
        let index = state.runtime.get()?.get("chat_index").cloned().unwrap_or_default();
        state.variables.set(Scope::Local, "index", index);
        Ok(())
    };
    own.insert_after("prepare", "read", read).unwrap();
    let mut random = SeededRandom::new(0);
    let mut scope = BuildScope::new(&Words, &mut random);
    let map = json!({"chatIndex": 7}).as_object().unwrap().clone();
    let built = build_with(&own, Input::new().runtime(map.clone()), &mut scope).unwrap();
    assert_eq!(built.variables.read(Scope::Local, "index"), json!(7));

    let replace = |state: &mut State, _: &mut BuildScope<'_>| state.runtime.set(Arc::new(Runtime::default()));
    own.insert_after("read", "replace", replace).unwrap();
    let error =
        build_with(&own, Input::new().runtime(Arc::new(Runtime::from_map(map))), &mut scope).unwrap_err();
    assert_eq!((error.kind(), error.stage()), (ErrorKind::StageOrder, Some("replace")));
}

#[test]
fn variables_come_back_and_default_to_none() {
    assert_eq!(built(Input::new()).variables, Variables::default());
    let mut variables = Variables::default();
    variables.set(Scope::Global, "gold", 3);
    assert_eq!(built(Input::new().variables(variables.clone())).variables, variables);
}

#[test]
fn a_watcher_learns_the_number_of_blocks() {
    let mut collector = TraceCollector::new(|| Duration::ZERO);
    let mut random = SeededRandom::new(0);
    let mut scope = BuildScope::new(&Words, &mut random).with_instrumenter(&mut collector);
    build(Input::new().message("x"), &mut scope).unwrap();
    assert_eq!(
        collector.trace().stage("plan_assembly").unwrap().stats,
        [("plan_blocks".to_owned(), json!(1))]
    );
}

#[test]
fn the_same_input_gives_the_same_fingerprint() {
    let print = || {
        built(Input::new().history([Message::new(Role::User, "a")]).message("b"))
            .plan
            .fingerprint(&OpenAi)
            .unwrap()
    };
    assert_eq!(print(), print());
}
