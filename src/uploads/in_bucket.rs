//! Uploads in a bucket, and the local copies from which they are served.
//!
//! An upload is stored in the bucket before anything names it, and its name is never given to other
//! content, so a local copy is right as long as it exists. It is fetched when it is first needed.
//! The copies used longest ago are removed when all of them have more bytes than the operator
//! allows. A few are fetched at once, each for all readers who need it; others wait for a while and are
//! then refused. Absent files and a bucket that is away are remembered for some seconds, so that readers
//! cannot make this process send a request to it for each of theirs.

use std::{
    collections::HashMap,
    fmt,
    fs::{self, File},
    io::{self, Seek},
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use super::local_copies::{Copies, Turn};
use crate::{
    atomic_file::{self, AtomicFile},
    bucket::{Bucket, BucketError, BucketErrorKind, StoredObject},
};

/// How long a reader waits for a fetch to end, unless it is one of a few that wait for that of their file.
const FETCH_PATIENCE: Duration = Duration::from_secs(3);

/// The time at which every copy was changed last, so that a file has the same entity tag from each
/// process, and keeps its resized images when it is fetched again.
const CHANGED: SystemTime = SystemTime::UNIX_EPOCH;

/// The uploads of a site in a bucket.
pub struct BucketUploads {
    bucket: Bucket,
    /// The same bucket, for requests that a reader waits for.
    reads: Bucket,
    bytes_max: u64,
    copies: Mutex<Option<Copies>>,
    fetched: Condvar,
    themes: Mutex<KnownThemes>,
}

/// What is known of the themes in the bucket.
#[derive(Debug, Default)]
pub struct KnownThemes {
    /// The entity tags of those that are here as well, by name.
    pub etags: HashMap<String, String>,
    /// When they were listed last.
    pub looked_at: Option<Instant>,
}

impl fmt::Debug for BucketUploads {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.bucket)
    }
}

impl BucketUploads {
    /// Returns the uploads in `bucket`, of which local copies of about `bytes_max` bytes are kept.
    pub fn new(bucket: Bucket, bytes_max: u64) -> Self {
        Self {
            reads: bucket.clone().impatient(),
            bucket,
            bytes_max,
            copies: Mutex::default(),
            fetched: Condvar::new(),
            themes: Mutex::default(),
        }
    }

    /// Checks that the bucket exists and lets this process in. One that is away may come back.
    ///
    /// # Errors
    ///
    /// If the service refuses.
    pub(super) fn check(&self) -> Result<(), BucketError> {
        match self.reads.has_any() {
            Err(error) if error.kind == BucketErrorKind::Away => {
                tracing::warn!(%error, "the bucket of uploads is away");
                Ok(())
            }
            checked => checked.map(drop),
        }
    }

    /// Returns what is known of the themes.
    pub fn themes(&self) -> &Mutex<KnownThemes> {
        &self.themes
    }

    /// Returns the local copy of the upload `name` in `folder`, and fetches it if there is none,
    /// once for all readers who wait for it. `None` if the bucket has no such upload. A few readers
    /// wait until their file is here; the others for [`FETCH_PATIENCE`] at most.
    pub(super) fn find(&self, folder: &Path, name: &str) -> io::Result<Option<PathBuf>> {
        let path = folder.join(name);
        let began = Instant::now();
        let mut copies = self.copies(folder);
        loop {
            let known = known(&mut copies);
            if known.use_copy(name, &path) {
                return Ok(Some(path));
            }
            if known.is_missing(name) {
                return Ok(None);
            }
            if known.is_away() {
                return Err(io::Error::other(self.away()));
            }
            match known.take_turn(name, began, FETCH_PATIENCE) {
                Turn::Fetch => break,
                Turn::Refused => return Err(io::Error::other(self.busy())),
                Turn::WaitForFetch => {
                    let waited = self.fetched.wait_while(copies, |copies| {
                        (copies.as_ref()).is_some_and(|copies| copies.is_under_way(name))
                    });
                    copies = waited.unwrap_or_else(PoisonError::into_inner);
                }
                Turn::Wait => {
                    let remaining = FETCH_PATIENCE.saturating_sub(began.elapsed());
                    let waited = self.fetched.wait_timeout(copies, remaining);
                    copies = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
        drop(copies);
        let _claim = Claim {
            uploads: self,
            folder,
            name,
        };
        let fetched = self.fetch(folder, name);
        let mut copies = self.copies(folder);
        let known = known(&mut copies);
        match fetched {
            Ok(Some(bytes)) => {
                known.away_since = None;
                known.add(name, bytes, Some(Instant::now()));
                known.remove_surplus(folder, self.bytes_max);
                Ok(Some(path))
            }
            Ok(None) => {
                known.add_missing(name);
                Ok(None)
            }
            Err(error) => {
                if is_away(&error) {
                    known.away_since = Some(Instant::now());
                    tracing::warn!(%error, name, "an upload cannot be fetched");
                }
                Err(error)
            }
        }
    }

    /// Copies an object to `folder`, and returns its length; `None` if there is none.
    fn fetch(&self, folder: &Path, name: &str) -> io::Result<Option<u64>> {
        let Some(mut content) = self.content(name)? else {
            return Ok(None);
        };
        let mut file = AtomicFile::create(folder)?;
        let bytes = io::copy(&mut content, &mut file).map_err(|error| self.cut_off(error))?;
        file.set_modified(CHANGED)?;
        file.replace(&folder.join(name))?;
        Ok(Some(bytes))
    }

    fn content(&self, name: &str) -> io::Result<Option<Box<dyn io::Read>>> {
        match self.reads.get(name) {
            Err(error) if error.kind == BucketErrorKind::Missing => Ok(None),
            content => content.map(Some).map_err(io::Error::other),
        }
    }

    /// Opens an upload that is read once, without keeping a copy of it.
    pub(super) fn open(&self, folder: &Path, name: &str) -> io::Result<File> {
        match File::open(folder.join(name)) {
            // The files of themes are only here.
            Err(error)
                if error.kind() == io::ErrorKind::NotFound && !name.starts_with("themes/") => {}
            opened => return opened,
        }
        let content = self.content(name)?;
        let mut content = content.ok_or(io::Error::from(io::ErrorKind::NotFound))?;
        let mut file = atomic_file::unnamed(folder)?;
        io::copy(&mut content, &mut file).map_err(|error| self.cut_off(error))?;
        file.rewind()?;
        Ok(file)
    }

    /// Returns whether there is an upload `name`.
    pub(super) fn has(&self, folder: &Path, name: &str) -> io::Result<bool> {
        if known(&mut self.copies(folder)).use_copy(name, &folder.join(name)) {
            return Ok(true);
        }
        self.reads.has(name).map_err(io::Error::other)
    }

    /// Stores `content` as the upload `name`.
    pub(super) fn put(&self, folder: &Path, content: &Path, name: &str) -> io::Result<()> {
        let file = File::open(content)?;
        self.put_file(&file, name)?;
        let bytes = file.metadata()?.len();
        known(&mut self.copies(folder)).missing.remove(name);
        // Without a local copy, it is fetched when it is needed.
        let place = folder.join(name);
        let mut copy = AtomicFile::create(folder)?;
        let copied = io::copy(&mut File::open(content)?, &mut copy);
        let copied = copied.and_then(|_| copy.set_modified(CHANGED));
        match copied.and_then(|()| copy.replace(&place)) {
            Ok(()) => {
                let mut copies = self.copies(folder);
                let known = known(&mut copies);
                known.add(name, bytes, Some(Instant::now()));
                known.remove_surplus(folder, self.bytes_max);
            }
            Err(error) => tracing::warn!(%error, name, "no local copy of an upload is kept"),
        }
        Ok(())
    }

    /// Stores the file at `content` as the upload `name`, with a local copy in `folder`, unless
    /// there is one; returns whether there was none.
    ///
    /// # Errors
    ///
    /// If the bucket refuses or is away, or the file cannot be read.
    pub fn put_new(&self, folder: &Path, content: &Path, name: &str) -> io::Result<bool> {
        let is_free = !self.has(folder, name)?;
        if is_free {
            self.put(folder, content, name)?;
        }
        Ok(is_free)
    }

    /// Removes the upload `name`.
    pub(super) fn remove(&self, folder: &Path, name: &str) -> io::Result<()> {
        self.bucket.delete(name).map_err(io::Error::other)?;
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
    /// If the service refuses, or does not respond.
    pub fn list(&self, start: &str) -> io::Result<Vec<StoredObject>> {
        self.bucket.list(start).map_err(io::Error::other)
    }

    /// Stores a file as an object, whatever its name.
    ///
    /// # Errors
    ///
    /// If the service refuses, or does not respond.
    pub fn put_file(&self, file: &File, name: &str) -> io::Result<()> {
        let go_on = |_, _| ControlFlow::Continue(());
        let bytes = file.metadata()?.len();
        let stored = self.bucket.put(name, file, bytes, &go_on);
        stored.map_err(io::Error::other)
    }

    /// Copies an object to a file without a name in `folder`; `None` if there is none.
    ///
    /// # Errors
    ///
    /// If the service refuses, or does not respond.
    pub fn get_file(&self, folder: &Path, name: &str) -> io::Result<Option<File>> {
        let Some(mut content) = self.content(name)? else {
            return Ok(None);
        };
        let mut file = atomic_file::unnamed(folder)?;
        io::copy(&mut content, &mut file).map_err(|error| self.cut_off(error))?;
        file.rewind()?;
        Ok(Some(file))
    }

    /// Returns the content of an object, where no reader waits for it.
    ///
    /// # Errors
    ///
    /// `NotFound` if there is none; if the service refuses, or does not respond.
    pub fn content_of(&self, name: &str) -> io::Result<Box<dyn io::Read>> {
        self.bucket.get(name).map_err(|error| match error.kind {
            BucketErrorKind::Missing => io::Error::new(io::ErrorKind::NotFound, error),
            _ => io::Error::other(error),
        })
    }

    /// Deletes an object, whatever its name.
    ///
    /// # Errors
    ///
    /// If the service refuses, or does not respond.
    pub fn delete(&self, name: &str) -> io::Result<()> {
        self.bucket.delete(name).map_err(io::Error::other)
    }

    /// Returns what is known of the copies in `folder`, which are looked up the first time.
    fn copies(&self, folder: &Path) -> MutexGuard<'_, Option<Copies>> {
        // What is known is only names and numbers, which a panic leaves valid.
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        copies.get_or_insert_with(|| Copies::found_in(folder));
        copies
    }

    fn busy(&self) -> BucketError {
        BucketError {
            message: "it is slow, and others wait for it already".to_owned(),
            ..self.away()
        }
    }

    fn away(&self) -> BucketError {
        BucketError {
            place: format!("{:?}", self.bucket),
            message: "it was away a moment ago".to_owned(),
            kind: BucketErrorKind::Away,
        }
    }

    /// Returns the error of a response that ended early.
    fn cut_off(&self, error: io::Error) -> io::Error {
        if crate::store::is_out_of_space(error.kind()) {
            return error;
        }
        io::Error::other(BucketError {
            message: error.to_string(),
            ..self.away()
        })
    }
}

/// Returns what is known, which there is after the first look-up.
fn known<'c>(copies: &'c mut MutexGuard<'_, Option<Copies>>) -> &'c mut Copies {
    copies.get_or_insert_default()
}

/// Returns whether an error says that the bucket is away.
pub fn is_away(error: &io::Error) -> bool {
    let error = error.get_ref().and_then(|error| error.downcast_ref());
    error.is_some_and(|error: &BucketError| error.kind == BucketErrorKind::Away)
}

/// The right to fetch a copy.
struct Claim<'a> {
    uploads: &'a BucketUploads,
    folder: &'a Path,
    name: &'a str,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        known(&mut self.uploads.copies(self.folder)).end_fetch(self.name);
        self.uploads.fetched.notify_all();
    }
}
