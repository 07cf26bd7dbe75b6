//! What feeds and sitemaps are made from.

use crate::{
    api::{
        content::{bodies::Bodies, response_memory::ResponseMemory},
        front_end::ExternalFrontEnd,
    },
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// The sources of feeds and sitemaps.
pub struct Publication<'a> {
    /// The site.
    pub snapshot: &'a SiteSnapshot,
    /// The site's URLs.
    pub site_urls: &'a SiteUrls,
    /// The front end that links open, if it is configured.
    pub front_end: Option<&'a ExternalFrontEnd>,
    /// First segment of the API's paths.
    pub path_prefix: &'a str,
    /// The bodies of posts.
    pub bodies: &'a Bodies,
    /// The memory for bodies.
    pub memory: &'a ResponseMemory,
}

impl Publication<'_> {
    /// Returns the URL of a path for readers.
    pub fn link(&self, path: &str) -> String {
        match self.front_end {
            Some(front_end) => front_end.url(path),
            None => format!("{}{path}", self.site_urls.base()),
        }
    }
}
