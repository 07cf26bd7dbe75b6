//! The records of uploads in a bucket, in the store of the site.
//!
//! An upload may be stored within a transaction, such as an import, which cannot wait for another
//! transaction. Therefore a separate thread writes the records, all pending ones in one commit.
//! Pending records are visible in this process before the commit.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

use crate::{
    error::Result,
    site::Site,
    store::Table,
    uploads::{BucketUploads, UploadRecord, UploadRecords},
};

/// Pause after the store has rejected records.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// Writes the records of uploads in a bucket until it is dropped.
pub(super) struct RecordedUploads {
    bucket: Arc<BucketUploads>,
    records: Arc<SiteRecords>,
    thread: Option<JoinHandle<()>>,
}

struct SiteRecords {
    site: Arc<Site>,
    state: Mutex<RecordQueue>,
    /// Notified when records are queued, and when they have been written.
    changed: Condvar,
}

#[derive(Default)]
struct RecordQueue {
    /// The queued records by name; `None` to delete a record.
    waiting: BTreeMap<String, Option<UploadRecord>>,
    /// The records that are being written, likewise.
    writing: BTreeMap<String, Option<UploadRecord>>,
    /// The number of failed attempts.
    failures: u64,
    is_stopping: bool,
}

impl RecordedUploads {
    /// Starts the thread, and lets `bucket` verify uploads with the records of `site`.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub(super) fn start(bucket: Arc<BucketUploads>, site: Arc<Site>) -> io::Result<Self> {
        let records = Arc::new(SiteRecords {
            site,
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let writing = Arc::clone(&records);
        let thread = thread::Builder::new().name("upload records".to_owned());
        let thread = thread.spawn(move || writing.write_all())?;
        // Set only once the thread runs: without it, `settle` would wait for ever.
        bucket.verify_by(Some(Arc::<SiteRecords>::clone(&records)));
        Ok(Self {
            bucket,
            records,
            thread: Some(thread),
        })
    }
}

impl Drop for RecordedUploads {
    /// Writes the queued records, and stops the thread.
    fn drop(&mut self) {
        // The bucket outlives the site, and would otherwise keep it open through the records.
        self.bucket.verify_by(None);
        // The lock of the temporary guard is released immediately; the thread needs it to see the flag.
        self.records.state().is_stopping = true;
        self.records.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has already been logged.
            let _ = thread.join();
        }
    }
}

impl SiteRecords {
    fn state(&self) -> MutexGuard<'_, RecordQueue> {
        // The state contains only names and hashes, which remain valid after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_all(&self) {
        let mut state = self.state();
        loop {
            if state.waiting.is_empty() {
                // Checked only when nothing is queued, so that a stop writes what was queued
                // before.
                if state.is_stopping {
                    return;
                }
                let waited = self.changed.wait(state);
                state = waited.unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.writing = std::mem::take(&mut state.waiting);
            let writing = state.writing.clone();
            // Released during the commit, which takes milliseconds, so that uploads can queue
            // records. `writing` remains visible to `get` in the meantime.
            drop(state);
            let written = self.write(&writing);
            state = self.state();
            let unwritten = std::mem::take(&mut state.writing);
            if let Err(error) = written {
                tracing::error!(error = ?error, "uploads cannot be recorded");
                for (name, record) in unwritten {
                    // A newer record of the same upload may have been queued in the meantime.
                    state.waiting.entry(name).or_insert(record);
                }
                state.failures += 1;
                if state.is_stopping {
                    return;
                }
                self.changed.notify_all();
                let waited = self.changed.wait_timeout(state, RETRY_PAUSE);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            self.changed.notify_all();
        }
    }

    fn write(&self, records: &BTreeMap<String, Option<UploadRecord>>) -> Result<()> {
        self.site.write(|transaction| {
            for (name, record) in records {
                match record {
                    Some(record) => transaction.put(Table::Uploads, name.as_bytes(), record)?,
                    None => transaction.delete(Table::Uploads, name.as_bytes()),
                }
            }
            Ok(())
        })
    }
}

impl UploadRecords for SiteRecords {
    fn get(&self, name: &str) -> io::Result<Option<UploadRecord>> {
        let state = self.state();
        // If an upload is in both maps, the queued record is the newer one.
        let fresh = state.waiting.get(name).or(state.writing.get(name));
        if let Some(fresh) = fresh {
            return Ok(fresh.clone());
        }
        // Released before the store is read, which may wait for the database.
        drop(state);
        // Another process may have stored the upload a moment ago.
        self.site.follow_at_once();
        let record = self.site.current().read(Table::Uploads, name.as_bytes());
        record.map_err(io::Error::other)
    }

    fn put(&self, name: &str, record: Option<UploadRecord>) {
        self.state().waiting.insert(name.to_owned(), record);
        self.changed.notify_all();
    }

    fn settle(&self) -> io::Result<()> {
        let mut state = self.state();
        // The number of failures is compared with the one at the beginning, so that an earlier
        // failure that was retried with success is not reported.
        let failures = state.failures;
        while !(state.waiting.is_empty() && state.writing.is_empty()) {
            if state.failures > failures || state.is_stopping {
                return Err(io::Error::other("uploads cannot be recorded"));
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }
}
