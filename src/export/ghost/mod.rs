//! A site as a file in Ghost's format, which Galley and Ghost import.
//!
//! The file is one JSON object, `{"db": [{"meta": …, "data": {…}}]}`, whose `data` has a list of rows for each of Ghost's
//! tables, with Ghost's names of columns (Ghost 6.65, recorded). It is written row by row: the body of one post is in
//! memory at a time. Rows that Galley does not keep as records of their own, such as those that tie a tag to a post, get
//! identifiers that are derived from what they tie together.

mod document;
mod included;
mod newsletters;
mod offers;
mod people;
mod posts;
mod recommendations;
mod settings;
mod snippets;
mod tags;
mod theme_settings;
mod tiers;

use std::{io::Write, path::Path};

use document::Document;

use super::{Circumstances, ExportError, Report};
use crate::{new_file::NewFile, site::Edition};

/// The version of Ghost whose format this is.
const VERSION: &str = "6.65.0";

/// Tables of Ghost's exports about payments, which are not taken here.
const NEVER_FILLED: &[&str] = &["stripe_products", "offer_redemptions"];

/// What an export holds beside what is always in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options<'a> {
    /// Whether hashes of passwords are in it, with which people sign in where it is imported. They are for operators only.
    pub with_passwords: bool,
    /// Names of further tables that are in it: `members`, `labels`, `members_labels`, `members_newsletters`,
    /// `members_products` and `integrations`. Keys, sessions and whatever else opens something are never in it.
    pub include: &'a [String],
}

/// Writes the site as it is in `edition`.
///
/// # Errors
///
/// When the store cannot be read, or nothing more can be written.
pub fn write(
    edition: &Edition,
    circumstances: Circumstances<'_>,
    options: Options<'_>,
    out: &mut dyn Write,
) -> Result<Report, ExportError> {
    let mut report = Report::default();
    let mut document = Document::begin(out, circumstances.now, VERSION)?;
    posts::write(edition, circumstances, &mut document, &mut report)?;
    people::write(edition, options, &mut document, &mut report)?;
    tags::write(&edition.catalog, &mut document, &mut report)?;
    tiers::write(&edition.catalog, &mut document, &mut report)?;
    newsletters::write(&edition.catalog, &mut document, &mut report)?;
    offers::write(&edition.catalog, &mut document, &mut report)?;
    recommendations::write(&edition.catalog, &mut document, &mut report)?;
    settings::write(&edition.catalog, &mut document, &mut report)?;
    theme_settings::write(circumstances.theme_settings, &mut document)?;
    snippets::write(edition, &mut document, &mut report)?;
    included::write(&edition.catalog, options.include, &mut document)?;
    for table in NEVER_FILLED {
        document.table(table)?.end()?;
    }
    document.end()?;
    Ok(report)
}

/// The same into the file `path`, which its owner alone may read, and which is there when all of it is.
///
/// # Errors
///
/// As [`write`]; `File` when there is such a file and `overwrites` is false.
pub fn write_file(
    edition: &Edition,
    circumstances: Circumstances<'_>,
    options: Options<'_>,
    path: &Path,
    overwrites: bool,
) -> Result<Report, ExportError> {
    let mut file = NewFile::create(path, overwrites)?;
    let report =
        write(edition, circumstances, options, &mut file).map_err(|error| error.at(path))?;
    file.finish()?;
    Ok(report)
}
