//! Cost of macros by template size: it has to be linear, and 50 KB with 2,000 macros has to take less than 2 ms.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tavernkit_core::Variables;
use tavernkit_js::random::Mulberry32;
use tavernkit_sillytavern::macros::{Engine, EngineKind, Environment, Options, State};

/// About 25 bytes per macro, as a dense card would have: names, variables, conditions, chance, nesting.
const PIECE: &str = "{{char}} looks at {{user}} and counts. {{.turn += 1}}Turn {{.turn}}: \
    {{if {{.turn > 3}}}}{{user}} is late{{else}}{{random::fog::rain::sun}}{{/if}}. \
    {{setvar::mood::{{pick::calm::wary}}}}{{getvar::mood}} {{roll 2d6}} {{// a note}} \
    {{reverse::{{char}}}} {{nosuch::{{user}}}} {{newline}}{{description}} {{isodate}}\n\
    And then some plain text goes on for a while, as prompts do.\n";

fn template(kilobytes: usize) -> String {
    let length = kilobytes * 1024;
    let mut text = PIECE.repeat(length / PIECE.len() + 1);
    text.truncate(length);
    text
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::named("Ilse", "Bram");
    environment.card.description = "tends the lighthouse".into();
    environment
}

fn evaluate(c: &mut Criterion) {
    let mut group = c.benchmark_group("evaluate");
    let engine = Engine::default();
    let environment = environment();
    for kilobytes in [10, 50, 250, 1250] {
        let template = engine.parse(&template(kilobytes));
        group.throughput(Throughput::Bytes(kilobytes as u64 * 1024));
        group.bench_with_input(BenchmarkId::from_parameter(kilobytes), &template, |b, template| {
            let mut variables = Variables::default();
            let mut random = Mulberry32::new(1);
            b.iter(|| {
                let state = State { variables: &mut variables, random: &mut random };
                engine.evaluate(template, &environment, &Options::default(), state).text.len()
            });
        });
    }
    group.finish();
}

fn parse(c: &mut Criterion) {
    let mut group = c.benchmark_group("parse");
    let engine = Engine::default();
    for kilobytes in [10, 50, 250, 1250] {
        let text = template(kilobytes);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(kilobytes), &text, |b, text| {
            b.iter(|| engine.parse(text))
        });
    }
    group.finish();
}

fn legacy(c: &mut Criterion) {
    let mut group = c.benchmark_group("legacy");
    let engine = Engine::new(EngineKind::Legacy);
    let environment = environment();
    for kilobytes in [10, 50, 250] {
        let text = template(kilobytes);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(kilobytes), &text, |b, text| {
            b.iter(|| engine.expand_simple(text, &environment).len());
        });
    }
    group.finish();
}

criterion_group!(benches, evaluate, parse, legacy);
criterion_main!(benches);
