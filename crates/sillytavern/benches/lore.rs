//! How long a scan takes.
//!
//! `large` is the recorded benchmark input (2,000 messages, 500 entries, recursion), `dense` the same with a book of
//! which 315 entries become active, `huge` has 5,000 entries and 20,000 messages scanned as deep as a scan goes.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use tavernkit_js::RandomSource;
use tavernkit_js::random::Mulberry32;
use tavernkit_sillytavern::lore::*;
use tavernkit_tokens::{CountCache, TokenCounter, Tokenizers};

/// Names, chance and a counter: what a scan needs of the world.
struct Host {
    counter: Arc<dyn TokenCounter>,
    random: Mulberry32,
}

impl LoreHost for Host {
    fn expand(&mut self, text: &str) -> String {
        text.replace("{{char}}", "Bram").replace("{{user}}", "Ilse")
    }

    fn random(&mut self) -> f64 {
        self.random.next_f64()
    }

    fn count_tokens(&mut self, text: &str) -> usize {
        if text.is_empty() { 0 } else { self.counter.count(text) + 6 }
    }

    fn counts_add_up(&self, left: &str, right: &str) -> Option<usize> {
        lines_add_up(self.counter.id(), left, right).then_some(6)
    }
}

/// A book and a chat to scan.
struct Scene {
    /// The world file.
    book: Value,
    /// Newest first: speaker and text.
    messages: Vec<(&'static str, String)>,
    settings: LoreSettings,
    max_prompt: f64,
}

impl Scene {
    fn recorded() -> Self {
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/sillytavern/bench/large.bench.json");
        let text = std::fs::read_to_string(path).expect("the benchmark input is part of the project");
        let file: Value = serde_json::from_str(&text).expect("the benchmark input is JSON");
        let chat = file["chat"]["messages"].as_array().expect("the chat is a list");
        let speaker = |user: bool| if user { "Ilse" } else { "Bram" };
        let message =
            |m: &Value| (speaker(m["is_user"] == true), m["mes"].as_str().unwrap_or_default().to_owned());
        let entries = file["worlds"]["Big"].as_array().expect("the book is a list").iter().map(full);
        Self {
            book: json!({ "entries": entries.collect::<Value>() }),
            messages: chat.iter().rev().map(message).collect(),
            settings: serde_json::from_value(file["world_info_settings"].clone())
                .expect("settings can be read"),
            max_prompt: 32_768.0 - 1_024.0,
        }
    }

    /// The generator of the recorded input, which can also make denser and larger ones.
    fn generated(messages: usize, entries: usize, depth: i64, dense: bool) -> Self {
        let mut words = Words(Mulberry32::new(77));
        let chat: Vec<String> = (0..messages)
            .map(|i| {
                let first = 12 + words.0.next_index(10);
                let first = words.sentence(first);
                let second = 10 + words.0.next_index(14);
                let nod = if i % 7 == 0 { " {{user}} nods to {{char}}." } else { "" };
                format!("{first} {}{nod}", words.sentence(second))
            })
            .collect();
        let entries: Value = (0..entries).map(|i| full(&words.entry(i, dense))).collect();
        let speaker = |i: usize| if i % 2 == 1 { "Ilse" } else { "Bram" };
        let settings = LoreSettings { depth, recursive: true, ..LoreSettings::default() };
        let messages = chat.into_iter().enumerate().rev().map(|(i, text)| (speaker(i), text)).collect();
        Self { book: json!({ "entries": entries }), messages, settings, max_prompt: 32_768.0 - 1_024.0 }
    }

    fn set(&self) -> LoreSet {
        let (book, _) = Book::read("Big", &self.book);
        let book = Arc::new(CompiledBook::compile(book, self.settings.key_rules()));
        LoreSet::new(vec![(SourceKind::Global, book)], self.settings.strategy)
    }

    fn scan(&self, set: &LoreSet, host: &mut Host, cache: &mut LoreCache, detail: Detail) -> LoreResult {
        let messages: Vec<ScanMessage<'_>> =
            self.messages.iter().map(|(name, text)| ScanMessage { name: Some(name), text }).collect();
        let input = ScanInput {
            messages: &messages,
            trigger: "normal",
            max_prompt: self.max_prompt,
            run: RunKind::Dry,
            detail,
            ..ScanInput::default()
        };
        set.scan(&self.settings, &input, host, cache)
    }
}

/// An entry with every field of the template.
fn full(own: &Value) -> Value {
    let template = include_str!("../tests/lore_support/entry-template.json");
    let mut entry: Value = serde_json::from_str(template).expect("the template is JSON");
    for (name, value) in own.as_object().into_iter().flatten() {
        entry[name] = value.clone();
    }
    entry
}

struct Words(Mulberry32);

impl Words {
    fn word(&mut self) -> &'static str {
        const WORDS: &str = "harbour lantern tide rope anchor gull storm keel mast sail brine kelp reef compass ledger bell \
            fog pier crate salt wind wave cove hull deck oar net buoy shoal cliff lamp stair glass oil rain cloud star moon \
            drift wreck cargo crew chart sand shell foam spray creek marsh heron otter ferry quay rail iron copper brass \
            timber plank nail tar pitch cord knot";
        let count = WORDS.split_whitespace().count();
        WORDS.split_whitespace().nth(self.0.next_index(count)).unwrap_or_default()
    }

    fn sentence(&mut self, length: usize) -> String {
        let words: Vec<&str> = (0..length).map(|_| self.word()).collect();
        let mut text = words.join(" ");
        if let Some(first) = text.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        text + "."
    }

    fn regex(&mut self, i: usize) -> Vec<String> {
        vec![format!(r"/\b{}\w*\s+{}\b/i", self.word(), self.word()), format!("token{i}")]
    }

    fn entry(&mut self, i: usize, dense: bool) -> Value {
        let keys = match (dense, i % 5, i % 10) {
            (true, 0, _) | (false, _, 0) => self.regex(i),
            (true, ..) => {
                let pair = format!("{} {}", self.word(), self.word());
                let own = format!("{}{i}", self.word());
                let plain = self.word();
                vec![pair, own, if i.is_multiple_of(3) { plain.to_owned() } else { format!("{plain}{i}") }]
            }
            (false, _, 1) => vec![format!("{} {}", self.word(), self.word()), format!("{}{i}", self.word())],
            _ => {
                let own = format!("{}{i}", self.word());
                vec![own, format!("{} {} {}", self.word(), self.word(), self.word())]
            }
        };
        let secondary = if i.is_multiple_of(9) { vec![self.word(), self.word()] } else { vec![] };
        let known = if i.is_multiple_of(6) { "{{char}} knows this." } else { "" };
        let content = format!("{} {known}", self.sentence(20));
        let position = [0, 1, 4][i % 3];
        json!({"uid": i, "key": keys, "keysecondary": secondary, "selectiveLogic": i % 4, "content": content,
            "order": 50 + i % 100, "position": position, "depth": i % 6, "constant": i.is_multiple_of(50)})
    }
}

struct Bench {
    tokenizer: Arc<dyn TokenCounter>,
}

impl Bench {
    fn new() -> Self {
        let tokenizer = Tokenizers::new().for_model("gpt-4o").into_counter();
        tokenizer.count("The vocabulary is loaded before anything is measured.");
        Self { tokenizer }
    }

    /// A host whose counter remembers nothing yet.
    fn host(&self) -> Host {
        let counter = Arc::new(CountCache::default().wrap(self.tokenizer.clone()));
        Host { counter, random: Mulberry32::new(1) }
    }

    fn warm(&self, c: &mut Criterion, name: &str, scene: &Scene, detail: Detail) {
        let (set, mut host, mut cache) = (scene.set(), self.host(), LoreCache::default());
        let result = scene.scan(&set, &mut host, &mut cache, detail);
        eprintln!("{name}: {} of {} entries active", result.activated.len(), set.len());
        c.bench_function(name, |b| b.iter(|| black_box(scene.scan(&set, &mut host, &mut cache, detail))));
    }

    fn cold(&self, c: &mut Criterion, name: &str, scene: &Scene) {
        c.bench_function(name, |b| {
            b.iter(|| {
                let set = scene.set();
                black_box(scene.scan(&set, &mut self.host(), &mut LoreCache::default(), Detail::Result))
            });
        });
    }
}

fn scenes(c: &mut Criterion) {
    let bench = Bench::new();
    let large = Scene::recorded();
    bench.warm(c, "large/warm", &large, Detail::Result);
    bench.warm(c, "large/warm with reasons", &large, Detail::Reasons);
    bench.cold(c, "large/cold with book compilation", &large);
    let dense = Scene::generated(2_000, 500, 10, true);
    bench.warm(c, "dense/warm", &dense, Detail::Result);
    bench.cold(c, "dense/cold with book compilation", &dense);
    let huge = Scene::generated(20_000, 5_000, 1_000, false);
    bench.warm(c, "huge/warm", &huge, Detail::Result);
    bench.cold(c, "huge/cold with book compilation", &huge);
}

/// The same work at 1, 4 and 16 times the size.
fn scaling(c: &mut Criterion) {
    let bench = Bench::new();
    let mut group = c.benchmark_group("scaling");
    for factor in [1, 4, 16] {
        let by_entries = Scene::generated(200, 500 * factor, 10, false);
        let by_text = Scene::generated(1_000, 500, 62 * factor as i64, false);
        for (name, scene) in [("entries", by_entries), ("text", by_text)] {
            let set = scene.set();
            let mut host = bench.host();
            scene.scan(&set, &mut host, &mut LoreCache::default(), Detail::Result);
            group.bench_function(BenchmarkId::new(format!("{name}, nothing cached"), factor), |b| {
                b.iter(|| black_box(scene.scan(&set, &mut host, &mut LoreCache::default(), Detail::Result)));
            });
        }
        let scene = Scene::generated(10, 500 * factor, 10, false);
        group.bench_function(BenchmarkId::new("book compilation", factor), |b| {
            b.iter(|| black_box(scene.set()))
        });
    }
    group.finish();
}

criterion_group!(benches, scenes, scaling);
criterion_main!(benches);
