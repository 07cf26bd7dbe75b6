//! What goes elsewhere: Ghost's format, content folders, lists of members.
//!
//! An export is written from one edition of the site, so it is the site as it was at one moment; changes go on meanwhile.
//! The same edition makes the same bytes. What is written appears under its name only when all of it is there.

pub mod folder;
pub mod ghost;
pub mod members;
pub mod posts;
mod report;

use std::{
    io,
    path::{Path, PathBuf},
};

use folder::Folders;
use jiff::Timestamp;
pub use report::Report;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::{
    domain::theme::ThemeSettings,
    error::Error,
    new_file::{NewFile, NewFileError},
    site::Edition,
};

/// What is to be exported, and where to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// In which form.
    pub form: Form,
    /// The file or the folder that is to be.
    pub target: PathBuf,
    /// Whether what is there already may be replaced.
    pub overwrites: bool,
}

/// The form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// A file in Ghost's format, with the hashes of passwords.
    Ghost,
    /// A content folder.
    Folder,
    /// The list of members as CSV.
    Members,
}

/// Is told how many records are written, of how many.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// What an export goes by, beside the edition of the site.
#[derive(Clone, Copy)]
pub struct Circumstances<'a> {
    /// The site's public address.
    pub site: &'a Url,
    /// The time of the export.
    pub now: Timestamp,
    /// Where the files of the site lie.
    pub folders: Folders<'a>,
    /// What is chosen of the active theme, if that is known.
    pub theme_settings: Option<&'a ThemeSettings>,
    /// Is told how far it is.
    pub progress: Progress<'a>,
}

/// Writes the site as it is in `edition`, for its operator.
///
/// # Errors
///
/// When the target is there already and may not be replaced, the site cannot be read, or the disk refuses.
pub fn export(
    edition: &Edition,
    order: &Order,
    circumstances: Circumstances<'_>,
) -> Result<Report, ExportError> {
    let (target, overwrites) = (&order.target, order.overwrites);
    match order.form {
        Form::Ghost => {
            let options = ghost::Options {
                with_passwords: true,
                include: &[],
            };
            ghost::write_file(edition, circumstances, options, target, overwrites)
        }
        Form::Folder => folder::write(edition, circumstances, target, overwrites),
        Form::Members => write_members(edition, target, overwrites),
    }
}

fn write_members(edition: &Edition, path: &Path, overwrites: bool) -> Result<Report, ExportError> {
    let mut file = NewFile::create(path, overwrites)?;
    let mut report = Report::default();
    let count = members::write(
        &edition.catalog,
        edition.catalog.members.iter().map(AsRef::as_ref),
        &mut file,
    )
    .map_err(|error| error.at(path))?;
    report.add("members", count);
    file.finish()?;
    Ok(report)
}

/// Why an export was not written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The file cannot be made.
    #[error(transparent)]
    File(#[from] NewFileError),
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
