//! Reads all records of a table into the catalog, once when a site is opened.

use std::{
    mem,
    ops::{ControlFlow, Range},
    panic::resume_unwind,
    sync::mpsc::{self, Receiver, SyncSender},
    thread,
};

use super::records::StoredRecord;
use crate::{
    error::{Error, Result},
    store::{Keys, Snapshot, Table},
};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

/// Size of the records that are decoded together, in bytes: some thousands of records.
const DECODED_AT_ONCE_BYTES: usize = 4 * 1024 * 1024;

/// Reads all records of a large table in ascending order of their keys, converts each with `make`
/// on all processors, and passes the results to `put`. Opening a large site spends most of its time
/// here, so records are read while others are decoded. Only a limited part is decoded at a time, so
/// hardly any record is in memory twice.
///
/// # Errors
///
/// If the store cannot be read or no thread can be started, or the error of `make`.
pub fn decode_all<T: Send>(
    snapshot: &dyn Snapshot,
    table: Table,
    make: impl Fn(StoredRecord<'_>) -> Result<T> + Sync,
    mut put: impl FnMut(T),
) -> Result<()> {
    // One buffer in the channel: the disk is read while the last buffer is decoded, with limited
    // memory.
    let (full, filled) = mpsc::sync_channel(1);
    // Not bounded: the decoder must never wait for the reader, which may be waiting for the
    // decoder.
    let (empty, emptied) = mpsc::channel();
    thread::scope(|scope| {
        let scan = thread::Builder::new().name("read ahead".to_owned());
        let scan = scan
            .spawn_scoped(scope, move || read_ahead(snapshot, table, &full, &emptied))
            .map_err(Error::internal)?;
        let mut decode = |encoded: &EncodedRecords| -> Result<()> {
            let ranges = encoded.ranges.par_iter();
            let decoded: Vec<Result<T>> = ranges
                .map(|range| make(encoded.stored(table, range)))
                .collect();
            for decoded in decoded {
                // In the order of the keys, which `collect` retains although the records are
                // decoded in parallel.
                put(decoded?);
            }
            Ok(())
        };
        for mut encoded in filled {
            decode(&encoded)?;
            encoded.clear();
            // Fails once everything is read and no empty buffer is needed any more.
            let _ = empty.send(encoded);
        }
        scan.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Reads all records of a table and sends them some thousands at a time, in buffers that `emptied`
/// returns.
fn read_ahead(
    snapshot: &dyn Snapshot,
    table: Table,
    full: &SyncSender<EncodedRecords>,
    emptied: &Receiver<EncodedRecords>,
) -> Result<()> {
    let mut encoded = EncodedRecords::default();
    snapshot.scan(table, &Keys::all(), &mut |key, _revision, bytes| {
        encoded.add(key, bytes);
        if encoded.bytes.len() < DECODED_AT_ONCE_BYTES {
            return ControlFlow::Continue(());
        }
        // Reuses a buffer if one was returned. Only a few exist, because the channel to the decoder
        // is bounded.
        let next = emptied.try_recv().unwrap_or_default();
        match full.send(mem::replace(&mut encoded, next)) {
            Ok(()) => ControlFlow::Continue(()),
            // The receiver stopped because a record cannot be decoded.
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    // Fails if the receiver stopped because of an error, which it returns.
    let _ = full.send(encoded);
    Ok(())
}

/// Records in encoded form, in one buffer.
#[derive(Default)]
struct EncodedRecords {
    bytes: Vec<u8>,
    /// The range of each record, whose key comes first, and the length of the key.
    ranges: Vec<(Range<usize>, usize)>,
}

impl EncodedRecords {
    fn clear(&mut self) {
        self.bytes.clear();
        self.ranges.clear();
    }

    fn stored<'e>(
        &'e self,
        table: Table,
        (range, key_bytes): &(Range<usize>, usize),
    ) -> StoredRecord<'e> {
        let (key, bytes) = self.bytes[range.clone()].split_at(*key_bytes);
        StoredRecord { key, table, bytes }
    }

    fn add(&mut self, key: &[u8], bytes: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(bytes);
        self.ranges.push((start..self.bytes.len(), key.len()));
    }
}
