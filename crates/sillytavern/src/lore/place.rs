//! Putting the texts of active entries in their places.

use std::collections::HashMap;

use super::entry::{Depth, Entry, Position};
use super::input::LoreHost;
use super::reason::Placed;
use super::result::{Anchor, DepthTexts, ExampleText, LoreResult, LoreText};

/// Puts active entries, given in order of activation, in their places. Says what became of each.
pub(crate) fn place(
    active: &[(&Entry, &str)],
    host: &mut dyn LoreHost,
    result: &mut LoreResult,
) -> Vec<Placed> {
    let mut placed = vec![Placed::Yes; active.len()];
    let mut by_order: Vec<usize> = (0..active.len()).collect();
    by_order.sort_by(|a, b| active[*b].0.order.total_cmp(&active[*a].0.order));
    let mut groups: HashMap<(u64, u64), usize> = HashMap::new();
    for index in by_order {
        let (entry, content) = active[index];
        let depth = (entry.position == Position::AtDepth).then(|| entry.depth.or_default());
        let text = host.rewrite(content.to_owned(), depth);
        if text.is_empty() {
            placed[index] = Placed::Empty;
            continue;
        }
        let text = LoreText { entry: index, text };
        match entry.position {
            Position::Before => result.before.push(text),
            Position::After => result.after.push(text),
            Position::NoteTop => result.note_top.push(text),
            Position::NoteBottom => result.note_bottom.push(text),
            Position::ExamplesTop => result.examples.push(ExampleText { anchor: Anchor::Before, text }),
            Position::ExamplesBottom => result.examples.push(ExampleText { anchor: Anchor::After, text }),
            Position::AtDepth => {
                let key = (entry.depth.or_default().to_bits(), entry.role.to_bits());
                if let Some(group) = groups.get(&key) {
                    result.at_depth[*group].texts.push(text);
                } else {
                    // A group without a number is never found again.
                    if matches!(entry.depth, Depth::At(_)) {
                        groups.insert(key, result.at_depth.len());
                    }
                    let texts = vec![text];
                    result.at_depth.push(DepthTexts { depth: entry.depth, role: entry.role, texts });
                }
            }
            Position::Outlet if !entry.outlet.is_empty() => {
                result.outlets.entry(entry.outlet.clone()).or_default().push(text);
            }
            Position::Outlet | Position::Unknown => placed[index] = Placed::Nowhere,
        }
    }
    // Highest order was put first; it belongs last everywhere but in outlets.
    result.before.reverse();
    result.after.reverse();
    result.note_top.reverse();
    result.note_bottom.reverse();
    result.examples.reverse();
    result.at_depth.iter_mut().for_each(|group| group.texts.reverse());
    placed
}
