//! PNG: whatever the bytes are, reading ends, and what was read can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tavernkit_formats::card::{self, PngForm};
use tavernkit_formats::png::{Png, SIGNATURE, Text, sillytavern};
use tavernkit_formats::{Limits, Result, json};

fuzz_target!(|data: &[u8]| {
    // The signature is given, so that the fuzzer works on what follows it.
    let bytes = [&SIGNATURE, data].concat();
    let mut limits = Limits::default();
    limits.inflated = 1 << 20;
    if let Ok(png) = Png::parse(&bytes, &limits) {
        assert_eq!(png.to_bytes(), bytes);
        for text in Text::all(&png) {
            let _ = text.bytes(&limits);
        }
    }
    let _ = sillytavern::read(&bytes, &limits);
    let _ = sillytavern::write(&bytes, "{\"name\":1}", &limits);
    let _ = round_trip(&bytes, &limits);
});

fn round_trip(bytes: &[u8], limits: &Limits) -> Result<()> {
    let file = card::read(bytes, None, limits)?;
    for asset in file.assets() {
        let _ = file.asset_bytes(asset, bytes, limits);
    }
    assert_eq!(file.write_png(bytes, PngForm::AsRead, limits)?, bytes);
    let both = file.write_png(bytes, PngForm::Both, limits)?;
    let again = card::read(&both, None, limits)?;
    let text = |file: &card::CardFile| json::compact(&file.to_v3().into_value());
    assert_eq!(text(&again), text(&file));
    Ok(())
}
