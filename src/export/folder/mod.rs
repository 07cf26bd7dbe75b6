//! Export of a site as a content folder, which results in the same responses of the Content API.
//!
//! A content file that still describes its record is copied unchanged. All other records are
//! written in the most readable form that is read back as the same record: each file is parsed
//! before it is written, with the rules that apply when it is served. Values that no form can
//! express are reported. Images and other files among the uploads and in the content folder are
//! copied as well.

mod body;
mod comparison;
mod files;
mod folders;
mod names;
mod plan;
mod post;
mod post_keys;
mod record;
mod staging;

pub use self::folders::Folders;

use std::{
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use files::SiteFiles;
use plan::ExportPlan;
use staging::StagingFolder;

use super::{
    ExportContext, ExportError, Report,
    omitted::{self, OmittedKind},
};
use crate::{
    catalog::Catalog,
    content_files::public_files::{is_always_served, is_served_by_reference},
    error::Error,
    site::SiteSnapshot,
};

/// The kinds of records that content folders cannot contain.
const OMITTED: &[OmittedKind] = &[
    OmittedKind::Members,
    OmittedKind::Offers,
    OmittedKind::Recommendations,
    OmittedKind::Settings,
    OmittedKind::Routes,
];

/// Writes the snapshot of a site into the folder `target`.
///
/// The folder is created if it does not exist. A folder that is not empty is rejected, unless
/// `overwrites` permits replacing the entries of content folders, such as `posts/` and `site.toml`;
/// its other files remain. The folder is changed only after everything has been written.
///
/// # Errors
///
/// `NotEmpty` or `NotAFolder` for `target`; if the store or a file cannot be read, or writing fails.
pub fn write(
    snapshot: &SiteSnapshot,
    context: ExportContext<'_>,
    target: &Path,
    overwrites: bool,
) -> Result<Report, ExportError> {
    // First, so that a target that cannot be used is reported before the site is read.
    let staging = StagingFolder::begin(target, overwrites)?;
    let files = SiteFiles::of(context.folders, target).map_err(Error::internal)?;
    let plan = ExportPlan::new(snapshot, context.site, context.now, &files)?;
    let mut report = Report::default();
    for (from, path) in files.assets() {
        let is_upload = from.starts_with(context.folders.uploads.folder());
        if is_upload && context.folders.uploads.bucket().is_some() {
            let upload = context.folders.uploads.open(path);
            staging.add(&mut upload.map_err(Error::internal)?, path)?;
        } else {
            staging.copy(from, path)?;
        }
        report.add("files", 1);
        report.remarks.extend(
            unserved(path, &snapshot.catalog)
                .filter(|_| is_upload)
                .map(|why| format!("the file {path}: {why}")),
        );
    }
    let (done, total) = (AtomicU64::new(0), plan.entries.len() as u64);
    let written: Result<Vec<Vec<String>>, ExportError> = plan
        .entries
        .par_iter()
        .map(|entry| {
            // Relaxed ordering is enough: the number is only displayed.
            let done = done.fetch_add(1, Ordering::Relaxed);
            context.progress.advance(done, total);
            let written = plan.text_of(entry)?;
            staging.write(&entry.path, &written.bytes)?;
            Ok(written.remarks)
        })
        .collect();
    report.remarks.extend(written?.concat());
    for entry in &plan.entries {
        report.add(entry.original.noun(), 1);
    }
    report
        .remarks
        .extend(omitted::remarks(&snapshot.catalog, OMITTED));
    staging.finish()?;
    Ok(report)
}

/// Returns the reason why an upload is no longer served at `path` in a content folder, if there is
/// one.
fn unserved(path: &str, catalog: &Catalog) -> Option<&'static str> {
    if !is_served_by_reference(path) {
        Some("files of this kind are not served from a content folder")
    } else if !is_always_served(path) && !catalog.refers_to_file(path) {
        Some("it is served from a content folder only if published content refers to it")
    } else {
        None
    }
}
