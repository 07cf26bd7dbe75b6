//! The API of one site, and the memory that its responses share.

use std::sync::{Arc, OnceLock};

use arc_swap::{ArcSwap, Guard as Loaded};

use super::{
    LiveOptions, Options, SnapshotCache,
    cached_document::CachedDocument,
    front_end::FrontEnd,
    members::VerifiedTokens,
    origins::Origins,
    theme::{ActiveScripts, ActiveTheme},
};
use crate::{
    admin::{
        media_inlining::{MediaInlining, MediaTools},
        rate_limits::RateLimits,
        setup_link::SetupLink,
    },
    body_memory::BodyMemory,
    images::{Copies, Memory},
    search::SearchIndex,
    site::{Site, SiteSnapshot},
    site_urls::SiteUrls,
};

/// The API of one site.
pub struct Api {
    pub(super) site: Arc<Site>,
    pub(super) options: Options,
    pub(super) live: ArcSwap<LiveOptions>,
    pub(super) rate_limits: Arc<RateLimits>,
    pub(super) image_memory: Arc<Memory>,
    pub(super) media_inlining: MediaInlining,
    /// The memory budget for bodies that the server shares; without a server, nothing is counted.
    pub(super) body_memory: OnceLock<Arc<BodyMemory>>,
    /// The link for setting up the site from other machines; without it, this is not possible.
    pub(super) setup_link: OnceLock<Arc<SetupLink>>,
    pub(super) copies: Copies,
    pub(super) document: CachedDocument,
    pub(super) verified_tokens: VerifiedTokens,
    pub(super) active_theme: ActiveTheme,
    pub(super) active_scripts: ActiveScripts,
    pub(super) current: ArcSwap<SnapshotCache>,
}

impl Api {
    /// Returns the API of `site`.
    pub fn new(site: Arc<Site>, options: Options) -> Self {
        let cache = SnapshotCache::of(&site.current(), &options, None);
        // Uploads and resized copies share this memory.
        let image_memory = Arc::new(Memory::new(options.image_memory_bytes));
        Self {
            site,
            live: ArcSwap::from_pointee(options.live.clone()),
            media_inlining: MediaInlining::default(),
            copies: Copies::new(&options.files.data, Arc::clone(&image_memory)),
            image_memory,
            body_memory: OnceLock::new(),
            setup_link: OnceLock::new(),
            rate_limits: Arc::clone(&options.rate_limits),
            options,
            document: CachedDocument::default(),
            verified_tokens: VerifiedTokens::default(),
            active_theme: ActiveTheme::default(),
            active_scripts: ActiveScripts::default(),

            current: ArcSwap::from_pointee(cache),
        }
    }

    /// Returns the site's current public URLs.
    pub fn site_urls(&self) -> SiteUrls {
        self.cache(&self.site.current()).site_urls.clone()
    }

    /// Makes work on bodies reserve its memory from `memory`, the budget for received bodies. Only the
    /// first call has an effect.
    pub fn share_body_memory(&self, memory: Arc<BodyMemory>) {
        self.body_memory.get_or_init(|| memory);
    }

    /// Allows the site to be set up from other machines with `link`. Only the first call has an effect.
    pub fn accept_setup_link(&self, link: Arc<SetupLink>) {
        self.setup_link.get_or_init(|| link);
    }

    /// Returns whether push webhooks are enabled.
    pub(super) fn accepts_push_webhooks(&self) -> bool {
        let pulls = self.options.pulls.as_ref();
        pulls.is_some_and(|pulls| pulls.secret().is_some())
    }

    /// Returns the search index.
    pub fn search(&self) -> &Arc<SearchIndex> {
        &self.options.search
    }

    /// Returns the current size of the cached responses and rendered post bodies, in bytes.
    pub fn cached_bytes(&self) -> usize {
        let current = self.current.load();
        current.responses.bytes() + current.bodies.bytes()
    }

    /// Returns the origins of a site with these URLs.
    pub(super) fn origins<'a>(&'a self, site_urls: &'a SiteUrls) -> Origins<'a> {
        Origins {
            site_urls,
            admin: self.options.admin_origin.as_ref(),
        }
    }

    /// Drops the cached responses of earlier commits, and evicts those that were not requested since the
    /// call before the last one.
    pub fn evict_unused(&self) {
        let cache = self.cache(&self.site.current());
        cache.responses.evict_unused();
        cache.bodies.evict_unused();
    }

    /// Drops all cached responses, after a change without a commit: new files of the active theme, new
    /// scripts for readers, or new options.
    pub(super) fn drop_cached_responses(&self) {
        let snapshot = self.site.current();
        let bodies = Arc::clone(&self.current.load().bodies);
        // The rendered bodies depend on none of these, so they are used further.
        let fresh = SnapshotCache::of(&snapshot, &self.options, Some(&bodies));
        self.current.store(Arc::new(fresh));
    }

    /// Returns the current values of the options.
    pub(super) fn live(&self) -> Arc<LiveOptions> {
        self.live.load_full()
    }

    /// Replaces the options from the next request on.
    pub fn reconfigure(&self, options: LiveOptions) {
        // Stored before the responses are dropped: a request that gets the new cache then sees the
        // new options, too.
        self.live.store(Arc::new(options));
        // Cached lists may have a different length with the new options.
        self.drop_cached_responses();
    }

    /// Returns the parts of the site that are needed to copy media of other sites.
    pub(super) fn media_tools(&self) -> MediaTools {
        let live = self.live();
        MediaTools {
            site: Arc::clone(&self.site),
            uploads: self.options.files.uploads.clone(),
            content: self.options.files.content.clone(),
            memory: Arc::clone(&self.image_memory),
            client: Arc::clone(&live.media),
            bytes_max: live.upload_bytes_max,
        }
    }

    /// Updates the list of clients that other processes sharing the store refuse because of wrong keys.
    ///
    /// # Errors
    ///
    /// `Maintenance` if the store is not available.
    pub fn follow_refused_clients(&self) -> crate::error::Result<()> {
        self.rate_limits.wrong_keys.follow_others(&*self.site)
    }

    /// Returns the part of a requested path below the API's prefix, such as `content/posts/`.
    pub(super) fn path_below_api<'a>(
        &self,
        path: &'a str,
        site_urls: &SiteUrls,
    ) -> Option<&'a str> {
        site_urls
            .path_on_site(path)
            .strip_prefix('/')?
            .strip_prefix(self.options.path_prefix.as_str())?
            .strip_prefix("/api/")
    }

    /// Returns the response cache for `snapshot`. It is new if the site has changed since the last
    /// request.
    pub(super) fn cache(&self, snapshot: &SiteSnapshot) -> Loaded<Arc<SnapshotCache>> {
        let has_pages = self.options.front_end == FrontEnd::Theme;
        if has_pages
            && self
                .active_scripts
                .have_changed(&self.options.reader_scripts)
        {
            self.drop_cached_responses();
        }
        let current = self.current.load();
        if current.revision == snapshot.catalog.readers_revision {
            return current;
        }
        let fresh = SnapshotCache::of(snapshot, &self.options, Some(&current.bodies));
        let fresh = Arc::new(fresh);
        if current.revision < fresh.revision {
            // Compares first, because another request may have stored a newer cache in the meantime.
            self.current.compare_and_swap(&current, Arc::clone(&fresh));
        }
        match self.current.load() {
            current if current.revision == fresh.revision => current,
            // The current cache belongs to a newer snapshot, so this one is used only for this request.
            _ => Loaded::from_inner(fresh),
        }
    }
}
