//! Which files changed: by their facts if those can be trusted, else by reading them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::{Reconciler, Seen};
use crate::sources::{Diagnostic, kind_of, tree};

/// What a look at the folder showed.
pub struct Look {
    /// Content files that may have changed, with the facts that will tell next time.
    pub changed: BTreeMap<String, Option<Seen>>,
    /// Files that are gone.
    pub removed: BTreeSet<String>,
    /// All files of the folder; `None` when only some were looked at and there are the same files as before.
    pub paths: Option<BTreeSet<String>>,
    /// What could not be listed.
    pub problems: Vec<Diagnostic>,
}

impl Reconciler {
    /// Looks at the hinted files, or at the whole folder when there are no hints or a hinted file is new or gone.
    pub(super) fn look(&self, hints: Option<&BTreeSet<String>>) -> Look {
        let now_ns = Timestamp::now().as_nanosecond();
        match hints.and_then(|hints| self.look_at(hints, now_ns)) {
            Some(look) => look,
            None => self.look_at_all(now_ns),
        }
    }

    fn look_at(&self, hints: &BTreeSet<String>, now_ns: i128) -> Option<Look> {
        let mut changed = BTreeMap::new();
        for path in hints {
            let file = tree::look_up(&self.root, path)?;
            if !self.paths.contains(path) {
                return None;
            }
            if kind_of(path).is_some() {
                changed.insert(path.clone(), Seen::of(&file, now_ns));
            }
        }
        Some(Look {
            changed,
            removed: BTreeSet::new(),
            paths: None,
            problems: Vec::new(),
        })
    }

    fn look_at_all(&self, now_ns: i128) -> Look {
        let tree = tree::walk(&self.root);
        if tree.files.is_empty() && !tree.diagnostics.is_empty() {
            // The folder cannot be read, which is no reason to take everything down.
            return Look {
                changed: BTreeMap::new(),
                removed: BTreeSet::new(),
                paths: None,
                problems: tree.diagnostics,
            };
        }
        let changed = tree
            .files
            .iter()
            .filter(|file| kind_of(&file.path).is_some())
            .filter_map(|file| {
                let seen = Seen::of(file, now_ns);
                let known = self.states.get(&file.path);
                let is_same = known.is_some_and(|known| {
                    known.seen.is_some() && known.seen == seen && !known.has_problems
                });
                (!is_same).then(|| (file.path.clone(), seen))
            })
            .collect();
        let paths: BTreeSet<String> = tree.files.into_iter().map(|file| file.path).collect();
        Look {
            changed,
            removed: self
                .states
                .keys()
                .filter(|path| !paths.contains(*path))
                .cloned()
                .collect(),
            paths: Some(paths),
            problems: tree.diagnostics,
        }
    }
}
