//! The digests of the links for setting up a site without an owner. If processes share the store,
//! each accepts the links of all of them.

use super::{SiteSnapshot, Transaction};
use crate::{domain::secret::Digest, error::Result, store::Table};

/// Key of the digests, oldest first.
const SETUP_LINKS: &[u8] = b"setup_links";

/// Maximum number of valid links. Each start of a process creates one.
const LINKS_MAX: usize = 16;

impl SiteSnapshot {
    /// Returns whether a process has created a link whose token has this digest.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn has_setup_link(&self, digest: &Digest) -> Result<bool> {
        let links: Option<Vec<Digest>> = self.read(Table::Meta, SETUP_LINKS)?;
        Ok(links.unwrap_or_default().contains(digest))
    }
}

impl Transaction {
    /// Adds a link by the digest of its token. The oldest link is revoked if there are too many.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn add_setup_link(&mut self, digest: Digest) -> Result<()> {
        let links: Option<Vec<Digest>> = self.read(Table::Meta, SETUP_LINKS)?;
        let mut links = links.unwrap_or_default();
        links.push(digest);
        let surplus = links.len().saturating_sub(LINKS_MAX);
        links.drain(..surplus);
        // The table belongs to readers, but no cached response depends on these links.
        self.hidden_from_readers(|change| change.put(Table::Meta, SETUP_LINKS, &links))
    }

    /// Revokes all links.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn end_setup_links(&mut self) -> Result<()> {
        // A deletion from this table makes cached responses stale, so it is avoided if there is
        // nothing to delete.
        if self.bytes(Table::Meta, SETUP_LINKS)?.is_some() {
            self.delete(Table::Meta, SETUP_LINKS);
        }
        Ok(())
    }
}
