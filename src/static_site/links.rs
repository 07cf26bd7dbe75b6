//! Checks the links of pages: each link that stays on the site must open a file or a redirect of the build.

use std::{collections::BTreeMap, fmt};

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::{
    render::{page_links::visit_links, urls::is_below},
    site_urls::SiteUrls,
};

/// First segments of paths that need a server, in addition to that of the API.
const SERVER_SEGMENTS: [&str; 6] = [
    "email",
    "members",
    "p",
    "private",
    "unsubscribe",
    "webmentions",
];

/// A link whose target does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLink {
    /// The path of the link, including the subdirectory of the site.
    pub link: String,
    /// The path of the first page that contains the link.
    pub page: String,
    /// The number of pages that contain the link.
    pub pages: usize,
}

impl fmt::Display for DeadLink {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { link, page, pages } = self;
        match pages {
            1 => write!(formatter, "{page}: the link {link} opens nothing"),
            pages => {
                let others = pages - 1;
                write!(
                    formatter,
                    "{page} and {others} more: the link {link} opens nothing"
                )
            }
        }
    }
}

/// The links of pages that stay on the site, by their decoded paths.
pub struct PageLinks<'a> {
    site_urls: &'a SiteUrls,
    links: BTreeMap<String, PageLink>,
}

struct PageLink {
    /// The first page that contains the link.
    page: String,
    pages: usize,
}

impl<'a> PageLinks<'a> {
    /// Creates an empty set of links.
    pub fn new(site_urls: &'a SiteUrls) -> Self {
        Self {
            site_urls,
            links: BTreeMap::new(),
        }
    }

    /// Adds the links of the page at `path`.
    pub fn add(&mut self, path: &str, html: &str) {
        // Relative links are resolved against the URL of the page, as browsers do.
        let Ok(page) = Url::parse(&format!("{}{path}", self.site_urls.base())) else {
            return;
        };
        let site = self.site_urls.url();
        let mut own: Vec<String> = Vec::new();
        visit_links(html, |link| {
            // Invalid URLs open nothing on the site, and `mailto:` and the like are not below it.
            let Ok(url) = page.join(link) else { return };
            if is_below(&url, site) {
                let path = self.site_urls.path_on_site(url.path());
                own.push(percent_decode_str(path).decode_utf8_lossy().into_owned());
            }
        });
        // A page that contains a link twice counts once.
        own.sort_unstable();
        own.dedup();
        for link in own {
            let link = self.links.entry(link).or_insert_with(|| PageLink {
                page: path.to_owned(),
                pages: 0,
            });
            link.pages += 1;
        }
    }

    /// Returns the paths of the links that begin with `beginning`, without this prefix.
    pub fn below<'l>(&'l self, beginning: &'l str) -> impl Iterator<Item = &'l str> {
        let links = self.links.range(beginning.to_owned()..);
        links.map_while(move |(path, _)| path.strip_prefix(beginning))
    }

    /// Returns the links that do not need a server and for which `exists` is false. `path_prefix` is the first segment of API
    /// paths.
    pub fn dead(&self, path_prefix: &str, exists: impl Fn(&str) -> bool) -> Vec<DeadLink> {
        let is_of_server = |path: &str| {
            // These links work on the server; that they do not on a static host is reported as a
            // feature, once.
            let first = path.trim_start_matches('/').split('/').next();
            first.is_some_and(|first| first == path_prefix || SERVER_SEGMENTS.contains(&first))
        };
        let links = self.links.iter();
        let dead = links.filter(|(path, _)| !is_of_server(path) && !exists(path));
        dead.map(|(path, link)| DeadLink {
            link: format!("{}{path}", self.site_urls.subdirectory()),
            page: link.page.clone(),
            pages: link.pages,
        })
        .collect()
    }
}
