//! The one-time link for setting up a site from another machine.
//!
//! Each process that serves a site generates a link when it starts. Only the operator sees it, in
//! the log and in `galley status`. Opening the link does not use it up, because programs that scan
//! mails and chats also open links; it remains valid until the site has an owner. The link is held
//! in memory only. Processes that share a store also store its digest, and accept each other's
//! links.

use std::net::IpAddr;

use super::{rate_limits::RateLimits, set_up};
use crate::{
    domain::{rate_limit::RateLimitKey, secret::Secret},
    error::{Error, Kind, Result},
    site::{Site, SiteSnapshot},
};

/// The query parameter of the link with the token.
pub const PARAMETER: &str = "setup";

/// The account key under which wrong tokens are counted.
const ANY_LINK: &str = "setup link";

/// The link of this process.
#[derive(Debug)]
pub struct SetupLink(Secret);

/// Verifies tokens.
#[derive(Clone, Copy)]
pub struct LinkCheck<'a> {
    /// The link of this process, if it has one.
    pub link: Option<&'a SetupLink>,
    /// The site.
    pub site: &'a Site,
    /// The snapshot of the site that the request is served from.
    pub snapshot: &'a SiteSnapshot,
    /// Counts wrong tokens.
    pub rate_limits: &'a RateLimits,
    /// The address of the client.
    pub client: IpAddr,
}

impl SetupLink {
    /// Creates the link of this process and stores its digest for processes that share the store,
    /// unless the site has an owner.
    ///
    /// # Errors
    ///
    /// If the system provides no randomness, or the store refuses the change.
    pub fn create(site: &Site) -> Result<Self> {
        let link = Self(Secret::generate().map_err(Error::internal)?);
        if site.is_shared() && !set_up::is_done(&site.current().catalog) {
            match site.write(|transaction| transaction.add_setup_link(link.0.digest())) {
                // Without the digest in the store, only this process accepts the link.
                Err(error) if error.is_of_unavailable_store() => {}
                added => added?,
            }
        }
        Ok(link)
    }

    /// Returns the URL of the link: `page`, the URL of the admin app such as
    /// `https://example.com/ghost/`, with the token. `None` if the site of `snapshot` has an owner.
    pub fn url(&self, snapshot: &SiteSnapshot, page: &str) -> Option<String> {
        let is_open = !set_up::is_done(&snapshot.catalog);
        is_open.then(|| format!("{page}?{PARAMETER}={}", self.0.text()))
    }
}

impl LinkCheck<'_> {
    /// Admits a client with the token `given`; wrong tokens are counted.
    ///
    /// # Errors
    ///
    /// `NoPermission` if the token is wrong or the site has an owner; `TooManyRequests` after too
    /// many wrong tokens.
    pub fn admit(&self, given: &str) -> Result<()> {
        set_up::refuse_when_done(&self.snapshot.catalog)?;
        let guesses = &self.rate_limits.setup_links;
        let (client, link) = (
            RateLimitKey::client(self.client),
            RateLimitKey::account(ANY_LINK),
        );
        // Counted before the check and taken back unless the token is wrong, so that parallel
        // guesses cannot exceed the limit.
        guesses.begin(client, link, self.site)?;
        let checked = self.is_right(given);
        if !matches!(checked, Ok(false)) {
            guesses.cancel_guess(client, link, self.site);
        }
        if checked? { Ok(()) } else { Err(refusal()) }
    }

    fn is_right(&self, given: &str) -> Result<bool> {
        let Some(given) = Secret::from_text(given) else {
            return Ok(false);
        };
        // Digests are compared in constant time.
        let digest = given.digest();
        Ok(self.link.is_some_and(|link| link.0.digest() == digest)
            || (self.site.is_shared() && self.snapshot.has_setup_link(&digest)?))
    }
}

/// Returns the error for a client that may not set the site up.
pub fn refusal() -> Error {
    Error::new(
        Kind::NoPermission,
        "This site must be set up with the link in its log, which `galley status` also shows.",
    )
    .context("A browser on the machine that serves it needs no link.")
    .help("Open the link, or create the owner with `galley user create --role owner`.")
}
