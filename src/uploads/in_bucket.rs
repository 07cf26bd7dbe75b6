//! Uploads in a bucket, and the local copies that they are served from.
//!
//! An upload is stored in the bucket before anything refers to it, and its name is never reused for other
//! content, so a local copy never becomes stale. A copy is fetched when it is first needed, and verified
//! (`verification.rs`) before it is used. The least recently used copies are removed when their total size
//! exceeds the limit set by the operator. Only a few files are fetched concurrently, each once for all readers
//! that need it; other readers wait for a while and are then refused. Absent files and an unavailable bucket are
//! remembered for some seconds, so that readers cannot make this process send a request to the bucket for each
//! of their own.

use std::{
    collections::HashMap,
    fmt,
    fs::{self, File},
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock},
    time::{Duration, Instant},
};

use super::{
    UploadRecord, UploadRecords,
    local_copies::{Copies, FetchDecision, changed_at},
    verification::{self, VerifyError},
};
use crate::{
    atomic_file::{self, AtomicFile},
    bucket::{Bucket, BucketError, BucketErrorKind, StoredObject},
    interruption::Interruption,
    outbound::ObjectResponse,
    progress::NoProgress,
};

/// Maximum time for which a reader waits for a fetch, except for the few readers that wait until the fetch of
/// their file ends.
const FETCH_PATIENCE: Duration = Duration::from_secs(3);

/// The uploads of a site in a bucket.
pub struct BucketUploads {
    bucket: Bucket,
    /// The same bucket, for requests that a reader waits for.
    reads: Bucket,
    bytes_max: u64,
    copies: Mutex<Option<Copies>>,
    fetched: Condvar,
    themes: Mutex<KnownThemes>,
    /// The records that objects are verified with. Without them, only obvious damage is detected.
    records: RwLock<Option<Arc<dyn UploadRecords>>>,
}

/// The known state of the themes in the bucket.
#[derive(Debug, Default)]
pub struct KnownThemes {
    /// The entity tags of the themes that are also on this machine, by name.
    pub etags: HashMap<String, String>,
    /// Time at which the themes were last listed.
    pub scanned_at: Option<Instant>,
}

impl fmt::Debug for BucketUploads {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.bucket)
    }
}

impl BucketUploads {
    /// Checks that the bucket can be used, like [`Bucket::check_key`].
    pub fn check_key(&self) -> Result<(), BucketError> {
        self.bucket.check_key()
    }

    /// Returns the uploads in `bucket`, with local copies of at most about `bytes_max` bytes.
    pub fn new(bucket: Bucket, bytes_max: u64) -> Self {
        Self {
            // A reader who waits for minutes has left, but would still occupy a worker.
            reads: bucket.clone().impatient(),
            bucket,
            bytes_max,
            copies: Mutex::default(),
            fetched: Condvar::new(),
            themes: Mutex::default(),
            records: RwLock::default(),
        }
    }

    /// Sets the records that objects are verified with, in place of previous ones.
    pub fn verify_by(&self, records: Option<Arc<dyn UploadRecords>>) {
        // A poisoned lock is safe: the records are replaced in one step.
        *self.records.write().unwrap_or_else(PoisonError::into_inner) = records;
    }

    fn records(&self) -> Option<Arc<dyn UploadRecords>> {
        let records = self.records.read();
        records.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn record(&self, name: &str, record: Option<UploadRecord>) {
        if let Some(records) = self.records() {
            records.put(name, record);
        }
    }

    pub(super) fn settle(&self) -> io::Result<()> {
        self.records().map_or(Ok(()), |records| records.settle())
    }

    /// Returns the interruption that ends all requests to the bucket.
    pub fn interruption(&self) -> &Interruption {
        self.bucket.interruption()
    }

    /// Checks that the bucket exists and accepts the key. An unavailable bucket is not an error, because it may
    /// become available.
    ///
    /// # Errors
    ///
    /// If the service refuses.
    pub(super) fn check(&self) -> Result<(), BucketError> {
        match self.reach() {
            Err(error) if error.kind == BucketErrorKind::Unavailable => {
                tracing::warn!(%error, "the bucket of uploads is unavailable");
                Ok(())
            }
            reached => reached,
        }
    }

    /// Sends one request to the bucket, to check that it responds.
    ///
    /// # Errors
    ///
    /// If the service does not respond or refuses.
    pub fn reach(&self) -> Result<(), BucketError> {
        self.reads.has_any().map(drop)
    }

    /// Returns the known state of the themes.
    pub fn themes(&self) -> &Mutex<KnownThemes> {
        &self.themes
    }

    /// Returns the local copy of the upload `name` in `folder`. If there is none, fetches it once for all
    /// readers that wait for it. `None` if the bucket has no such upload. A few readers wait until their file
    /// has been fetched; others wait for at most [`FETCH_PATIENCE`].
    pub(super) fn find(&self, folder: &Path, name: &str) -> io::Result<Option<PathBuf>> {
        let path = folder.join(name);
        let began = Instant::now();
        // Locked until the decision to fetch is made, so that each file is fetched once.
        let mut copies = self.copies(folder);
        loop {
            let known = known(&mut copies);
            if known.use_copy(name, &path) {
                return Ok(Some(path));
            }
            if known.is_missing(name) {
                return Ok(None);
            }
            if known.is_unavailable() {
                return Err(io::Error::other(self.unavailable()));
            }
            if known.is_damaged(name) {
                let why = "it differed from the uploaded file a moment ago";
                return Err(io::Error::other(self.damaged(name, why)));
            }
            match known.decide_fetch(name, began, FETCH_PATIENCE) {
                FetchDecision::Fetch => break,
                FetchDecision::Refused => return Err(io::Error::other(self.busy())),
                FetchDecision::WaitForFetch => {
                    let waited = self.fetched.wait_while(copies, |copies| {
                        (copies.as_ref()).is_some_and(|copies| copies.is_under_way(name))
                    });
                    copies = waited.unwrap_or_else(PoisonError::into_inner);
                }
                FetchDecision::Wait => {
                    let remaining = FETCH_PATIENCE.saturating_sub(began.elapsed());
                    let waited = self.fetched.wait_timeout(copies, remaining);
                    copies = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
        // Released because fetching takes up to minutes, and readers of all other files need the lock.
        drop(copies);
        // Dropping it takes the lock, so it must be dropped after `copies` below.
        let _claim = FetchPermit {
            uploads: self,
            folder,
            name,
        };
        let fetched = self.fetch(folder, name);
        let mut copies = self.copies(folder);
        let known = known(&mut copies);
        match fetched {
            Ok(Some(bytes)) => {
                // The bucket has just responded.
                known.unavailable_since = None;
                known.add(name, bytes, Some(Instant::now()));
                known.remove_surplus(folder, self.bytes_max);
                Ok(Some(path))
            }
            Ok(None) => {
                known.add_missing(name);
                Ok(None)
            }
            Err(error) => {
                if is_unavailable(&error) {
                    known.unavailable_since = Some(Instant::now());
                    tracing::warn!(%error, name, "an upload cannot be fetched");
                } else if is_damaged(&error) {
                    known.add_damaged(name);
                }
                Err(error)
            }
        }
    }

    /// Copies an object to `folder` and returns its length; `None` if it does not exist.
    fn fetch(&self, folder: &Path, name: &str) -> io::Result<Option<u64>> {
        let Some(object) = self.object(name)? else {
            return Ok(None);
        };
        let mut file = AtomicFile::create(folder)?;
        let bytes = self.receive(name, object, &mut file)?;
        // Before it gets its name: a copy with another time is taken for an unverified one.
        file.set_modified(changed_at())?;
        file.replace(&folder.join(name))?;
        Ok(Some(bytes))
    }

    fn object(&self, name: &str) -> io::Result<Option<ObjectResponse>> {
        match self.reads.get(name) {
            Err(error) if error.kind == BucketErrorKind::Missing => Ok(None),
            object => object.map(Some).map_err(io::Error::other),
        }
    }

    /// Copies an object to `out`, verifies it and returns its length. If verification fails, the content of
    /// `out` must not be used.
    fn receive(&self, name: &str, object: ObjectResponse, out: &mut dyn Write) -> io::Result<u64> {
        let records = self.records();
        let record = match &records {
            Some(records) => records.get(name)?,
            None => None,
        };
        let received = verification::receive(name, record.as_ref(), object, out);
        let received = received.map_err(|error| match error {
            VerifyError::Damaged(why) => {
                let error = self.damaged(name, &why);
                tracing::error!(%error, "an upload is not used");
                io::Error::other(error)
            }
            VerifyError::Read(error) => self.cut_off(error),
            VerifyError::Write(error) => error,
        })?;
        let bytes = received.record.bytes;
        // The content of a theme may change under the same name.
        if record.is_none() && received.is_proven && !name.starts_with("themes/") {
            self.record(name, Some(received.record));
        }
        Ok(bytes)
    }

    /// Opens an upload that is read once, without storing a local copy of it.
    pub(super) fn open(&self, folder: &Path, name: &str) -> io::Result<File> {
        // Removes unverified copies before the first copy is read.
        drop(self.copies(folder));
        match File::open(folder.join(name)) {
            // The files of themes are only on this machine.
            Err(error)
                if error.kind() == io::ErrorKind::NotFound && !name.starts_with("themes/") => {}
            opened => return opened,
        }
        let file = self.get_file(folder, name)?;
        file.ok_or(io::ErrorKind::NotFound.into())
    }

    /// Returns whether the upload `name` exists.
    pub(super) fn has(&self, folder: &Path, name: &str) -> io::Result<bool> {
        if known(&mut self.copies(folder)).use_copy(name, &folder.join(name)) {
            return Ok(true);
        }
        self.reads.has(name).map_err(io::Error::other)
    }

    /// Stores `content` as the upload `name`.
    pub(super) fn put(&self, folder: &Path, content: &Path, name: &str) -> io::Result<()> {
        let file = File::open(content)?;
        // Stored in the bucket first: a local copy of a file that is not in the bucket would be lost with this
        // machine.
        let bytes = self.put_file(&file, name)?.bytes;
        // A reader may have requested the name just before it was stored.
        known(&mut self.copies(folder)).missing.remove(name);
        // If no local copy can be stored, the file is fetched when it is needed.
        let target = folder.join(name);
        let mut copy = AtomicFile::create(folder)?;
        let copied = io::copy(&mut File::open(content)?, &mut copy);
        let copied = copied.and_then(|_| copy.set_modified(changed_at()));
        match copied.and_then(|()| copy.replace(&target)) {
            Ok(()) => {
                let mut copies = self.copies(folder);
                let known = known(&mut copies);
                known.add(name, bytes, Some(Instant::now()));
                known.remove_surplus(folder, self.bytes_max);
            }
            Err(error) => tracing::warn!(%error, name, "no local copy of an upload is stored"),
        }
        Ok(())
    }

    /// Stores the file at `content` as the upload `name`, with a local copy in `folder`, unless that upload
    /// exists. Returns whether it was stored.
    ///
    /// # Errors
    ///
    /// If the bucket refuses or is unavailable, or the file cannot be read.
    pub fn put_new(&self, folder: &Path, content: &Path, name: &str) -> io::Result<bool> {
        let is_free = !self.has(folder, name)?;
        if is_free {
            self.put(folder, content, name)?;
        }
        Ok(is_free)
    }

    /// Removes the upload `name`.
    pub(super) fn remove(&self, folder: &Path, name: &str) -> io::Result<()> {
        // From the bucket first; otherwise a reader could fetch the file again after the copy is removed.
        self.delete(name)?;
        known(&mut self.copies(folder)).forget(name);
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Returns the objects whose names begin with `start`.
    ///
    /// # Errors
    ///
    /// If the service refuses or does not respond.
    pub fn list(&self, start: &str) -> io::Result<Vec<StoredObject>> {
        self.bucket.list(start).map_err(io::Error::other)
    }

    /// Lists objects like [`list`](Self::list), for a client that waits: fails soon.
    ///
    /// # Errors
    ///
    /// If the service refuses or does not respond.
    pub fn list_soon(&self, start: &str) -> io::Result<Vec<StoredObject>> {
        self.reads.list(start).map_err(io::Error::other)
    }

    /// Stores a file as an object with any name, records its content and returns the record.
    ///
    /// # Errors
    ///
    /// If the service refuses or does not respond.
    pub fn put_file(&self, file: &File, name: &str) -> io::Result<UploadRecord> {
        let mut content = file;
        content.rewind()?;
        let record = UploadRecord::of(content)?;
        let stored = self.bucket.put(name, file, record.bytes, &NoProgress);
        stored.map_err(io::Error::other)?;
        // After the object is stored, so that no record describes content that the bucket never
        // had.
        self.record(name, Some(record.clone()));
        Ok(record)
    }

    /// Copies an object to an unnamed file in `folder` and verifies it; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// If the service refuses or does not respond, or the object differs from the stored one.
    pub fn get_file(&self, folder: &Path, name: &str) -> io::Result<Option<File>> {
        let Some(object) = self.object(name)? else {
            return Ok(None);
        };
        let mut file = atomic_file::unnamed(folder)?;
        self.receive(name, object, &mut file)?;
        file.rewind()?;
        Ok(Some(file))
    }

    /// Returns the content of an object, at most `bytes_max` bytes, for callers that no reader waits for. The
    /// content is not verified.
    ///
    /// # Errors
    ///
    /// `NotFound` if the object does not exist; if the service refuses or does not respond.
    pub fn content_of(&self, name: &str, bytes_max: u64) -> io::Result<impl Read + use<>> {
        match self.bucket.get(name) {
            Ok(object) => Ok(object.body.take(bytes_max)),
            Err(error) if error.kind == BucketErrorKind::Missing => {
                Err(io::Error::new(io::ErrorKind::NotFound, error))
            }
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Deletes an object with any name, and its record.
    ///
    /// # Errors
    ///
    /// If the service refuses or does not respond.
    pub fn delete(&self, name: &str) -> io::Result<()> {
        self.bucket.delete(name).map_err(io::Error::other)?;
        // After the object: without a record, a remaining object would be accepted unverified.
        self.record(name, None);
        Ok(())
    }

    /// Returns the known state of the copies in `folder`, which are listed on the first call.
    fn copies(&self, folder: &Path) -> MutexGuard<'_, Option<Copies>> {
        // The state consists only of names and numbers, which a panic leaves valid.
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        copies.get_or_insert_with(|| Copies::found_in(folder));
        copies
    }

    fn busy(&self) -> BucketError {
        BucketError {
            message: "it is slow, and too many requests are waiting for it".to_owned(),
            ..self.unavailable()
        }
    }

    fn unavailable(&self) -> BucketError {
        BucketError {
            location: format!("{:?}", self.bucket),
            message: "it was unavailable a moment ago".to_owned(),
            kind: BucketErrorKind::Unavailable,
        }
    }

    fn damaged(&self, name: &str, why: &str) -> BucketError {
        BucketError {
            message: format!("{name} is damaged: {why}"),
            kind: BucketErrorKind::Damaged,
            ..self.unavailable()
        }
    }

    /// Returns the error for a response that ended early.
    fn cut_off(&self, error: io::Error) -> io::Error {
        if crate::store::is_out_of_space(error.kind()) {
            return error;
        }
        io::Error::other(BucketError {
            message: error.to_string(),
            ..self.unavailable()
        })
    }
}

/// Returns the known state, which exists after the first listing.
fn known<'c>(copies: &'c mut MutexGuard<'_, Option<Copies>>) -> &'c mut Copies {
    copies.get_or_insert_default()
}

/// Returns whether an error means that the bucket is unavailable.
pub fn is_unavailable(error: &io::Error) -> bool {
    is_of_kind(error, BucketErrorKind::Unavailable)
}

/// Returns whether an error means that an object differs from the stored one.
pub fn is_damaged(error: &io::Error) -> bool {
    is_of_kind(error, BucketErrorKind::Damaged)
}

fn is_of_kind(error: &io::Error, kind: BucketErrorKind) -> bool {
    let error = error.get_ref().and_then(|error| error.downcast_ref());
    error.is_some_and(|error: &BucketError| error.kind == kind)
}

/// The right to fetch a copy.
struct FetchPermit<'a> {
    uploads: &'a BucketUploads,
    folder: &'a Path,
    name: &'a str,
}

impl Drop for FetchPermit<'_> {
    fn drop(&mut self) {
        known(&mut self.uploads.copies(self.folder)).end_fetch(self.name);
        self.uploads.fetched.notify_all();
    }
}
