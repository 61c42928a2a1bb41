//! Counts a file with the embedded vocabularies and prints, per vocabulary, the tokens and the best time as JSON.
//!
//! `throughput --write FILE` writes a megabyte of the sample text first; `scripts/bench-tokens.sh` uses both to compare
//! with other tokenizers on the same bytes.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use tavernkit_tokens::{EmbeddedCounter, Encoding, TokenCounter};

#[path = "../tests/sample/mod.rs"]
mod sample;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = match args.next().as_deref() {
        Some("--write") => {
            let path = args.next().ok_or("--write needs a file")?;
            std::fs::write(&path, sample::mixed(1_000_000))?;
            return Ok(());
        }
        Some(path) => path.to_owned(),
        None => return Err("usage: throughput [--write] FILE".into()),
    };
    let text = std::fs::read_to_string(path)?;
    let measured = Encoding::ALL.map(|encoding| {
        let counter = EmbeddedCounter::new(encoding);
        let tokens = counter.count(&text);
        let best = (0..20)
            .map(|_| {
                let start = Instant::now();
                black_box(counter.count(black_box(&text)));
                start.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min);
        format!("\"{encoding}\":{{\"tokens\":{tokens},\"seconds\":{best}}}")
    });
    println!("{{{}}}", measured.join(","));
    Ok(())
}
