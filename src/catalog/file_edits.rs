//! The index of pending edits of content files, without their texts.

use imbl::{OrdMap, OrdSet};

use crate::domain::{file_edit::FileEdit, secret::Digest};

/// An index of pending edits. Cloning is cheap; a change copies only the path to the changed
/// records.
#[derive(Clone, Default)]
pub struct FileEdits {
    by_number: OrdMap<u64, EditSummary>,
    // Sorted by path and number, so that the last edit at a path is the end of a range.
    by_path: OrdSet<(Box<str>, u64)>,
    /// The edits that have been written to their files and only await their commits, by path.
    written: OrdSet<(Box<str>, u64)>,
    /// The edits that other documents may depend on: edits of records other than posts and pages,
    /// and edits with uploads.
    referable: OrdSet<u64>,
}

/// The data of an edit in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditSummary {
    /// The path of the file.
    pub path: Box<str>,
    /// The number of saves.
    pub saves: u64,
    /// The digest of the text, if the file is not that of a post or a page.
    pub record: Option<Digest>,
    /// The uploads that are copied to the content folder with the edit.
    pub uploads: Box<[Box<str>]>,
}

impl FileEdits {
    /// Returns the number of edits.
    pub fn count(&self) -> usize {
        self.by_number.len()
    }

    /// Returns the highest number of an edit; 0 without edits.
    pub fn last_number(&self) -> u64 {
        self.by_number.get_max().map_or(0, |(number, _)| *number)
    }

    /// Returns the number of the last edit that is still to be written to the file at `path`.
    pub fn last_at(&self, path: &str) -> Option<u64> {
        last_at(&self.by_path, path)
    }

    /// Returns the number of the last edit that has been written to the file at `path` and awaits
    /// its commit.
    pub fn last_written_at(&self, path: &str) -> Option<u64> {
        last_at(&self.written, path)
    }

    /// Returns the number of edits that only await their commits.
    pub fn written_count(&self) -> usize {
        self.written.len()
    }

    /// Returns the edits that other documents may depend on, in ascending order of number: edits of
    /// records other than posts and pages, and edits with uploads.
    pub fn referable(&self) -> impl Iterator<Item = (u64, &EditSummary)> {
        let numbers = self.referable.iter();
        numbers.filter_map(|number| Some((*number, self.by_number.get(number)?)))
    }

    /// Adds an edit or replaces the one with the same number.
    pub fn put(&mut self, edit: &FileEdit) {
        // An edit that has been written moves from one index to the other.
        self.remove(edit.number);
        let summary = EditSummary {
            path: edit.path.clone(),
            saves: edit.saves,
            record: (!edit.is_of_document)
                // A digest detects further changes of the record without holding its text in
                // memory.
                .then(|| Digest::of(edit.after.as_deref().unwrap_or_default())),
            uploads: edit.uploads.clone(),
        };
        let key = (edit.path.clone(), edit.number);
        if edit.is_written {
            // Not referable: the folder already contains the files that documents may refer to.
            self.written.insert(key);
        } else {
            if summary.record.is_some() || !summary.uploads.is_empty() {
                self.referable.insert(edit.number);
            }
            self.by_path.insert(key);
        }
        self.by_number.insert(edit.number, summary);
    }

    /// Removes an edit.
    pub fn remove(&mut self, number: u64) {
        if let Some(old) = self.by_number.remove(&number) {
            let key = (old.path, number);
            self.by_path.remove(&key);
            self.written.remove(&key);
            self.referable.remove(&number);
        }
    }
}

/// Returns the highest number of an edit at `path`.
fn last_at(keys: &OrdSet<(Box<str>, u64)>, path: &str) -> Option<u64> {
    let key = |number: u64| (Box::<str>::from(path), number);
    let all = key(0)..=key(u64::MAX);
    keys.range(all).next_back().map(|(_, number)| *number)
}
