//! The sources of feeds and sitemaps.

use jiff::Timestamp;

use crate::{
    api::{
        content::{bodies::Bodies, response_memory::ResponseMemory},
        front_end::ExternalFrontEnd,
    },
    domain::reading_member::ReadingMember,
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// The sources of feeds and sitemaps.
pub struct Publication<'a> {
    /// The site.
    pub snapshot: &'a SiteSnapshot,
    /// The site's URLs.
    pub site_urls: &'a SiteUrls,
    /// The front end that links open, if one is configured.
    pub front_end: Option<&'a ExternalFrontEnd>,
    /// Whether the site serves its icon at `/favicon.png`.
    pub has_icon_path: bool,
    /// The member who reads the feeds; `None` for anonymous readers.
    pub reader: Option<&'a ReadingMember>,
    /// First segment of the API's paths.
    pub path_prefix: &'a str,
    /// The cached bodies of posts.
    pub bodies: &'a Bodies,
    /// The memory for bodies.
    pub memory: &'a ResponseMemory,
    /// The value of `now` in the filters of routes.
    pub now: Timestamp,
}

impl Publication<'_> {
    /// Returns the URL at which readers open a path of the site.
    pub fn link(&self, path: &str) -> String {
        match self.front_end {
            Some(front_end) => front_end.url(path),
            None => format!("{}{path}", self.site_urls.base()),
        }
    }

    /// Returns the URL of the site's icon; `None` if there is none.
    pub(super) fn icon(&self) -> Option<String> {
        if self.has_icon_path {
            return Some(format!("{}/favicon.png", self.site_urls.base()));
        }
        let icon = self.snapshot.catalog.settings.text("icon");
        let icon = icon.filter(|icon| !icon.is_empty())?;
        Some(self.site_urls.absolute(&icon).into_owned())
    }
}
