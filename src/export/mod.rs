//! What goes elsewhere: Ghost's format, content folders, lists of members.
//!
//! An export is written from one edition of the site, so it is the site as it was at one moment; changes go on meanwhile.
//! The same edition makes the same bytes. What is written appears under its name only when all of it is there.

pub mod folder;
pub mod ghost;
pub mod members;
mod new_file;
mod report;

use std::{
    io,
    path::{Path, PathBuf},
};

pub use new_file::NewFile;
pub use report::Report;

use crate::error::Error;

/// Why an export was not written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Something is there already.
    #[error("{} is there already. Name another, or overwrite it with --force", .0.display())]
    Exists(PathBuf),
    /// What is to be a folder is none.
    #[error("{} is no folder. Name another", .0.display())]
    NoFolder(PathBuf),
    /// There is something in what is to be the folder.
    #[error("{} is not empty. Name another folder; or replace what content folders are made of in it, such as posts/ and site.toml, with --force", .0.display())]
    NotEmpty(PathBuf),
    /// The disk refuses.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// What was to be written.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// Nothing more can be written.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
    /// The site cannot be read.
    #[error("the site cannot be read: {}", in_full(.0))]
    Site(#[from] Error),
}

impl ExportError {
    /// The same error, which names the file that was being written.
    fn at(self, path: &Path) -> Self {
        match self {
            Self::Output(source) => writing(path)(source),
            other => other,
        }
    }
}

/// What an error says, with what only the operator is told.
fn in_full(error: &Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

/// Turns what the system says about `path` into an error that names it.
fn writing(path: &Path) -> impl FnOnce(io::Error) -> ExportError + '_ {
    |source| ExportError::Write {
        path: path.to_owned(),
        source,
    }
}
