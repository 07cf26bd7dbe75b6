//! Imports: Ghost exports, lists of members, folders of Markdown.
//!
//! An import is one transaction: everything is imported or nothing. It reports the number of added, updated and
//! unchanged records, the differences from the source, and the values that were left out. Repeating an import changes
//! nothing.

pub mod archive;
mod files;
mod folder;
pub mod ghost;
mod import_file;
pub mod members;
mod options;
mod report;
mod site_files;
mod source;
mod upload_check;
mod uploads;

pub use self::options::Options;

pub use import_file::ImportFile;
pub use report::{ContentCount, Count, NOTES_MAX, Note, Notes, Outcome, Report};
pub use source::ImportSource;
pub use uploads::clear_abandoned;

use self::{archive::Archive, files::FileIndex, ghost::Export, uploads::StagedUploads};
use crate::{
    domain::{action::ActionEvent, record::Subject, secret::Secret},
    error::Result,
    progress::Progress,
    site::{Site, Transaction},
};

/// Imports `source` durably: all of it or nothing.
///
/// # Errors
///
/// `BadRequest` if the source cannot be read, is truncated or malformed, or exceeds a limit; the errors of the store and the
/// disk. Nothing has changed then.
pub fn import(
    site: &Site,
    source: &ImportSource,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Report> {
    let mut report = Report {
        dry_run: options.dry_run,
        ..Report::default()
    };
    match source {
        ImportSource::Export(file) => {
            // Before the transaction, because no other change can be made during that.
            let export = Export::open(file, progress)?;
            let files = FileIndex::of(&options.uploads);
            in_transaction(site, options, &mut report, |transaction, report| {
                transaction.announce_site();
                export.import(transaction, &options.site, &files, report, progress)
            })?;
        }
        ImportSource::Archive(archive) => {
            import_archive(site, archive, options, &mut report, progress)?;
        }
        ImportSource::Members(file) => {
            in_transaction(site, options, &mut report, |transaction, report| {
                members::import(
                    transaction,
                    file.clone(),
                    file.bytes(),
                    &members::ListOptions::default(),
                    report,
                    progress,
                )
                .map(drop)
            })?;
        }
        ImportSource::Folder(folder) => {
            let mut uploads = StagedUploads::of(&options.uploads);
            in_transaction(site, options, &mut report, |transaction, report| {
                transaction.announce_site();
                let files = folder::import(transaction, folder, options, report, progress)?;
                uploads.add_all(files, options, report)?;
                // This is the last step of the transaction, so files are moved only if everything else is valid.
                uploads.publish()
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
    let parts = TotalProgress {
        progress,
        total: export_bytes + archive.upload_bytes() + archive.member_bytes(),
    };
    let read = parts.after(0);
    let export = source
        .as_ref()
        .map(|source| Export::open(source, &read))
        .transpose()?;
    // Files are unpacked before the transaction, for the same reason.
    let unpacked = parts.after(export_bytes);
    let mut uploads = StagedUploads::unpack(archive, options, report, &unpacked)?;
    archive.report_left_out(report);
    in_transaction(site, options, report, |transaction, report| {
        if let Some(export) = &export {
            transaction.announce_site();
            export.import(transaction, &options.site, &uploads.files, report, &read)?;
        }
        let mut before = export_bytes + archive.upload_bytes();
        for list in &archive.members {
            let part = parts.after(before);
            archive.unpack(list, &mut |csv| {
                let options = members::ListOptions::default();
                members::import(transaction, csv, list.bytes, &options, report, &part).map(drop)
            })?;
            before += list.bytes;
        }
        site_files::import(transaction, archive, report)?;
        uploads.publish()
    })?;
    uploads.keep();
    Ok(())
}

fn in_transaction(
    site: &Site,
    options: &Options,
    report: &mut Report,
    change: impl FnOnce(&mut Transaction, &mut Report) -> Result<()>,
) -> Result<()> {
    let change = |transaction: &mut Transaction| {
        if !options.announces_records {
            transaction.announce_site_only();
        }
        change(transaction, report)?;
        if let Some(secret) = &options.email_auth_secret {
            set_secret(transaction, secret, report)?;
        }
        // A repeated import changes nothing, so it adds no audit entry either.
        if transaction.is_empty() {
            Ok(())
        } else {
            let content = Subject::whole_content();
            transaction.record_action(&options.actor, ActionEvent::Imported, content)
        }
    };
    if options.dry_run {
        site.rehearse(change)
    } else {
        // The change must run only once, since it reads a stream and moves files.
        site.write_once(change)
    }
}

fn set_secret(transaction: &mut Transaction, secret: &Secret, report: &mut Report) -> Result<()> {
    let outcome = match &transaction.catalog().ghost_member_secret {
        Some(known) if known == secret => Outcome::Unchanged,
        Some(_) => Outcome::Updated,
        None => Outcome::Added,
    };
    report.count("secrets", outcome);
    match outcome {
        Outcome::Unchanged => Ok(()),
        Outcome::Added | Outcome::Updated => transaction.set_ghost_member_secret(secret),
    }
}

/// The progress of an import that has several parts.
struct TotalProgress<'p> {
    progress: &'p dyn Progress,
    total: u64,
}

/// The progress of one part, forwarded as progress of the whole import.
struct PartProgress<'p> {
    progress: &'p dyn Progress,
    total: u64,
    before: u64,
}

impl<'p> TotalProgress<'p> {
    /// Returns the progress of the part that begins after `before` bytes.
    fn after(&self, before: u64) -> PartProgress<'p> {
        PartProgress {
            progress: self.progress,
            total: self.total,
            before,
        }
    }
}

impl Progress for PartProgress<'_> {
    fn advance(&self, done: u64, _total: u64) {
        self.progress.advance(self.before + done, self.total);
    }

    fn may_hold(&self, bytes: usize) -> bool {
        self.progress.may_hold(bytes)
    }

    fn memory_max(&self, document_bytes: u64) -> Option<usize> {
        self.progress.memory_max(document_bytes)
    }

    fn is_cancelled(&self) -> bool {
        self.progress.is_cancelled()
    }
}
