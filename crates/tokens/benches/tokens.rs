//! Throughput of the vocabularies, the price of a cached count, and what stopping early saves.
#![allow(missing_docs)] // criterion's macros make undocumented items.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tavernkit_tokens::{CountCache, Encoding, HeuristicCounter, TokenCounter, Tokenizers};

#[path = "../tests/sample/mod.rs"]
mod sample;

/// How fast a megabyte of mixed text is counted.
fn megabyte(c: &mut Criterion) {
    let (tokenizers, text) = (Tokenizers::new(), sample::mixed(1_000_000));
    let mut group = c.benchmark_group("megabyte");
    group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(20);
    for encoding in Encoding::ALL {
        let counter = tokenizers.encoding(encoding);
        group.bench_function(encoding.as_str(), |b| b.iter(|| counter.count(black_box(&text))));
    }
    group.bench_function("heuristic", |b| b.iter(|| HeuristicCounter.count(black_box(&text))));
    group.finish();
}

/// A message of 300 bytes, uncached and cached among 2,000 others. The bar for the cached one is 200 ns.
fn message(c: &mut Criterion) {
    let counter = Tokenizers::new().encoding(Encoding::O200kBase);
    let messages: Vec<String> = (0..2_000)
        .map(|n| {
            let mut text = format!("{n}: {}", sample::SCRIPTS[n % 2].text(400));
            text.truncate((0..=300).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0));
            text
        })
        .collect();
    let cached = CountCache::default().wrap(counter.clone());
    let mut group = c.benchmark_group("message_300_bytes");
    let mut next = messages.iter().cycle();
    group.bench_function("uncached", |b| {
        b.iter(|| counter.count(black_box(next.next().map_or("", |text| text))))
    });
    let mut next = messages.iter().cycle();
    group.bench_function("cached", |b| {
        b.iter(|| cached.count(black_box(next.next().map_or("", |text| text))))
    });
    group.finish();
}

/// Whether a megabyte fits into 1,000 tokens: no, and that is soon known.
fn up_to(c: &mut Criterion) {
    let counter = Tokenizers::new().encoding(Encoding::O200kBase);
    let text = sample::mixed(1_000_000);
    let hundred_kilobytes = sample::mixed(100_000);
    let mut group = c.benchmark_group("count_up_to_1000");
    group.bench_function("megabyte", |b| b.iter(|| counter.count_up_to(black_box(&text), 1_000)));
    group.bench_function("100_kilobytes", |b| {
        b.iter(|| counter.count_up_to(black_box(&hundred_kilobytes), 1_000))
    });
    group.finish();
}

criterion_group!(benches, megabyte, message, up_to);
criterion_main!(benches);
