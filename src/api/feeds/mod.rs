//! Feeds, sitemaps and `robots.txt`, for feed readers and search engines, at the same paths as in Ghost.
//!
//! Links open the site's front end if one is configured, otherwise the site's URL. Feeds contain the posts as their reader
//! sees them. A private site serves its feeds only below a path with a hash of its password, and no sitemaps (Ghost 6.65).

mod contents;
mod documents;
mod feed;
mod json_feed;
mod markdown;
mod publication;
mod responses;
mod rss;
mod sitemap;
mod xml;

pub use self::{
    documents::{FeedDocument, FeedPosts, MARKDOWN_TYPE, SitemapKind},
    publication::Publication,
};

pub(super) use self::{
    markdown::markdown_path,
    responses::{FeedCall, document_response, entry_markdown, respond},
};
