//! The changes since the last moment, as a segment.

use std::collections::BTreeSet;

use super::{
    super::BackupError,
    changed_keys::ChangedKeys,
    files::Files,
    format::{FileRecord, NewestRecord},
    record_line,
    state::update_newest,
};
use crate::store::{Snapshot, Table};

/// Maximum size of the records in a segment, in bytes. If there are more, a state is written.
const BYTES_MAX: usize = 64 << 20;

/// The changed records, as lines.
pub struct ChangedLines {
    pub lines: Vec<u8>,
    pub records: u64,
    pub newest: Option<NewestRecord>,
}

/// Returns the records of `snapshot` under the changed keys; `None` if they are too long for a
/// segment.
///
/// # Errors
///
/// If the store cannot be read.
pub fn changed_lines(
    snapshot: &dyn Snapshot,
    changed: &ChangedKeys,
    newest: Option<&NewestRecord>,
) -> Result<Option<ChangedLines>, BackupError> {
    let mut found = ChangedLines {
        lines: Vec::new(),
        records: 0,
        newest: newest.cloned(),
    };
    for (table, key) in changed.keys() {
        // A missing record was deleted since; the line then records the deletion.
        let record = snapshot.get(table, key)?;
        let put = record
            .as_ref()
            .map(|record| (record.revision, record.bytes.as_slice()));
        if let Some(put) = put {
            update_newest(&mut found.newest, (table, key), put);
        }
        let appended = record_line::append(&mut found.lines, table, key, put);
        appended.map_err(|error| BackupError::Unreadable(error.to_string()))?;
        found.records += 1;
        if found.lines.len() > BYTES_MAX {
            return Ok(None);
        }
    }
    Ok(Some(found))
}

/// Returns the names of the uploads in a bucket whose records changed.
pub fn named_uploads(changed: &ChangedKeys) -> Vec<String> {
    let uploads = changed.keys().filter(|(table, _)| *table == Table::Uploads);
    let names = uploads.filter_map(|(_, key)| String::from_utf8(key.to_vec()).ok());
    // The object of a theme is an archive. Its files are found on disk, where they are unpacked.
    names.filter(|name| !name.starts_with("themes/")).collect()
}

/// Returns the files that are new or differ, and the paths of deleted files.
pub fn changed_files(before: &Files, after: &Files) -> (Vec<FileRecord>, Vec<String>) {
    let is_changed = |file: &&FileRecord| {
        let known = before.get(&file.path);
        known.is_none_or(|known| known.sha256 != file.sha256)
    };
    let changed = after.values().filter(is_changed).cloned().collect();
    let before: BTreeSet<&String> = before.keys().collect();
    let after: BTreeSet<&String> = after.keys().collect();
    let removed = before.difference(&after).map(|path| (*path).clone());
    (changed, removed.collect())
}
