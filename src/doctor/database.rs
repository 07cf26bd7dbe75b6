//! Checks the database of the site.

use super::{examined_site::ExaminedSite, finding::UnnamedFinding};
use crate::store::{Reached, StoreError, postgres};

/// Connects to the database, and determines whether its tables are Galley's.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    let Some(url) = &examined.config.store_url else {
        return vec![UnnamedFinding::skipped(
            "store.url is not set: the site is in a file",
        )];
    };
    vec![match postgres::reach(url) {
        Ok(Reached {
            is_read_only: true, ..
        }) => UnnamedFinding::error(
            format!("{url} responds, and accepts no changes: it is read-only, as a standby is"),
            "After a failover, name all hosts in store.url, with `target_session_attrs=read-write`. Otherwise see `default_transaction_read_only` of the server, the database and the user.",
        ),
        Ok(Reached {
            has_store: true, ..
        }) => UnnamedFinding::ok(format!("{url} responds, and has a site")),
        Ok(Reached {
            has_store: false, ..
        }) => UnnamedFinding::warning(
            format!("{url} responds, and has no site yet"),
            "The first start creates one. If there should be a site, check the name of the database in store.url.",
        ),
        Err(error @ StoreError::Unavailable { .. }) => UnnamedFinding::error(
            error.to_string(),
            "Check that PostgreSQL runs there, and that its pg_hba.conf and the firewall admit this machine.",
        ),
        Err(error @ StoreError::Refused { .. }) => UnnamedFinding::error(
            error.to_string(),
            "Check the database, the user, the password and `sslmode` in store.url, and that pg_hba.conf of the server admits this machine with them.",
        ),
        Err(error) => UnnamedFinding::error(error.to_string(), "See docs/database.md."),
    }]
}
