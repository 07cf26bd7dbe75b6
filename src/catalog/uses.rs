//! How many records lead to another one.

use std::collections::HashMap;

use imbl::OrdMap;

use crate::id::Id;

/// Counts by the record that is led to. Cloning it costs nothing; a change copies the path to what changed.
#[derive(Clone, Default)]
pub(super) struct Uses(OrdMap<Id, usize>);

impl Uses {
    /// The counts of all these at once.
    pub fn of<'i>(ids: impl Iterator<Item = &'i Id>) -> Self {
        let mut counts: HashMap<Id, usize> = HashMap::new();
        for id in ids {
            *counts.entry(*id).or_default() += 1;
        }
        Self(counts.into_iter().collect())
    }

    /// How many lead to this one.
    pub fn to(&self, id: Id) -> usize {
        self.0.get(&id).copied().unwrap_or_default()
    }

    /// Counts one more for each.
    pub fn add(&mut self, ids: &[Id]) {
        for id in ids {
            *self.0.entry(*id).or_default() += 1;
        }
    }

    /// Counts one less for each.
    pub fn take(&mut self, ids: &[Id]) {
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
