//! The content of states and segments.

use std::collections::HashMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    super::BackupError,
    location::{Location, STORED_BYTES_MAX, compressed, hash},
    object_name::{MomentKind, MomentName},
};
use crate::store::FORMAT_VERSION as STORE_FORMAT;

/// The version of the format that this program writes, and the newest that it can read.
pub const FORMAT: u64 = 1;

/// Maximum uncompressed length of a state or segment, in bytes.
pub const MOMENT_BYTES_MAX: u64 = 512 << 20;

/// Maximum uncompressed length of a chunk, in bytes, which is reached by a chunk of a single
/// record.
const CHUNK_BYTES_MAX: u64 = MOMENT_BYTES_MAX;

/// A part of a file or of the records of a table, as an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// The SHA-256 of its uncompressed content, in hexadecimal digits. It is a part of the object's
    /// name.
    pub sha256: String,
    /// The length of its uncompressed content.
    pub bytes: u64,
    /// The length of the object.
    pub stored: u64,
}

/// The records of a table, as lines of JSON in the order of their keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRecords {
    /// The name of the table.
    pub table: String,
    /// The number of records.
    pub records: u64,
    /// The chunks that they consist of.
    pub chunks: Vec<Chunk>,
}

/// An upload or a file of a theme.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// The path in the data folder.
    pub path: String,
    /// The length.
    pub bytes: u64,
    /// The SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
    /// Time of the last change, if the file is on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<Timestamp>,
    /// The chunks that it consists of.
    pub chunks: Vec<Chunk>,
}

/// A record that no commit changed after a moment. It shows whether a store has the history of the
/// moment, or another history with the same revisions, as after a restore.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewestRecord {
    /// The name of the table.
    pub table: String,
    /// The key, in base64.
    pub key64: String,
    /// The number of the commit that wrote it.
    pub revision: u64,
    /// The SHA-256 of the value, in hexadecimal digits.
    pub sha256: String,
}

/// The fields that states and segments have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MomentInfo {
    /// The version of the format.
    pub format: u64,
    /// The version of Galley that wrote the object.
    pub galley: String,
    /// The version of the store format.
    pub store_format: u64,
    /// The revision of the last commit in it.
    pub revision: u64,
    /// Time of writing.
    pub created_at: Timestamp,
    /// The newest record.
    #[serde(default)]
    pub newest: Option<NewestRecord>,
}

impl MomentInfo {
    pub fn new(revision: u64, created_at: Timestamp, newest: Option<NewestRecord>) -> Self {
        Self {
            format: FORMAT,
            galley: env!("CARGO_PKG_VERSION").to_owned(),
            store_format: STORE_FORMAT,
            revision,
            created_at,
            newest,
        }
    }
}

/// The whole site at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteState {
    #[serde(flatten)]
    pub info: MomentInfo,
    /// The records.
    pub records: Vec<TableRecords>,
    /// The files, sorted by path.
    pub files: Vec<FileRecord>,
    /// The chunks that only segments before this state refer to.
    pub segment_chunks: Vec<Chunk>,
}

/// The first line of a segment; the changed records follow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentHeader {
    #[serde(flatten)]
    pub info: MomentInfo,
    /// The name of the preceding state or segment.
    pub after: String,
    /// The revision of the preceding state or segment.
    pub after_revision: u64,
    /// Number of changed records.
    pub records: u64,
    /// New and changed files.
    pub files: Vec<FileRecord>,
    /// The paths of deleted files.
    pub removed_files: Vec<String>,
}

impl SiteState {
    /// Returns all chunks that the state needs.
    pub fn chunks(&self) -> impl Iterator<Item = &Chunk> {
        let records = self.records.iter().flat_map(|table| &table.chunks);
        records.chain(self.files.iter().flat_map(|file| &file.chunks))
    }
}

/// The fields that are checked before the rest is read.
#[derive(Deserialize)]
struct Version {
    format: u64,
    galley: String,
    store_format: u64,
}

/// Writes a state or segment with this content, and returns its name and the length of the object.
///
/// # Errors
///
/// If it cannot be written.
pub fn write_moment(
    location: &Location,
    kind: MomentKind,
    created_at: Timestamp,
    content: &[u8],
) -> Result<(MomentName, u64), BackupError> {
    let name = MomentName {
        created_at: whole_seconds(created_at),
        kind,
        sha256: hash(content),
    };
    let text = name.to_string();
    let stored = compressed(content).map_err(|error| location.error(&text, error.to_string()))?;
    // The objects that it refers to are on disk before it.
    location.flush()?;
    location.put(&text, &stored)?;
    location.flush()?;
    Ok((name, stored.len() as u64))
}

/// Reads a state.
///
/// # Errors
///
/// `Newer` if a newer Galley wrote it; if it is missing or damaged.
pub fn read_state(location: &Location, name: &MomentName) -> Result<SiteState, BackupError> {
    let text = name.to_string();
    let content = location.read(&text, &name.sha256, MOMENT_BYTES_MAX)?;
    let state: SiteState = parse(location, &text, &content)?;
    let tables = state.records.iter().flat_map(|table| &table.chunks);
    // The chunks of files are checked with their files.
    check_chunks(tables.chain(&state.segment_chunks))
        .and_then(|()| check_files(&state.files))
        .map_err(|what| location.error(&text, what))?;
    Ok(state)
}

/// Returns the length of the chunks that a state needs, in bytes: of their objects, each counted once.
///
/// # Errors
///
/// `Newer` if a newer Galley wrote the state; if it is missing or damaged.
pub fn state_chunk_bytes(location: &Location, name: &MomentName) -> Result<u64, BackupError> {
    let state = read_state(location, name)?;
    let stored: HashMap<&str, u64> = state
        .chunks()
        .map(|chunk| (&*chunk.sha256, chunk.stored))
        .collect();
    Ok(stored.values().sum())
}

/// Reads the header of a segment and its other lines.
///
/// # Errors
///
/// `Newer` if a newer Galley wrote it; if it is missing or damaged.
pub fn read_segment(
    location: &Location,
    name: &MomentName,
) -> Result<(SegmentHeader, Vec<u8>), BackupError> {
    let text = name.to_string();
    let mut content = location.read(&text, &name.sha256, MOMENT_BYTES_MAX)?;
    // JSON escapes line breaks in strings, so the first one ends the header.
    let end = content.iter().position(|byte| *byte == b'\n');
    let lines = content.split_off(end.map_or(content.len(), |end| end + 1));
    let header: SegmentHeader = parse(location, &text, &content)?;
    check_files(&header.files).map_err(|what| location.error(&text, what))?;
    Ok((header, lines))
}

/// Checks the lengths of chunks, so that sums of lengths do not overflow and reads are bounded.
fn check_chunks<'c>(chunks: impl IntoIterator<Item = &'c Chunk>) -> Result<(), String> {
    for chunk in chunks {
        if chunk.bytes > CHUNK_BYTES_MAX || chunk.stored > STORED_BYTES_MAX {
            return Err(format!("the chunk {} is too long", chunk.sha256));
        }
    }
    Ok(())
}

/// Checks that the length of each file is the sum of its chunks.
fn check_files(files: &[FileRecord]) -> Result<(), String> {
    for file in files {
        check_chunks(&file.chunks)?;
        let bytes: u64 = file.chunks.iter().map(|chunk| chunk.bytes).sum();
        if bytes != file.bytes {
            let FileRecord {
                path, bytes: named, ..
            } = file;
            return Err(format!("{path} has {named} bytes, and its chunks {bytes}"));
        }
    }
    Ok(())
}

fn parse<T: DeserializeOwned>(
    location: &Location,
    name: &str,
    text: &[u8],
) -> Result<T, BackupError> {
    let unreadable = |error: serde_json::Error| location.error(name, error.to_string());
    // A newer format may have other fields, so the version is read separately first.
    let version: Version = serde_json::from_slice(text).map_err(unreadable)?;
    if version.format > FORMAT || version.store_format > STORE_FORMAT {
        return Err(BackupError::Newer {
            galley: version.galley,
        });
    }
    serde_json::from_slice(text).map_err(unreadable)
}

/// Returns the time without the fraction of a second, as names contain it.
pub fn whole_seconds(time: Timestamp) -> Timestamp {
    Timestamp::from_second(time.as_second()).unwrap_or(time)
}
