//! Core knows no platform, performs no I/O, reads no clock and keeps no global state. This holds it to that.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn the_sources_reach_for_nothing_outside() {
    const FORBIDDEN: &[&str] = &[
        "std::fs",
        "std::io",
        "std::net",
        "std::env",
        "std::process",
        "std::thread",
        "SystemTime",
        "Instant::now",
        "static ",
        "thread_local!",
        "OnceLock",
        "LazyLock",
        "println!",
        "eprintln!",
    ];
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    assert!(files.len() > 15, "the sources were found");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default().replace("'static ", "");
            for word in FORBIDDEN {
                assert!(!code.contains(word), "{}:{}: core may not use `{word}`", file.display(), number + 1);
            }
        }
    }
}

#[test]
fn the_dependencies_are_plain_libraries() {
    const ALLOWED: &[&str] = &["blake3", "indexmap", "schemars", "serde", "serde_json"];
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    for line in dependencies.lines().filter(|line| !line.trim().is_empty()) {
        let name = line.split(['.', ' ', '=']).next().unwrap();
        assert!(ALLOWED.contains(&name), "core may not depend on `{name}`");
    }
}
