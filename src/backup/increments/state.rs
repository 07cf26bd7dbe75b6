//! Writes a state: all records and files, most of whose chunks exist already.

use std::ops::ControlFlow;

use data_encoding::BASE64;

use super::{
    super::BackupError,
    chunks::{ChunkWriter, RecordCutter},
    format::{NewestRecord, TableRecords},
    location::hash,
};
use crate::{
    progress::Progress,
    store::{Keys, Snapshot, Table},
};

/// All records of a snapshot.
pub struct CutRecords {
    pub tables: Vec<TableRecords>,
    pub newest: Option<NewestRecord>,
}

/// Writes the chunks of all records. `total` is the length of the store, in bytes, for `progress`.
///
/// # Errors
///
/// If the store cannot be read, a chunk cannot be written, or `progress` cancels.
pub fn write_records(
    snapshot: &dyn Snapshot,
    chunks: &mut ChunkWriter<'_>,
    (total, progress): (u64, &dyn Progress),
) -> Result<CutRecords, BackupError> {
    let mut all = CutRecords {
        tables: Vec::new(),
        newest: None,
    };
    let mut done = 0;
    for table in Table::ALL {
        let mut cutter = RecordCutter::new(table);
        // The visitor returns no error, so an error of the writer leaves the scan through this
        // variable.
        let mut outcome = Ok(());
        snapshot.scan(table, &Keys::all(), &mut |key, revision, value| {
            update_newest(&mut all.newest, (table, key), (revision, value));
            done += (key.len() + value.len()) as u64;
            outcome = cutter.add((table, key), (revision, value), chunks);
            if outcome.is_ok() && progress.step(done.min(total), total).is_break() {
                outcome = Err(BackupError::Cancelled);
            }
            match outcome {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        })?;
        outcome?;
        let records = cutter.finish(chunks)?;
        if records.records > 0 {
            all.tables.push(records);
        }
    }
    Ok(all)
}

/// Replaces the newest record if the given one is from a later commit.
pub fn update_newest(
    newest: &mut Option<NewestRecord>,
    (table, key): (Table, &[u8]),
    (revision, value): (u64, &[u8]),
) {
    if newest.as_ref().is_none_or(|last| last.revision < revision) {
        *newest = Some(NewestRecord {
            table: table.name().to_owned(),
            key64: BASE64.encode(key),
            revision,
            sha256: hash(value),
        });
    }
}
