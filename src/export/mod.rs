//! Exports: Ghost's format, content folders, lists of members and of posts.
//!
//! An export is written from one snapshot, so it is consistent even if the site changes in the
//! meantime. The same snapshot results in the same bytes. A target appears under its name only when
//! it is complete.

mod context;
mod error;
pub mod folder;
pub mod ghost;
pub mod members;
mod omitted;
pub mod posts;
mod report;

pub use self::context::ExportContext;
pub use self::error::ExportError;
pub use self::report::Report;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{atomic_file::OutputFile, site::SiteSnapshot};

/// A request for an export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportRequest {
    /// The format of the export.
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
                // The operator can read the hashes in the store anyway.
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
