//! How many records lead to another one, or to a file.

use std::{collections::HashMap, hash::Hash};

use imbl::OrdMap;

use crate::id::Id;

/// Counts by what is led to. Cloning it costs nothing; a change copies the path to what changed.
#[derive(Clone)]
pub(super) struct Uses<T = Id>(OrdMap<T, usize>);

impl<T> Default for Uses<T> {
    fn default() -> Self {
        Self(OrdMap::new())
    }
}

impl<T: Copy + Hash + Ord> Uses<T> {
    /// The counts of all these at once.
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

    /// How many lead to this one.
    pub fn to(&self, id: T) -> usize {
        self.0.get(&id).copied().unwrap_or_default()
    }

    /// Counts one more for each.
    pub fn add(&mut self, ids: &[T]) {
        for id in ids {
            *self.0.entry(*id).or_default() += 1;
        }
    }

    /// Counts one less for each.
    pub fn take(&mut self, ids: &[T]) {
        for id in ids {
            match self.0.get_mut(id) {
                Some(count) if *count > 1 => *count -= 1,
                _ => {
                    self.0.remove(id);
                }
            }
        }
    }
}
