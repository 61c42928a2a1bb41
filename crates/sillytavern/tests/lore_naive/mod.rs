//! World info, step by step as the specification has it, with no thought for speed.
//!
//! It shares the plain data types with the real engine and nothing else. The real engine must agree with it.

mod buffer;
mod groups;
mod timed;

use std::collections::HashSet;
use std::rc::Rc;

use indexmap::IndexMap;
use tavernkit_sillytavern::lore::*;

use buffer::Buffer;
use timed::Timed;

/// An entry in the scan. Identity is the address, as JavaScript compares objects.
pub struct Item {
    pub world: String,
    pub entry: Entry,
    pub hash: u64,
    /// The content, expanded once the entry passed its roll.
    pub content: std::cell::RefCell<String>,
}

pub type ItemRef = Rc<Item>;

impl Item {
    fn new(world: &str, entry: &Entry) -> ItemRef {
        let content = entry.content.clone().into();
        Rc::new(Self { world: world.into(), entry: entry.clone(), hash: entry.hash(world), content })
    }

    pub fn key(&self) -> String {
        format!("{}.{}", self.world, self.entry.uid)
    }

    fn id(&self) -> EntryId {
        EntryId { world: self.world.clone(), uid: self.entry.uid.clone() }
    }
}

pub fn position_in(list: &[ItemRef], item: &ItemRef) -> Option<usize> {
    list.iter().position(|other| Rc::ptr_eq(other, item))
}

fn expand(host: &mut dyn LoreHost, text: &str) -> String {
    if may_change(text) { host.expand(text) } else { text.to_owned() }
}

/// Chat and persona books first, then character and global ones as the strategy says.
fn scan_order(books: &[(SourceKind, Book)], strategy: InsertionStrategy) -> Vec<ItemRef> {
    let of = |kind: SourceKind| {
        let books = books.iter().filter(move |(k, _)| *k == kind);
        books.flat_map(|(_, book)| book.entries.iter().map(|e| Item::new(&book.name, e))).collect::<Vec<_>>()
    };
    let sorted = |mut list: Vec<ItemRef>| {
        list.sort_by(|a, b| b.entry.order.total_cmp(&a.entry.order));
        list
    };
    let (global, character) = (of(SourceKind::Global), of(SourceKind::Character));
    let rest = match strategy {
        InsertionStrategy::Evenly => sorted([global, character].concat()),
        InsertionStrategy::CharacterFirst => [sorted(character), sorted(global)].concat(),
        InsertionStrategy::GlobalFirst => [sorted(global), sorted(character)].concat(),
    };
    [sorted(of(SourceKind::Chat)), sorted(of(SourceKind::Persona)), rest].concat()
}

/// Whether gates 1 to 10 let the entry through.
fn admitted(
    item: &ItemRef,
    settings: &LoreSettings,
    input: &ScanInput<'_>,
    timed: &Timed,
    state: ScanState,
    level: f64,
) -> bool {
    let e = &item.entry;
    if e.disabled || (!e.triggers.is_empty() && !e.triggers.iter().any(|t| t == input.known_trigger())) {
        return false;
    }
    if !e.filter.names.is_empty() {
        let included = input.character.is_some_and(|c| e.filter.names.iter().any(|n| n == c.file_name));
        if included == e.filter.exclude {
            return false;
        }
    }
    if let Some(character) = input.character.filter(|_| !e.filter.tags.is_empty()) {
        let tagged = character.tags.iter().any(|tag| e.filter.tags.contains(tag));
        if tagged == e.filter.exclude {
            return false;
        }
    }
    let sticky = timed.is_sticky(item);
    if timed.is_delayed(item) || (timed.is_cooling(item) && !sticky) {
        return false;
    }
    let recursing = state == ScanState::Recursion;
    match e.delay_until_recursion {
        Some(_) if !recursing && !sticky => return false,
        Some(own) if recursing && own > level && !sticky => return false,
        _ => {}
    }
    !(recursing && settings.recursive && e.exclude_recursion && !sticky)
}

/// Gates 16 to 19.
fn keys_fire(item: &ItemRef, buffer: &Buffer<'_>, state: ScanState, host: &mut dyn LoreHost) -> bool {
    let e = &item.entry;
    let text = buffer.text(item, state);
    let hit = |key: &String, host: &mut dyn LoreHost| {
        let key = expand(host, key);
        !key.is_empty() && buffer.matches(&text, key.trim_matches(tavernkit_core::number::is_js_space), item)
    };
    let mut primary = false;
    for key in &e.keys {
        if hit(key, host) {
            primary = true;
            break;
        }
    }
    if !primary {
        return false;
    }
    if !e.selective || e.secondary_keys.is_empty() {
        return true;
    }
    let (mut any, mut all) = (false, true);
    for key in &e.secondary_keys {
        let found = hit(key, host);
        any |= found;
        all &= found;
        if e.logic == Some(SelectiveLogic::AndAny) && found {
            return true;
        }
        if e.logic == Some(SelectiveLogic::NotAll) && !found {
            return true;
        }
    }
    match e.logic {
        Some(SelectiveLogic::NotAny) => !any,
        Some(SelectiveLogic::AndAll) => all,
        _ => false,
    }
}

/// One scan.
pub fn scan(
    books: &[(SourceKind, Book)],
    settings: &LoreSettings,
    input: &ScanInput<'_>,
    host: &mut dyn LoreHost,
) -> LoreResult {
    let mut stored = input.timed.cloned().unwrap_or_default();
    let sorted = scan_order(books, settings.strategy);
    let limit = settings.budget(input.max_prompt);
    let mut result = LoreResult::default();
    result.budget.limit = limit;
    if sorted.is_empty() {
        result.timed = stored;
        return result;
    }
    result.had_entries = true;
    let external: IndexMap<String, ItemRef> = input
        .forced
        .iter()
        .filter_map(|f| {
            let key = format!("{}.{}", f.world, f.uid);
            let own = sorted.iter().find(|item| item.key() == key);
            let copy = match (&f.replacement, own) {
                (Some(entry), own) => {
                    let content = entry.content.clone().into();
                    let hash = own.map_or(0, |own| own.hash);
                    Rc::new(Item { world: f.world.clone(), entry: (**entry).clone(), hash, content })
                }
                (None, Some(own)) => Item::new(&own.world, &own.entry),
                (None, None) => return None,
            };
            Some((key, copy))
        })
        .collect();
    let length = input.messages.len();
    let timed = Timed::load(&mut stored, &sorted, length, input.run);
    let mut buffer = Buffer::new(settings, input);

    let mut levels: Vec<f64> = sorted.iter().filter_map(|item| item.entry.delay_until_recursion).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    let mut levels = levels.into_iter();
    let mut level = levels.next().unwrap_or(0.0);

    let mut state = ScanState::Initial;
    let (mut overflowed, mut loops) = (false, 0);
    let mut activated: IndexMap<String, ItemRef> = IndexMap::new();
    let mut failed: HashSet<*const Item> = HashSet::new();
    let mut earlier_text = String::new();

    while state != ScanState::None {
        if settings.max_recursion_steps > 0 && loops >= settings.max_recursion_steps {
            break;
        }
        loops += 1;
        let mut now: Vec<ItemRef> = Vec::new();
        for item in &sorted {
            if failed.contains(&Rc::as_ptr(item)) || activated.contains_key(&item.key()) {
                continue;
            }
            if !admitted(item, settings, input, &timed, state, level) {
                continue;
            }
            let candidate = if item.entry.forced_by_decorator() {
                item
            } else if item.entry.stopped_by_decorator() {
                continue;
            } else if let Some(copy) = external.get(&item.key()) {
                copy
            } else if item.entry.constant || timed.is_sticky(item) || keys_fire(item, &buffer, state, host) {
                item
            } else {
                continue;
            };
            if position_in(&now, candidate).is_none() {
                now.push(candidate.clone());
            }
        }
        now.sort_by_key(|item| (!timed.is_sticky(item), position_in(&sorted, item).map_or(-1, |i| i as i64)));
        let earlier = if earlier_text.is_empty() { 0 } else { host.count_tokens(&earlier_text) };
        groups::filter(&mut now, &activated, &timed, &buffer, state, settings, host);

        let mut pending_ignore = now.iter().filter(|item| item.entry.ignore_budget).count();
        let mut content = String::new();
        for item in &now {
            let e = &item.entry;
            if e.ignore_budget {
                pending_ignore -= 1;
            }
            if overflowed && !e.ignore_budget {
                if pending_ignore > 0 {
                    continue;
                }
                break;
            }
            let sure = !e.use_probability || e.probability == 100.0 || timed.is_sticky(item);
            // Not `>`: a roll compared with nothing fails as well.
            #[allow(clippy::neg_cmp_op_on_partial_ord)]
            if !sure && !(host.random() * 100.0 <= e.probability) {
                failed.insert(Rc::as_ptr(item));
                continue;
            }
            let expanded = expand(host, &item.content.borrow());
            *item.content.borrow_mut() = expanded;
            content.push_str(&item.content.borrow());
            content.push('\n');
            if !e.ignore_budget && (earlier + host.count_tokens(&content)) as f64 >= limit {
                overflowed = true;
                continue;
            }
            activated.insert(item.key(), item.clone());
        }

        let successful: Vec<_> = now.iter().filter(|item| !failed.contains(&Rc::as_ptr(item))).collect();
        let recursing: Vec<_> = successful.iter().filter(|item| !item.entry.prevent_recursion).collect();
        let mut next = ScanState::None;
        if settings.recursive && !overflowed && !recursing.is_empty() {
            next = ScanState::Recursion;
        }
        if settings.recursive && !overflowed && state == ScanState::MinActivations && buffer.has_recursion() {
            next = ScanState::Recursion;
        }
        if next == ScanState::None && !overflowed && settings.min_activations > activated.len() {
            let depth = buffer.depth();
            let max = settings.min_activations_depth_max;
            if !((max > 0 && depth > max) || depth > length as i64) {
                next = ScanState::MinActivations;
                buffer.advance();
            }
        }
        if next == ScanState::None
            && let Some(deeper) = levels.next()
        {
            next = ScanState::Recursion;
            level = deeper;
        }
        if next != ScanState::None {
            let contents: Vec<String> = recursing.iter().map(|item| item.content.borrow().clone()).collect();
            let text = contents.join("\n");
            if !text.is_empty() {
                earlier_text = format!("{text}\n{earlier_text}");
                buffer.add_recursion(text);
            }
        }
        let ids = |items: Vec<&ItemRef>| items.into_iter().map(|item| item.id()).collect();
        result.sweeps.push(Sweep {
            state,
            next,
            found: ids(now.iter().collect()),
            successful: ids(successful),
            overflowed,
        });
        state = next;
    }
    result.budget.overflowed = overflowed;
    if input.run == RunKind::Real {
        timed::store(&mut stored, &activated, length);
    }
    result.timed = stored;
    place(&mut result, &activated, host);
    result
}

/// Puts the texts in their positions.
fn place(result: &mut LoreResult, activated: &IndexMap<String, ItemRef>, host: &mut dyn LoreHost) {
    let mut order: Vec<(usize, &ItemRef)> = activated.values().enumerate().collect();
    order.sort_by(|(_, a), (_, b)| b.entry.order.total_cmp(&a.entry.order));
    for (index, item) in order {
        let e = &item.entry;
        let depth = (e.position == Position::AtDepth).then(|| e.depth.or_default());
        let text = host.rewrite(item.content.borrow().clone(), depth);
        if text.is_empty() {
            continue;
        }
        let text = LoreText { entry: index, text };
        match e.position {
            Position::Before => result.before.insert(0, text),
            Position::After => result.after.insert(0, text),
            Position::NoteTop => result.note_top.insert(0, text),
            Position::NoteBottom => result.note_bottom.insert(0, text),
            Position::ExamplesTop => result.examples.insert(0, ExampleText { anchor: Anchor::Before, text }),
            Position::ExamplesBottom => {
                result.examples.insert(0, ExampleText { anchor: Anchor::After, text })
            }
            Position::AtDepth => {
                let own = Depth::At(e.depth.or_default());
                match result.at_depth.iter_mut().find(|group| group.depth == own && group.role == e.role) {
                    Some(group) => group.texts.insert(0, text),
                    None => {
                        result.at_depth.push(DepthTexts { depth: e.depth, role: e.role, texts: vec![text] });
                    }
                }
            }
            Position::Outlet if !e.outlet.is_empty() => {
                result.outlets.entry(e.outlet.clone()).or_default().push(text);
            }
            _ => {}
        }
    }
    let active = |item: &ItemRef| ActiveEntry {
        id: item.id(),
        comment: item.entry.comment.clone(),
        content: item.content.borrow().clone(),
        position: item.entry.position,
        order: item.entry.order,
    };
    result.activated = activated.values().map(active).collect();
}
