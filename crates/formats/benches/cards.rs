//! How many cards a core reads in a second: PNGs with a megabyte of pixels and a card of 60 KB, in memory.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};
use tavernkit_formats::card::{self, PngForm};
use tavernkit_formats::png::{Chunk, Png};
use tavernkit_formats::{Limits, json};

/// A card as people make them: a long description, greetings, a book.
fn card_of_60_kb() -> Value {
    let words = "The lamp turns above Gannet Rock, and \"Bram\" counts the gulls — éclair, 灯, 😀 — until the storm is over.\n";
    let entries: Vec<Value> = (0..60)
        .map(|id| {
            json!({
                "id": id, "keys": [format!("key {id}"), "lamp"], "secondary_keys": [], "comment": "", "content": words.repeat(3),
                "constant": false, "selective": true, "insertion_order": 100, "enabled": true, "position": "before_char",
                "extensions": {"position": 0, "depth": 4, "probability": 100, "useProbability": true, "selectiveLogic": 0}
            })
        })
        .collect();
    json!({
        "spec": "chara_card_v2", "spec_version": "2.0",
        "data": {
            "name": "Bram", "description": words.repeat(100), "personality": words, "scenario": words, "first_mes": words.repeat(10),
            "mes_example": words.repeat(20), "creator_notes": words, "system_prompt": "", "post_history_instructions": "",
            "alternate_greetings": [words.repeat(10), words.repeat(10)], "tags": ["sea", "storm"], "creator": "bench",
            "character_version": "1", "character_book": {"entries": entries, "extensions": {}},
            "extensions": {"talkativeness": "0.5", "fav": false, "world": "", "depth_prompt": {"prompt": "", "depth": 4, "role": "system"}}
        }
    })
}

/// A PNG whose pixels nobody will look at, with the card as SillyTavern writes it: `chara` and `ccv3`.
fn png(card: &Value, limits: &Limits) -> Vec<u8> {
    let base = Png::smallest();
    let mut png = Png::parse(&base, limits).expect("the smallest PNG is one");
    let noise: Vec<u8> = (0u32..1 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for pixels in noise.chunks(32 << 10) {
        png.insert_before_end(Chunk::new(*b"IDAT", pixels));
    }
    let file = card::read(json::compact(card).as_bytes(), None, limits).expect("the card is one");
    file.write_png(&png.to_bytes(), PngForm::Both, limits).expect("a PNG takes a card")
}

fn cards(criterion: &mut Criterion) {
    let limits = Limits::default();
    let card = card_of_60_kb();
    let picture = png(&card, &limits);
    let text = json::compact(&card);
    eprintln!("card: {} bytes of JSON; picture: {} bytes", text.len(), picture.len());

    let mut group = criterion.benchmark_group("cards");
    group.throughput(Throughput::Elements(1));
    group.bench_function("read PNG", |bencher| {
        bencher.iter(|| card::read(black_box(&picture), None, &limits))
    });
    let file = card::read(&picture, None, &limits).expect("it was just written");
    group.bench_function("validate", |bencher| bencher.iter(|| black_box(&file).validate()));
    group.finish();

    let mut group = criterion.benchmark_group("json");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("parse clean", |bencher| {
        bencher.iter(|| json::parse(black_box(text.as_bytes()), &limits))
    });
    let odd = text.replacen("Bram", "Bram \\ud83d", 1);
    group.bench_function("parse lenient", |bencher| {
        bencher.iter(|| json::parse(black_box(odd.as_bytes()), &limits))
    });
    group.bench_function("write compact", |bencher| bencher.iter(|| json::compact(black_box(&card))));
    group.finish();
}

criterion_group!(benches, cards);
criterion_main!(benches);
