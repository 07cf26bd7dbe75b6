//! Incomplete files into which `galley copy` fetches the records of a database.
//!
//! The file name contains the commit that was the last one when the file was begun.

use std::{
    cmp::Reverse,
    fs, io,
    path::{Path, PathBuf},
};

/// The beginning and the end of the name of a file.
const NAME: (&str, &str) = ("copying-", ".redb");

/// A file that was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BegunCopy {
    /// The file.
    pub(super) path: PathBuf,
    /// The revision of the commit, and the token that identifies its database.
    pub(super) commit: (u64, u64),
}

impl BegunCopy {
    /// Returns the file in `folder` for a commit, whether or not the file exists.
    #[cfg(any(test, feature = "postgres"))]
    pub(super) fn of(folder: &Path, (revision, token): (u64, u64)) -> Self {
        let (start, end) = NAME;
        Self {
            path: folder.join(format!("{start}{revision}-{token:016x}{end}")),
            commit: (revision, token),
        }
    }

    fn named(folder: &Path, name: &str) -> Option<Self> {
        let commit = name.strip_prefix(NAME.0)?.strip_suffix(NAME.1)?;
        let (revision, token) = commit.split_once('-')?;
        Some(Self {
            path: folder.join(name),
            commit: (revision.parse().ok()?, u64::from_str_radix(token, 16).ok()?),
        })
    }

    /// Returns the files that were begun in `folder`, newest commit first.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read.
    pub(super) fn all_in(folder: &Path) -> io::Result<Vec<Self>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name();
            found.extend(name.to_str().and_then(|name| Self::named(folder, name)));
        }
        found.sort_by_key(|copy| Reverse(copy.commit));
        Ok(found)
    }
}

/// Returns whether `folder` has an incomplete copy of a database.
///
/// # Errors
///
/// If the folder cannot be read.
pub fn has_begun_copy(folder: &Path) -> io::Result<bool> {
    Ok(!BegunCopy::all_in(folder)?.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_recognised_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        assert!(!has_begun_copy(path).unwrap());
        for other in ["copying-.redb", "copying-7.redb", "copying-7-ff", "x.redb"] {
            fs::write(path.join(other), "").unwrap();
        }
        assert!(!has_begun_copy(path).unwrap());
        let copies = [
            BegunCopy::of(path, (70, 0xff)),
            BegunCopy::of(path, (8, u64::MAX)),
        ];
        for copy in &copies {
            fs::write(&copy.path, "").unwrap();
        }
        assert_eq!(BegunCopy::all_in(path).unwrap(), copies);
        assert!(has_begun_copy(path).unwrap());
    }
}
