//! What comes from elsewhere: exports of Ghost, lists of members, folders of Markdown.
//!
//! An import is one change of the site: all of it or nothing. It reports what came in, what was changed on the way and
//! what was left out, and doing it again changes nothing.

pub mod archive;
mod files;
mod folder;
pub mod ghost;
mod given;
pub mod members;
mod report;
mod uploads;

use std::path::PathBuf;

pub use given::{Given, GivenFile};
pub use report::{Count, NOTES_MAX, Note, Notes, Outcome, Passed, Report};
pub use uploads::clear_abandoned;
use url::Url;

use self::{archive::Archive, files::Files, ghost::Export, uploads::Uploads};
use crate::{
    domain::{
        action::{ActionEvent, Subject},
        actor::Actor,
    },
    error::Result,
    site::{Site, Transaction},
};

/// Receives the progress of an import.
pub trait Progress: Sync {
    /// So many bytes of what is read are done. `total` stays the same during an import.
    fn advance(&self, done: u64, total: u64);

    /// Whether so many bytes of what is read may be kept in memory, all together; the import is refused otherwise.
    fn may_keep(&self, _bytes: usize) -> bool {
        true
    }

    /// Returns the most memory that what becomes of a document of so many bytes may take, in bytes; `None` for no limit.
    fn memory_max(&self, _document_bytes: u64) -> Option<usize> {
        None
    }

    /// Returns whether it was cancelled: it ends then as if it had failed.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Ignores the progress.
pub struct Silent;

impl Progress for Silent {
    fn advance(&self, _done: u64, _total: u64) {}
}

/// How an import is made.
pub struct Options {
    /// The site's public address: what leads there in the file leads to the site itself.
    pub site: Url,
    /// The data folder, where pictures and other files go. It need not be there for a dry run.
    pub data: PathBuf,
    /// Whether it is only tried: everything is read and reported, and nothing is kept.
    pub dry_run: bool,
    /// Who brings it in.
    pub actor: Actor,
    /// Whether the history of the repository that a folder lies in says what its texts do not: dates, and authors whom the site
    /// knows.
    pub history: bool,
    /// Whether webhooks are sent each record that comes in, and not only that the site changed.
    pub announces_records: bool,
}

/// Brings in what is given: all of it, durably, or nothing.
///
/// # Errors
///
/// `BadRequest` when it cannot be read, is cut off or broken, or holds more than is taken; or what the store and the disk
/// say. Nothing has changed then.
pub fn import(
    site: &Site,
    given: &Given,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Report> {
    let mut report = Report {
        dry_run: options.dry_run,
        ..Report::default()
    };
    match given {
        Given::Export(file) => {
            let export = Export::open(file, progress)?;
            let files = Files::of(&options.data);
            in_one_change(site, options, |transaction| {
                transaction.announce_site();
                export.import(transaction, &options.site, &files, &mut report, progress)
            })?;
        }
        Given::Archive(archive) => {
            import_archive(site, archive, options, &mut report, progress)?;
        }
        Given::Members(file) => in_one_change(site, options, |transaction| {
            members::import(
                transaction,
                file.clone(),
                file.bytes(),
                &members::Options::default(),
                &mut report,
                progress,
            )
            .map(drop)
        })?,
        Given::Folder(folder) => {
            let mut uploads = Uploads::of(&options.data);
            in_one_change(site, options, |transaction| {
                transaction.announce_site();
                let files = folder::import(transaction, folder, options, &mut report, progress)?;
                uploads.add_all(files, options, &mut report)?;
                uploads.move_to_places()
            })?;
            uploads.keep();
        }
    }
    Ok(report)
}

fn import_archive(
    site: &Site,
    archive: &Archive,
    options: &Options,
    report: &mut Report,
    progress: &dyn Progress,
) -> Result<()> {
    let source = archive.export_source();
    let export_bytes = archive.export.as_ref().map_or(0, |export| export.bytes) * 2;
    let parts = Parts {
        progress,
        total: export_bytes + archive.upload_bytes() + archive.member_bytes(),
    };
    let read = parts.after(0);
    let export = source
        .as_ref()
        .map(|source| Export::open(source, &read))
        .transpose()?;
    let unpacked = parts.after(export_bytes);
    let mut uploads = Uploads::unpack(archive, options, report, &unpacked)?;
    archive.tell_left_out(report);
    in_one_change(site, options, |transaction| {
        if let Some(export) = &export {
            transaction.announce_site();
            export.import(transaction, &options.site, &uploads.files, report, &read)?;
        }
        let mut before = export_bytes + archive.upload_bytes();
        for list in &archive.members {
            let part = parts.after(before);
            archive.unpack(list, &mut |csv| {
                let options = members::Options::default();
                members::import(transaction, csv, list.bytes, &options, report, &part).map(drop)
            })?;
            before += list.bytes;
        }
        uploads.move_to_places()
    })?;
    uploads.keep();
    Ok(())
}

fn in_one_change(
    site: &Site,
    options: &Options,
    change: impl FnOnce(&mut Transaction) -> Result<()>,
) -> Result<()> {
    let change = |transaction: &mut Transaction| {
        if !options.announces_records {
            transaction.announce_site_only();
        }
        change(transaction)?;
        // An import that is done again changes nothing, and is not written down either.
        match transaction.is_empty() {
            true => Ok(()),
            false => {
                let content = Subject::whole_content();
                transaction.record_action(&options.actor, ActionEvent::Imported, content)
            }
        }
    };
    match options.dry_run {
        true => site.rehearse(change),
        false => site.write(change),
    }
}

/// An import that is made of several parts.
struct Parts<'p> {
    progress: &'p dyn Progress,
    total: u64,
}

/// The progress of a part, passed on as that of the whole import.
struct Part<'p> {
    progress: &'p dyn Progress,
    total: u64,
    before: u64,
}

impl<'p> Parts<'p> {
    /// The part that begins when so many bytes are done.
    fn after(&self, before: u64) -> Part<'p> {
        Part {
            progress: self.progress,
            total: self.total,
            before,
        }
    }
}

impl Progress for Part<'_> {
    fn advance(&self, done: u64, _total: u64) {
        self.progress.advance(self.before + done, self.total);
    }

    fn may_keep(&self, bytes: usize) -> bool {
        self.progress.may_keep(bytes)
    }

    fn memory_max(&self, document_bytes: u64) -> Option<usize> {
        self.progress.memory_max(document_bytes)
    }

    fn is_cancelled(&self) -> bool {
        self.progress.is_cancelled()
    }
}
