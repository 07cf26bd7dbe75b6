//! The keys that changed since the last moment.

use std::collections::BTreeMap;

use super::super::BackupError;
use crate::{site::Site, store::Table};

/// Maximum number of keys in a segment. If there are more, a state is written.
const KEYS_MAX: usize = 100_000;

/// The keys of the commits since a revision.
#[derive(Debug, Default)]
pub struct ChangedKeys {
    /// The last commit whose keys are known.
    seen: u64,
    /// Each key with the last commit that changed it.
    keys: BTreeMap<(Table, Box<[u8]>), u64>,
    /// True if the keys of some commit are not known.
    is_incomplete: bool,
}

impl ChangedKeys {
    /// Returns an empty set of keys, after this revision.
    pub fn after(revision: u64) -> Self {
        Self {
            seen: revision,
            ..Self::default()
        }
    }

    /// Adds the keys of the commits since the last call. The store only knows the keys of the
    /// latest commits, so this is called often.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn collect(&mut self, site: &Site) -> Result<(), BackupError> {
        if self.is_incomplete {
            return Ok(());
        }
        // Complete again only after a state, with which the writer replaces this set.
        let Some(commits) = site.changed_keys_since(self.seen)? else {
            self.is_incomplete = true;
            self.keys.clear();
            return Ok(());
        };
        for commit in commits {
            for (table, key) in &*commit.keys {
                self.keys.insert((*table, key.clone()), commit.revision);
            }
            self.seen = commit.revision;
        }
        if self.keys.len() > KEYS_MAX {
            self.is_incomplete = true;
            self.keys.clear();
        }
        Ok(())
    }

    /// Returns whether no segment can be written, because some keys are not known.
    pub fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// Returns the keys.
    pub fn keys(&self) -> impl Iterator<Item = (Table, &[u8])> {
        self.keys.keys().map(|(table, key)| (*table, &**key))
    }

    /// Forgets the keys that no commit after `revision` changed.
    pub fn forget_until(&mut self, revision: u64) {
        // Commits that were made while the moment was written belong to the next segment.
        self.keys.retain(|_, changed| *changed > revision);
        self.seen = self.seen.max(revision);
    }
}
