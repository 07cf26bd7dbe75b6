//! The storage of the uploads and themes of a site: the data folder, in a folder that several
//! processes share, or in a bucket.
//!
//! A data folder, with all temporary files in it, belongs to one process. In a shared folder,
//! temporary files may belong to another running process. So they have unique names and are removed
//! only when they have not changed for a day.

pub mod accepted;
mod in_bucket;
mod local_copies;
mod records;
mod verification;

pub use self::records::UploadRecords;

use std::{
    fs::{self, File, Metadata},
    io::{self, Read},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

pub use in_bucket::{BucketUploads, KnownThemes, is_damaged, is_unavailable};
use uuid::Uuid;
pub use verification::UploadRecord;

use crate::{
    atomic_file::{self, AtomicFile},
    bucket::BucketError,
};

/// The folders of uploads: images, video and audio, other files, and themes.
pub const UPLOAD_FOLDERS: [&str; 4] = ["images", "media", "files", "themes"];

/// Time for which a temporary file in a shared folder must be unchanged before it counts as
/// abandoned: longer than any pause of an upload or import, and than the difference between the
/// clocks of two machines.
const ABANDONED_AFTER: Duration = Duration::from_hours(24);

/// The folder in the data folder for local copies of uploads in a bucket.
const LOCAL_COPIES: &str = "uploads";

/// The uploads and themes of a site, as files.
#[derive(Clone, Debug)]
pub struct Uploads {
    /// The folder that contains them or their local copies.
    folder: PathBuf,
    storage: UploadStorage,
}

/// A storage of uploads.
#[derive(Clone, Debug)]
enum UploadStorage {
    /// In the data folder.
    Data,
    /// In a folder that other processes may use as well.
    Shared,
    /// In a bucket.
    Bucket(Arc<BucketUploads>),
}

/// The reason why uploads cannot be stored as configured.
#[derive(Debug, thiserror::Error)]
pub enum UploadsError {
    /// The folder cannot be used.
    #[error(
        "cannot store uploads in {}: {source}. Create or mount the folder, make it writable, or set another for uploads.folder",
        path.display()
    )]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The bucket refuses.
    #[error("cannot store uploads in {0}. See uploads.bucket and the options next to it")]
    Bucket(BucketError),
}

impl Uploads {
    /// Returns the uploads in the data folder `data`.
    pub fn in_data(data: &Path) -> Self {
        Self {
            folder: data.to_owned(),
            storage: UploadStorage::Data,
        }
    }

    /// Returns the uploads in `folder`, which other processes may use as well.
    pub fn in_shared(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            storage: UploadStorage::Shared,
        }
    }

    /// Returns the uploads in a bucket, with local copies in the data folder `data`.
    pub fn in_bucket(data: &Path, bucket: Arc<BucketUploads>) -> Self {
        Self {
            folder: data.join(LOCAL_COPIES),
            storage: UploadStorage::Bucket(bucket),
        }
    }

    /// Checks that the shared folder exists and is writable. A missing folder is not created,
    /// because it may be a file system that is not mounted. For a bucket, checks that it accepts the
    /// key, and creates the folder of local copies.
    ///
    /// # Errors
    ///
    /// If the folder or the bucket cannot be used.
    pub fn check(&self) -> Result<(), UploadsError> {
        let tried = match &self.storage {
            UploadStorage::Data => return Ok(()),
            UploadStorage::Shared => fs::read_dir(&self.folder).and_then(|_| self.incoming()),
            UploadStorage::Bucket(bucket) => {
                bucket.check().map_err(UploadsError::Bucket)?;
                fs::create_dir_all(&self.folder).and_then(|()| self.incoming())
            }
        };
        tried.map(drop).map_err(|source| UploadsError::Folder {
            path: self.folder.clone(),
            source,
        })
    }

    /// Returns the bucket of the uploads, if they are in a bucket.
    pub fn bucket(&self) -> Option<&BucketUploads> {
        match &self.storage {
            UploadStorage::Bucket(bucket) => Some(bucket),
            UploadStorage::Data | UploadStorage::Shared => None,
        }
    }

    /// Returns the folder that has [`UPLOAD_FOLDERS`], or local copies of files in a bucket.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns whether the uploads are in a shared folder.
    pub fn are_shared(&self) -> bool {
        matches!(self.storage, UploadStorage::Shared)
    }

    /// Returns the path of the upload `name`, such as `images/2026/11/ferry.jpg`, or of its local
    /// copy, whether or not it exists.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns the path of the upload `name` if it exists. An upload in a bucket is fetched.
    ///
    /// # Errors
    ///
    /// If the bucket is unavailable, or the local copy cannot be written.
    pub fn find(&self, name: &str) -> io::Result<Option<PathBuf>> {
        match &self.storage {
            UploadStorage::Bucket(bucket) => bucket.find(&self.folder, name),
            UploadStorage::Data | UploadStorage::Shared => {
                Ok(Some(self.path(name)).filter(|path| path.is_file()))
            }
        }
    }

    /// Returns whether the upload `name` exists.
    ///
    /// # Errors
    ///
    /// If the bucket is unavailable.
    pub fn has(&self, name: &str) -> io::Result<bool> {
        match &self.storage {
            UploadStorage::Bucket(bucket) => bucket.has(&self.folder, name),
            UploadStorage::Data | UploadStorage::Shared => Ok(self.path(name).is_file()),
        }
    }

    /// Opens the upload `name` to read it once.
    ///
    /// # Errors
    ///
    /// `NotFound` if the upload does not exist; if the bucket is unavailable.
    pub fn open(&self, name: &str) -> io::Result<File> {
        match &self.storage {
            UploadStorage::Bucket(bucket) => bucket.open(&self.folder, name),
            UploadStorage::Data | UploadStorage::Shared => File::open(self.path(name)),
        }
    }

    /// Returns the content of the upload `name`.
    ///
    /// # Errors
    ///
    /// `NotFound` if the upload does not exist; if the bucket is unavailable.
    pub fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        self.open(name)?.read_to_end(&mut content)?;
        Ok(content)
    }

    /// Creates an empty file that may become an upload.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn incoming(&self) -> io::Result<AtomicFile> {
        AtomicFile::create(&self.folder)
    }

    /// Creates a file with this content that may become an upload.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn incoming_with(&self, content: &[u8]) -> io::Result<AtomicFile> {
        AtomicFile::with_content(&self.folder, content)
    }

    /// Stores `file` as the upload `name`, unless that exists, and returns whether it was stored. On
    /// return, it is completely on disk.
    ///
    /// # Errors
    ///
    /// If the operating system refuses. The upload then does not exist.
    pub fn put_new(&self, file: &AtomicFile, name: &str) -> io::Result<bool> {
        match &self.storage {
            UploadStorage::Bucket(bucket) => bucket.put_new(&self.folder, file.path(), name),
            UploadStorage::Data | UploadStorage::Shared => file.persist_new(&self.path(name)),
        }
    }

    /// Waits until the records that stored files are verified with are durable. Must not be called
    /// in a transaction.
    ///
    /// # Errors
    ///
    /// If the records cannot be written.
    pub fn settle(&self) -> io::Result<()> {
        match &self.storage {
            UploadStorage::Bucket(bucket) => bucket.settle(),
            UploadStorage::Data | UploadStorage::Shared => Ok(()),
        }
    }

    /// Stores `file` as the upload `name`, replacing an existing one. On return, it is completely on
    /// disk.
    ///
    /// # Errors
    ///
    /// If the operating system refuses. The previous upload is then still there.
    pub fn replace(&self, file: AtomicFile, name: &str) -> io::Result<()> {
        match &self.storage {
            UploadStorage::Bucket(bucket) => bucket.put(&self.folder, file.path(), name),
            UploadStorage::Data | UploadStorage::Shared => file.replace(&self.path(name)),
        }
    }

    /// Removes the upload `name`.
    ///
    /// # Errors
    ///
    /// If the operating system refuses, or the upload does not exist.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        match &self.storage {
            UploadStorage::Bucket(bucket) => bucket.remove(&self.folder, name),
            UploadStorage::Data | UploadStorage::Shared => fs::remove_file(self.path(name)),
        }
    }

    /// Returns the name of the object that contains the theme `name`, as an archive.
    pub fn theme_object(name: &str) -> String {
        format!("themes/{name}.zip")
    }

    /// Removes temporary files of killed processes.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read or written.
    pub fn clear_abandoned(&self) -> io::Result<()> {
        atomic_file::clear_abandoned(&self.folder, |metadata| self.is_abandoned(metadata))
    }

    /// Returns whether a killed process left a temporary file or folder behind. The process that
    /// owns the data folder calls this before it creates any.
    pub fn is_abandoned(&self, metadata: &Metadata) -> bool {
        self.is_untouched_for(metadata, ABANDONED_AFTER)
    }

    /// Returns whether a temporary file or folder belongs to no other process, because the folder is
    /// not shared or the file has not changed for this time.
    pub fn is_untouched_for(&self, metadata: &Metadata, time: Duration) -> bool {
        // The time of the last change of the inode, which no program can set, unlike the
        // modification time.
        let changed = Duration::from_secs(u64::try_from(metadata.ctime()).unwrap_or_default());
        let age = SystemTime::now().duration_since(UNIX_EPOCH + changed);
        !self.are_shared() || age.is_ok_and(|age| age >= time)
    }
}

/// Returns a unique name with this prefix, for a temporary file or folder in a shared folder.
pub fn unique_name(prefix: &str) -> String {
    format!("{prefix}{}", Uuid::new_v4().simple())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_file_of_another_process_stays_in_a_shared_folder() {
        let folder = tempfile::tempdir().unwrap();
        let shared = Uploads::in_shared(folder.path());
        let incoming = shared.incoming_with(b"half").unwrap();
        shared.clear_abandoned().unwrap();
        assert!(incoming.path().exists());
        let metadata = fs::metadata(incoming.path()).unwrap();
        assert!(shared.is_untouched_for(&metadata, Duration::ZERO));
        Uploads::in_data(folder.path()).clear_abandoned().unwrap();
        assert!(!incoming.path().exists());
    }

    #[test]
    fn shared_folder_must_exist() {
        let folder = tempfile::tempdir().unwrap();
        Uploads::in_shared(folder.path()).check().unwrap();
        let missing = folder.path().join("missing");
        let error = Uploads::in_shared(&missing)
            .check()
            .unwrap_err()
            .to_string();
        assert!(error.contains("uploads.folder"), "{error}");
        assert!(!missing.exists());
    }
}
