//! The routes file, which defines the URLs of the pages of the site.

use std::sync::Arc;

use super::site_files::record_edit;
use crate::{
    domain::actor::Actor,
    error::Result,
    routing::{self, BoundRoutes, MovedPages},
    site::{Site, SiteSnapshot},
};

/// Returns the routes as YAML.
///
/// # Errors
///
/// If the store cannot be read.
pub fn download(snapshot: &SiteSnapshot) -> Result<String> {
    Ok(snapshot
        .routes_file()?
        .unwrap_or_else(|| routing::DEFAULT_FILE.to_owned()))
}

/// Replaces the routes, and returns the pages whose paths change. These pages are also logged,
/// because nothing redirects from their former paths.
///
/// # Errors
///
/// `IncorrectUsage` if the file cannot be parsed, `Validation`, naming the setting, for an invalid
/// route. In both cases the current routes remain.
pub fn upload(site: &Site, actor: &Actor, content: &[u8]) -> Result<MovedPages> {
    let (text, routes) = routing::read_routes(content)?;
    let routes = Arc::new(routes);
    let moved = site.write(|transaction| {
        // Bound before the change, to find the pages that move by it.
        let before = BoundRoutes::of(transaction.catalog());
        transaction.save_routes(text, &routes)?;
        record_edit(transaction, actor, "routes")?;
        let catalog = transaction.catalog();
        Ok(MovedPages::between(
            &before,
            &BoundRoutes::of(catalog),
            catalog,
        ))
    })?;
    if moved.count > 0 {
        tracing::warn!(%moved, "the routes changed, and pages moved without redirects");
    }
    Ok(moved)
}
