//! What choosing a chat-completion preset does to the settings in use.

use serde_json::{Value, json};

use crate::json::Path;
use crate::preset::ChatPreset;

/// Sampling fields that have another name in the settings: preset, settings.
const RENAMED: [(&str, &str); 8] = [
    ("temperature", "temp_openai"),
    ("frequency_penalty", "freq_pen_openai"),
    ("presence_penalty", "pres_pen_openai"),
    ("top_p", "top_p_openai"),
    ("top_k", "top_k_openai"),
    ("top_a", "top_a_openai"),
    ("min_p", "min_p_openai"),
    ("repetition_penalty", "repetition_penalty_openai"),
];

/// Whether a field belongs to the connection rather than to the prompt.
fn is_connection(name: &str) -> bool {
    name == "chat_completion_source"
        || name == "reverse_proxy"
        || name == "proxy_password"
        || name.ends_with("_model")
        || ["custom_", "azure_", "vertexai_"].iter().any(|prefix| name.starts_with(prefix))
}

/// The settings after a preset was chosen: what it has replaces what was there, what it lacks stays, except its
/// extensions, which become empty. Connection fields only count while presets are bound to connections.
pub(super) fn overlay(current: &ChatPreset, name: &str, preset: &ChatPreset) -> ChatPreset {
    let mut raw = current.to_map();
    let bound = raw.get("bind_preset_to_connection") != Some(&Value::Bool(false));
    for (field, value) in preset.to_map() {
        if is_connection(&field) && !bound {
            continue;
        }
        let renamed =
            RENAMED.iter().find(|(preset, _)| *preset == field).map(|(_, settings)| (*settings).to_owned());
        raw.insert(renamed.unwrap_or(field), value);
    }
    // Otherwise the settings' own spelling and the preset's would stand side by side.
    for (preset, settings) in RENAMED {
        if raw.contains_key(settings) {
            raw.shift_remove(preset);
        }
    }
    if !preset.raw().contains_key("extensions") {
        raw.insert("extensions".into(), json!({}));
    }
    raw.insert("preset_settings_openai".into(), json!(name));
    ChatPreset::read(raw, &Path::Root, &mut Vec::new())
}
