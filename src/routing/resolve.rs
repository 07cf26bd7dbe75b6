//! Which page a path is.

use super::bound::BoundRoutes;
use crate::{catalog::Catalog, id::Id};

/// What is at a path.
///
/// Numbers of pages begin at 1; whether a list has so many is for the caller to find out. `index` is a position in
/// [`Routes::routes`](crate::domain::routes::Routes::routes) or
/// [`Routes::collections`](crate::domain::routes::Routes::collections). The page at `/` is the home page, whatever it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// A page of a collection.
    Collection {
        /// Which one.
        index: usize,
        /// The number of the page.
        page: usize,
        /// The text that a variable of its path matched, for `%s`.
        slug: Option<String>,
    },
    /// A page of a channel.
    Channel {
        /// Which route.
        index: usize,
        /// The number of the page.
        page: usize,
        /// The text that a variable of its path matched, for `%s`.
        slug: Option<String>,
    },
    /// A route of one page.
    StaticRoute {
        /// Which route.
        index: usize,
        /// The text that a variable of its path matched, for `%s`.
        slug: Option<String>,
    },
    /// A page of a tag's posts, of which there is at least one.
    Tag {
        /// The tag.
        tag: Id,
        /// The number of the page.
        page: usize,
    },
    /// A page of an author's posts, of which there is at least one.
    Author {
        /// The author.
        author: Id,
        /// The number of the page.
        page: usize,
    },
    /// A published post or page.
    Entry(Id),
    /// A feed.
    Rss(FeedOf),
    /// The page is elsewhere on the site.
    Redirect {
        /// The path on the site, without its subdirectory, with the query that stays.
        location: String,
        /// Whether clients may remember it.
        permanent: bool,
    },
    /// The admin app edits the record; the fragment of its URL, such as `/editor/post/ID/`.
    Editor(String),
    /// Nothing.
    NotFound,
}

/// The posts of a feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeedOf {
    /// Those of a collection, by its position.
    Collection(usize),
    /// Those of a channel, by its position among the routes.
    Channel(usize),
    /// Those of a tag.
    Tag(Id),
    /// Those of an author.
    Author(Id),
}

impl BoundRoutes {
    /// Returns what is at `path` on the site, which has no subdirectory; `query` is that of the request, without `?`.
    pub fn resolve(&self, catalog: &Catalog, path: &str, query: Option<&str>) -> Resolution {
        let _ = (catalog, path, query);
        todo!()
    }
}
