//! The format of a store on disk: the mark that identifies a Galley store, and the encoding of
//! records.
//!
//! The table `galley` identifies a store. It maps text to a 64-bit number and holds `format`, the
//! version below, and `revision`, the number of the last commit; every later format will have this
//! table, so that an older program can report the format. Each [`Table`](super::Table) is a
//! separate table, created when it is first written. A record is its revision in 8 bytes,
//! big-endian, followed by the value.
//!
//! A change that older programs would misread raises [`FORMAT_VERSION`]. The migration from the
//! previous version belongs in `redb::open`, where the version is checked, as one transaction of
//! the file that is being opened. A small store of the old version is added to the tests
//! (`tests/it/upgrade/make`).

/// Format version that this program writes, and the newest that it can read.
pub const FORMAT_VERSION: u64 = 1;

/// Name of the table that identifies a Galley store.
pub(super) const MARK_TABLE: &str = "galley";

/// Key of the format version in that table.
pub(super) const FORMAT_KEY: &str = "format";

/// Key of the last commit's number in that table.
pub(super) const REVISION_KEY: &str = "revision";

const REVISION_BYTES: usize = size_of::<u64>();

/// Replaces the content of `record` with the header of a record that the commit `revision` writes.
/// The value is appended to it.
pub(super) fn begin_record(revision: u64, record: &mut Vec<u8>) {
    record.clear();
    record.extend_from_slice(&revision.to_be_bytes());
}

/// Returns the revision and the value of a record, or `None` if it is too short to be one.
pub(super) fn decode_record(record: &[u8]) -> Option<(u64, &[u8])> {
    let (revision, value) = record.split_first_chunk::<REVISION_BYTES>()?;
    Some((u64::from_be_bytes(*revision), value))
}
