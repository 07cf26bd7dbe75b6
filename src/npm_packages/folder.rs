//! The folder of installed files.

use std::{
    fs::{self, File, Metadata, TryLockError},
    io::{self, Write},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};

use super::error::InstallError;
use crate::{atomic_file::replace_folder, content_files::public_files::is_plain};

/// The file in the folder that describes the installed version.
const MANIFEST: &str = "galley.json";

/// The compressed forms of text files: the content encoding, and the suffix of the file names.
pub const COMPRESSED_FORMS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

/// A folder in which files of packages can be installed.
#[derive(Clone, Debug)]
pub struct InstalledFolder {
    path: PathBuf,
}

/// The version of the installed files, which changes when they are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderVersion {
    device: u64,
    inode: u64,
    changed: (i64, i64),
}

impl InstalledFolder {
    /// Returns the folder at this path, which need not exist.
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the description of the installed files; `None` if there are none.
    pub fn manifest<Manifest: DeserializeOwned>(&self) -> Option<Manifest> {
        let text = fs::read(self.path.join(MANIFEST)).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Returns the version of the installed files; `None` if there are none.
    pub fn version(&self) -> Option<FolderVersion> {
        let metadata = fs::metadata(self.path.join(MANIFEST)).ok()?;
        Some(FolderVersion {
            device: metadata.dev(),
            inode: metadata.ino(),
            // File systems reuse inode numbers, so these times count, too.
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }

    /// Opens a file by its path in the folder. `ending` is the suffix of a compressed form, or empty. Symbolic links
    /// are not followed.
    pub fn file(&self, path: &str, ending: &str) -> Option<File> {
        if !is_plain(path) {
            return None;
        }
        let mut file_path = self.path.clone();
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        for folder in folders.split('/').filter(|folder| !folder.is_empty()) {
            file_path.push(folder);
            if !fs::symlink_metadata(&file_path).ok()?.is_dir() {
                return None;
            }
        }
        file_path.push(format!("{name}{ending}"));
        let is_file = fs::symlink_metadata(&file_path).is_ok_and(|metadata| metadata.is_file());
        is_file.then(|| File::open(&file_path).ok())?
    }

    /// Installs files, replacing installed ones. `fill` receives the new folder, and a folder for downloads, which
    /// remains if the installation fails. After a crash at any time, either the old files or the new ones are
    /// complete, if the file system can exchange folders.
    ///
    /// # Errors
    ///
    /// The errors of `fill`; `Busy` if another installation is running; the errors of the disk.
    pub fn replace<Manifest: Serialize>(
        &self,
        fill: impl FnOnce(&Path, &Path) -> Result<Manifest, InstallError>,
    ) -> Result<Manifest, InstallError> {
        let downloads = self.beside("download");
        // Held until the end.
        let _lock = self.lock(&downloads)?;
        let ready = self.beside("new");
        remove(&ready)?;
        fs::create_dir_all(&ready)?;
        let filled = fill(&ready, &downloads).and_then(|manifest| {
            let text = serde_json::to_vec_pretty(&manifest).map_err(io::Error::from)?;
            write(&ready.join(MANIFEST), &text)?;
            Ok(manifest)
        });
        let manifest = filled.inspect_err(|_| {
            // If this fails, the next installation removes the folder.
            let _ = remove(&ready);
        })?;
        let old = self.beside("old");
        // The old files are in `ready` afterwards if the folders could be exchanged, and otherwise
        // in `old`, so both are removed.
        replace_folder(&ready, &self.path, &old)?;
        remove(&ready)?;
        remove(&old)?;
        remove(&downloads)?;
        Ok(manifest)
    }

    /// Creates and locks the folder of downloads. The system releases the lock even if the process is killed.
    fn lock(&self, downloads: &Path) -> Result<File, InstallError> {
        let busy = || InstallError::Busy(self.path.clone());
        if let Some(parent) = downloads.parent() {
            fs::create_dir_all(parent)?;
        }
        match fs::create_dir(downloads) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
            _ => {}
        }
        let lock = match File::open(downloads) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(busy()),
            opened => opened?,
        };
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(busy()),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        // An installation that completes removes the folder, even if it was opened here before. Another one would then
        // create and lock a new folder, so only the lock of the folder that is still at this path excludes it.
        let identity = |of: io::Result<Metadata>| of.map(|of| (of.dev(), of.ino())).ok();
        if identity(lock.metadata()) == identity(fs::metadata(downloads)) {
            Ok(lock)
        } else {
            Err(busy())
        }
    }

    /// Removes the folder in one step. Returns whether it existed.
    ///
    /// # Errors
    ///
    /// `Busy` if an installation is running; if the folder cannot be removed.
    pub fn remove(&self) -> Result<bool, InstallError> {
        let found = fs::symlink_metadata(&self.path);
        if found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return Ok(false);
        }
        let downloads = self.beside("download");
        let _lock = self.lock(&downloads)?;
        let old = self.beside("old");
        remove(&old)?;
        fs::rename(&self.path, &old)?;
        remove(&old)?;
        remove(&downloads)?;
        Ok(true)
    }

    /// Returns the path of a folder next to this one.
    fn beside(&self, ending: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(format!(".{ending}"));
        PathBuf::from(path)
    }
}

/// Removes a folder if it exists.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Writes a file and syncs it to disk.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        thread,
    };

    use serde_json::{Value, json};

    use super::*;

    fn folder_in(parent: &tempfile::TempDir) -> InstalledFolder {
        InstalledFolder::at(parent.path().join("app"))
    }

    #[test]
    fn installations_exclude_each_other_also_while_one_completes() {
        const INSTALLATIONS: usize = 300;
        let parent = tempfile::tempdir().unwrap();
        let folder = folder_in(&parent);
        let (running, completed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let install = || {
            while completed.load(Ordering::SeqCst) < INSTALLATIONS {
                let installed = folder.replace(|_, _| {
                    assert_eq!(running.fetch_add(1, Ordering::SeqCst), 0);
                    thread::yield_now();
                    running.fetch_sub(1, Ordering::SeqCst);
                    Ok(json!({}))
                });
                match installed {
                    Ok(_) => completed.fetch_add(1, Ordering::SeqCst),
                    Err(InstallError::Busy(_)) => continue,
                    Err(error) => panic!("{error}"),
                };
            }
        };
        thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(install))));
        assert_eq!(folder.manifest::<Value>(), Some(json!({})));
    }

    #[test]
    fn files_are_not_removed_while_others_are_installed() {
        let parent = tempfile::tempdir().unwrap();
        let folder = folder_in(&parent);
        assert!(!folder.remove().unwrap());
        folder.replace(|_, _| Ok(json!({}))).unwrap();
        folder
            .replace(|_, _| {
                assert!(matches!(folder.remove(), Err(InstallError::Busy(_))));
                Ok(json!({}))
            })
            .unwrap();
        assert!(folder.remove().unwrap());
        assert!(fs::read_dir(parent.path()).unwrap().next().is_none());
    }
}
