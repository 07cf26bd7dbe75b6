//! The store in one file, written by redb.

use std::{
    fs,
    ops::Range,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use ::redb::{Database, Error, ReadableTable, WriteTransaction};

use crate::store::{
    Batch, ChangedKeys, Snapshot, Store, StoreError, Writer,
    format::{self, REVISION_KEY},
    recent_commits::RecentCommits,
    redb::{
        open::{self, OpenDisk, OpenStore, StoreLocation},
        panics::{close, guarded},
        section,
        snapshot::RedbSnapshot,
        tables::{MARK, definition, explain},
    },
};

/// A store in one file, opened exclusively by this process.
pub struct RedbStore {
    pub(super) location: StoreLocation,
    /// `None` only after the file could not be reopened.
    opened: RwLock<Option<OpenStore>>,
    /// Set once redb has stopped using the file, by the thread that noticed.
    pub(super) failed: Arc<AtomicBool>,
    /// Locked by the writer.
    turn: Mutex<()>,
    pub(super) recent: Mutex<RecentCommits>,
}

impl RedbStore {
    /// Opens the store at `path`, or creates an empty one if there is no file.
    ///
    /// The whole file is read and its checksums are verified, about a second for each gigabyte, unless the file is
    /// unchanged since a store closed it and the machine has been up since (`clean_shutdown.rs`). A file that is refused
    /// remains unchanged, including its modification time. `cache_bytes` limits the memory for pages of the file.
    /// # Errors
    ///
    /// `NotAStore`, `Newer`, `Damaged` or `InUse`, depending on the file; `Full` or `Io` if the disk
    /// refuses.
    pub fn open(path: impl AsRef<Path>, cache_bytes: usize) -> Result<Self, StoreError> {
        let location = StoreLocation {
            path: Arc::from(path.as_ref()),
            cache_bytes,
            open_disk: Box::new(open::open_file),
            uses_mark: true,
        };
        Self::open_at(location)
    }

    /// Opens the store as [`open`](Self::open) does, on the disk that `open_disk` returns for the
    /// path, and verifies all of it. `open_disk` is called again whenever the store has to reopen
    /// its file.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn open_on(
        path: impl AsRef<Path>,
        cache_bytes: usize,
        open_disk: Box<OpenDisk>,
    ) -> Result<Self, StoreError> {
        Self::open_at(StoreLocation {
            path: Arc::from(path.as_ref()),
            cache_bytes,
            open_disk,
            uses_mark: false,
        })
    }

    fn open_at(location: StoreLocation) -> Result<Self, StoreError> {
        location.create_if_missing()?;
        Self::open_existing(location)
    }

    fn open_existing(location: StoreLocation) -> Result<Self, StoreError> {
        let opened = location.open()?;
        Ok(Self {
            location,
            opened: RwLock::new(Some(opened)),
            failed: Arc::new(AtomicBool::new(false)),
            turn: Mutex::new(()),
            recent: Mutex::default(),
        })
    }

    /// Opens the store at `path` for reading, and verifies all of it. The file is neither written to nor locked: commits
    /// are retained in memory and lost with the store.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open); `Io` if there is no file.
    pub fn open_read_only(path: impl AsRef<Path>, cache_bytes: usize) -> Result<Self, StoreError> {
        let open = |path: &Path| section::open(path, 0..fs::metadata(path)?.len());
        Self::open_existing(StoreLocation {
            path: Arc::from(path.as_ref()),
            cache_bytes,
            open_disk: Box::new(open),
            uses_mark: false,
        })
    }

    /// Opens the store in the byte range `range` of the file at `path`, which is never written to: commits are retained in
    /// memory and lost with the store.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn open_within(
        path: impl AsRef<Path>,
        range: Range<u64>,
        cache_bytes: usize,
    ) -> Result<Self, StoreError> {
        let open = move |path: &Path| section::open(path, range.clone());
        Self::open_on(path, cache_bytes, Box::new(open))
    }

    /// Calls `work` with the open store, reopening it first if redb stopped using it.
    pub(super) fn with_opened<T>(
        &self,
        work: impl FnOnce(&OpenStore) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let current = self.opened.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = &*current
            // Pairs with the `Release` store of the thread that noticed the failure.
            && !self.failed.load(Ordering::Acquire)
        {
            return work(opened);
        }
        // The write lock waits for all readers, including this one.
        drop(current);

        let mut current = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        // Only one of the threads that saw the failure reopens the file.
        if self.failed.swap(false, Ordering::AcqRel)
            && let Some(opened) = current.take()
        {
            close(opened.database);
            // The cause of the failure is unknown, so the whole file is verified again.
            self.location.invalidate_mark();
        }
        // Under the write lock, so that other threads wait until the file is open again.
        let opened = match current.take() {
            Some(opened) => opened,
            None => self.location.open()?,
        };
        work(current.insert(opened))
    }

    fn begin(&self, opened: &OpenStore) -> Result<RedbSnapshot, StoreError> {
        RedbSnapshot::new(&opened.database, &self.location.path, &self.failed)
    }

    /// Determines the result of a commit that failed after revision `before`.
    ///
    /// Reopening the file decides: if it contains the commit, everything except the header was flushed, and the release
    /// writes and flushes the header again.
    fn settle(&self, before: u64, cause: StoreError) -> Result<u64, StoreError> {
        // Makes the next access reopen the file. redb refuses all calls after the failure anyway.
        self.failed.store(true, Ordering::Release);
        let found = self.with_opened(|opened| {
            let revision = self.begin(opened)?.revision();
            // Only this writer holds the right to commit, so a later revision can only be its
            // commit.
            if revision > before {
                self.release(opened)?;
            }
            Ok(revision)
        });
        match found {
            Ok(revision) if revision > before => Ok(revision),
            Ok(_) => Err(cause),
            Err(_) => Err(StoreError::InDoubt {
                revision: before + 1,
                cause: Box::new(cause),
            }),
        }
    }

    /// Lets redb write to the file.
    pub(super) fn release(&self, opened: &OpenStore) -> Result<(), StoreError> {
        let released = opened.disk.release();
        released.map_err(|error| explain(&self.location.path, error.into()))
    }
}

impl Store for RedbStore {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        let snapshot = self.with_opened(|opened| self.begin(opened))?;
        Ok(Box::new(snapshot))
    }

    fn batch(&self) -> Batch {
        // The batch spills to the folder of the store, whose disk must have space for its commit anyway.
        match self.location.path.parent() {
            Some(folder) => Batch::spilling_to(folder),
            None => Batch::new(),
        }
    }

    fn writer(&self) -> Result<Box<dyn Writer + '_>, StoreError> {
        // The lock protects no data: it only orders commits, so a poisoned lock is safe to use.
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        // Read with the lock held: the revision cannot change before this writer commits.
        let revision = self.with_opened(|opened| Ok(self.begin(opened)?.revision()))?;
        Ok(Box::new(RedbWriter {
            store: self,
            revision,
            _turn: turn,
        }))
    }

    fn changes_since(&self, revision: u64) -> Result<Option<Vec<ChangedKeys>>, StoreError> {
        // Locked before the revision is read: a commit in between would be in `recent` but after
        // `last`.
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let last = self.with_opened(|opened| Ok(self.begin(opened)?.revision()))?;
        Ok(recent.since(revision, last))
    }

    fn size_bytes(&self) -> Result<u64, StoreError> {
        let path = &self.location.path;
        let metadata = fs::metadata(path).map_err(|error| explain(path, error.into()))?;
        Ok(metadata.len())
    }
}

pub(super) struct RedbWriter<'s> {
    store: &'s RedbStore,
    revision: u64,
    _turn: MutexGuard<'s, ()>,
}

impl Writer for RedbWriter<'_> {
    fn revision(&self) -> u64 {
        self.revision
    }

    fn commit(self: Box<Self>, batches: &[&Batch]) -> Result<u64, StoreError> {
        let store = self.store;
        // Locked until the end, so that others see a commit only together with its keys.
        let mut recent = store.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let written = store.with_opened(|opened| {
            // Nothing reaches the file before the first commit, because it may have been opened only for reading.
            store.release(opened)?;
            Ok(guarded(|| write(&opened.database, batches)))
        })?;
        let committed = match written {
            Ok(()) => Ok(self.revision + 1),
            Err(error) => store.settle(self.revision, explain(&store.location.path, error)),
        };
        match &committed {
            Ok(revision) => recent.add(*revision, batches),
            // The last commit may or may not be in the file, so followers read everything again.
            Err(StoreError::InDoubt { .. }) => recent.clear(),
            Err(_) => {}
        }
        committed
    }
}

impl Drop for RedbStore {
    fn drop(&mut self) {
        let opened = self
            .opened
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        let Some(opened) = opened.take() else {
            return;
        };
        // Before the mark, which contains the modification time: closing writes to the file.
        close(opened.database);
        if self.failed.load(Ordering::Acquire) {
            self.location.invalidate_mark()
        } else {
            self.location.mark()
        }
    }
}

pub(super) fn write(database: &Database, batches: &[&Batch]) -> Result<(), Error> {
    let mut transaction = database.begin_write()?;
    // Without two phases, redb returns to the previous commit when a checksum of the newest one is wrong, and an
    // acknowledged change would be lost silently.
    transaction.set_two_phase_commit(true);
    let revision = next_revision(&transaction)?;
    for batch in batches {
        apply(&transaction, batch, revision)?;
    }
    transaction.commit()?;
    Ok(())
}

/// Increments the store's revision and returns it.
pub(super) fn next_revision(transaction: &WriteTransaction) -> Result<u64, Error> {
    let mut mark = transaction.open_table(MARK)?;
    let previous = mark.get(REVISION_KEY)?.map_or(0, |number| number.value());
    mark.insert(REVISION_KEY, previous + 1)?;
    Ok(previous + 1)
}

pub(super) fn apply(
    transaction: &WriteTransaction,
    batch: &Batch,
    revision: u64,
) -> Result<(), Error> {
    let mut record = Vec::new();
    let mut operations = batch.operations().peekable();
    // redb opens a table only once at a time, and opening costs a lookup. The operations are sorted
    // by table.
    while let Some(&(table, ..)) = operations.peek() {
        let mut records = transaction.open_table(definition(table))?;
        while let Some((_, key, value)) = operations.next_if(|&(next, ..)| next == table) {
            match value {
                Some(value) => {
                    format::begin_record(revision, &mut record);
                    value.append_to(&mut record)?;
                    records.insert(key, record.as_slice())?;
                }
                None => {
                    records.remove(key)?;
                }
            }
        }
    }
    Ok(())
}
