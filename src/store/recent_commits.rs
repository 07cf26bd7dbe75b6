//! The keys of the latest commits, which show other users of a store the changed records.

use std::collections::VecDeque;
use std::iter;
use std::sync::Arc;

use super::{Batch, Table};

/// Maximum number of keys that are remembered. After a larger commit, other users read everything
/// again.
pub(super) const KEYS_MAX: usize = 1000;

/// The keys that one commit put or deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedKeys {
    /// The number of the commit.
    pub revision: u64,
    /// The keys, by table.
    pub keys: Arc<[(Table, Box<[u8]>)]>,
}

/// The latest commits of a store, in order and without gaps.
#[derive(Debug, Default)]
pub(super) struct RecentCommits {
    commits: VecDeque<ChangedKeys>,
    keys: usize,
}

impl RecentCommits {
    /// Adds the next commit.
    pub(super) fn add(&mut self, revision: u64, batches: &[&Batch]) {
        let operations = || batches.iter().flat_map(|batch| batch.operations());
        // Counted without collecting: an import can have millions of operations.
        if operations().nth(KEYS_MAX).is_some() {
            return self.clear();
        }
        let keys = operations()
            .map(|(table, key, _)| (table, key.into()))
            .collect();
        self.push(ChangedKeys { revision, keys });
    }

    /// Adds the next commits.
    #[cfg(feature = "postgres")]
    pub(super) fn add_all(&mut self, commits: Vec<ChangedKeys>) {
        for commit in commits {
            self.push(commit);
        }
    }

    fn push(&mut self, commit: ChangedKeys) {
        self.keys += commit.keys.len();
        self.commits.push_back(commit);
        // The number of commits is limited as well, because a commit may have no keys.
        while self.keys > KEYS_MAX || self.commits.len() > KEYS_MAX {
            let oldest = self.commits.pop_front();
            self.keys -= oldest.map_or(self.keys, |oldest| oldest.keys.len());
        }
    }

    /// Forgets all commits.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the commits after `revision` up to `last`, or `None` if one is missing.
    pub(super) fn since(&self, revision: u64, last: u64) -> Option<Vec<ChangedKeys>> {
        let later = self.commits.iter();
        let later: Vec<ChangedKeys> = later
            .filter(|commit| commit.revision > revision)
            .cloned()
            .collect();
        let revisions = later.iter().map(|commit| commit.revision);
        let all = iter::successors(revision.checked_add(1), |next| next.checked_add(1))
            .take_while(|next| *next <= last);
        // A revision after the last one belongs to another history of the store, such as that
        // before a restore.
        (revision <= last && revisions.eq(all)).then_some(later)
    }
}
