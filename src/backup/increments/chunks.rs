//! Splits content into chunks, and writes those that a location does not have.

use std::{
    collections::HashMap,
    io::{self, Read},
    mem,
};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use super::{
    super::BackupError,
    format::{Chunk, TableRecords},
    location::{Location, compressed, hash},
    object_name, record_line,
};
use crate::store::Table;

/// Minimum and maximum length of a chunk of records, in bytes; a longer record becomes a separate
/// chunk. In between, a chunk ends after a record whose key marks a boundary, on average after
/// [`RECORDS_MEAN`] further bytes.
const RECORDS_MIN: usize = 48 << 10;
const RECORDS_MAX: usize = 512 << 10;
const RECORDS_MEAN: u64 = 48 << 10;

/// Length of the chunks of files, in bytes. Uploads never change, so the boundaries do not matter.
const FILE_CHUNK_BYTES: u64 = 4 << 20;

/// Writes chunks.
pub struct ChunkWriter<'a> {
    location: &'a Location,
    /// The chunks that the location has, with the lengths of their objects.
    known: &'a mut HashMap<String, u64>,
    /// Total length of the objects written, in bytes.
    pub written_bytes: u64,
    /// Number of objects written.
    pub written: u64,
}

/// The length and hash of a file, and its chunks.
pub struct CutFile {
    pub bytes: u64,
    pub sha256: String,
    pub chunks: Vec<Chunk>,
}

impl<'a> ChunkWriter<'a> {
    pub fn new(location: &'a Location, known: &'a mut HashMap<String, u64>) -> Self {
        Self {
            location,
            known,
            written_bytes: 0,
            written: 0,
        }
    }

    /// Returns whether the location has all these chunks.
    pub fn has(&self, chunks: &[Chunk]) -> bool {
        chunks
            .iter()
            // An object of another length is the remainder of an interrupted write.
            .all(|chunk| self.known.get(&chunk.sha256) == Some(&chunk.stored))
    }

    /// Writes a chunk unless the location has it.
    pub fn put(&mut self, content: &[u8]) -> Result<Chunk, BackupError> {
        let sha256 = hash(content);
        let bytes = content.len() as u64;
        if let Some(&stored) = self.known.get(&sha256) {
            return Ok(Chunk {
                sha256,
                bytes,
                stored,
            });
        }
        let name = object_name::of_chunk(&sha256);
        let object =
            compressed(content).map_err(|error| self.location.error(&name, error.to_string()))?;
        self.location.put(&name, &object)?;
        let stored = object.len() as u64;
        self.known.insert(sha256.clone(), stored);
        self.written += 1;
        self.written_bytes += stored;
        Ok(Chunk {
            sha256,
            bytes,
            stored,
        })
    }

    /// Writes the chunks of a file. `advance` receives the number of bytes of each read.
    pub fn put_file(
        &mut self,
        mut content: impl Read,
        reading: impl Fn(io::Error) -> BackupError,
        advance: &mut dyn FnMut(u64) -> Result<(), BackupError>,
    ) -> Result<CutFile, BackupError> {
        let mut digest = Sha256::new();
        let mut cut = CutFile {
            bytes: 0,
            sha256: String::new(),
            chunks: Vec::new(),
        };
        let mut piece = Vec::new();
        loop {
            piece.clear();
            // Filled up to the boundary: a short read would move all later boundaries, and an
            // identical file would get other chunks.
            let read = content
                .by_ref()
                .take(FILE_CHUNK_BYTES)
                .read_to_end(&mut piece);
            read.map_err(&reading)?;
            if piece.is_empty() {
                cut.sha256 = HEXLOWER.encode(&digest.finalize());
                return Ok(cut);
            }
            digest.update(&piece);
            cut.bytes += piece.len() as u64;
            cut.chunks.push(self.put(&piece)?);
            advance(piece.len() as u64)?;
        }
    }
}

/// Splits the records of a table into chunks.
pub struct RecordCutter {
    table: TableRecords,
    lines: Vec<u8>,
}

impl RecordCutter {
    pub fn new(table: Table) -> Self {
        Self {
            table: TableRecords {
                table: table.name().to_owned(),
                records: 0,
                chunks: Vec::new(),
            },
            lines: Vec::new(),
        }
    }

    /// Adds the next record.
    pub fn add(
        &mut self,
        (table, key): (Table, &[u8]),
        (revision, value): (u64, &[u8]),
        chunks: &mut ChunkWriter<'_>,
    ) -> Result<(), BackupError> {
        let start = self.lines.len();
        let appended = record_line::append(&mut self.lines, table, key, Some((revision, value)));
        appended.map_err(|error| BackupError::Unreadable(error.to_string()))?;
        self.table.records += 1;
        let length = self.lines.len();
        let is_end = length >= RECORDS_MIN && is_cut(key, length - start);
        if is_end || length >= RECORDS_MAX {
            self.cut(chunks)?;
        }
        Ok(())
    }

    fn cut(&mut self, chunks: &mut ChunkWriter<'_>) -> Result<(), BackupError> {
        let lines = mem::take(&mut self.lines);
        self.table.chunks.push(chunks.put(&lines)?);
        self.lines = lines;
        self.lines.clear();
        Ok(())
    }

    /// Writes the last chunk.
    pub fn finish(mut self, chunks: &mut ChunkWriter<'_>) -> Result<TableRecords, BackupError> {
        if !self.lines.is_empty() {
            self.cut(chunks)?;
        }
        Ok(self.table)
    }
}

/// Returns whether a chunk ends after the record with this key, whose line has `bytes` bytes. That
/// does not depend on earlier records, so the boundaries after a change remain the same.
fn is_cut(key: &[u8], bytes: usize) -> bool {
    let digest = Sha256::digest(key);
    let mut number = [0; 4];
    number.copy_from_slice(&digest[..4]);
    // Proportional to the length, so that the mean length of chunks does not depend on that of
    // records.
    let chance = (bytes as u64).saturating_mul(1 << 32) / RECORDS_MEAN;
    u64::from(u32::from_be_bytes(number)) < chance
}
