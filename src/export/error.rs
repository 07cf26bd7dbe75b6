//! The errors of an export.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{atomic_file::OutputFileError, error::Error};

/// The reason why an export failed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The file cannot be created.
    #[error(transparent)]
    File(#[from] OutputFileError),
    /// The target is not a folder.
    #[error("{} is not a folder. Choose another target", .0.display())]
    NotAFolder(PathBuf),
    /// The target folder is not empty.
    #[error("{} is not empty. Choose another folder, or use --force to replace the content in it, such as posts/ and site.toml", .0.display())]
    NotEmpty(PathBuf),
    /// A file or folder cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The path of the file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The output cannot be written.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
    /// The site cannot be read.
    #[error("the site cannot be read: {}", detailed(.0))]
    Site(#[from] Error),
}

impl ExportError {
    /// Returns the same error with the path of the file being written.
    pub(super) fn at(self, path: &Path) -> Self {
        match self {
            Self::Output(source) => write_error(path)(source),
            other => other,
        }
    }
}

/// Returns the message of an error, with details for the operator.
pub(super) fn detailed(error: &Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

/// Returns a function that adds `path` to an error of the operating system.
pub(super) fn write_error(path: &Path) -> impl FnOnce(io::Error) -> ExportError + '_ {
    |source| ExportError::Write {
        path: path.to_owned(),
        source,
    }
}
