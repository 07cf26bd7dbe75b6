//! What comes from elsewhere: exports of Ghost, lists of members, folders of Markdown.
//!
//! An import is one change of the site: all of it or nothing. It reports what came in, what was changed on the way and
//! what was left out, and doing it again changes nothing.

pub mod ghost;
mod given;
mod report;

pub use given::Given;
pub use report::{Count, NOTES_MAX, Note, Notes, Outcome, Report};
use url::Url;

use crate::{
    error::Result,
    site::{Site, Transaction},
};

/// Is told how far an import has come.
pub trait Progress: Sync {
    /// So many bytes of what is read are done. `total` stays the same during an import.
    fn advance(&self, done: u64, total: u64);
}

/// How an import is made.
pub struct Options {
    /// The site's public address: what leads there in the file leads to the site itself.
    pub site: Url,
    /// Whether it is only tried: everything is read and reported, and nothing is kept.
    pub dry_run: bool,
}

/// Brings in what is given: all of it, durably, or nothing.
///
/// # Errors
///
/// `BadRequest` when it cannot be read, is cut off or broken, or holds more than is taken; or what the store says. Nothing
/// has changed then.
pub fn import(
    site: &Site,
    given: &Given,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Report> {
    match given {
        Given::Export(file) => {
            let export = ghost::Export::open(file, progress)?;
            in_one_change(site, options, |transaction, report| {
                export.import(transaction, &options.site, report, progress)
            })
        }
    }
}

fn in_one_change(
    site: &Site,
    options: &Options,
    change: impl FnOnce(&mut Transaction, &mut Report) -> Result<()>,
) -> Result<Report> {
    let mut report = Report {
        dry_run: options.dry_run,
        ..Report::default()
    };
    let change = |transaction: &mut Transaction| {
        change(transaction, &mut report)?;
        Ok(())
    };
    match options.dry_run {
        true => site.rehearse(change)?,
        false => site.write(change)?,
    }
    Ok(report)
}
