//! The last moment of a location, which the next segment follows.

use std::{collections::HashMap, time::Duration};

use data_encoding::BASE64;
use jiff::Timestamp;

use super::{
    super::BackupError,
    files::Files,
    format::{Chunk, NewestRecord, SegmentHeader, read_segment},
    history::{Chain, History},
    location::{Location, hash},
    object_name::{CHUNKS, MomentKind, MomentName, chunk_sha256},
};
use crate::store::{Snapshot, Table};

/// Time by which the clock of the process that wrote a moment may be ahead of this one.
pub const AHEAD_MAX: Duration = Duration::from_secs(300);

/// The last moment.
pub struct LastMoment {
    pub name: MomentName,
    /// Total length of the objects written for it, in bytes. If another process wrote it, only
    /// the length of the object of the moment.
    pub bytes: u64,
    /// Time of its state.
    pub state_at: Timestamp,
    pub revision: u64,
    pub newest: Option<NewestRecord>,
    pub files: Files,
}

/// The last moment of a location, and the chunks of its state and segments.
#[derive(Default)]
pub struct LocationState {
    pub last_moment: Option<LastMoment>,
    /// The chunks that exist, with the lengths of their objects.
    pub known: HashMap<String, u64>,
    /// The chunks of the files in segments since the last state.
    pub segment_chunks: Vec<Chunk>,
}

impl LocationState {
    /// Finds the last moment. If it cannot be read, that is logged, and the result has no moment.
    ///
    /// # Errors
    ///
    /// If the location cannot be read.
    pub fn find(location: &Location, now: Timestamp) -> Result<Self, BackupError> {
        let history = History::read(location)?;
        // A moment from the future would remain the last one until that time.
        let last = history.last_until(location, now + AHEAD_MAX);
        let read = last.and_then(|name| {
            let chain = name.map(|name| Ok((Chain::read(location, &name)?, name)));
            chain.transpose()
        });
        let found = match read {
            Err(error @ (BackupError::Object { .. } | BackupError::Newer { .. })) => {
                tracing::warn!(%error, "the last moment of the backups cannot be read; the next one is a whole state");
                return Ok(Self {
                    // Passed on to the next state, so that retention does not delete what readable
                    // segments still need.
                    segment_chunks: readable_chunks(location, &history)?,
                    ..Self::default()
                });
            }
            found => found?,
        };
        let Some((chain, name)) = found else {
            return Ok(Self::default());
        };
        let headers = chain.segments.iter().map(|(_, header)| header);
        let segment_chunks: Vec<Chunk> = headers.flat_map(chunks_of).cloned().collect();
        let stored = stored_chunks(location)?;
        // A killed process may have left other chunks, which may be incomplete.
        let known = chain.state.chunks().chain(&segment_chunks);
        let known = known
            .filter(|chunk| stored.get(&chunk.sha256) == Some(&chunk.stored))
            .map(|chunk| (chunk.sha256.clone(), chunk.stored))
            .collect();
        let info = chain.info();
        let last_moment = LastMoment {
            bytes: history.bytes_of(&name),
            state_at: chain.state_name.created_at,
            revision: info.revision,
            newest: info.newest.clone(),
            files: chain.files(),
            name,
        };
        Ok(Self {
            last_moment: Some(last_moment),
            known,
            segment_chunks,
        })
    }
}

/// Lists the chunks of a location: their hashes, with the lengths of their objects.
///
/// # Errors
///
/// If the location cannot be read.
pub fn stored_chunks(location: &Location) -> Result<HashMap<String, u64>, BackupError> {
    let listed = location.list(CHUNKS)?.into_iter();
    let chunks = listed.filter_map(|(name, bytes)| Some((chunk_sha256(&name)?.to_owned(), bytes)));
    Ok(chunks.collect())
}

/// Returns the chunks of the files in all readable segments since the last state.
fn readable_chunks(location: &Location, history: &History) -> Result<Vec<Chunk>, BackupError> {
    let since = history.states().next_back().map(|name| name.created_at);
    let mut chunks = Vec::new();
    for name in history.names() {
        // Earlier segments need nothing from here: the state after them lists their chunks.
        if name.kind == MomentKind::State || since.is_some_and(|since| name.created_at < since) {
            continue;
        }
        match read_segment(location, name) {
            Ok((header, _)) => chunks.extend(chunks_of(&header).cloned()),
            // The chunks of an unreadable segment cannot be restored through it in any case.
            Err(BackupError::Object { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(chunks)
}

/// Returns the chunks of the files in a segment.
pub fn chunks_of(header: &SegmentHeader) -> impl Iterator<Item = &Chunk> {
    header.files.iter().flat_map(|file| &file.chunks)
}

impl LastMoment {
    /// Returns whether a store has the history of this moment: its newest record is unchanged.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn is_of(&self, snapshot: &dyn Snapshot) -> Result<bool, BackupError> {
        let Some(newest) = &self.newest else {
            return Ok(false);
        };
        let table = Table::ALL.iter().find(|table| table.name() == newest.table);
        let key = BASE64.decode(newest.key64.as_bytes()).ok();
        let (Some(table), Some(key)) = (table, key) else {
            return Ok(false);
        };
        let record = snapshot.get(*table, &key)?;
        Ok(snapshot.revision() >= self.revision
            && record.is_some_and(|record| {
                record.revision == newest.revision && hash(&record.bytes) == newest.sha256
            }))
    }
}
