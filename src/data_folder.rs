//! The data folder: where everything lies that a site keeps, and who has it.
//!
//! One process at a time owns it, by a lock on `galley.lock` that the operating system drops with
//! the process. The file's content says who that is, for whoever comes second: a person who reads
//! the error, or a command that then asks the running server. It means something only while the
//! file is locked, so a crash leaves nothing to clean up. This module makes the folder and the lock
//! file and nothing else; what lies in the folder belongs to others.

use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

const LOCK_FILE: &str = "galley.lock";

/// The socket in the folder on which a server takes commands.
pub const CONTROL_SOCKET: &str = "galley.sock";

/// The folders in it of what came in through the API: pictures, films and sounds, other files, and themes.
pub const UPLOADS: [&str; 4] = ["images", "media", "files", "themes"];

/// Only the owner may enter the folder: it holds password hashes and keys.
const FOLDER_MODE: u32 = 0o700;
const LOCK_FILE_MODE: u32 = 0o600;

/// How long to wait for a lock, or for its owner's name: long enough for a process that is ending,
/// or that only looks, too short for a person to notice.
const PATIENCE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(10);

/// A data folder that this process owns until the value is dropped.
#[derive(Debug)]
pub struct DataFolder {
    path: PathBuf,
    lock: File,
    owner: Owner,
}

/// Which process owns a data folder, and whether it takes commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// Its process number.
    pub pid: u32,
    /// Its version of Galley.
    pub version: String,
    /// When it opened the folder.
    pub started_at: Timestamp,
    /// The address at which it serves the site, as a URL.
    pub address: Option<String>,
    /// Whether it takes commands on the socket [`CONTROL_SOCKET`] in the folder.
    #[serde(default)]
    pub takes_commands: bool,
}

/// Why a data folder could not be opened or asked about.
#[derive(Debug, thiserror::Error)]
pub enum DataFolderError {
    /// Another process owns the folder.
    #[error("{}", in_use(.path, .owner.as_deref()))]
    InUse {
        /// The folder.
        path: PathBuf,
        /// The process, unless it has not yet said who it is.
        owner: Option<Box<Owner>>,
    },

    /// The folder, or the lock file in it, cannot be made, read or written.
    #[error("cannot use {}: {source}. Check its permissions, or choose another data folder with --data", path.display())]
    Io {
        /// The folder or the file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

impl DataFolder {
    /// Makes the folder at `path` unless it is there, takes it, and says so in the lock file.
    ///
    /// A new folder is open to its owner only, and durable. Waits half a second for a process that
    /// is just letting go.
    ///
    /// # Errors
    ///
    /// `InUse` with the owner if another process has the folder, `Io` if the disk refuses.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, DataFolderError> {
        let path = path.into();
        create_durably(&path, FOLDER_MODE).map_err(at(&path))?;
        let lock_path = path.join(LOCK_FILE);
        let lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(LOCK_FILE_MODE)
            .open(&lock_path)
            .map_err(at(&lock_path))?;
        if !within_patience(|| try_lock(lock.try_lock())).map_err(at(&lock_path))? {
            let owner = wait_for_owner(&lock_path).map_err(at(&lock_path))?;
            return Err(DataFolderError::InUse {
                path,
                owner: owner.map(Box::new),
            });
        }
        let folder = Self {
            path,
            lock,
            owner: Owner::this_process(),
        };
        folder.announce(folder.owner())?;
        Ok(folder)
    }

    /// Returns who owns the folder at `path`, or `None` if no process does or there is no folder.
    ///
    /// # Errors
    ///
    /// `InUse` without an owner if a process has the folder but does not say who it is, `Io` if the
    /// lock file cannot be read.
    pub fn owner_of(path: impl AsRef<Path>) -> Result<Option<Owner>, DataFolderError> {
        let path = path.as_ref();
        let lock_path = path.join(LOCK_FILE);
        let lock = match File::open(&lock_path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(at(&lock_path))?,
        };
        let mut owner = None;
        let answered = within_patience(|| {
            if try_lock(lock.try_lock_shared())? {
                return Ok(true);
            }
            owner = read_owner(&lock_path)?;
            Ok(owner.is_some())
        });
        if !answered.map_err(at(&lock_path))? {
            return Err(DataFolderError::InUse {
                path: path.to_owned(),
                owner: None,
            });
        }
        Ok(owner)
    }

    /// Replaces what the lock file says about this process, for example once it has an address.
    ///
    /// # Errors
    ///
    /// `Io` if the lock file cannot be written.
    pub fn announce(&self, owner: &Owner) -> Result<(), DataFolderError> {
        let write = || {
            let text = serde_json::to_vec_pretty(owner)?;
            // The file may be from before, and readable by others, whom nothing of this concerns.
            self.lock
                .set_permissions(Permissions::from_mode(LOCK_FILE_MODE))?;
            self.lock.write_all_at(&text, 0)?;
            self.lock.set_len(text.len() as u64)
        };
        write().map_err(at(&self.path.join(LOCK_FILE)))
    }

    /// Returns this process as it is named at first: without addresses.
    pub fn owner(&self) -> &Owner {
        &self.owner
    }

    /// Returns the folder's path, as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the store's file.
    pub fn store(&self) -> PathBuf {
        self.path.join("galley.redb")
    }

    /// Returns the path of the folder of uploaded images.
    pub fn images(&self) -> PathBuf {
        self.path.join("images")
    }

    /// Returns the path of the folder of uploaded videos and sounds.
    pub fn media(&self) -> PathBuf {
        self.path.join("media")
    }

    /// Returns the path of the folder of other uploads.
    pub fn files(&self) -> PathBuf {
        self.path.join("files")
    }

    /// Returns the path of the folder of themes.
    pub fn themes(&self) -> PathBuf {
        self.path.join("themes")
    }
}

/// Clears the lock file, and lets go of it.
impl Drop for DataFolder {
    fn drop(&mut self) {
        // What stays is ignored, since nobody holds the lock.
        let _ = self.lock.set_len(0);
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

    /// Whether it is a server that does not serve yet, or a command.
    pub fn is_starting(&self) -> bool {
        self.address.is_none()
    }
}

/// In words: which Galley, which process, since when and at which address.
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

/// Makes the folder and those above it that are missing, and each name in its parent durable.
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
        made => made.and_then(|()| File::open(parent)?.sync_all()),
    }
}

fn try_lock(outcome: Result<(), TryLockError>) -> io::Result<bool> {
    match outcome {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Asks again and again until the answer is yes, and gives up after a while.
fn within_patience(mut ask: impl FnMut() -> io::Result<bool>) -> io::Result<bool> {
    let end = Instant::now() + PATIENCE;
    while !ask()? {
        if Instant::now() >= end {
            return Ok(false);
        }
        thread::sleep(PAUSE);
    }
    Ok(true)
}

/// Returns what the owner of a locked file says about itself, once it does.
fn wait_for_owner(lock_path: &Path) -> io::Result<Option<Owner>> {
    let mut owner = None;
    within_patience(|| {
        owner = read_owner(lock_path)?;
        Ok(owner.is_some())
    })?;
    Ok(owner)
}

/// Returns the owner that the file names. It names none while the owner is about to write, when it
/// holds nothing, or something of an earlier owner's behind the text.
fn read_owner(lock_path: &Path) -> io::Result<Option<Owner>> {
    Ok(serde_json::from_slice(&fs::read(lock_path)?).ok())
}
