//! The engine as a whole: what the recorded cases do not show.

use serde_json::json;
use tavernkit_core::{Scope, Variables};

use super::*;

struct World {
    engine: Engine,
    variables: Variables,
}

impl World {
    fn new() -> Self {
        let mut variables = Variables::default();
        variables.set(Scope::Local, "x", "5");
        variables.set(Scope::Local, "mood", "wary");
        Self { engine: Engine::default(), variables }
    }

    fn expand_with(&mut self, text: &str, options: &Options<'_>) -> Expansion {
        let environment = Environment::named("Ilse", "Bram");
        let state = State { variables: &mut self.variables, random: &mut || 0.0 };
        self.engine.expand(text, &environment, options, state)
    }

    fn expand(&mut self, text: &str) -> String {
        self.expand_with(text, &Options::default()).text
    }
}

#[test]
fn broken_macros_behave_as_in_sillytavern() {
    for (text, expected) in [
        ("{{user {{char}}}}", "{{user Bram}}"),
        ("{{ {{user}} }}", "{{ Ilse }}"),
        ("{{{{{{user}}}}}}", "{{{{Ilse}}}}"),
        ("{{// /x}}", "{{// /x}}"),
        ("{{//}}x{{/ //}}", ""),
        ("{{//}}a{{// /}}b", "b"),
        ("{{//}}x{{/comment}}", "{{//}}x{{/comment}}"),
        ("{{setvar::a}}x{{setvar::b}}y{{/setvar}}z{{/setvar}}{{.a}}{{.b}}", "xzy"),
        ("{{setvar::a::1}}{{setvar::b::2}}x{{/setvar}}{{.b}}", "{{setvar::a::1}}x{{/setvar}}2"),
        ("{{setvar}}x{{/setvar}}", "{{setvar}}x{{/setvar}}"),
        ("{{if 1}}a{{reverse}}b{{/if}}c{{/reverse}}", "a{{reverse}}bc{{/reverse}}"),
        ("{{reverse}}a{{if 1}}b{{/reverse}}c{{/if}}", "b}}1 fi{{ac{{/if}}"),
        ("{{if 0}}A{{else}}B{{else}}C{{/if}}", "BC"),
        ("{{if 1}}{{IF 0}}x{{else}}y{{/IF}}{{else}}z{{/if}}", "{{IF 0}}x"),
        ("{{if !!1}}A{{else}}B{{/if}}", "B"),
        ("{{#trim}}\nx\n{{/trim}}", "\nx\n"),
        ("{{.my-var--}}", "-1"),
        ("{{.q = {{reverse}}a{{/reverse}}}}{{.q}}", "{{reverse}}a{{/reverse}}"),
        ("{{.q = {{!{{user}} z}} k}}[{{.q}}]", " k}}[{{!}}Ilse z]"),
        ("{{.q = a{{.x+1}} b}}[{{.q}}]", " b}}[a5]"),
        ("{{.q = {{}} }}[{{.q}}]", " }}[{{}}]"),
        ("{{.!x}} z", " z"),
        ("{{.x}}body{{/.x}}", "5body5"),
        ("{{nosuch}}  {{/nosuch}}|", "{{nosuch}}}}|"),
        ("{{if 0}}a{{nosuch {{else}}c{{/if}}", ""),
    ] {
        assert_eq!(World::new().expand(text), expected, "{text}");
    }
}

#[test]
fn a_trace_tells_what_ran_where_and_who_touched_what() {
    let text = r"<USER> \{ {{if .x}}{{.x += 1}}{{/if}}{{nosuch::{{char}}}}";
    let options = Options { tracing: Tracing::On, ..Options::default() };
    let expansion = World::new().expand_with(text, &options);
    assert_eq!(expansion.text, "Ilse { {{nosuch::Bram}}");
    let trace = expansion.trace.unwrap();
    let seen: Vec<_> = trace
        .macros
        .iter()
        .map(|event| {
            let output = event.output.clone().map(|span| &expansion.text[span]);
            (event.name.as_str(), &text[event.source.clone()], output, event.parent, event.outcome)
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("user", "<USER>", Some("Ilse"), None, Outcome::Expanded),
            ("if", "{{if .x}}{{.x += 1}}{{/if}}", Some(""), None, Outcome::Expanded),
            (".x", "{{.x += 1}}", None, Some(1), Outcome::Expanded),
            ("nosuch", "{{nosuch::{{char}}}}", Some("{{nosuch::Bram}}"), None, Outcome::Unknown),
            ("char", "{{char}}", None, Some(3), Outcome::Expanded),
        ]
    );
    let touched: Vec<_> =
        trace.variables.iter().map(|event| (event.by, event.name.as_str(), event.access)).collect();
    assert_eq!(
        touched,
        [(Some(1), "x", Access::Read), (Some(2), "x", Access::Read), (Some(2), "x", Access::Write)]
    );
}

#[test]
fn card_fields_are_traced_by_name() {
    let mut environment = Environment::named("Ilse", "Bram");
    environment.card.description = "{{char}}".into();
    let options = Options { tracing: Tracing::On, ..Options::default() };
    let state = State { variables: &mut Variables::default(), random: &mut || 0.0 };
    let trace = Engine::default().expand("- {{description}}", &environment, &options, state).trace.unwrap();
    let inner = &trace.macros[1];
    assert_eq!((inner.name.as_str(), inner.field, inner.source.clone()), ("char", Some("description"), 0..8));
    assert_eq!((trace.macros[0].output.clone(), inner.output.clone()), (Some(2..6), None));
}

#[test]
fn a_dry_expansion_changes_nothing() {
    let mut world = World::new();
    let version = world.variables.version();
    let options = Options { effects: Effects::Dry, ..Options::default() };
    assert_eq!(world.expand_with("{{.x = 9}}{{deletevar::mood}}{{.x}}{{.mood}}", &options).text, "9");
    assert_eq!((world.variables.read(Scope::Local, "x"), world.variables.version()), (json!(5), version));
    assert!(world.variables.has(Scope::Local, "mood"));
}

#[test]
fn nothing_overflows_the_stack() {
    for text in [
        "{{".repeat(100_000),
        "{{a ".repeat(100_000),
        "{{reverse::".repeat(10_000) + "x" + &"}}".repeat(10_000),
        "{{if 1}}".repeat(2_000) + "x" + &"{{/if}}".repeat(2_000),
        "{{.x = ".repeat(10_000) + &"}}".repeat(10_000),
        "{{reverse}}".repeat(10_000),
        "{{/reverse}}".repeat(10_000),
        "{{setvar::a::1}}".repeat(5_000) + &"{{/setvar}}".repeat(5_000),
        "{{//".repeat(50_000),
        "}}".repeat(100_000),
        "{{.x".repeat(50_000),
        "\\{".repeat(100_000),
    ] {
        let expansion = World::new().expand_with(&text, &Options::default());
        assert!(expansion.text.len() <= text.len() * 2, "{}…", &text[..20]);
    }
}

#[test]
fn the_deepest_allowed_nesting_works() {
    let depth = Limits::default().depth - 2;
    let text = "{{reverse::".repeat(depth) + "ab" + &"}}".repeat(depth);
    assert_eq!(World::new().expand(&text), "ab");
    let text = "{{if 1}}".repeat(depth) + "ab" + &"{{/if}}".repeat(depth);
    assert_eq!(World::new().expand(&text), "ab");
    let text = "{{if 1}}".repeat(depth * 3) + "ab" + &"{{/if}}".repeat(depth * 3);
    let expansion = World::new().expand_with(&text, &Options::default());
    assert!(expansion.text.contains("ab"));
    assert_eq!(expansion.warnings[0].code, "macro.too_deep");
}

#[test]
fn text_that_doubles_itself_runs_out_of_fuel() {
    let text = "{{setvar::a::x}}".to_owned() + &"{{setvar::a::{{getvar::a}}{{getvar::a}}}}".repeat(60);
    let mut world = World::new();
    world.engine = Engine::default().with_limits(Limits { fuel: 10_000, ..Limits::default() });
    let expansion = world.expand_with(&text, &Options::default());
    assert!(expansion.warnings.iter().any(|warning| warning.code == "macro.out_of_fuel"));
    assert!(expansion.text.len() < 1_000_000);
    let expansion = world.expand_with("{{space::99999999999999999999}}", &Options::default());
    assert_eq!(expansion.text, "{{space::99999999999999999999}}");
}

#[test]
fn a_macro_that_expands_itself_ends() {
    let mut registry = Registry::standard();
    registry.register(Macro::new("again", 0..=0, |call| Ok(call.expand("[{{again}}]"))));
    let mut world = World::new();
    world.engine = Engine::with_registry(registry);
    let text = world.expand("{{again}}");
    assert!(text.starts_with("[[[") && text.ends_with("]]]"), "{text}");
}

#[test]
fn an_application_can_take_raw_arguments_and_types() {
    let mut registry = Registry::standard();
    let twice =
        Macro::new("twice", 1..=1, |call| Ok(call.expand(call.argument(0)) + &call.expand(call.argument(0))));
    registry.register(twice.raw_arguments());
    registry.register(
        Macro::new("sum", 2..=2, |call| {
            let number = |index| tavernkit_core::number::parse(call.argument(index));
            Ok(tavernkit_core::number::format(number(0) + number(1)))
        })
        .types([ArgumentType::Number, ArgumentType::Number]),
    );
    registry.register(Macro::list("count", |call| Ok(call.arguments().len().to_string())));
    let mut world = World::new();
    world.engine = Engine::with_registry(registry);
    assert_eq!(
        world.expand("{{twice::{{.x++}}}} {{sum::1::2.5}} {{sum::1::b}} {{count::a::b::c}}"),
        "67 3.5 {{sum::1::b}} 3"
    );
}

#[test]
fn dynamic_macros_and_post_processing() {
    let mut dynamic = DynamicMacros::default();
    dynamic.insert("Now", DynamicMacro::Function(std::sync::Arc::new(|| "noon".into())));
    let loud = Macro::new("loud", 1..=1, |call| Ok(format!("{}!", call.argument(0))));
    dynamic.insert("loud", DynamicMacro::Macro(std::sync::Arc::new(loud)));
    let upper = |text: String| text.to_uppercase();
    let options = Options { dynamic, post_process: Some(&upper), ..Options::default() };
    let text = World::new().expand_with("{{now}} {{loud::hey}} {{loud}} {{.mood}} {{nosuch}}", &options).text;
    assert_eq!(text, "NOON HEY! {{loud}} wary {{nosuch}}");
}

#[test]
fn a_template_can_be_shared_and_evaluated_again() {
    fn is_shareable<T: Send + Sync>(_: &T) {}
    let world = World::new();
    let template = world.engine.parse("{{user}} {{incvar::n}}");
    is_shareable(&template);
    is_shareable(&world.engine);
    let environment = Environment::named("Ilse", "Bram");
    let mut variables = Variables::default();
    for expected in ["Ilse 1", "Ilse 2"] {
        let state = State { variables: &mut variables, random: &mut || 0.0 };
        assert_eq!(world.engine.evaluate(&template, &environment, &Options::default(), state).text, expected);
    }
}

#[test]
fn slot_is_another_name_for_outlet() {
    let mut environment = Environment::named("Ilse", "Bram");
    environment.outlets.to_mut().insert("tides".into(), "ebb".into());
    let text =
        Engine::default().expand_simple("{{slot::tides}} {{outlet::tides}}{{slot::none}}", &environment);
    assert_eq!(text, "ebb ebb");
}

#[test]
fn bundled_extensions_are_there_on_request() {
    let mut environment = Environment::named("Ilse", "Bram");
    environment.extension_texts.summary = "They met.".into();
    environment.extension_texts.last_expressions.to_mut().insert("Bram".into(), "joy".into());
    let engine = Engine::with_registry(Registry::standard().with_bundled_extensions());
    assert_eq!(
        engine.expand_simple("{{summary}} {{lastExpression}}{{lastExpression::Odo}}", &environment),
        "They met. joy"
    );
    assert_eq!(Engine::default().expand_simple("{{summary}}", &environment), "{{summary}}");
}

#[test]
fn the_old_engine_expands_what_it_inserted() {
    let mut variables = Variables::default();
    variables.set(Scope::Local, "who", "{{user}} and {{char}}");
    let environment = Environment::named("Ilse", "Bram");
    let engine = Engine::new(EngineKind::Legacy);
    let mut expand = |text: &str| {
        let state = State { variables: &mut variables, random: &mut || 0.5 };
        engine.expand(text, &environment, &Options::default(), state).text
    };
    assert_eq!(expand("{{getvar::who}} <BOT> {{if 1}}x{{/if}}"), "Ilse and Bram Bram {{if 1}}x{{/if}}");
    assert_eq!(expand("{{setvar::a::1}}{{addvar::a::2}}{{getvar::a}} {{random:a,b,c}} {{roll d6}}"), "3 b 4");
    assert_eq!(expand(&"{{getvar::".repeat(20_000)), "{{getvar::".repeat(20_000));
}
