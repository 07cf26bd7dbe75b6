//! The staging folder, which is written beside the target until it is complete.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

use super::super::{ExportError, write_error};

/// The top-level entries of content folders: these are replaced in an existing folder.
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

/// A folder that is being written. Dropping it before [`StagingFolder::finish`] removes it.
pub struct StagingFolder {
    folder: PathBuf,
    target: PathBuf,
    /// Whether the target exists, so that the result is moved into it.
    is_into: bool,
}

impl StagingFolder {
    /// Begins to write the folder `target`.
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
        // Inside an existing target, which may be a mount point, so that renaming stays on one file
        // system. Hidden files are not content.
        let name = target.file_name().unwrap_or(OsStr::new("export"));
        let temporary_name = format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id());
        let folder = if is_into {
            target.join(temporary_name)
        } else {
            target.with_file_name(temporary_name)
        };
        fs::create_dir(&folder).map_err(write_error(&folder))?;
        Ok(Self {
            folder,
            target: target.to_owned(),
            is_into,
        })
    }

    /// Writes a file; creates its folders as needed.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), ExportError> {
        let path = self.create_parent(path)?;
        fs::write(&path, bytes).map_err(write_error(&path))
    }

    /// Copies an existing file.
    pub fn copy(&self, from: &Path, path: &str) -> Result<(), ExportError> {
        let path = self.create_parent(path)?;
        fs::copy(from, &path).map(drop).map_err(|error| {
            let reason = format!("copying {}: {error}", from.display());
            write_error(&path)(io::Error::new(error.kind(), reason))
        })
    }

    /// Writes what an open file has.
    pub fn add(&self, content: &mut fs::File, path: &str) -> Result<(), ExportError> {
        let path = self.create_parent(path)?;
        let copied = fs::File::create(&path).and_then(|mut file| io::copy(content, &mut file));
        copied.map(drop).map_err(write_error(&path))
    }

    fn create_parent(&self, path: &str) -> Result<PathBuf, ExportError> {
        let path = self.folder.join(path);
        let parent = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(parent).map_err(write_error(parent))?;
        Ok(path)
    }

    /// Moves the result to its target.
    pub fn finish(self) -> Result<(), ExportError> {
        if self.is_into {
            self.move_in()
        } else {
            fs::rename(&self.folder, &self.target).map_err(write_error(&self.target))
        }
    }

    /// Moves the result into the target and the entries that it replaces out of it, or neither.
    fn move_in(&self) -> Result<(), ExportError> {
        let old = self.folder.join(".old");
        fs::create_dir(&old).map_err(write_error(&old))?;
        let mut moved: Vec<(PathBuf, PathBuf)> = Vec::new();
        let result = CONTENT_ENTRIES.iter().try_for_each(|name| {
            let target = self.target.join(name);
            for (from, to) in [
                (&target, &old.join(name)),
                (&self.folder.join(name), &target),
            ] {
                if from.symlink_metadata().is_ok() {
                    fs::rename(from, to).map_err(write_error(&target))?;
                    moved.push((from.clone(), to.clone()));
                }
            }
            Ok(())
        });
        if result.is_err() {
            for (from, to) in moved.iter().rev() {
                if let Err(error) = fs::rename(to, from) {
                    tracing::error!(%error, "{} cannot be moved back to {}", to.display(), from.display());
                }
            }
        }
        result
    }
}

impl Drop for StagingFolder {
    fn drop(&mut self) {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(%error, "{} cannot be removed", self.folder.display());
            }
            _ => {}
        }
    }
}
