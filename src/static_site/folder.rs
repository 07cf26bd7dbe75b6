//! The output folder: only changed files are written, each atomically, and outdated ones are
//! removed.

use std::{
    collections::BTreeMap,
    fs::{self, File, TryLockError},
    io::{self, Read},
    path::{Path, PathBuf},
};

use super::{
    BuildError, BuildReport, host_files,
    manifest::{self, Manifest, ManifestEntry},
};
use crate::{
    confined_folder::{ConfinedFolder, FILE_MODE},
    content_files::public_files::is_plain,
};

/// The prefix of temporary files.
const UNFINISHED: &str = ".galley-build-";

/// An output folder, locked by this build.
pub struct Folder {
    root: PathBuf,
    /// The folder, opened so that links out of it are not followed.
    files: ConfinedFolder,
    _lock: File,
    /// The manifest of the previous build.
    before: Manifest,
    now: Manifest,
    /// Whether this build has written or removed anything.
    has_begun: bool,
    report: BuildReport,
}

impl Folder {
    /// Locks the folder, creating it if necessary.
    ///
    /// # Errors
    ///
    /// `Busy` if another build uses the folder, `Manifest` if its manifest cannot be read, `Write`.
    pub fn open(root: &Path) -> Result<Self, BuildError> {
        let files = ConfinedFolder::create(root).map_err(write_error(root))?;
        // The lock is on the folder itself: there is no lock file to remove, and the system
        // releases the lock if the build is killed.
        let lock = File::open(root).map_err(write_error(root))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(BuildError::Busy(root.to_owned())),
            Err(TryLockError::Error(error)) => return Err(write_error(root)(error)),
        }
        // Only under the lock: without it, these may be the temporary files of a running build.
        remove_unfinished(root).map_err(write_error(root))?;
        Ok(Self {
            before: read_manifest(root, &files)?,
            root: root.to_owned(),
            files,
            _lock: lock,
            now: Manifest::of_this_version(),
            has_begun: false,
            report: BuildReport::default(),
        })
    }

    /// Returns whether a file exists at `path` that no build wrote.
    pub fn is_from_elsewhere(&self, path: &str) -> bool {
        // A path that cannot be examined counts as a file of another program, so that it is not
        // overwritten.
        !self.before.files.contains_key(path) && !matches!(self.files.has(path), Ok(false))
    }

    /// Claims the paths of all files to be written.
    ///
    /// # Errors
    ///
    /// `OtherFiles` if files exist that no build wrote, unless `overwrites` is set.
    pub fn claim(&mut self, paths: &[String], overwrites: bool) -> Result<(), BuildError> {
        let other_files = paths.iter().filter(|path| self.is_from_elsewhere(path));
        let other_files: Vec<String> = other_files.cloned().collect();
        if !other_files.is_empty() && !overwrites {
            return Err(BuildError::OtherFiles {
                folder: self.root.clone(),
                paths: other_files,
            });
        }
        // Claimed paths have empty entries until they are written. `begin` stores them in the
        // manifest before the first write.
        let claimed = paths
            .iter()
            .map(|path| (path.clone(), ManifestEntry::default()));
        self.now.files = claimed.collect();
        Ok(())
    }

    /// Writes the content to the file at `path`, unless the file has it already.
    ///
    /// # Errors
    ///
    /// `Write`.
    pub fn put(&mut self, path: &str, content: &[u8]) -> Result<(), BuildError> {
        let entry = ManifestEntry::of(content);
        if self.keep_same(path, &entry) {
            return Ok(());
        }
        self.write(path, entry, &mut &*content)
    }

    /// Writes the content of `file` to the file at `path`, unless the file has it already. `of` is the hash of the original, if
    /// the file is a resized image. Returns the hash of the content.
    ///
    /// # Errors
    ///
    /// `Write`, which includes errors of reading `file`.
    pub fn put_file(
        &mut self,
        path: &str,
        mut file: File,
        of: Option<String>,
    ) -> Result<String, BuildError> {
        let target = self.root.join(path);
        // The file is read twice if it changed, so that an unchanged one is not written.
        let mut entry = ManifestEntry::of_file(&mut file).map_err(write_error(&target))?;
        entry.of = of;
        let hash = entry.hash.clone();
        if self.is_up_to_date(path, &entry) {
            self.keep(path, entry);
        } else {
            io::Seek::rewind(&mut file).map_err(write_error(&target))?;
            self.write(path, entry, &mut file)?;
        }
        Ok(hash)
    }

    /// Returns whether the file at `path` exists and was resized by this version of Galley from the image with the hash `of`; if
    /// so, keeps it.
    pub fn keep_resized(&mut self, path: &str, of: &str) -> bool {
        // Another version may resize images differently from the same original.
        let is_comparable = self.before.galley == self.now.galley && !self.before.is_unfinished;
        let known = self.before.files.get(path).cloned();
        let known = known.filter(|entry| is_comparable && entry.of.as_deref() == Some(of));
        match known {
            Some(entry) if self.is_up_to_date(path, &entry) => {
                self.keep(path, entry);
                true
            }
            _ => false,
        }
    }

    /// Returns whether the file at `path` has this content; if so, keeps it.
    pub fn keep_same(&mut self, path: &str, entry: &ManifestEntry) -> bool {
        let is_same = self.is_up_to_date(path, entry);
        if is_same {
            self.keep(path, entry.clone());
        }
        is_same
    }

    /// Keeps the file of an earlier build at `path`, if it exists, although this build does not write it.
    pub fn keep_earlier(&mut self, path: &str) {
        if let Some(entry) = self.before.files.get(path) {
            self.now.files.insert(path.to_owned(), entry.clone());
        }
    }

    /// Keeps the files of an earlier build for the second and later pages of a list. `list` is the path of the folder of the
    /// list, empty or with a slash at its end.
    pub fn keep_earlier_pages(&mut self, list: &str) {
        let is_of_list = |path: &str| {
            let number = path.strip_prefix(list);
            let number = number.and_then(|rest| rest.strip_prefix("page/"));
            let number = number.and_then(|rest| rest.strip_suffix("/index.html"));
            number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let pages = self.before.files.keys();
        let pages: Vec<String> = pages.filter(|path| is_of_list(path)).cloned().collect();
        for page in &pages {
            self.keep_earlier(page);
        }
    }

    /// Releases a claimed path, because no file is written there.
    pub fn release(&mut self, path: &str) {
        self.now.files.remove(path);
    }

    /// Removes files of an earlier build that this one did not write, and writes the manifest.
    ///
    /// # Errors
    ///
    /// `Write`.
    pub fn finish(mut self) -> Result<BuildReport, BuildError> {
        let stale: BTreeMap<String, ManifestEntry> = self
            .before
            .files
            .iter()
            .filter(|(path, _)| !self.now.files.contains_key(*path))
            .map(|(path, entry)| (path.clone(), entry.clone()))
            .collect();
        // Removed before the final manifest is written: if the build is interrupted here, the
        // manifest of `begin` still lists the files for the next build.
        for (path, entry) in stale {
            self.remove(&path, &entry)?;
        }
        if self.before != self.now {
            // If nothing changed, the manifest is not written either, so that no file of the folder
            // changes.
            self.write_manifest(&self.now)?;
        }
        Ok(self.report)
    }

    fn keep(&mut self, path: &str, entry: ManifestEntry) {
        self.report.unchanged += 1;
        self.now.files.insert(path.to_owned(), entry);
    }

    /// Returns whether the previous build wrote this content at `path`, and the file still exists.
    fn is_up_to_date(&self, path: &str, entry: &ManifestEntry) -> bool {
        let Some(known) = self.before.files.get(path) else {
            return false;
        };
        let Ok(mut file) = self.files.open_file(path) else {
            return false;
        };
        if self.before.is_unfinished {
            // The previous build was interrupted, so the manifest may be older than the files.
            return ManifestEntry::of_file(&mut file).is_ok_and(|found| found.is_same(entry));
        }
        let metadata = file.metadata();
        // The length is compared with the file, because reading all files would make a build of an
        // unchanged site slow.
        known.is_same(entry) && metadata.is_ok_and(|found| found.len() == entry.length)
    }

    fn write(
        &mut self,
        path: &str,
        entry: ManifestEntry,
        content: &mut dyn Read,
    ) -> Result<(), BuildError> {
        self.begin()?;
        self.write_whole(path, content)
            .map_err(write_error(&self.root.join(path)))?;
        self.report.written += 1;
        self.report.bytes_written += entry.length;
        self.now.files.insert(path.to_owned(), entry);
        Ok(())
    }

    /// Writes a manifest that marks the folder as unfinished and lists the old and new files, so that the next build recognises
    /// them if this one is interrupted.
    fn begin(&mut self) -> Result<(), BuildError> {
        if !self.has_begun {
            self.has_begun = true;
            let mut both = self.before.clone();
            both.is_unfinished = true;
            for path in self.now.files.keys() {
                both.files.entry(path.clone()).or_default();
            }
            self.write_manifest(&both)?;
        }
        Ok(())
    }

    fn write_manifest(&self, manifest: &Manifest) -> Result<(), BuildError> {
        let path = self.root.join(manifest::FILE);
        let mut text = serde_json::to_string_pretty(manifest)
            .map_err(|error| write_error(&path)(error.into()))?;
        text.push('\n');
        self.write_whole(manifest::FILE, &mut text.as_bytes())
            .map_err(write_error(&path))
    }

    /// Writes a temporary file and moves it to the path, so that the complete old or new file is there at any time.
    fn write_whole(&self, path: &str, content: &mut dyn Read) -> io::Result<()> {
        let (folder, name) = self.files.open_parent(path)?;
        let top = self.files.top()?;
        let mut file = top.begin_file(UNFINISHED, FILE_MODE)?;
        io::copy(content, file.content())?;
        file.finish(&folder, name)
    }

    /// Removes a file of an earlier build, and the folders that become empty.
    fn remove(&mut self, path: &str, entry: &ManifestEntry) -> Result<(), BuildError> {
        let target = self.root.join(path);
        let current = match self.files.open_file(path) {
            Ok(mut file) => ManifestEntry::of_file(&mut file).map_err(write_error(&target))?,
            Err(_) => return Ok(()),
        };
        // After an interrupted build, an entry may be older than its file, so the content cannot be
        // compared.
        let is_from_build = self.before.is_unfinished || current.is_same(entry);
        if !is_from_build {
            self.report.remarks.push(format!(
                "{path} was changed since the last build, so it was not removed"
            ));
            return Ok(());
        }
        self.begin()?;
        self.files.remove(path).map_err(write_error(&target))?;
        self.report.removed += 1;
        // From the innermost folder upwards, until one has other files.
        let folders = Path::new(path).ancestors().skip(1);
        for folder in folders.filter_map(Path::to_str) {
            // Only empty folders are removed.
            if matches!(self.files.has(folder), Ok(true))
                && !matches!(self.files.remove_empty_folder(folder), Ok(true))
            {
                break;
            }
        }
        Ok(())
    }
}

fn read_manifest(root: &Path, files: &ConfinedFolder) -> Result<Manifest, BuildError> {
    let path = root.join(manifest::FILE);
    let unreadable = |why: String| BuildError::Manifest {
        path: path.clone(),
        why,
    };
    let read = files.read(manifest::FILE);
    let Some(bytes) = read.map_err(|error| unreadable(error.to_string()))? else {
        return Ok(Manifest::default());
    };
    let manifest: Manifest =
        serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))?;
    // The manifest may be untrusted, and it determines which files are removed.
    let is_inside = |path: &str| is_plain(path) || path == host_files::APACHE;
    match manifest.files.keys().find(|path| !is_inside(path)) {
        Some(path) => Err(unreadable(format!("{path} is outside the folder"))),
        None => Ok(manifest),
    }
}

/// Removes the temporary files of a build that was killed.
fn remove_unfinished(root: &Path) -> io::Result<()> {
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_unfinished = name.starts_with(UNFINISHED) && entry.file_type()?.is_file();
        if is_unfinished {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn write_error(path: &Path) -> impl Fn(io::Error) -> BuildError {
    move |source| BuildError::Write {
        path: path.to_owned(),
        source,
    }
}
