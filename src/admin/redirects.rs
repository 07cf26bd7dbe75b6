//! The redirects of the site, as a file.

use super::site_files::record_edit;
pub use crate::routing::RedirectFormat;
use crate::{
    domain::actor::Actor,
    error::Result,
    routing::{self, WITHOUT_REDIRECTS},
    site::{Site, SiteSnapshot},
};

/// Returns the redirects as YAML.
///
/// # Errors
///
/// If the store cannot be read.
pub fn download(snapshot: &SiteSnapshot) -> Result<String> {
    let file = snapshot.redirects_file()?;
    Ok(file.map_or_else(|| WITHOUT_REDIRECTS.to_owned(), |file| file.text))
}

/// Replaces the redirects with those of a file.
///
/// # Errors
///
/// `BadRequest` if the file cannot be parsed, `Validation`, naming the entry, for an invalid
/// redirect. In both cases the current redirects remain.
pub fn upload(site: &Site, actor: &Actor, format: RedirectFormat, content: &[u8]) -> Result<()> {
    // Parsed before the transaction, because compiling many expressions takes longest and does not
    // depend on stored data.
    let file = routing::read_redirects(format, content)?;
    site.write(|transaction| {
        transaction.save_redirects(&file)?;
        record_edit(transaction, actor, "redirects")
    })
}
