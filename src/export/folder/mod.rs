//! A site as a content folder: what was exported, served from the folder, answers the same through the Content API.
//!
//! What came from a content file that still says the same is copied as it stands. Everything else is written anew, in the
//! form that reads best of those that read back the same: each file is read again before it is written, by the same rules
//! by which it will be served. What cannot be said in any form is told in the report. Pictures and other files of the data
//! folder and the content folder are copied beside the text.

mod address;
mod body;
mod comparison;
mod described;
mod equivalence;
mod files;
mod front_matter;
mod names;
mod plan;
mod post;
mod post_keys;
mod record;
mod site;
mod staging;

use std::{
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

use files::Files;
use plan::Plan;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use staging::Staging;

use super::{Circumstances, ExportError, Report};
use crate::site::Edition;

/// Where the files of a site lie.
#[derive(Clone, Copy, Debug)]
pub struct Folders<'a> {
    /// Its content folder, if it has one.
    pub content: Option<&'a Path>,
    /// Its data folder.
    pub data: &'a Path,
}

/// Writes the site as it is in `edition` into the folder `target`.
///
/// The folder is made unless it is there. One that is not empty is refused, unless `overwrites` says that what content
/// folders are made of (`posts/`, `site.toml` and their like) may be replaced in it; the rest of it stays. Nothing is
/// changed there until all is written.
///
/// # Errors
///
/// `NotEmpty` or `NoFolder` about `target`; when the store or a file cannot be read, or the disk refuses.
pub fn write(
    edition: &Edition,
    circumstances: Circumstances<'_>,
    target: &Path,
    overwrites: bool,
) -> Result<Report, ExportError> {
    refuse_data_folder(target, circumstances.folders.data)?;
    let staging = Staging::begin(target, overwrites)?;
    let files = Files::of(circumstances.folders, target);
    let plan = Plan::new(edition, circumstances.site, circumstances.now, &files);
    let mut report = Report::default();
    for (from, path) in files.assets() {
        staging.copy(from, path)?;
        report.add("files", 1);
    }
    let (done, total) = (AtomicU64::new(0), plan.entries.len() as u64);
    let written: Result<Vec<Vec<String>>, ExportError> = plan
        .entries
        .par_iter()
        .map(|entry| {
            (circumstances.progress)(done.fetch_add(1, Ordering::Relaxed), total);
            let written = plan.text_of(entry)?;
            staging.write(&entry.path, &written.bytes)?;
            Ok(written.remarks)
        })
        .collect();
    report.remarks = written?.concat();
    for entry in &plan.entries {
        report.add(entry.original.noun(), 1);
    }
    staging.finish()?;
    Ok(report)
}

/// Uploads lie in folders that are called as those of content folders.
fn refuse_data_folder(target: &Path, data: &Path) -> Result<(), ExportError> {
    match (target.canonicalize(), data.canonicalize()) {
        (Ok(one), Ok(other)) if one == other => Err(ExportError::DataFolder(target.to_owned())),
        _ => Ok(()),
    }
}
