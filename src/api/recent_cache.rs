//! A cache of values by key, limited in bytes, that evicts the least recently used half.
//!
//! Lookups do not take a lock. Entries are stored in two halves. A hit in the older half moves the entry
//! to the younger half. When the younger half is full, or [`RecentCache::evict_unused`] is called, the
//! older half is dropped as a whole, and the younger half becomes the older one.

use std::{
    hash::Hash,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use arc_swap::ArcSwap;
use papaya::{Equivalent, HashMap};
use seize::Collector;

/// A cache of values by key, limited in bytes.
pub struct RecentCache<K, V> {
    halves: ArcSwap<CacheGenerations<K, V>>,
    half_bytes_max: usize,
}

struct CacheGenerations<K, V> {
    younger: Arc<CacheGeneration<K, V>>,
    older: Arc<CacheGeneration<K, V>>,
}

struct CacheGeneration<K, V> {
    entries: HashMap<K, CachedValue<V>>,
    bytes: AtomicUsize,
}

/// A value and its cost in bytes.
struct CachedValue<V> {
    value: Arc<V>,
    cost: usize,
}

impl<K: Hash + Eq + Clone, V> RecentCache<K, V> {
    /// Returns an empty cache that holds at most about `bytes_max` bytes.
    pub fn new(bytes_max: usize) -> Self {
        Self {
            halves: ArcSwap::from_pointee(CacheGenerations {
                younger: Arc::default(),
                older: Arc::default(),
            }),
            half_bytes_max: bytes_max / 2,
        }
    }

    /// Returns the cached value of `key`.
    pub fn get<Q: Equivalent<K> + Hash + ?Sized>(&self, key: &Q) -> Option<Arc<V>> {
        let halves = self.halves.load();
        let younger = halves.younger.entries.pin();
        if let Some(entry) = younger.get(key) {
            return Some(Arc::clone(&entry.value));
        }
        let older = halves.older.entries.pin();
        // A hit also stays in the older half. Both halves share the value, whose cost counts twice
        // until the older half is dropped.
        let (key, entry) = older.get_key_value(key)?;
        self.put(key.clone(), &entry.value, entry.cost);
        Some(Arc::clone(&entry.value))
    }

    /// Caches `value`, which takes `cost` bytes including its key, unless it is larger than half of the
    /// cache.
    pub fn put(&self, key: K, value: &Arc<V>, cost: usize) {
        if cost > self.half_bytes_max {
            return;
        }
        // If another thread replaces the halves in the meantime, the entry is added to a half that
        // is already older or dropped. Then it is evicted early, which is harmless.
        let halves = self.halves.load();
        if halves.younger.add(key, value, cost) > self.half_bytes_max {
            // If two threads find the half full at the same time, the second evicts a little more than
            // necessary.
            self.start_new_half(&halves);
        }
    }

    /// Evicts the entries that were neither read nor put since the call before the last one.
    ///
    /// If it is called at regular intervals, it frees the memory of entries that are no longer requested.
    pub fn evict_unused(&self) {
        let halves = self.halves.load();
        self.start_new_half(&halves);
    }

    fn start_new_half(&self, halves: &CacheGenerations<K, V>) {
        self.halves.store(Arc::new(CacheGenerations {
            younger: Arc::default(),
            older: Arc::clone(&halves.younger),
        }));
    }

    /// Returns the size of the cached entries, in bytes.
    pub fn bytes(&self) -> usize {
        let halves = self.halves.load();
        halves.younger.bytes() + halves.older.bytes()
    }
}

impl<K, V> Default for CacheGeneration<K, V> {
    fn default() -> Self {
        // By default, each thread retains 32 replaced entries until it frees them together. With dozens
        // of threads and entries of several kilobytes, this would exceed the cache itself and would not
        // be counted.
        let collector = Collector::new().batch_size(1);
        Self {
            entries: HashMap::builder().collector(collector).build(),
            bytes: AtomicUsize::new(0),
        }
    }
}

impl<K: Hash + Eq, V> CacheGeneration<K, V> {
    /// Adds a value and returns the resulting size of the half, in bytes.
    fn add(&self, key: K, value: &Arc<V>, cost: usize) -> usize {
        let entry = CachedValue {
            value: Arc::clone(value),
            cost,
        };
        let replaced = self
            .entries
            .pin()
            .insert(key, entry)
            .map_or(0, |old| old.cost);
        // `Relaxed` suffices: the count only triggers eviction and does not guard other memory.
        let before = self.bytes.fetch_add(cost, Ordering::Relaxed);
        self.bytes.fetch_sub(replaced, Ordering::Relaxed);
        // A thread that replaces an entry may subtract its cost before the thread that inserted it
        // has added that cost.
        let bytes = before.wrapping_add(cost).wrapping_sub(replaced);
        usize::try_from(bytes.cast_signed()).unwrap_or_default()
    }
}

impl<K, V> CacheGeneration<K, V> {
    fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COST: usize = 1_500;

    fn put(recent: &RecentCache<Box<str>, u32>, key: &str, value: u32) {
        recent.put(key.into(), &Arc::new(value), COST);
    }

    #[test]
    fn put_value_is_found() {
        let recent = RecentCache::new(1 << 20);
        put(&recent, "posts", 10);
        assert_eq!(recent.get("posts").as_deref(), Some(&10));
        assert!(recent.get("pages").is_none());
        put(&recent, "posts", 11);
        assert_eq!(recent.get("posts").as_deref(), Some(&11));
        assert_eq!(recent.bytes(), COST);
    }

    #[test]
    fn bound_holds_and_frequently_read_values_stay() {
        let recent = RecentCache::new(100_000);
        put(&recent, "often", 0);
        for number in 0..1_000 {
            put(&recent, &format!("once-{number}"), number);
            assert!(recent.get("often").is_some(), "after {number}");
        }
        assert!(recent.bytes() <= 105_000, "{}", recent.bytes());
        assert!(recent.get("once-0").is_none());
    }

    #[test]
    fn unused_values_are_evicted_and_used_ones_stay() {
        let recent = RecentCache::new(1 << 20);
        put(&recent, "used", 1);
        put(&recent, "unused", 2);
        recent.evict_unused();
        assert!(recent.get("used").is_some());
        recent.evict_unused();
        assert!(recent.get("used").is_some());
        assert!(recent.get("unused").is_none());
        recent.evict_unused();
        recent.evict_unused();
        assert_eq!(recent.bytes(), 0);
    }

    #[test]
    fn replaced_values_are_freed_at_once() {
        let recent = RecentCache::new(1 << 20);
        let replaced = Arc::new(1);
        recent.put("key", &replaced, COST);
        recent.put("key", &Arc::new(2), COST);
        assert_eq!(Arc::strong_count(&replaced), 1);
    }

    #[test]
    fn value_that_would_fill_the_cache_is_not_cached() {
        let recent = RecentCache::new(1_000);
        put(&recent, "huge", 1);
        assert!(recent.get("huge").is_none());
        assert_eq!(recent.bytes(), 0);
    }
}
