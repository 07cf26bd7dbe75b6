//! Header fields of responses, in the format of Netlify and Cloudflare Pages.

use super::{BuildOptions, redirect_rules::PathSet, search_files};
use crate::{
    api::feeds::{FeedDocument, FeedPosts},
    site_urls::SiteUrls,
};

/// The name of the file.
pub const HEADERS: &str = "_headers";

/// The media type of paths for which hosts cannot derive it from file names.
#[derive(Clone, Debug)]
pub struct PathType {
    pub paths: PathSet,
    pub content_type: String,
}

/// The content of the headers file of a build.
pub struct HeaderLines<'a> {
    pub site_urls: &'a SiteUrls,
    pub path_prefix: &'a str,
    pub order: &'a BuildOptions,
}

impl HeaderLines<'_> {
    /// Returns the content of the file.
    ///
    /// `of_pages` are the media types of pages that are not HTML; `None` if there are no pages.
    pub fn text(&self, of_pages: Option<&[PathType]>) -> String {
        let Self {
            site_urls,
            path_prefix,
            order,
        } = self;
        let top = site_urls.subdirectory();
        let mut sections = Vec::new();
        let api = format!("{top}/{path_prefix}/api/content/");
        if order.has_api || order.has_search {
            sections.push(format!(
                "{api}*\n  Content-Type: application/json; charset=utf-8\n  \
                 Access-Control-Allow-Origin: *\n  X-Content-Type-Options: nosniff\n"
            ));
        }
        sections.push(format!(
            "{top}/content/*\n  Access-Control-Allow-Origin: *\n"
        ));
        if order.has_search {
            // The names of pieces are digests of their content, so a URL never changes its content.
            let pieces = search_files::PIECES;
            sections.push(format!(
                "{api}{pieces}*\n  Cache-Control: public, max-age=31536000, immutable\n"
            ));
        }
        let types = of_pages.unwrap_or_default();
        for kind in feed_types(site_urls).iter().chain(types) {
            let PathType {
                paths,
                content_type,
            } = kind;
            let path = path_of(paths);
            sections.extend(path.map(|path| format!("{path}\n  Content-Type: {content_type}\n")));
        }
        if of_pages.is_some() {
            // The URLs of these files end with a checksum of the content.
            for folder in ["assets", "public"] {
                sections.push(format!(
                    "{top}/{folder}/*\n  Cache-Control: public, max-age=31536000\n"
                ));
            }
        }
        sections.join("\n")
    }
}

/// Returns the media types of the feeds of a site: RSS files are named like pages, and JSON feeds like any JSON file.
pub fn feed_types(site_urls: &SiteUrls) -> Vec<PathType> {
    const VARIABLE: &str = "{slug}";
    let rss = FeedDocument::Rss(FeedPosts::OfSite).content_type();
    let json = FeedDocument::Json(FeedPosts::OfSite).content_type();
    let routes = site_urls.routes();
    let of_lists = routes.list_paths().into_iter();
    let of_lists = of_lists.filter(|path| path != "/" && routes.list_with_feed_at(path).is_some());
    let of_tags = routes.tag_path_of_slug(VARIABLE);
    let of_authors = routes.author_path_of_slug(VARIABLE);
    let pages = ["/".to_owned()].into_iter().chain(of_lists);
    let pages = pages.chain(of_tags).chain(of_authors);
    let of_page = |page: String| {
        [("rss/", rss), ("feed.json", json)].map(|(name, content_type)| PathType {
            paths: PathSet::with_variable(&format!("{page}{name}"), VARIABLE)
                .below(site_urls.subdirectory()),
            content_type: content_type.to_owned(),
        })
    };
    pages.flat_map(of_page).collect()
}

/// Returns the pattern for paths in the file; `None` if the format cannot express it.
fn path_of(paths: &PathSet) -> Option<String> {
    match paths {
        PathSet::One(path) => Some(path.clone()),
        PathSet::Segment { before, after } => Some(format!("{before}:slug{after}")),
        PathSet::Segments { .. } => None,
        PathSet::Below(path) => Some(format!("{path}*")),
        PathSet::Matching(_) => None,
    }
}
