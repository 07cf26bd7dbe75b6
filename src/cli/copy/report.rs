//! The report of `galley copy`.

use std::io;

use data_encoding::HEXLOWER;
use serde_json::{Value, json};

use super::{super::terminal::Output, CopyArguments, CopyEnd};
use crate::{
    backup::CopiedUploads, cli::quantities::numbered, config::Config, store::RecordsDigest,
    uploads::UPLOAD_FOLDERS,
};

/// The result of the copy.
pub(super) struct Copied {
    pub(super) revision: u64,
    pub(super) digest: RecordsDigest,
    /// The number of records sent by this run.
    pub(super) sent: u64,
    /// The number of records that an earlier run had fetched; `None` unless the copy is between two
    /// databases.
    pub(super) fetched_before: Option<u64>,
    /// The copied uploads; `None` if uploads were not copied.
    pub(super) uploads: Option<CopiedUploads>,
}

/// Prints the copied and the skipped parts.
pub(super) fn print(
    arguments: &CopyArguments,
    copied: &Copied,
    ends: (&CopyEnd, &CopyEnd),
    config: &Config,
) -> Result<(), io::Error> {
    let mut out = Output::standard();
    if arguments.json {
        return out.json_line(&report(copied));
    }
    print_records(&mut out, copied)?;
    match &copied.uploads {
        Some(uploads) => print_uploads(&mut out, uploads, ends.1),
        None => print_advice(&mut out, ends, config),
    }
}

/// Returns the report as JSON.
fn report(copied: &Copied) -> Value {
    let digest = &copied.digest;
    let mut report = json!({
        "revision": copied.revision,
        "records": digest.records,
        "records_sent": copied.sent,
        "sha256": HEXLOWER.encode(&digest.sha256),
    });
    if let Some(fetched_before) = copied.fetched_before {
        report["records_fetched_before"] = json!(fetched_before);
    }
    if let Some(uploads) = &copied.uploads {
        report["uploads"] = json!({
            "copied": uploads.copied,
            "bytes": uploads.bytes,
            "found": uploads.found,
            "left_out": uploads.left_out,
        });
    }
    report
}

fn print_records(out: &mut Output, copied: &Copied) -> io::Result<()> {
    let records = |count: u64| numbered(count as usize, "record");
    let total = copied.digest.records;
    writeln!(
        out,
        "Copied {} at revision {}, and verified them by reading them back.",
        records(total),
        copied.revision
    )?;
    if copied.sent < total {
        writeln!(
            out,
            "{} were already there from an earlier copy.",
            records(total - copied.sent)
        )?;
    }
    if let Some(fetched_before @ 1..) = copied.fetched_before {
        writeln!(
            out,
            "{} had been fetched by an earlier run.",
            records(fetched_before)
        )?;
    }
    Ok(())
}

fn print_uploads(out: &mut Output, uploads: &CopiedUploads, to: &CopyEnd) -> io::Result<()> {
    writeln!(
        out,
        "Copied {} with {} bytes, and verified them by reading them back; {} were already there. Resized images are generated again.",
        numbered(uploads.copied as usize, "upload"),
        uploads.bytes,
        uploads.found,
    )?;
    for left_out in &uploads.left_out {
        writeln!(out, "Left out: {left_out}.")?;
    }
    match to {
        CopyEnd::Folder(to) => writeln!(
            out,
            "They are in {}: remove uploads.folder or uploads.bucket before the site is served from there.",
            to.display()
        ),
        CopyEnd::Database(_) => Ok(()),
    }
}

/// Prints advice on uploads that were not copied.
fn print_advice(
    out: &mut Output,
    (from, to): (&CopyEnd, &CopyEnd),
    config: &Config,
) -> io::Result<()> {
    match (from, to) {
        (CopyEnd::Folder(from), _) => {
            let has = |name: &&str| from.join(name).is_dir();
            let folders: Vec<&str> = UPLOAD_FOLDERS.into_iter().filter(has).collect();
            if folders.is_empty() {
                return Ok(());
            }
            writeln!(
                out,
                "Uploads were not copied: copy the folders {} of {} to the location in uploads.folder or uploads.bucket.",
                folders.join(", "),
                from.display()
            )
        }
        (CopyEnd::Database(_), CopyEnd::Folder(to)) => writeln!(
            out,
            "Uploads were not copied: copy them from the location in uploads.folder or uploads.bucket into {}, or keep that option.",
            to.display()
        ),
        (CopyEnd::Database(from), CopyEnd::Database(_)) => match uploads_location(config) {
            Some(location) => writeln!(
                out,
                "Uploads were not copied: they stay in {location}, where a server on either database finds them with the same options. To serve both sites, give one of them a copy of {location}."
            ),
            None => writeln!(
                out,
                "Uploads were not copied: serve the copy with the same uploads.folder or uploads.bucket as {from}, or with a copy of it."
            ),
        },
    }
}

/// Returns the folder or the bucket of uploads that the options name.
fn uploads_location(config: &Config) -> Option<String> {
    match (&config.uploads_bucket, &config.uploads_folder) {
        (Some(bucket), _) => Some(format!("{bucket:?}")),
        (None, Some(folder)) => Some(folder.display().to_string()),
        (None, None) => None,
    }
}
