//! The database of the site.

use super::{examined_site::ExaminedSite, finding::UnnamedFinding};
use crate::store::{StoreError, postgres};

/// Connects to it, and reads which program made its tables.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    let Some(url) = &examined.config.store_url else {
        return vec![UnnamedFinding::skipped(
            "store.url is not set: the site is in a file",
        )];
    };
    vec![match postgres::reach(url) {
        Ok(true) => UnnamedFinding::ok(format!("{url} responds, and has a site")),
        Ok(false) => UnnamedFinding::warning(
            format!("{url} responds, and has no site yet"),
            "The first start makes one. If there should be a site, check the name of the database in store.url.",
        ),
        Err(error @ StoreError::Unavailable { .. }) => UnnamedFinding::error(
            error.to_string(),
            "Check that PostgreSQL runs there, that its pg_hba.conf and the firewall admit this machine, and the user, the password and `sslmode` in store.url.",
        ),
        Err(error) => UnnamedFinding::error(error.to_string(), "See docs/database.md."),
    }]
}
