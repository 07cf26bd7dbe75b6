//! The cached responses of the site as readers see it.

use std::sync::Arc;

use super::{Options, content::bodies::Bodies, response_cache::ResponseCache};
use crate::{site::SiteSnapshot, site_urls::SiteUrls};

/// The cached responses for all snapshots of the site that are the same for readers, with the site's
/// URLs.
pub(crate) struct SnapshotCache {
    /// The [`readers_revision`](crate::catalog::Catalog::readers_revision) of those snapshots.
    pub(super) revision: u64,
    pub(super) site_urls: SiteUrls,
    /// Whether the pages of the site require a password.
    pub(super) is_private: bool,
    pub(super) responses: ResponseCache,
    /// The cached bodies, also from earlier snapshots: each body refers to its version of a post.
    pub(super) bodies: Arc<Bodies>,
}

/// The share of the response memory for post bodies: one in this many parts.
const BODIES_SHARE: usize = 3;

impl SnapshotCache {
    /// Returns an empty response cache for `snapshot`, which reuses the rendered bodies that are still
    /// valid.
    pub(super) fn of(
        snapshot: &SiteSnapshot,
        options: &Options,
        bodies: Option<&Arc<Bodies>>,
    ) -> Self {
        let settings = &snapshot.catalog.settings;
        let site_urls = options.site_urls.of(&snapshot.catalog);
        let for_bodies = options.cache_bytes_max / BODIES_SHARE;
        let reused = bodies.filter(|bodies| bodies.is_valid_for(settings, &site_urls));
        let bodies = match reused {
            Some(bodies) => Arc::clone(bodies),
            None => Arc::new(Bodies::new(settings, &site_urls, for_bodies)),
        };
        Self {
            revision: snapshot.catalog.readers_revision,
            responses: ResponseCache::new(options.cache_bytes_max - for_bodies),
            bodies,
            site_urls,
            is_private: settings.is_on("is_private"),
        }
    }
}
