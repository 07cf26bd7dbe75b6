//! Writes the moments of a site, one after the other.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::Arc,
    time::Duration,
};

use jiff::Timestamp;

use super::{
    super::{BackupError, StoredBackup, folder_times::FolderTimes},
    changed_keys::ChangedKeys,
    chunks::ChunkWriter,
    counted_time::RetentionTime,
    files::{self, BucketFiles, Files, FoundFiles},
    format::{self, Chunk, MomentInfo, SegmentHeader, SiteState, write_moment},
    history::History,
    last_moment::{AHEAD_MAX, LastMoment, LocationState, stored_chunks},
    location::Location,
    object_name::{MomentKind, MomentName},
    owner::Claim,
    retention::Retention,
    segment::{changed_files, changed_lines, named_uploads},
    state::write_records,
};
use crate::{
    progress::Progress,
    site::{Site, SiteSnapshot},
    uploads::Uploads,
};

/// The site to back up.
#[derive(Clone, Copy)]
pub struct SiteSource<'a> {
    /// The site.
    pub site: &'a Site,
    /// Its uploads.
    pub uploads: &'a Uploads,
}

/// A moment that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenMoment {
    /// The name of its object.
    pub name: String,
    /// Time of the moment, in whole seconds.
    pub created_at: Timestamp,
    /// The revision of the last commit in it.
    pub revision: u64,
    /// True if it is a whole state.
    pub is_state: bool,
    /// Total length of the objects written for it, in bytes.
    pub bytes: u64,
    /// Number of these objects.
    pub objects: u64,
    /// Files that could not be included, with the reason.
    pub left_out: Vec<String>,
}

/// The result of writing the changes since the last moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SegmentOutcome {
    /// The changes were written.
    Written(WrittenMoment),
    /// There are no changes.
    Unchanged,
    /// A state must be written instead.
    StateNeeded,
}

impl SegmentOutcome {
    /// Returns the moment, if one was written.
    pub fn written(self) -> Option<WrittenMoment> {
        match self {
            Self::Written(moment) => Some(moment),
            Self::Unchanged | Self::StateNeeded => None,
        }
    }
}

/// Writes the moments of a site into a location that it has claimed.
pub struct IncrementalWriter {
    location: Location,
    claim: Claim,
    /// The last moment; `None` if the next one must be a state.
    last_moment: Option<LastMoment>,
    /// The chunks in the location, with the lengths of their objects.
    known: HashMap<String, u64>,
    changed: ChangedKeys,
    /// The folders of the files in the last moment; `None` if they were not searched yet.
    folders: Option<FolderTimes>,
    /// The chunks of files in the segments since the last state.
    segment_chunks: Vec<Chunk>,
    /// The states that were listed before the last one was written.
    earlier: Vec<MomentName>,
}

impl IncrementalWriter {
    /// Claims the location for the site whose data folder is `data`, and finds the last moment of the location.
    ///
    /// # Errors
    ///
    /// If the location cannot be read or written, or the store cannot be read.
    pub fn begin(location: Location, site: &Site, data: &Path) -> Result<Self, BackupError> {
        let now = site.now();
        // Claimed before it is read, so that no other process changes the location in between.
        let claim = Claim::new(&location, &data.display().to_string(), now)?;
        let found = LocationState::find(&location, now)?;
        let snapshot = site.current();
        let last_moment = match found.last_moment {
            Some(last_moment) if last_moment.is_of(snapshot.stored())? => Some(last_moment),
            _ => None,
        };
        let revision = last_moment
            .as_ref()
            .map_or(0, |last_moment| last_moment.revision);
        Ok(Self {
            location,
            claim,
            last_moment,
            known: found.known,
            changed: ChangedKeys::after(revision),
            folders: None,
            segment_chunks: found.segment_chunks,
            earlier: Vec::new(),
        })
    }

    /// Returns the time of the last state; `None` if a state must be written now.
    pub fn last_state_at(&self) -> Option<Timestamp> {
        let last_moment = self.last_moment.as_ref()?;
        (!self.changed.is_incomplete()).then_some(last_moment.state_at)
    }

    /// Returns the last moment, with the number of bytes that were written for it.
    pub fn last(&self) -> Option<StoredBackup> {
        let last_moment = self.last_moment.as_ref()?;
        Some(StoredBackup {
            name: last_moment.name.to_string(),
            created_at: last_moment.name.created_at,
            bytes: last_moment.bytes,
        })
    }

    /// Collects the keys of the latest commits. Returns whether there may be changes since the last moment: commits, or
    /// files, which may be stored without a commit.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn collect(&mut self, site: &Site) -> Result<bool, BackupError> {
        let Some(last_moment) = &self.last_moment else {
            return Ok(true);
        };
        let revision = site.current().catalog.revision;
        if revision == last_moment.revision && !self.changed.is_incomplete() {
            let folders = self.folders.as_ref();
            return Ok(folders.is_none_or(FolderTimes::may_have_changed));
        }
        self.changed.collect(site)?;
        Ok(true)
    }

    /// Returns whether the location still has the last moment.
    ///
    /// # Errors
    ///
    /// If the location cannot be read, or another process has claimed it.
    pub fn has_last(&self) -> Result<bool, BackupError> {
        self.claim.check(&self.location)?;
        match &self.last_moment {
            Some(last_moment) => self.location.has(&last_moment.name.to_string()),
            None => Ok(false),
        }
    }

    /// Returns whether a segment can follow the last moment.
    fn accepts_segment(
        &self,
        snapshot: &SiteSnapshot,
        now: Timestamp,
    ) -> Result<bool, BackupError> {
        let Some(last_moment) = &self.last_moment else {
            return Ok(false);
        };
        // Segments are never earlier than the preceding moment, so a state is written after a moment from the future.
        let is_ahead = last_moment.name.created_at > now + AHEAD_MAX;
        let is_earlier = snapshot.catalog.revision < last_moment.revision;
        if is_ahead || is_earlier || self.changed.is_incomplete() {
            return Ok(false);
        }
        let has_last = self.has_last()?;
        if !has_last {
            let name = last_moment.name.to_string();
            tracing::warn!(location = %self.location, name, "the last moment of the backups is gone; the next one is a whole state");
        }
        Ok(has_last)
    }

    /// Writes the changes since the last moment as a segment.
    ///
    /// # Errors
    ///
    /// If the site cannot be read or the location cannot be written, another process has claimed
    /// it, or `progress` cancels.
    pub fn write_segment(
        &mut self,
        source: SiteSource<'_>,
        progress: &dyn Progress,
    ) -> Result<SegmentOutcome, BackupError> {
        self.claim.check(&self.location)?;
        let snapshot = Arc::clone(&source.site.current());
        // After the snapshot, so that the keys of all its commits are known. Those of later commits
        // remain for the next segment.
        self.changed.collect(source.site)?;
        let accepts_segment = self.accepts_segment(&snapshot, source.site.now())?;
        let Some(last_moment) = self.last_moment.as_mut().filter(|_| accepts_segment) else {
            return Ok(SegmentOutcome::StateNeeded);
        };
        let newest = last_moment.newest.as_ref();
        let Some(lines) = changed_lines(snapshot.stored(), &self.changed, newest)? else {
            return Ok(SegmentOutcome::StateNeeded);
        };
        let mut chunks = ChunkWriter::new(&self.location, &mut self.known);
        let names = named_uploads(&self.changed);
        let found = files::find(
            (&snapshot, source.uploads, source.site.now()),
            BucketFiles::Named(&names),
            &last_moment.files,
            &mut chunks,
            progress,
        )?;
        let (files, removed_files) = changed_files(&last_moment.files, &found.files);
        let is_same = files.is_empty() && removed_files.is_empty();
        if is_same && snapshot.catalog.revision == last_moment.revision {
            // The files may have new modification times with the same content, which need not be
            // read again.
            last_moment.files = found.files;
            self.folders = Some(found.folders);
            return Ok(SegmentOutcome::Unchanged);
        }
        let (bytes, objects) = (chunks.written_bytes, chunks.written);
        // If the clock was set back, the moment gets the time of the preceding one, not an earlier time.
        let created_at = source.site.now().max(last_moment.name.created_at);
        let state_at = last_moment.state_at;
        let header = SegmentHeader {
            info: MomentInfo::new(snapshot.catalog.revision, created_at, lines.newest.clone()),
            after: last_moment.name.to_string(),
            after_revision: last_moment.revision,
            records: lines.records,
            files,
            removed_files,
        };
        let mut content = json(&header)?;
        content.push(b'\n');
        content.extend_from_slice(&lines.lines);
        let written = self.put(MomentKind::Segment, created_at, &content)?;
        let next = LastMoment {
            state_at,
            ..LastMoment::of(&written, bytes, &header.info, found.files)
        };
        let moment = written_moment(&next, objects, found.left_out);
        let files = header.files.into_iter();
        self.segment_chunks
            .extend(files.flat_map(|file| file.chunks));
        // Only now: after an error above, the next segment contains the same changes.
        self.changed.forget_until(next.revision);
        self.folders = Some(found.folders);
        self.last_moment = Some(next);
        Ok(SegmentOutcome::Written(moment))
    }

    /// Writes the whole site as a state.
    ///
    /// # Errors
    ///
    /// If the site cannot be read or the location cannot be written, another process has claimed
    /// it, or `progress` cancels.
    pub fn write_state(
        &mut self,
        source: SiteSource<'_>,
        progress: &dyn Progress,
    ) -> Result<WrittenMoment, BackupError> {
        self.claim.check(&self.location)?;
        let history = History::read(&self.location)?;
        self.earlier = history.states().cloned().collect();
        // Chunks may have been deleted from the location since; a state must not refer to them.
        self.forget_missing_chunks()?;
        let snapshot = Arc::clone(&source.site.current());
        let none = Files::new();
        let previous = self
            .last_moment
            .as_ref()
            .map_or(&none, |last_moment| &last_moment.files);
        let total = source.site.store_bytes()?;
        let mut chunks = ChunkWriter::new(&self.location, &mut self.known);
        let records = write_records(snapshot.stored(), &mut chunks, (total, progress))?;
        let found = files::find(
            (&snapshot, source.uploads, source.site.now()),
            BucketFiles::Listed,
            previous,
            &mut chunks,
            progress,
        )?;
        let revision = snapshot.catalog.revision;
        // Not held while the state is written, so that the store can reuse the pages that are
        // overwritten.
        drop(snapshot);
        let (bytes, objects) = (chunks.written_bytes, chunks.written);
        let now = source.site.now();
        // The time differs from that of the preceding moment by at least a second, so that the names show the order. A
        // preceding moment from the future is ignored.
        let created_at = match &self.last_moment {
            Some(last_moment) if last_moment.name.created_at <= now + AHEAD_MAX => {
                now.max(last_moment.name.created_at + Duration::from_secs(1))
            }
            _ => now,
        };
        let FoundFiles {
            files,
            left_out,
            folders,
        } = found;
        let state = SiteState {
            info: MomentInfo::new(revision, created_at, records.newest),
            records: records.tables,
            files: files.values().cloned().collect(),
            segment_chunks: self.segment_chunks.clone(),
        };
        let written = self.put(MomentKind::State, created_at, &json(&state)?)?;
        let last_moment = LastMoment::of(&written, bytes, &state.info, files);
        let moment = written_moment(&last_moment, objects, left_out);
        self.segment_chunks.clear();
        self.changed = ChangedKeys::after(revision);
        self.folders = Some(folders);
        self.last_moment = Some(last_moment);
        Ok(moment)
    }

    /// Forgets the chunks that are missing in the location, so that they are written again.
    fn forget_missing_chunks(&mut self) -> Result<(), BackupError> {
        let stored = stored_chunks(&self.location)?;
        self.known
            .retain(|sha256, bytes| stored.get(sha256) == Some(bytes));
        self.segment_chunks
            .retain(|chunk| stored.get(&chunk.sha256) == Some(&chunk.stored));
        Ok(())
    }

    /// Writes a moment, and returns its name and the length of its object.
    fn put(
        &self,
        kind: MomentKind,
        created_at: Timestamp,
        content: &[u8],
    ) -> Result<(MomentName, u64), BackupError> {
        self.claim.check(&self.location)?;
        let written = write_moment(&self.location, kind, created_at, content)?;
        // Another process may have claimed the location meanwhile and deleted chunks that this moment needs.
        if let Err(error) = self.claim.check(&self.location) {
            let (name, _) = written;
            self.location.delete(&name.to_string())?;
            return Err(error);
        }
        Ok(written)
    }

    /// Deletes moments that are too old, and the chunks that only they needed, after a state was written. Returns the time
    /// before which no moment is needed; `None` without a state.
    ///
    /// # Errors
    ///
    /// If a state is not listed, or something cannot be read or deleted.
    pub fn delete_old(&mut self, time: RetentionTime) -> Result<Option<Timestamp>, BackupError> {
        let Some(last_moment) = &self.last_moment else {
            return Ok(None);
        };
        // If chunks are deleted, they must be written again when needed.
        let state = format::read_state(&self.location, &last_moment.name)?;
        let needed: HashSet<&str> = state.chunks().map(|chunk| &*chunk.sha256).collect();
        self.known.retain(|sha256, _| needed.contains(&**sha256));
        let earlier: Vec<Timestamp> = self.earlier.iter().map(|name| name.created_at).collect();
        let oldest = time.oldest_needed(&earlier, last_moment.name.created_at);
        let retention = Retention {
            location: &self.location,
            claim: &self.claim,
            last: &last_moment.name,
            earlier: &self.earlier,
        };
        retention.run(oldest)?;
        Ok(Some(oldest))
    }
}

impl LastMoment {
    /// Returns the last moment after a state, for which `bytes` bytes of chunks were written.
    fn of((name, stored): &(MomentName, u64), bytes: u64, info: &MomentInfo, files: Files) -> Self {
        Self {
            name: name.clone(),
            bytes: bytes + stored,
            state_at: name.created_at,
            revision: info.revision,
            newest: info.newest.clone(),
            files,
        }
    }
}

fn written_moment(last_moment: &LastMoment, objects: u64, left_out: Vec<String>) -> WrittenMoment {
    WrittenMoment {
        name: last_moment.name.to_string(),
        created_at: last_moment.name.created_at,
        revision: last_moment.revision,
        is_state: last_moment.name.kind == MomentKind::State,
        bytes: last_moment.bytes,
        objects: objects + 1,
        left_out,
    }
}

fn json(value: &impl serde::Serialize) -> Result<Vec<u8>, BackupError> {
    serde_json::to_vec(value).map_err(|error| BackupError::Unreadable(error.to_string()))
}
