//! Handlebars as story strings use it.

use serde_json::{Value, json};
use tavernkit_js::handlebars::{ErrorKind, Template};

use super::value::malformed;
use crate::suites::Outcome;

pub(super) fn run(file: &Value, case: &Value) -> Outcome {
    let Some(template) = case["template"].as_str() else { return malformed("template") };
    let context = match &case["context"] {
        Value::String(name) => &file["meta"]["contexts"][name],
        context => context,
    };
    let rendered = Template::compile(template).and_then(|template| template.render(context));
    let ours = match rendered {
        Ok(output) => json!({"output": output}),
        Err(error) => json!({"error_kind": match error.kind() {
            ErrorKind::Syntax => "parse",
            ErrorKind::Mismatch => "mismatch",
            _ => "other",
        }}),
    };
    let recorded = match case.get("error_kind") {
        Some(kind) => json!({"error_kind": kind}),
        None => json!({"output": case["output"]}),
    };
    Outcome::compare(&ours, &recorded)
}
