//! Any text goes through both macro engines: no panic, no hang, and nothing that must hold is broken.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tavernkit_core::{Scope, Variables};
use tavernkit_js::random::Mulberry32;
use tavernkit_sillytavern::macros::{
    Effects, Engine, EngineKind, Environment, Limits, Options, State, Tracing,
};

/// Made once: a registry is much more work than most texts.
static ENGINES: LazyLock<[Engine; 2]> = LazyLock::new(|| {
    [EngineKind::V2, EngineKind::Legacy]
        .map(|kind| Engine::new(kind).with_limits(Limits { fuel: 20_000, ..Limits::default() }))
});

fuzz_target!(|text: &str| {
    let mut environment = Environment::named("Ilse", "Bram");
    environment.card.description = "{{char}} tends {{.x++}} lamps.".into();
    environment.outlets.to_mut().insert("tides".into(), "ebb {{user}}".into());
    let mut before = Variables::default();
    before.set(Scope::Local, "x", "5");
    before.set(Scope::Local, "list", "[1]");
    for engine in &*ENGINES {
        let template = engine.parse(text);
        let expand = |variables: &mut Variables, options: &Options<'_>| {
            let mut random = Mulberry32::new(7);
            engine.evaluate(&template, &environment, options, State { variables, random: &mut random })
        };
        let mut variables = before.clone();
        let plain = expand(&mut variables, &Options::default());

        // Looking on changes nothing, and every span lies in its text.
        let mut traced_variables = before.clone();
        let traced = expand(&mut traced_variables, &Options { tracing: Tracing::On, ..Options::default() });
        assert_eq!(plain.text, traced.text);
        assert_eq!(variables, traced_variables);
        for event in traced.trace.iter().flat_map(|trace| &trace.macros) {
            if event.field.is_none() {
                assert!(text.get(event.source.clone()).is_some(), "{event:?}");
            }
            assert!(event.output.clone().is_none_or(|span| plain.text.get(span).is_some()), "{event:?}");
        }

        // A dry expansion says the same and keeps the variables.
        let mut kept = before.clone();
        let dry = expand(&mut kept, &Options { effects: Effects::Dry, ..Options::default() });
        assert_eq!(plain.text, dry.text);
        assert_eq!(kept, before);

        // A text without a brace, an angle or a backslash stands for itself.
        if !text.contains(['{', '<', '\\', '\0']) {
            assert_eq!(plain.text, text);
        }
    }
});
