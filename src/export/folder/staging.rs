//! The folder that is being written, beside its place until all of it is there.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

use super::super::{ExportError, writing};

/// What content folders are made of, at their top: this is replaced in a folder that is there already.
const OWN: &[&str] = &[
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

/// A folder that is being written. Dropping it before [`Staging::finish`] leaves nothing behind.
pub struct Staging {
    folder: PathBuf,
    target: PathBuf,
    /// Whether the target is there, so that what is written is moved into it.
    is_into: bool,
}

impl Staging {
    /// Begins what is to be the folder `target`.
    pub fn begin(target: &Path, overwrites: bool) -> Result<Self, ExportError> {
        let is_into = target.exists();
        if is_into && !target.is_dir() {
            return Err(ExportError::NoFolder(target.to_owned()));
        }
        let is_empty = || {
            target
                .read_dir()
                .map(|mut entries| entries.next().is_none())
        };
        if is_into && !overwrites && !is_empty().map_err(writing(target))? {
            return Err(ExportError::NotEmpty(target.to_owned()));
        }
        // In the target itself, a name of its own may lie on another disk; and what is hidden is no content.
        let name = target.file_name().unwrap_or(OsStr::new("export"));
        let own_name = format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id());
        let folder = if is_into {
            target.join(own_name)
        } else {
            target.with_file_name(own_name)
        };
        fs::create_dir(&folder).map_err(writing(&folder))?;
        Ok(Self {
            folder,
            target: target.to_owned(),
            is_into,
        })
    }

    /// Writes a file; folders are made as they are needed.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), ExportError> {
        let path = self.make_room(path)?;
        fs::write(&path, bytes).map_err(writing(&path))
    }

    /// Copies a file from elsewhere.
    pub fn copy(&self, from: &Path, path: &str) -> Result<(), ExportError> {
        let path = self.make_room(path)?;
        fs::copy(from, &path).map(drop).map_err(|error| {
            let reason = format!("copying {}: {error}", from.display());
            writing(&path)(io::Error::new(error.kind(), reason))
        })
    }

    fn make_room(&self, path: &str) -> Result<PathBuf, ExportError> {
        let path = self.folder.join(path);
        let parent = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(parent).map_err(writing(parent))?;
        Ok(path)
    }

    /// Puts what was written into its place.
    pub fn finish(self) -> Result<(), ExportError> {
        if self.is_into {
            self.move_in()
        } else {
            fs::rename(&self.folder, &self.target).map_err(writing(&self.target))
        }
    }

    /// Moves what was written into the target, what content folders are made of out of it, or nothing of both.
    fn move_in(&self) -> Result<(), ExportError> {
        let old = self.folder.join(".old");
        fs::create_dir(&old).map_err(writing(&old))?;
        let mut moved: Vec<(PathBuf, PathBuf)> = Vec::new();
        let outcome = OWN.iter().try_for_each(|name| {
            let place = self.target.join(name);
            for (from, to) in [(&place, &old.join(name)), (&self.folder.join(name), &place)] {
                if from.symlink_metadata().is_ok() {
                    fs::rename(from, to).map_err(writing(&place))?;
                    moved.push((from.clone(), to.clone()));
                }
            }
            Ok(())
        });
        if outcome.is_err() {
            for (from, to) in moved.iter().rev() {
                if let Err(error) = fs::rename(to, from) {
                    tracing::error!(%error, "{} cannot be moved back to {}", to.display(), from.display());
                }
            }
        }
        outcome
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(%error, "{} cannot be removed", self.folder.display());
            }
            _ => {}
        }
    }
}
