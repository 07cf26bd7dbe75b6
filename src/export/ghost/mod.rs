//! Export of a site in Ghost's format, which Galley and Ghost import.
//!
//! The file is one JSON object, `{"db": [{"meta": …, "data": {…}}]}`. `data` has a list of rows for
//! each of Ghost's tables, with Ghost's column names (Ghost 6.65, recorded); most columns are
//! fields of the tables in [`crate::catalog::fields`]. The file is written row by row, with the
//! body of one post in memory at a time. Rows that Galley does not store as records, such as the
//! relation of a tag to a post, get identifiers derived from the related records.

mod document;
mod included;
mod offers;
mod options;
mod people;
mod posts;
mod settings;
mod snippets;
mod tiers;

pub use self::options::Options;

use std::{io::Write, path::Path};

use document::ExportDocument;

use super::{
    ExportContext, ExportError, Report,
    omitted::{self, OmittedKind},
};
use crate::{
    atomic_file::OutputFile,
    catalog::fields::{STAFF_NEWSLETTERS, STAFF_RECOMMENDATIONS, STAFF_TAGS},
    site::SiteSnapshot,
};

/// The version of Ghost that defines the format.
const VERSION: &str = "6.65.0";

/// Tables about payments, which are not supported; the tables are exported empty.
const EMPTY_TABLES: &[&str] = &["stripe_products", "offer_redemptions"];

/// Writes the snapshot of a site.
///
/// # Errors
///
/// If the store cannot be read, or writing fails.
pub fn write(
    snapshot: &SiteSnapshot,
    context: ExportContext<'_>,
    options: Options<'_>,
    out: &mut dyn Write,
) -> Result<Report, ExportError> {
    let mut report = Report::default();
    let catalog = &snapshot.catalog;
    let mut document = ExportDocument::begin(out, context.now, VERSION)?;
    posts::write(snapshot, context, &mut document, &mut report)?;
    people::write(snapshot, options, &mut document, &mut report)?;
    let tags = document.records("tags", &STAFF_TAGS, catalog.tags.iter())?;
    report.add("tags", tags);
    tiers::write(catalog, &mut document, &mut report)?;
    let newsletters = catalog.newsletters.iter();
    let newsletters = document.records("newsletters", &STAFF_NEWSLETTERS, newsletters)?;
    report.add("newsletters", newsletters);
    offers::write(catalog, &mut document, &mut report)?;
    let recommendations = catalog.recommendations.iter();
    let recommendations =
        document.records("recommendations", &STAFF_RECOMMENDATIONS, recommendations)?;
    report.add("recommendations", recommendations);
    settings::write(catalog, &mut document, &mut report)?;
    settings::write_theme_settings(context.theme_settings, &mut document)?;
    snippets::write(snapshot, &mut document, &mut report)?;
    included::write(catalog, options.include, context.now, &mut document)?;
    for table in EMPTY_TABLES {
        document.table(table)?.end()?;
    }
    document.end()?;
    let mut omitted = vec![OmittedKind::Routes];
    if !options.include.iter().any(|table| table == "members") {
        omitted.insert(0, OmittedKind::Members);
    }
    report.remarks.extend(omitted::remarks(catalog, &omitted));
    Ok(report)
}

/// Writes the snapshot to the file `path`, readable by its owner only. The file appears when it is
/// complete.
///
/// # Errors
///
/// As [`write()`]; `File` if the file exists and `overwrites` is false.
pub fn write_file(
    snapshot: &SiteSnapshot,
    context: ExportContext<'_>,
    options: Options<'_>,
    path: &Path,
    overwrites: bool,
) -> Result<Report, ExportError> {
    let mut file = OutputFile::create(path, overwrites)?;
    let report = write(snapshot, context, options, &mut file).map_err(|error| error.at(path))?;
    file.finish()?;
    Ok(report)
}
