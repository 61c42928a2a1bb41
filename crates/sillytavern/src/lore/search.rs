//! Finding an entry's keys in the text that is scanned for it.

use std::collections::BTreeSet;

use tavernkit_core::number::is_js_space;

use super::buffer::{Buffer, View};
use super::cache::LoreCache;
use super::compile::{CompiledEntry, CompiledKey, MAX_DEPTH};
use super::entry::SelectiveLogic;
use super::gates::{Fire, Stop};
use super::index::Lookup;
use super::input::LoreHost;
use super::key_regex::Answer;
use super::result::ScanState;
use super::set::LoreSet;

/// Looks for keys. Lives as long as a scan.
pub(crate) struct Search<'a> {
    pub(crate) set: &'a LoreSet,
    pub(crate) buffer: Buffer<'a>,
    /// Places and keys whose search was given up on the whole text.
    pub(crate) given_up: BTreeSet<(u32, String)>,
    /// The key that macros produced last, for the record.
    pub(crate) produced: Option<String>,
}

impl<'a> Search<'a> {
    /// What is scanned for an entry at the global depth `depth`.
    pub(crate) fn view(&self, entry: &CompiledEntry, depth: i64, state: ScanState) -> View {
        View {
            depth: entry.depth.unwrap_or(depth.clamp(0, MAX_DEPTH)),
            sources: entry.entry.sources.0,
            recursion: state != ScanState::MinActivations,
        }
    }

    /// Whether the entry's keys make it a candidate.
    pub(crate) fn keys(
        &mut self,
        place: u32,
        view: View,
        host: &mut dyn LoreHost,
        cache: &mut LoreCache,
    ) -> Result<Fire, Stop> {
        let set = self.set;
        let compiled = set.compiled(place);
        let mut primary = None;
        for (i, key) in compiled.keys.iter().enumerate() {
            if self.key(place, key, view, host, cache) {
                primary = Some(i);
                break;
            }
        }
        let primary = primary.ok_or(Stop::NoKeyFound)?;
        if !compiled.entry.selective || compiled.secondary.is_empty() {
            return Ok(Fire::Key(primary, 0));
        }
        let produced = self.produced.take();
        let (mut found, mut count) = (0_u64, 0);
        for (i, key) in compiled.secondary.iter().enumerate() {
            let hit = self.key(place, key, view, host, cache);
            if hit {
                found |= 1_u64.checked_shl(i as u32).unwrap_or(0);
                count += 1;
            }
            let decided = match compiled.entry.logic {
                Some(SelectiveLogic::AndAny) => hit,
                Some(SelectiveLogic::NotAll) => !hit,
                _ => false,
            };
            if decided {
                self.produced = produced;
                return Ok(Fire::Key(primary, found));
            }
        }
        self.produced = produced;
        let fires = match compiled.entry.logic {
            Some(SelectiveLogic::NotAny) => count == 0,
            Some(SelectiveLogic::AndAll) => count == compiled.secondary.len(),
            _ => false,
        };
        if fires { Ok(Fire::Key(primary, found)) } else { Err(Stop::Secondary(primary, found)) }
    }

    /// Whether one key is in the view. Runs its macros.
    fn key(
        &mut self,
        place: u32,
        key: &CompiledKey,
        view: View,
        host: &mut dyn LoreHost,
        cache: &mut LoreCache,
    ) -> bool {
        self.produced = None;
        if !key.may_change {
            return self.lookup(place, key.lookup, &key.raw, view);
        }
        let produced = host.expand(&key.raw);
        if produced.is_empty() {
            return false;
        }
        if *produced == *key.raw {
            return self.lookup(place, key.lookup, &key.raw, view);
        }
        let rules = self.set.compiled(place).rules;
        let form = cache.form(produced.trim_matches(is_js_space), rules);
        let hit = self.test(place, &form, &produced, view);
        self.produced = Some(produced);
        hit
    }

    fn lookup(&mut self, place: u32, lookup: Lookup, raw: &str, view: View) -> bool {
        let set = self.set;
        let book = set.order[place as usize].book as usize;
        match lookup {
            Lookup::Never => false,
            Lookup::Always => true,
            Lookup::Part(pattern) if view.depth > 0 => {
                if self.buffer.is_found(book, pattern, view) {
                    return true;
                }
                let unsure = self.buffer.is_unsure(book, pattern);
                let form = set.books[book].index.regex_form(pattern).filter(|_| unsure);
                form.is_some_and(|form| self.test(place, form, raw, view))
            }
            // No text at all: some expressions match that.
            Lookup::Part(pattern) => {
                let form = set.books[book].index.regex_form(pattern);
                form.is_some_and(|form| self.test(place, form, raw, view))
            }
            Lookup::Whole(whole) => {
                let whole = &set.books[book].index.wholes[whole as usize];
                let promising = whole.literals.iter().all(|l| self.buffer.is_found(book, *l, view));
                promising && self.test(place, &whole.form, raw, view)
            }
        }
    }

    fn test(&mut self, place: u32, form: &super::matcher::KeyForm, raw: &str, view: View) -> bool {
        let answer = self.buffer.test_whole(form, view);
        self.settle(place, answer, raw)
    }

    fn settle(&mut self, place: u32, answer: Answer, key: &str) -> bool {
        if answer == Answer::Exhausted {
            self.given_up.insert((place, key.to_owned()));
        }
        answer == Answer::Hit
    }

    /// How many keys match, for groups that keep score. Runs no macros.
    pub(crate) fn score(&mut self, place: u32, view: View) -> usize {
        let set = self.set;
        let compiled = set.compiled(place);
        if compiled.keys.is_empty() {
            return 0;
        }
        let mut count = |keys: &[CompiledKey]| {
            keys.iter().filter(|key| self.lookup(place, key.score, &key.raw, view)).count()
        };
        let (primary, secondary) = (count(&compiled.keys), count(&compiled.secondary));
        match compiled.entry.logic {
            Some(SelectiveLogic::AndAny) => primary + secondary,
            Some(SelectiveLogic::AndAll) if secondary == compiled.secondary.len() => primary + secondary,
            _ => primary,
        }
    }
}
