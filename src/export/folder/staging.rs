//! The staging folder, in which an export is written until it is complete.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

use super::super::ExportError;
use crate::{
    confined_folder::{ConfinedFolder, FILE_MODE, OpenFolder},
    export::error::write_error,
};

/// The top-level entries of content folders, which are replaced in an existing folder.
const CONTENT_ENTRIES: &[&str] = &[
    "site.toml",
    "site.yaml",
    "site.yml",
    "authors",
    "tags",
    "tiers",
    "newsletters",
    "posts",
    "blog",
    "_posts",
    "drafts",
    "_drafts",
    "pages",
    "images",
    "media",
    "files",
];

/// A folder that is being written. Dropping it before [`StagingFolder::finish`] removes the folder,
/// unless it contains entries of the target that could not be moved back.
pub struct StagingFolder {
    folder: PathBuf,
    /// A handle of the same folder, which remains valid if another process replaces the folder in
    /// the target.
    files: ConfinedFolder,
    target: PathBuf,
    /// True if the target exists, so that the entries of the result are moved into it.
    is_into: bool,
    /// True if the folder contains entries of the target that could not be moved back.
    has_replaced_entries: bool,
}

impl StagingFolder {
    /// Creates the staging folder for the folder `target`.
    pub fn begin(target: &Path, overwrites: bool) -> Result<Self, ExportError> {
        let is_into = target.exists();
        if is_into && !target.is_dir() {
            return Err(ExportError::NotAFolder(target.to_owned()));
        }
        let is_empty = || {
            target
                .read_dir()
                .map(|mut entries| entries.next().is_none())
        };
        if is_into && !overwrites && !is_empty().map_err(write_error(target))? {
            return Err(ExportError::NotEmpty(target.to_owned()));
        }
        // The staging folder is inside an existing target, so that renaming works if the target is
        // a mount point. Its name is hidden, so it is not content.
        let name = target.file_name().unwrap_or(OsStr::new("export"));
        let temporary_name = format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id());
        let folder = if is_into {
            target.join(temporary_name)
        } else {
            target.with_file_name(temporary_name)
        };
        let files = ConfinedFolder::create_new(&folder).map_err(write_error(&folder))?;
        Ok(Self {
            folder,
            files,
            target: target.to_owned(),
            is_into,
            has_replaced_entries: false,
        })
    }

    /// Writes a file, creating its folders as needed.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), ExportError> {
        self.add(&mut &*bytes, path)
    }

    /// Copies an existing file.
    pub fn copy(&self, from: &Path, path: &str) -> Result<(), ExportError> {
        let reading = |error: io::Error| {
            let reason = format!("copying {}: {error}", from.display());
            write_error(&self.folder.join(path))(io::Error::new(error.kind(), reason))
        };
        self.add(&mut fs::File::open(from).map_err(reading)?, path)
    }

    /// Writes the content of an open file.
    pub fn add(&self, content: &mut dyn io::Read, path: &str) -> Result<(), ExportError> {
        let above = self.files.open_parent(path);
        // Fails if the file exists, so two records with one path are an error.
        let created = above.and_then(|(folder, name)| folder.create_file(name, FILE_MODE));
        let copied = created.and_then(|mut file| io::copy(content, &mut file));
        copied
            .map(drop)
            .map_err(write_error(&self.folder.join(path)))
    }

    /// Moves the result to its target.
    pub fn finish(mut self) -> Result<(), ExportError> {
        // A folder cannot be renamed onto one that has entries, so these are moved one by one.
        if self.is_into {
            self.move_in()
        } else {
            fs::rename(&self.folder, &self.target).map_err(write_error(&self.target))
        }
    }

    /// Moves the replaced entries out of the target and the new entries into it. If that fails,
    /// restores the target.
    fn move_in(&mut self) -> Result<(), ExportError> {
        let open = || {
            let target = ConfinedFolder::open(&self.target)?.top()?;
            // `.old` is in the staging folder, which is on the file system of the target, so that
            // entries can be renamed into it.
            Ok((self.files.top()?, self.files.folder(".old")?, target))
        };
        let (new, old, target) = open().map_err(write_error(&self.target))?;
        let mut moved: Vec<(&OsStr, &OpenFolder, &OpenFolder)> = Vec::new();
        let result = CONTENT_ENTRIES.iter().try_for_each(|name| {
            let name = OsStr::new(name);
            for (from, to) in [(&target, &old), (&new, &target)] {
                let is_moved = from.has(name).and_then(|is_there| {
                    if is_there {
                        from.move_to(name, to, name)?;
                    }
                    Ok(is_there)
                });
                if is_moved.map_err(write_error(&self.target.join(name)))? {
                    moved.push((name, from, to));
                }
            }
            Ok(())
        });
        let mut is_moved_back = true;
        if result.is_err() {
            // In reverse order, because an old entry can be moved back only after the new one has
            // been moved away.
            for (name, from, to) in moved.into_iter().rev() {
                if let Err(error) = to.move_to(name, from, name) {
                    let (name, folder) = (name.display(), self.folder.display());
                    tracing::error!(%error, "cannot move {name} back; it remains in {folder}");
                    is_moved_back = false;
                }
            }
        }
        self.has_replaced_entries = !is_moved_back;
        result
    }
}

impl Drop for StagingFolder {
    fn drop(&mut self) {
        if self.has_replaced_entries {
            return;
        }
        // After a success, this also removes the replaced entries in `.old`. If the folder itself
        // was renamed, there is nothing to remove.
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(%error, "cannot remove {}", self.folder.display());
            }
            _ => {}
        }
    }
}
