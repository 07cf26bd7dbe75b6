//! The data folder: where a site is stored, and which process owns it.
//!
//! Only one process at a time owns the folder, through a lock on `galley.lock` that the operating system releases with the
//! process. The file's content describes the owner to other processes: for a person who reads the error, or for a command
//! that then uses the running server. It is valid only while the file is locked, so a crash leaves nothing to clean up. This
//! module only creates the folder, the lock file and the file that describes [unfinished work](UnfinishedWork); other
//! contents belong to other modules.

mod unfinished;

use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rustix::fs::{StatVfsMountFlags, statvfs};
use serde::{Deserialize, Serialize};

use crate::atomic_file::{give_to_owner_of, unnamed};

pub use self::unfinished::{UNFINISHED, UnfinishedWork};

/// The store's file in the folder.
pub const STORE: &str = "galley.redb";

/// The file in the folder with the replica of a database.
const REPLICA: &str = "replica.redb";

const LOCK_FILE: &str = "galley.lock";

/// The socket in the folder on which a server accepts commands.
pub const CONTROL_SOCKET: &str = "galley.sock";

/// Size of the test file that checks whether a disk has room, in bytes.
const TRIAL_BYTES: usize = 1 << 18;

/// Permissions of the folder: only its owner may enter, because it contains password hashes and keys.
const FOLDER_MODE: u32 = 0o700;
const LOCK_FILE_MODE: u32 = 0o600;

/// Time to wait for a lock, or for its owner to be written: long enough for a process that is ending or only checks, too
/// short for a person to notice.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);
const RETRY_PAUSE: Duration = Duration::from_millis(10);

/// A data folder that this process owns until the value is dropped.
#[derive(Debug)]
pub struct DataFolder {
    path: PathBuf,
    /// `None` on a disk that cannot be written to, if the folder has no lock file.
    lock: Option<File>,
    owner: Owner,
}

/// The process that owns a data folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// Its process ID.
    pub pid: u32,
    /// The version of Galley that it runs.
    pub version: String,
    /// Time at which it opened the folder.
    pub started_at: Timestamp,
    /// The URL at which it serves the site.
    pub address: Option<String>,
    /// True if it accepts commands on the socket [`CONTROL_SOCKET`] in the folder.
    #[serde(default)]
    pub takes_commands: bool,
}

/// The reason why a data folder could not be opened or checked.
#[derive(Debug, thiserror::Error)]
pub enum DataFolderError {
    /// Another process owns the folder.
    #[error("{}", in_use(.path, .owner.as_deref()))]
    InUse {
        /// The folder.
        path: PathBuf,
        /// The process, unless it has not written its description yet.
        owner: Option<Box<Owner>>,
    },

    /// A command was killed while it created the site in the folder, so there is no site yet.
    #[error(
        "the data folder {} has no site yet: {}. To begin with an empty site, delete that folder",
        path.display(),
        work.advice()
    )]
    Unfinished {
        /// The folder.
        path: PathBuf,
        /// The unfinished work of that command.
        work: Box<UnfinishedWork>,
    },

    /// The folder belongs to a process whose site is in a database, but no database is configured.
    #[error(
        "the site of the data folder {} is in a database: the folder has a replica of it ({REPLICA}), and store.url is not set. Set \
         GALLEY_STORE_URL, --store-url or store.url to the URL of the database. To begin with a new, empty site, choose another \
         data folder with --data, or delete that file",
        .0.display()
    )]
    OfDatabase(PathBuf),

    /// The folder is on a disk that cannot be written to.
    #[error(
        "the disk of the data folder {} is read-only, so nothing can be changed. `galley backup FILE`, with a file on another \
         disk, `galley export` and `galley status` read it",
        .0.display()
    )]
    ReadOnlyDisk(PathBuf),

    /// The folder, or the lock file in it, cannot be created, read or written.
    #[error("cannot use {}: {source}. Check its permissions, or choose another data folder with --data", path.display())]
    Io {
        /// The folder or the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl DataFolder {
    /// Creates the folder at `path` if necessary, locks it, and writes the owner to the lock file.
    ///
    /// A new folder is durable and accessible only to its owner. Waits half a second for a process that is just ending.
    ///
    /// # Errors
    ///
    /// `InUse` with the owner if another process owns the folder, `Unfinished` if there is no site because a command was
    /// killed, `Io` if the folder or the lock file cannot be created or accessed.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, DataFolderError> {
        let folder = Self::lock(path.into())?;
        match Self::unfinished(&folder.path)? {
            Some(work) => Err(DataFolderError::Unfinished {
                path: folder.path.clone(),
                work: Box::new(work),
            }),
            // A description may be left of a command that was killed after it had created its last
            // file.
            None => folder.finish().map(|()| folder),
        }
    }

    /// Opens the folder like [`open`](Self::open), for a command that creates a site in it, or continues after it was killed.
    /// Until the command calls [`finish`](Self::finish) or creates its last file, no other command can open the folder.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open): `Unfinished` if another command was killed.
    pub fn begin(path: impl Into<PathBuf>, work: &UnfinishedWork) -> Result<Self, DataFolderError> {
        let path = path.into();
        create_durably(&path, FOLDER_MODE).map_err(at(&path))?;
        if let Some(other) = Self::unfinished(&path)?.filter(|other| !other.is_like(work)) {
            return Err(DataFolderError::Unfinished {
                path,
                work: Box::new(other),
            });
        }
        // Created before the lock file, so that the folder never looks like that of a new site.
        let is_first = work.create(&path).map_err(at(&path))?;
        // Not `open`, which refuses a folder with unfinished work.
        let locked = Self::lock(path.clone());
        match &locked {
            // This command continues an earlier one. The description is only replaced under the
            // lock, so not while that command still runs.
            Ok(folder) if !is_first => work.replace(folder.path()).map_err(at(&path))?,
            // Another process owns the folder, which may have a site: a description that remains
            // would make it look unfinished.
            Err(_) if is_first => UnfinishedWork::remove(&path).map_err(at(&path))?,
            _ => {}
        }
        locked
    }

    /// Returns the unfinished work of a killed command in the folder at `path`; `None` if there is no such work or folder.
    ///
    /// # Errors
    ///
    /// `Io` if the file that describes it cannot be read.
    pub fn unfinished(path: &Path) -> Result<Option<UnfinishedWork>, DataFolderError> {
        UnfinishedWork::in_folder(path).map_err(at(&path.join(UNFINISHED)))
    }

    /// Ends the unfinished work: from now on the folder has a site.
    ///
    /// # Errors
    ///
    /// `Io` if the file that describes the work cannot be removed.
    pub fn finish(&self) -> Result<(), DataFolderError> {
        UnfinishedWork::remove(&self.path).map_err(at(&self.path))
    }

    /// Locks the folder at `path` on a disk that cannot be written to. This process is then not recorded as the owner. If
    /// there is no lock file, no process has ever owned the folder, and nothing needs to be locked.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn open_read_only(path: impl Into<PathBuf>) -> Result<Self, DataFolderError> {
        let path = path.into();
        if let Some(work) = Self::unfinished(&path)? {
            let work = Box::new(work);
            return Err(DataFolderError::Unfinished { path, work });
        }
        let lock_path = path.join(LOCK_FILE);
        let lock = match File::open(&lock_path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            opened => Some(opened.map_err(at(&lock_path))?),
        };
        if let Some(lock) = &lock {
            acquire(lock, &path)?;
        }
        Ok(Self {
            path,
            lock,
            owner: Owner::this_process(),
        })
    }

    /// Returns whether the folder at `path` is on a disk that cannot be written to, because it is mounted read-only or the
    /// system has made it read-only after errors.
    pub fn is_on_read_only_disk(path: &Path) -> bool {
        let is_mounted_so =
            statvfs(path).is_ok_and(|disk| disk.f_flag.contains(StatVfsMountFlags::RDONLY));
        // Linux (observed with 6.18) stops writing to an ext4 disk with errors without marking it as read-only, so this only
        // shows when a file is created.
        let refuses_files = || {
            let error = unnamed(path).err();
            error.is_some_and(|error| error.kind() == io::ErrorKind::ReadOnlyFilesystem)
        };
        is_mounted_so || refuses_files()
    }

    /// Checks that the disk of the folder at `path` accepts a file of some size. The file is deleted.
    ///
    /// # Errors
    ///
    /// If it does not accept the file.
    pub fn try_disk(path: &Path) -> io::Result<()> {
        let mut file = unnamed(path)?;
        file.write_all(&[0; TRIAL_BYTES])?;
        // Some file systems, such as NFS, only report a full disk when data is flushed.
        file.sync_data()
    }

    /// Returns the free space on the disk of the folder at `path`, in bytes, that is available to this user.
    ///
    /// # Errors
    ///
    /// The error of the system.
    pub fn free_bytes(path: &Path) -> io::Result<u64> {
        let disk = statvfs(path)?;
        Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    fn lock(path: PathBuf) -> Result<Self, DataFolderError> {
        if Self::is_on_read_only_disk(&path) {
            return Err(DataFolderError::ReadOnlyDisk(path));
        }
        create_durably(&path, FOLDER_MODE).map_err(at(&path))?;
        let lock_path = path.join(LOCK_FILE);
        let lock = open_lock_file(&path, &lock_path).map_err(at(&lock_path))?;
        acquire(&lock, &path)?;
        let folder = Self {
            path,
            lock: Some(lock),
            owner: Owner::this_process(),
        };
        folder.announce(folder.owner())?;
        Ok(folder)
    }

    /// Returns the owner of the folder at `path`, or `None` if no process owns it or it does not exist.
    ///
    /// # Errors
    ///
    /// `InUse` without an owner if a process owns the folder but has not written its description, `Io` if the lock file
    /// cannot be read.
    pub fn owner_of(path: impl AsRef<Path>) -> Result<Option<Owner>, DataFolderError> {
        let path = path.as_ref();
        let lock_path = path.join(LOCK_FILE);
        let lock = match File::open(&lock_path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(at(&lock_path))?,
        };
        let mut owner = None;
        let is_known = within_timeout(|| {
            // A shared lock, so that concurrent checks do not take each other for owners.
            if try_lock(lock.try_lock_shared())? {
                return Ok(true);
            }
            owner = read_owner(&lock_path)?;
            Ok(owner.is_some())
        });
        if !is_known.map_err(at(&lock_path))? {
            return Err(DataFolderError::InUse {
                path: path.to_owned(),
                owner: None,
            });
        }
        Ok(owner)
    }

    /// Replaces the owner in the lock file, for example once the owner has a URL.
    ///
    /// # Errors
    ///
    /// `Io` if the lock file cannot be written.
    pub fn announce(&self, owner: &Owner) -> Result<(), DataFolderError> {
        let write = || {
            let text = serde_json::to_vec_pretty(owner)?;
            let lock = self.lock.as_ref();
            let lock = lock.ok_or(io::ErrorKind::ReadOnlyFilesystem)?;
            // The file may have been created by an earlier version, and be readable by other users.
            lock.set_permissions(Permissions::from_mode(LOCK_FILE_MODE))?;
            // Shortened after it is written: a reader in between finds JSON with the end of an
            // earlier text, which does not parse, so it reads again.
            lock.write_all_at(&text, 0)?;
            lock.set_len(text.len() as u64)
        };
        write().map_err(at(&self.path.join(LOCK_FILE)))
    }

    /// Returns this process as the owner, without a URL.
    pub fn owner(&self) -> &Owner {
        &self.owner
    }

    /// Returns the path of the folder, as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the store's file.
    pub fn store(&self) -> PathBuf {
        self.path.join(STORE)
    }

    /// Returns the path of the replica, for a site in a database.
    pub fn replica(&self) -> PathBuf {
        self.path.join(REPLICA)
    }

    /// Returns an error if the site of the folder at `path` is in a database: the folder contains a replica and no store. For
    /// processes without a database. A dangling link counts as a file here.
    ///
    /// # Errors
    ///
    /// `OfDatabase`.
    pub fn refuse_replica(path: &Path) -> Result<(), DataFolderError> {
        let is_there = |name| path.join(name).symlink_metadata().is_ok();
        if is_there(REPLICA) && !is_there(STORE) {
            return Err(DataFolderError::OfDatabase(path.to_owned()));
        }
        Ok(())
    }
}

/// Clears and releases the lock file.
impl Drop for DataFolder {
    fn drop(&mut self) {
        if let Some(lock) = &self.lock {
            // If this fails, the remaining content is ignored, because the file is not locked.
            let _ = lock.set_len(0);
        }
    }
}

impl Owner {
    fn this_process() -> Self {
        Self {
            pid: process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: Timestamp::now(),
            address: None,
            takes_commands: false,
        }
    }

    /// Returns whether the owner is a command, or a server that does not serve yet.
    pub fn is_starting(&self) -> bool {
        self.address.is_none()
    }
}

/// Writes version, process, start time and URL.
impl fmt::Display for Owner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            pid,
            version,
            started_at,
            ..
        } = self;
        write!(
            formatter,
            "Galley {version}, process {pid}, since {started_at:.0}"
        )?;
        match &self.address {
            Some(address) => write!(formatter, ", at {address}"),
            None => Ok(()),
        }
    }
}

fn in_use(path: &Path, owner: Option<&Owner>) -> String {
    let path = path.display();
    match owner {
        Some(owner) => format!(
            "the data folder {path} is in use by {owner}. \
             Stop that process, or choose another data folder with --data"
        ),
        None => format!(
            "the data folder {path} is in use by a process that is just starting or stopping. \
             Try again, or choose another data folder with --data"
        ),
    }
}

fn at(path: &Path) -> impl Fn(io::Error) -> DataFolderError {
    let path = path.to_owned();
    move |source| DataFolderError::Io {
        path: path.clone(),
        source,
    }
}

/// Creates the folder and missing parents, and flushes each name in its parent to disk.
fn create_durably(path: &Path, mode: u32) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    create_durably(parent, 0o777)?;
    match DirBuilder::new().mode(mode).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        // A new folder survives a power failure only once its parent is synced.
        created => created.and_then(|()| File::open(parent)?.sync_all()),
    }
}

/// Opens the lock file in the data folder `data`. A new file belongs to the owner of the folder.
fn open_lock_file(data: &Path, lock_path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(LOCK_FILE_MODE);
    // Only the process that creates the file changes its owner.
    match options.clone().create_new(true).open(lock_path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            options.create(true).truncate(false).open(lock_path)
        }
        created => {
            let file = created?;
            give_to_owner_of(data, &file)?;
            Ok(file)
        }
    }
}

/// Locks the lock file of the folder at `path` for this process.
fn acquire(lock: &File, path: &Path) -> Result<(), DataFolderError> {
    let lock_path = path.join(LOCK_FILE);
    if within_timeout(|| try_lock(lock.try_lock())).map_err(at(&lock_path))? {
        return Ok(());
    }
    let owner = wait_for_owner(&lock_path).map_err(at(&lock_path))?;
    Err(DataFolderError::InUse {
        path: path.to_owned(),
        owner: owner.map(Box::new),
    })
}

fn try_lock(result: Result<(), TryLockError>) -> io::Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Repeats a check until it succeeds, for a limited time.
fn within_timeout(mut check: impl FnMut() -> io::Result<bool>) -> io::Result<bool> {
    let end = Instant::now() + LOCK_TIMEOUT;
    while !check()? {
        if Instant::now() >= end {
            return Ok(false);
        }
        thread::sleep(RETRY_PAUSE);
    }
    Ok(true)
}

/// Returns the owner in a locked file, after waiting until it is written.
fn wait_for_owner(lock_path: &Path) -> io::Result<Option<Owner>> {
    let mut owner = None;
    within_timeout(|| {
        owner = read_owner(lock_path)?;
        Ok(owner.is_some())
    })?;
    Ok(owner)
}

/// Returns the owner in the file; `None` while it is being written, when the file is empty or still ends with an earlier
/// text.
fn read_owner(lock_path: &Path) -> io::Result<Option<Owner>> {
    Ok(serde_json::from_slice(&fs::read(lock_path)?).ok())
}
