//! Imports the files of an archive that configure the whole site: redirects and routes.

use std::{io::Read, sync::Arc};

use super::{
    Outcome, Report,
    archive::{Archive, ArchiveEntry, SiteFile},
};
use crate::{
    domain::{redirect::RedirectsFile, routes::Routes},
    error::{Error, Result},
    routing::{self, FILE_BYTES_MAX},
    site::Transaction,
};

/// Imports the site files of an archive. Leaves out invalid files, invalid redirects of a valid file, and a file of a
/// kind that the site already has with other content.
///
/// # Errors
///
/// If the archive or the store cannot be read.
pub fn import(transaction: &mut Transaction, archive: &Archive, report: &mut Report) -> Result<()> {
    for (kind, entry) in &archive.site_files {
        let content = content(archive, entry)?;
        let subject = format!("file {}", entry.name);
        let saved = match *kind {
            SiteFile::Routes => routing::read_routes(&content)
                .map(|(text, routes)| save_routes(transaction, text, routes)),
            SiteFile::Redirects(format) => {
                routing::read_usable_redirects(format, &content).map(|(file, refused)| {
                    for entry in &refused {
                        report.leave_out(subject.as_str(), described(entry));
                    }
                    save_redirects(transaction, &file)
                })
            }
        };
        match saved {
            Err(invalid) => report.leave_out(subject, described(&invalid)),
            Ok(saved) => match saved? {
                Some(outcome) => report.count(kind.noun(), outcome),
                None => report.leave_out(
                    subject,
                    format!("the site already has other {}, which remain", kind.noun()),
                ),
            },
        }
    }
    Ok(())
}

fn described(error: &Error) -> String {
    let context = error.context_text().unwrap_or_else(|| error.message());
    context.trim_end_matches('.').to_owned()
}

/// Returns the content of a file. A file that is too long is truncated just above the limit, so that it is rejected for
/// its length.
fn content(archive: &Archive, entry: &ArchiveEntry) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    archive.unpack(entry, &mut |file| {
        let mut start = file.take(FILE_BYTES_MAX as u64 + 1);
        let read = start.read_to_end(&mut content);
        read.map(drop).map_err(Error::internal)
    })?;
    Ok(content)
}

/// Saves the routes if the site has none; returns `None` if the site has other routes.
fn save_routes(
    transaction: &mut Transaction,
    text: &str,
    routes: Routes,
) -> Result<Option<Outcome>> {
    match transaction.routes_file()? {
        Some(known) if known == text => Ok(Some(Outcome::Unchanged)),
        Some(_) => Ok(None),
        None if routes == Routes::default() => Ok(Some(Outcome::Unchanged)),
        None => {
            transaction.save_routes(text, &Arc::new(routes))?;
            Ok(Some(Outcome::Added))
        }
    }
}

/// Saves the redirects if the site has none; returns `None` if the site has other redirects.
fn save_redirects(transaction: &mut Transaction, file: &RedirectsFile) -> Result<Option<Outcome>> {
    let known = transaction.redirects_file()?.unwrap_or_default();
    if known.redirects == file.redirects {
        Ok(Some(Outcome::Unchanged))
    } else if known.redirects.is_empty() {
        transaction.save_redirects(file)?;
        Ok(Some(Outcome::Added))
    } else {
        Ok(None)
    }
}
