//! Reference counts of records and files.

use std::{collections::HashMap, hash::Hash};

use imbl::OrdMap;

use crate::id::Id;

/// The number of references to each target. Cloning is cheap; a change copies only the path to the
/// changed entry.
#[derive(Clone)]
pub(super) struct ReferenceCounts<T = Id>(OrdMap<T, usize>);

impl<T> Default for ReferenceCounts<T> {
    fn default() -> Self {
        Self(OrdMap::new())
    }
}

impl<T: Copy + Hash + Ord> ReferenceCounts<T> {
    /// Returns the counts of all these references.
    pub fn of<'i>(ids: impl Iterator<Item = &'i T>) -> Self
    where
        T: 'i,
    {
        let mut counts: HashMap<T, usize> = HashMap::new();
        for id in ids {
            *counts.entry(*id).or_default() += 1;
        }
        Self(counts.into_iter().collect())
    }

    /// Returns the number of references to `id`.
    pub fn to(&self, id: T) -> usize {
        self.0.get(&id).copied().unwrap_or_default()
    }

    /// Increments the count of each target.
    pub fn add(&mut self, ids: &[T]) {
        for id in ids {
            *self.0.entry(*id).or_default() += 1;
        }
    }

    /// Decrements the count of each target.
    pub fn take(&mut self, ids: &[T]) {
        for id in ids {
            match self.0.get_mut(id) {
                Some(count) if *count > 1 => *count -= 1,
                // Entries with a count of 0 would accumulate for all former targets.
                _ => {
                    self.0.remove(id);
                }
            }
        }
    }
}
