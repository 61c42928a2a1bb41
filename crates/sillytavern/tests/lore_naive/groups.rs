//! Inclusion groups, removal by removal.

use indexmap::IndexMap;
use tavernkit_sillytavern::lore::*;

use super::buffer::Buffer;
use super::timed::Timed;
use super::{ItemRef, position_in};

/// Cuts at the position of the item; an item that is gone has position −1, which cuts the last one.
fn remove(list: &mut Vec<ItemRef>, item: &ItemRef) {
    match position_in(list, item) {
        Some(i) => {
            list.remove(i);
        }
        None => {
            list.pop();
        }
    }
}

fn is_index(name: &str) -> Option<u32> {
    name.parse::<u32>().ok().filter(|n| n.to_string() == name && *n != u32::MAX)
}

pub fn filter(
    new: &mut Vec<ItemRef>,
    activated: &IndexMap<String, ItemRef>,
    timed: &Timed,
    buffer: &Buffer<'_>,
    state: ScanState,
    settings: &LoreSettings,
    host: &mut dyn LoreHost,
) {
    let mut groups: IndexMap<String, Vec<ItemRef>> = IndexMap::new();
    for item in new.iter() {
        for name in item.entry.groups() {
            groups.entry(name.to_owned()).or_default().push(item.clone());
        }
    }
    groups.sort_by(|a, _, b, _| {
        let place = |name: &str| is_index(name).map_or((1, 0), |index| (0, index));
        place(a).cmp(&place(b))
    });

    let mut sticky_groups = Vec::new();
    for (name, group) in &groups {
        if group.iter().any(|item| timed.is_sticky(item)) {
            group.iter().filter(|item| !timed.is_sticky(item)).for_each(|item| remove(new, item));
            sticky_groups.push(name.clone());
        }
        group.iter().filter(|item| timed.is_cooling(item)).for_each(|item| remove(new, item));
        group.iter().filter(|item| timed.is_delayed(item)).for_each(|item| remove(new, item));
    }

    for (name, group) in &mut groups {
        let asked = settings.group_scoring || group.iter().any(|item| item.entry.group_scoring == Some(true));
        if !asked || sticky_groups.contains(name) {
            continue;
        }
        let scores: Vec<usize> = group.iter().map(|item| buffer.score(item, state)).collect();
        let best = scores.iter().copied().max().unwrap_or(0);
        let mut kept = Vec::new();
        for (item, score) in group.iter().zip(scores) {
            if item.entry.group_scoring.unwrap_or(settings.group_scoring) && score < best {
                remove(new, item);
            } else {
                kept.push(item.clone());
            }
        }
        *group = kept;
    }

    for (name, group) in &groups {
        if sticky_groups.contains(name) {
            continue;
        }
        if activated.values().any(|item| item.entry.group == *name) {
            group.iter().for_each(|item| remove(new, item));
            continue;
        }
        if group.len() <= 1 {
            continue;
        }
        let mut overriding: Vec<&ItemRef> = group.iter().filter(|item| item.entry.group_override).collect();
        overriding.sort_by(|a, b| b.entry.order.total_cmp(&a.entry.order));
        let winner = match overriding.first() {
            Some(winner) => Some((*winner).clone()),
            None => {
                let total: f64 = group.iter().map(|item| item.entry.group_weight).sum();
                let roll = host.random() * total;
                let mut sum = 0.0;
                group
                    .iter()
                    .find(|item| {
                        sum += item.entry.group_weight;
                        roll <= sum
                    })
                    .cloned()
            }
        };
        if let Some(winner) = winner {
            group
                .iter()
                .filter(|item| !std::rc::Rc::ptr_eq(item, &winner))
                .for_each(|item| remove(new, item));
        }
    }
}
