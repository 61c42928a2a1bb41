//! Text-completion presets (`TextGen Settings`), and the same fields in the settings.

use crate::record::record;

record! {
    /// A text-completion preset. Samplers not named here stay in the raw object.
    pub struct TextPreset {
        /// Its name, when it stands in a master file.
        name: Option<String> = "name" => None;
        /// Tokens reserved for the answer.
        amount_gen: Option<f64> = "genamt" => None;
        /// Context window in tokens.
        max_context: Option<f64> = "max_length" => None;
        /// Temperature.
        temp: f64 = "temp" => 0.7;
        /// Whether temperature is applied last.
        temperature_last: bool = "temperature_last" => true;
        /// Nucleus sampling.
        top_p: f64 = "top_p" => 0.5;
        /// Top-k sampling.
        top_k: f64 = "top_k" => 40.0;
        /// Top-a sampling.
        top_a: f64 = "top_a" => 0.0;
        /// Tail-free sampling.
        tfs: f64 = "tfs" => 1.0;
        /// Typical sampling.
        typical_p: f64 = "typical_p" => 1.0;
        /// Min-p sampling.
        min_p: f64 = "min_p" => 0.0;
        /// Repetition penalty.
        rep_pen: f64 = "rep_pen" => 1.2;
        /// Tokens the repetition penalty looks back.
        rep_pen_range: f64 = "rep_pen_range" => 0.0;
        /// Frequency penalty.
        freq_pen: f64 = "freq_pen" => 0.0;
        /// Presence penalty.
        presence_pen: f64 = "presence_pen" => 0.0;
        /// Seed for the model; −1 is none.
        seed: f64 = "seed" => -1.0;
        /// Answers per request.
        n: f64 = "n" => 1.0;
        /// Whether the backend puts its start token first.
        add_bos_token: bool = "add_bos_token" => true;
        /// Whether the model may not stop by itself.
        ban_eos_token: bool = "ban_eos_token" => false;
        /// Whether special tokens are left out of the answer.
        skip_special_tokens: bool = "skip_special_tokens" => true;
        /// Whether the answer is streamed.
        streaming: bool = "streaming" => false;
        /// Guidance scale; 1 is off.
        guidance_scale: f64 = "guidance_scale" => 1.0;
        /// Negative prompt for guidance.
        negative_prompt: String = "negative_prompt" => String::new();
        /// Grammar for the answer.
        grammar_string: String = "grammar_string" => String::new();
        /// Words the model may not write, one per line.
        banned_tokens: String = "banned_tokens" => String::new();
        /// Whether they are sent.
        send_banned_tokens: bool = "send_banned_tokens" => true;
    }
}
