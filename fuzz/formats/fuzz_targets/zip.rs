//! Archives: whatever the bytes are, reading ends within the limits, and a changed card does not cost the other files.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tavernkit_formats::card::{self, Container, Place};
use tavernkit_formats::{Limits, Result};

fuzz_target!(|data: &[u8]| {
    let mut limits = Limits::default();
    limits.zip_total = 4 << 20;
    limits.zip_entries = 200;
    let _ = round_trip(data, &limits);
});

fn round_trip(bytes: &[u8], limits: &Limits) -> Result<()> {
    let mut file = card::read(bytes, Some("x.charx"), limits)?;
    for asset in file.assets() {
        if let Place::Entry(path) = &asset.place {
            assert!(!path.starts_with('/') && !path.split('/').any(|part| part == ".."));
        }
        let _ = file.asset_bytes(asset, bytes, limits);
    }
    if file.container() != Container::CharX {
        return Ok(());
    }
    assert_eq!(file.write_charx(Some(bytes), limits)?, bytes);
    file.card_mut().set("name", "Changed");
    let changed = file.write_charx(Some(bytes), limits)?;
    let again = card::read(&changed, None, limits)?;
    assert_eq!(again.character().name, "Changed");
    assert_eq!(again.assets().len(), file.assets().len());
    Ok(())
}
