//! Exports: Ghost's format, content folders, lists of members and of posts.
//!
//! An export is written from one snapshot, so it shows the site at one moment while changes
//! continue. The same snapshot yields the same bytes. A target appears under its name only when it
//! is complete.

pub mod folder;
pub mod ghost;
pub mod members;
mod omitted;
pub mod posts;

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use folder::Folders;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::{
    atomic_file::{OutputFile, OutputFileError},
    domain::theme::ThemeSettings,
    error::Error,
    progress::Progress,
    site::SiteSnapshot,
};

/// A request for an export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportRequest {
    /// Its format.
    pub form: ExportFormat,
    /// The file or folder to be written.
    pub target: PathBuf,
    /// True if an existing target may be replaced.
    pub overwrites: bool,
}

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// A file in Ghost's format, with password hashes.
    Ghost,
    /// A content folder.
    Folder,
    /// The list of members as CSV.
    Members,
}

/// The context of an export, apart from the snapshot.
#[derive(Clone, Copy)]
pub struct ExportContext<'a> {
    /// The site's public URL.
    pub site: &'a Url,
    /// The time of the export.
    pub now: Timestamp,
    /// The folders of the site.
    pub folders: Folders<'a>,
    /// The settings of the active theme, if known.
    pub theme_settings: Option<&'a ThemeSettings>,
    /// Receives the number of records written.
    pub progress: &'a dyn Progress,
}

/// Writes the snapshot of a site, for its operator.
///
/// # Errors
///
/// If the target exists and may not be replaced, the site cannot be read, or the target cannot be written.
pub fn export(
    snapshot: &SiteSnapshot,
    order: &ExportRequest,
    context: ExportContext<'_>,
) -> Result<Report, ExportError> {
    let (target, overwrites) = (&order.target, order.overwrites);
    match order.form {
        ExportFormat::Ghost => {
            let options = ghost::Options {
                with_passwords: true,
                include: &[],
            };
            ghost::write_file(snapshot, context, options, target, overwrites)
        }
        ExportFormat::Folder => folder::write(snapshot, context, target, overwrites),
        ExportFormat::Members => write_members(snapshot, context.now, target, overwrites),
    }
}

fn write_members(
    snapshot: &SiteSnapshot,
    now: Timestamp,
    path: &Path,
    overwrites: bool,
) -> Result<Report, ExportError> {
    let members = snapshot.catalog.members.at(now);
    let mut file = OutputFile::create(path, overwrites)?;
    let mut report = Report::default();
    let count = members::write(
        &snapshot.catalog,
        members.iter().map(AsRef::as_ref),
        &mut file,
    )
    .map_err(|error| error.at(path))?;
    report.add("members", count);
    report.remarks = members::remarks(&snapshot.catalog, members.iter().map(AsRef::as_ref));
    file.finish()?;
    Ok(report)
}

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The file cannot be created.
    #[error(transparent)]
    File(#[from] OutputFileError),
    /// The target is not a folder.
    #[error("{} is not a folder. Name another", .0.display())]
    NotAFolder(PathBuf),
    /// The target folder is not empty.
    #[error("{} is not empty. Name another folder, or use --force to replace the content in it, such as posts/ and site.toml", .0.display())]
    NotEmpty(PathBuf),
    /// Writing a file or folder fails.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// Its path.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Writing to an output fails.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
    /// The site cannot be read.
    #[error("the site cannot be read: {}", detailed(.0))]
    Site(#[from] Error),
}

impl ExportError {
    /// Returns the same error with the path of the file being written.
    fn at(self, path: &Path) -> Self {
        match self {
            Self::Output(source) => write_error(path)(source),
            other => other,
        }
    }
}

/// Returns the message of an error, with details for the operator.
fn detailed(error: &Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

/// Returns a function that adds `path` to an error of the operating system.
fn write_error(path: &Path) -> impl FnOnce(io::Error) -> ExportError + '_ {
    |source| ExportError::Write {
        path: path.to_owned(),
        source,
    }
}

/// The result of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The number of records of each kind, in the plural: `posts`, `tags`.
    pub counts: BTreeMap<String, usize>,
    /// Values that could not be exported exactly, record by record.
    pub remarks: Vec<String>,
}

impl Report {
    /// Adds `number` records of `kind`.
    pub fn add(&mut self, kind: &str, number: usize) {
        *self.counts.entry(kind.to_owned()).or_default() += number;
    }
}
