//! A memory of counts, shared by builds and threads.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashTable;

use tavernkit_core::{Exactness, TokenCounter};

/// Independent locks, so that threads seldom meet. A power of two.
const SHARDS: usize = 16;

/// What an entry costs beside its text: the table slot and the allocator's share.
const ENTRY_OVERHEAD: usize = 64;

/// Remembers how many tokens a text has.
///
/// A clone is another handle to the same memory. Texts are found by their hash and then compared, so a count
/// never belongs to another text, whatever the input. The memory is bounded in bytes: when it is full, the texts that
/// were not asked for lately go (two generations per shard; a text that is used moves to the young one).
///
/// ```
/// use std::sync::Arc;
/// use tavernkit_tokens::{CountCache, HeuristicCounter, TokenCounter};
///
/// let cache = CountCache::new(4 * 1024 * 1024);
/// let counter = cache.wrap(Arc::new(HeuristicCounter));
/// let first = counter.count("Rain on the salt market.");
/// assert_eq!(counter.count("Rain on the salt market."), first);
/// assert_eq!((cache.stats().hits, cache.stats().misses), (1, 1));
/// ```
#[derive(Clone)]
pub struct CountCache {
    inner: Arc<Inner>,
}

struct Inner {
    shards: [Mutex<Shard>; SHARDS],
    /// Bytes that one generation of one shard may hold.
    generation_bytes: usize,
    hasher: foldhash::fast::RandomState,
    /// Tokenizer ids in the order they came, so that an entry carries a number instead of a name.
    ids: Mutex<HashMap<String, u32>>,
}

/// How a cache is doing. Numbers of one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheStats {
    /// Counts answered from memory.
    pub hits: u64,
    /// Counts that had to be made.
    pub misses: u64,
    /// Texts held.
    pub entries: usize,
    /// Memory held, about.
    pub bytes: usize,
}

#[derive(Default)]
struct Shard {
    young: Generation,
    old: Generation,
    hits: u64,
    misses: u64,
}

#[derive(Default)]
struct Generation {
    table: HashTable<Entry>,
    bytes: usize,
}

struct Entry {
    hash: u64,
    tokenizer: u32,
    text: Box<str>,
    count: usize,
}

/// A text as it is looked up.
#[derive(Clone, Copy)]
struct Key<'t> {
    hash: u64,
    tokenizer: u32,
    text: &'t str,
}

impl CountCache {
    /// A cache that holds at most about `max_bytes`.
    ///
    /// A single text longer than a thirty-second part of that is counted each time and not kept.
    pub fn new(max_bytes: usize) -> Self {
        let inner = Inner {
            shards: Default::default(),
            generation_bytes: max_bytes / SHARDS / 2,
            // Only chooses slots: no answer depends on it, so its randomness is invisible.
            hasher: foldhash::fast::RandomState::default(),
            ids: Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Puts this cache in front of a counter.
    ///
    /// Counts are shared with every other counter of the same [`id`](TokenCounter::id) that was wrapped by this cache.
    pub fn wrap(&self, counter: Arc<dyn TokenCounter>) -> CachedCounter {
        let mut ids = lock(&self.inner.ids);
        let next = u32::try_from(ids.len()).unwrap_or(u32::MAX);
        let tokenizer = *ids.entry(counter.id().to_owned()).or_insert(next);
        drop(ids);
        CachedCounter { counter, tokenizer, cache: self.clone() }
    }

    /// Hits, misses and size so far.
    pub fn stats(&self) -> CacheStats {
        self.inner.shards.iter().map(lock).fold(CacheStats::default(), |sum, shard| CacheStats {
            hits: sum.hits + shard.hits,
            misses: sum.misses + shard.misses,
            entries: sum.entries + shard.young.table.len() + shard.old.table.len(),
            bytes: sum.bytes + shard.young.bytes + shard.old.bytes,
        })
    }

    /// Forgets all texts; hits and misses start again at nothing.
    pub fn clear(&self) {
        for shard in &self.inner.shards {
            *lock(shard) = Shard::default();
        }
    }

    fn key<'t>(&self, tokenizer: u32, text: &'t str) -> Key<'t> {
        let mut hasher = self.inner.hasher.build_hasher();
        hasher.write(text.as_bytes());
        hasher.write_u32(tokenizer);
        Key { hash: hasher.finish(), tokenizer, text }
    }

    fn shard(&self, key: Key<'_>) -> MutexGuard<'_, Shard> {
        // The table takes its slot from the low bits and its tag from the top seven.
        lock(&self.inner.shards[(key.hash >> 40) as usize % SHARDS])
    }

    fn get(&self, key: Key<'_>) -> Option<usize> {
        self.shard(key).get(key, self.inner.generation_bytes)
    }

    fn put(&self, key: Key<'_>, count: usize) {
        let entry = Entry { hash: key.hash, tokenizer: key.tokenizer, text: key.text.into(), count };
        self.shard(key).put(entry, self.inner.generation_bytes);
    }
}

impl Default for CountCache {
    /// 32 MiB: some hundred thousand chat messages.
    fn default() -> Self {
        Self::new(32 * 1024 * 1024)
    }
}

impl fmt::Debug for CountCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountCache").field("stats", &self.stats()).finish()
    }
}

impl Shard {
    fn get(&mut self, key: Key<'_>, generation_bytes: usize) -> Option<usize> {
        if let Some(entry) = self.young.table.find(key.hash, |entry| entry.is(key)) {
            self.hits += 1;
            return Some(entry.count);
        }
        let Some(entry) = self.old.take(key) else {
            self.misses += 1;
            return None;
        };
        self.hits += 1;
        let count = entry.count;
        self.put(entry, generation_bytes);
        Some(count)
    }

    fn put(&mut self, entry: Entry, generation_bytes: usize) {
        let bytes = entry.bytes();
        if bytes > generation_bytes {
            return;
        }
        if self.young.bytes + bytes > generation_bytes {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(entry);
    }
}

impl Generation {
    fn insert(&mut self, entry: Entry) {
        let bytes = entry.bytes();
        let key = Key { hash: entry.hash, tokenizer: entry.tokenizer, text: &entry.text };
        // Two threads may have counted the same text at the same time.
        if self.table.find(key.hash, |other| other.is(key)).is_none() {
            self.bytes += bytes;
            self.table.insert_unique(entry.hash, entry, |entry| entry.hash);
        }
    }

    fn take(&mut self, key: Key<'_>) -> Option<Entry> {
        let entry = self.table.find_entry(key.hash, |entry| entry.is(key)).ok()?.remove().0;
        self.bytes -= entry.bytes();
        Some(entry)
    }
}

impl Entry {
    fn is(&self, key: Key<'_>) -> bool {
        self.hash == key.hash && self.tokenizer == key.tokenizer && *self.text == *key.text
    }

    fn bytes(&self) -> usize {
        self.text.len() + ENTRY_OVERHEAD
    }
}

/// A shard is whole between any two statements, so a panic elsewhere in a lock's holder does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A counter with a [`CountCache`] in front. Made by [`CountCache::wrap`].
#[derive(Clone)]
pub struct CachedCounter {
    counter: Arc<dyn TokenCounter>,
    tokenizer: u32,
    cache: CountCache,
}

impl TokenCounter for CachedCounter {
    fn id(&self) -> &str {
        self.counter.id()
    }

    fn exactness(&self) -> Exactness {
        self.counter.exactness()
    }

    fn count(&self, text: &str) -> usize {
        let key = self.cache.key(self.tokenizer, text);
        self.cache.get(key).unwrap_or_else(|| {
            let count = self.counter.count(text);
            self.cache.put(key, count);
            count
        })
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        let key = self.cache.key(self.tokenizer, text);
        if let Some(count) = self.cache.get(key) {
            return Some(count).filter(|&count| count <= limit);
        }
        // A text that is too long was not counted to its end: there is nothing to remember.
        let count = self.counter.count_up_to(text, limit)?;
        self.cache.put(key, count);
        Some(count)
    }
}

impl fmt::Debug for CachedCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachedCounter").field("id", &self.id()).field("cache", &self.cache).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts bytes (times a factor) and how often it was asked.
    #[derive(Default)]
    struct Asked {
        id: &'static str,
        factor: usize,
        times: AtomicUsize,
    }

    impl TokenCounter for Asked {
        fn id(&self) -> &str {
            self.id
        }

        fn exactness(&self) -> Exactness {
            Exactness::Exact
        }

        fn count(&self, text: &str) -> usize {
            self.times.fetch_add(1, Ordering::Relaxed);
            text.len() * self.factor
        }
    }

    fn asked(id: &'static str, factor: usize) -> Arc<Asked> {
        Arc::new(Asked { id, factor, ..Asked::default() })
    }

    impl Asked {
        fn times(&self) -> usize {
            self.times.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn counts_once_per_text_and_tokenizer() {
        let cache = CountCache::default();
        let (behind_one, behind_two) = (asked("one", 1), asked("two", 2));
        let (one, two) = (cache.wrap(behind_one.clone()), cache.wrap(behind_two.clone()));
        for _ in 0..3 {
            assert_eq!(one.count("lantern"), 7);
            assert_eq!(two.count("lantern"), 14);
            assert_eq!(one.count(""), 0);
        }
        assert_eq!(behind_one.times(), 2);
        assert_eq!(behind_two.times(), 1);
        assert_eq!(cache.stats().hits, 6);
        assert_eq!(cache.stats().entries, 3);
        // The same id is the same tokenizer.
        let behind = asked("one", 1);
        assert_eq!(cache.wrap(behind.clone()).count("lantern"), 7);
        assert_eq!(behind.times(), 0);
    }

    #[test]
    fn count_up_to_remembers_only_whole_counts() {
        let cache = CountCache::default();
        let behind = asked("one", 1);
        let counter = cache.wrap(behind.clone());
        assert_eq!(counter.count_up_to("lantern", 3), None);
        assert_eq!(cache.stats().entries, 0);
        assert_eq!(counter.count_up_to("lantern", 9), Some(7));
        assert_eq!(counter.count_up_to("lantern", 3), None);
        assert_eq!(counter.count_up_to("lantern", 7), Some(7));
        assert_eq!(behind.times(), 2);
    }

    #[test]
    fn stays_within_its_bytes_and_keeps_what_is_used() {
        let limit = 64 * 1024;
        let cache = CountCache::new(limit);
        let behind = asked("one", 1);
        let counter = cache.wrap(behind.clone());
        for n in 0..10_000 {
            assert_eq!(counter.count("the text that is asked for all the time"), 39);
            let text = format!("message number {n}");
            assert_eq!(counter.count(&text), text.len());
            assert!(cache.stats().bytes <= limit);
        }
        assert_eq!(behind.times(), 10_001);
        assert!(cache.stats().entries > 300, "{:?}", cache.stats());
        // Too long to keep.
        let long = "x".repeat(limit / 32);
        assert_eq!(counter.count(&long), long.len());
        assert_eq!(counter.count(&long), long.len());
        assert_eq!(behind.times(), 10_003);
        cache.clear();
        assert_eq!(cache.stats(), CacheStats::default());
    }

    #[test]
    fn one_slot_for_all_hashes_still_tells_texts_apart() {
        let mut shard = Shard::default();
        for (tokenizer, text, count) in [(0, "a", 1), (0, "b", 2), (1, "a", 3)] {
            shard.put(Entry { hash: 7, tokenizer, text: text.into(), count }, 4096);
        }
        let mut get = |tokenizer, text| shard.get(Key { hash: 7, tokenizer, text }, 4096);
        assert_eq!([get(0, "a"), get(0, "b"), get(1, "a"), get(1, "b")], [Some(1), Some(2), Some(3), None]);
    }

    #[test]
    fn threads_agree() {
        let cache = CountCache::new(32 * 1024);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let counter = cache.wrap(asked("one", 1));
                scope.spawn(move || {
                    for n in 0..2_000 {
                        let text = "m".repeat(n % 500);
                        assert_eq!(counter.count(&text), text.len());
                    }
                });
            }
        });
        let stats = cache.stats();
        assert_eq!(stats.hits + stats.misses, 8_000);
    }
}
