//! Where a tokeniser can count line by line.

/// Whether the tokens of `left + right` are the tokens of `left` and those of `right`, for a tokeniser known by name.
///
/// The OpenAI vocabularies split text into pieces before they look for tokens, and never put a line feed and a letter
/// that follows it into one piece. A slash or white space after a line feed may join the piece before it.
///
/// ```
/// use tavernkit_sillytavern::lore::lines_add_up;
/// assert!(lines_add_up("o200k_base", "The rope is wet.\n", "The tide is out.\n"));
/// assert!(!lines_add_up("o200k_base", "The rope is wet.\n", "/me looks up.\n"));
/// assert!(!lines_add_up("llama", "The rope is wet.\n", "The tide is out.\n"));
/// ```
pub fn lines_add_up(tokenizer: &str, left: &str, right: &str) -> bool {
    let splits_at_lines = matches!(tokenizer, "o200k_base" | "cl100k_base");
    splits_at_lines && left.ends_with('\n') && !right.starts_with(|c: char| c.is_whitespace() || c == '/')
}
