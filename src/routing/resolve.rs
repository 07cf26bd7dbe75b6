//! Resolves a path to a page.

use percent_encoding::percent_decode_str;

use super::{
    bound_routes::BoundRoutes,
    lists::RoutedList,
    pattern::{Pattern, RequestedPath, encoded},
};
use crate::{
    catalog::Catalog,
    domain::{
        post::{Post, PostKind},
        routes::{RouteData, RouteResource, Selection},
    },
    id::Id,
};

/// The page or redirect at a path.
///
/// Pages of a list are numbered from 1; the caller checks whether the list has so many pages. `index` is an index in
/// [`Routes::routes`](crate::domain::routes::Routes::routes) or
/// [`Routes::collections`](crate::domain::routes::Routes::collections). The page at `/` is the home page, whatever its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// A page of a collection.
    Collection {
        /// The index of the collection.
        index: usize,
        /// The number of the page.
        page: usize,
        /// The text that matched a variable of the path, for `%s`.
        slug: Option<String>,
    },
    /// A page of a channel.
    Channel {
        /// The index of the route.
        index: usize,
        /// The number of the page.
        page: usize,
        /// The text that matched a variable of the path, for `%s`.
        slug: Option<String>,
    },
    /// A route with a single page.
    StaticRoute {
        /// The index of the route.
        index: usize,
        /// The text that matched a variable of the path, for `%s`.
        slug: Option<String>,
    },
    /// A page of a tag's posts. The tag has at least one post.
    Tag {
        /// The tag.
        tag: Id,
        /// The number of the page.
        page: usize,
    },
    /// A page of an author's posts. The author has at least one post.
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
    /// A redirect to another path of the site.
    Redirect {
        /// The path on the site, without its subdirectory, and the query of the request.
        location: String,
        /// Whether the redirect is permanent, so that clients may cache it.
        permanent: bool,
    },
    /// A redirect to the admin app, which edits the record, by the fragment of the URL, such as `/editor/post/ID/`.
    Editor(String),
    /// A page of a list with a number that no list has, such as 0.
    NoSuchPage,
    /// No page.
    NotFound,
}

/// The posts of a feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeedOf {
    /// The posts of a collection or channel.
    List(RoutedList),
    /// The posts of a tag.
    Tag(Id),
    /// The posts of an author.
    Author(Id),
}

impl BoundRoutes {
    /// Resolves `path`, which is relative to the subdirectory of the site. `query` is the query of the request, without `?`.
    pub fn resolve(&self, catalog: &Catalog, path: &str, query: Option<&str>) -> Resolution {
        let lookup = PageLookup {
            routes: self,
            catalog,
            query,
        };
        // Several slashes at the start of a redirect's location would begin a host.
        let path = format!("/{}", path.trim_start_matches(['/', '\\']));
        lookup
            .canonical_redirect(&path)
            .unwrap_or_else(|| lookup.at(&path).unwrap_or(Resolution::NotFound))
    }

    /// Returns the path of the route to which the page of a record redirects, percent-encoded.
    pub fn claimed_path(&self, resource: RouteResource, slug: &str) -> Option<String> {
        self.claimed(resource, slug).map(encoded)
    }

    /// Returns the path of the first route or collection that claims a record as its data, so that the page of the record
    /// redirects there.
    pub(super) fn claimed(&self, resource: RouteResource, slug: &str) -> Option<&str> {
        let claims = |data: &[RouteData]| {
            data.iter().any(|data| match &data.selection {
                Selection::Read {
                    slug: own,
                    redirects: true,
                } => data.resource == resource && own == slug,
                _ => false,
            })
        };
        let routes = self.routes();
        // Routes before collections, each in the order of the file: the first claim wins.
        let of_routes = routes.routes.iter().map(|route| (&route.path, &route.data));
        let of_collections = routes.collections.iter();
        let of_collections = of_collections.map(|collection| (&collection.path, &collection.data));
        let mut all = of_routes.chain(of_collections);
        all.find(|(_, data)| claims(data))
            .map(|(path, _)| path.as_str())
    }
}

/// The path to which posts outside of collections redirect. There is no page at this path (Ghost 6.65, recorded).
const OF_NO_COLLECTION: &str = "/404/";

/// The resolution of one request.
struct PageLookup<'a> {
    routes: &'a BoundRoutes,
    catalog: &'a Catalog,
    query: Option<&'a str>,
}

/// A path that begins with the path of a list.
enum OfList {
    Page(usize),
    Rss,
    /// A redirect, or no such page.
    Other(Resolution),
}

/// The extensions of paths that have no slash at the end.
const FILE_EXTENSIONS: [&str; 2] = [".md", ".txt"];

impl PageLookup<'_> {
    fn redirect(&self, path: &str) -> Resolution {
        let query = self.query.filter(|query| !query.is_empty());
        let query = query.map_or_else(String::new, |query| format!("?{query}"));
        Resolution::Redirect {
            location: format!("{path}{query}"),
            permanent: true,
        }
    }

    /// Returns the redirect for a path without a slash at the end, with upper case, or of a former AMP page; `NotFound` if the
    /// path is not percent-encoded UTF-8.
    fn canonical_redirect(&self, path: &str) -> Option<Resolution> {
        let is_file = FILE_EXTENSIONS.iter().any(|end| path.ends_with(end));
        if !path.ends_with('/') && !is_file {
            return Some(self.redirect(&format!("{path}/")));
        }
        // Galley serves no AMP pages, as Ghost 6: links to the former ones redirect to the page.
        let before_amp = path.len().checked_sub("/amp/".len());
        let amp = before_amp.filter(|start| {
            let end = path.get(*start..);
            end.is_some_and(|end| end.eq_ignore_ascii_case("/amp/"))
        });
        if let Some(start) = amp {
            return Some(self.redirect(&format!("{}/", &path[..start])));
        }
        let Ok(decoded) = percent_decode_str(path).decode_utf8() else {
            return Some(Resolution::NotFound);
        };
        // The decoded path is tested, since the digits of a percent sequence may be in upper case.
        let has_upper_case = decoded.bytes().any(|byte| byte.is_ascii_uppercase());
        has_upper_case.then(|| self.redirect(&path.to_ascii_lowercase()))
    }

    /// Resolves a path in canonical form, in Ghost's order.
    fn at(&self, path: &str) -> Option<Resolution> {
        let path = RequestedPath::of(path)?;
        self.static_route(&path)
            .or_else(|| self.collection(&path))
            .or_else(|| self.page(&path))
            .or_else(|| self.tag(&path))
            .or_else(|| self.author(&path))
    }

    fn static_route(&self, path: &RequestedPath) -> Option<Resolution> {
        let patterns = self.routes.static_paths.iter().enumerate();
        let mut found = patterns.filter_map(|(index, pattern)| {
            let slug = pattern.matched_beginning(path)?.slug;
            let route = &self.routes.routes().routes[index];
            match route.channel() {
                None => (path.segments.len() == pattern.len())
                    .then_some(Resolution::StaticRoute { index, slug }),
                Some(posts) => Some(match self.of_list(pattern, path, posts.rss)? {
                    OfList::Page(page) => Resolution::Channel { index, page, slug },
                    OfList::Rss => Resolution::Rss(FeedOf::List(RoutedList::Channel(index))),
                    OfList::Other(other) => other,
                }),
            }
        });
        found.next()
    }

    fn collection(&self, path: &RequestedPath) -> Option<Resolution> {
        let collections = self.routes.collections.iter().enumerate();
        let mut found = collections.filter_map(|(index, bound)| {
            let list = bound.path.matched_beginning(path).and_then(|captures| {
                let has_rss = self.routes.routes().collections[index].posts.rss;
                let slug = captures.slug;
                Some(match self.of_list(&bound.path, path, has_rss)? {
                    OfList::Page(page) => Resolution::Collection { index, page, slug },
                    OfList::Rss => Resolution::Rss(FeedOf::List(RoutedList::Collection(index))),
                    OfList::Other(other) => other,
                })
            });
            list.or_else(|| self.post(&bound.permalink, path))
        });
        found.next()
    }

    /// Resolves a path that begins with the path of a list.
    fn of_list(&self, list: &Pattern, path: &RequestedPath, has_rss: bool) -> Option<OfList> {
        let below: Vec<&str> = path.segments[list.len()..]
            .iter()
            .map(|segment| &**segment)
            .collect();
        match below[..] {
            [] => Some(OfList::Page(1)),
            ["rss"] if has_rss => Some(OfList::Rss),
            ["feed"] if has_rss => Some(OfList::Other(Resolution::Redirect {
                location: format!("{}rss/", path.beginning(list.len())),
                permanent: true,
            })),
            ["page", number] if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(match number.parse() {
                    // Each page of a list has one URL.
                    Ok(1) => OfList::Other(self.redirect(path.beginning(list.len()))),
                    // Only an empty or a huge number does not parse; no list has such a page
                    // either.
                    Ok(0) | Err(_) => OfList::Other(Resolution::NoSuchPage),
                    Ok(page) => OfList::Page(page),
                })
            }
            _ => None,
        }
    }

    /// Returns the post whose permalink matches `permalink`.
    fn post(&self, permalink: &Pattern, path: &RequestedPath) -> Option<Resolution> {
        let captures = permalink.matched_beginning(path)?;
        let is_edited = is_edited(permalink.len(), path)?;
        // Before the post is looked up: a claimed slug redirects to its route even if no post has
        // it.
        let claimed = captures.slug.as_deref();
        let claimed = claimed.and_then(|slug| self.routes.claimed(RouteResource::Posts, slug));
        if let Some(route) = claimed {
            return Some(self.at_route(route, permalink.len(), path));
        }
        let posts = &self.catalog.posts;
        let by_slug = captures.slug.as_deref().map(|slug| posts.by_slug(slug));
        let by_id = captures.id.as_deref().map(|id| posts.get(id.parse().ok()?));
        let post = match (by_slug, by_id) {
            // With both in the permalink, both must be of the same post.
            (Some(by_slug), Some(by_id)) => by_slug.filter(|post| Some(*post) == by_id),
            (one, other) => one.or(other)?,
        };
        let post = post.filter(|post| post.is_listed() && post.kind == PostKind::Post)?;
        Some(self.entry(post, is_edited, path))
    }

    fn page(&self, path: &RequestedPath) -> Option<Resolution> {
        let slug = path.segments.first()?;
        let is_edited = is_edited(1, path)?;
        if let Some(route) = self.routes.claimed(RouteResource::Pages, slug) {
            return Some(self.at_route(route, 1, path));
        }
        let page = self.catalog.posts.by_slug(slug);
        let page = page.filter(|page| page.is_listed() && page.kind == PostKind::Page)?;
        Some(self.entry(page, is_edited, path))
    }

    /// Resolves a post or page that was found by part of its path: either the path is its own, or it redirects there.
    fn entry(&self, post: &Post, is_edited: bool, path: &RequestedPath) -> Resolution {
        if is_edited {
            return Resolution::Editor(editor_fragment(post));
        }
        match self.routes.post_path(post) {
            // The post was found by the permalink of a collection that it is not in.
            None => self.redirect(OF_NO_COLLECTION),
            Some(own) if own == path.raw => Resolution::Entry(post.id),
            Some(own) => {
                // The path may have been requested in its encoded form; a redirect to the same URL
                // would never end.
                let own = encoded(&own);
                if own == path.raw {
                    Resolution::Entry(post.id)
                } else {
                    self.redirect(&own)
                }
            }
        }
    }

    fn tag(&self, path: &RequestedPath) -> Option<Resolution> {
        let pattern = self.routes.tag.as_ref()?;
        let slug = pattern.matched_beginning(path)?.slug?;
        let of_taxonomy = self.of_taxonomy(pattern, RouteResource::Tags, &slug, path)?;
        let find = || {
            let tag = self.catalog.tags.by_slug(&slug)?;
            // The Content API does not list tags without posts either.
            let has_posts = self.catalog.tag_post_count(tag.id) > 0;
            (!tag.internal && has_posts).then_some(tag.id)
        };
        let found = match of_taxonomy {
            OfList::Page(page) => find().map(|tag| Resolution::Tag { tag, page }),
            OfList::Rss => find().map(|tag| Resolution::Rss(FeedOf::Tag(tag))),
            OfList::Other(other) => Some(other),
        };
        Some(found.unwrap_or(Resolution::NotFound))
    }

    fn author(&self, path: &RequestedPath) -> Option<Resolution> {
        let pattern = self.routes.author.as_ref()?;
        let slug = pattern.matched_beginning(path)?.slug?;
        let of_taxonomy = self.of_taxonomy(pattern, RouteResource::Authors, &slug, path)?;
        let find = || {
            let author = self.catalog.users.by_slug(&slug)?;
            (self.catalog.author_post_count(author.id) > 0).then_some(author.id)
        };
        let found = match of_taxonomy {
            OfList::Page(page) => find().map(|author| Resolution::Author { author, page }),
            OfList::Rss => find().map(|author| Resolution::Rss(FeedOf::Author(author))),
            OfList::Other(other) => Some(other),
        };
        Some(found.unwrap_or(Resolution::NotFound))
    }

    fn of_taxonomy(
        &self,
        pattern: &Pattern,
        resource: RouteResource,
        slug: &str,
        path: &RequestedPath,
    ) -> Option<OfList> {
        // This includes all paths below that of the record (Ghost 6.65, observed).
        if let Some(route) = self.routes.claimed(resource, slug) {
            return Some(OfList::Other(self.at_route(route, pattern.len(), path)));
        }
        let editor = match resource {
            RouteResource::Tags => format!("/tags/{slug}/"),
            _ => format!("/settings/staff/{slug}/"),
        };
        match is_edited(pattern.len(), path) {
            Some(true) => Some(OfList::Other(Resolution::Editor(editor))),
            _ => self.of_list(pattern, path, true),
        }
    }

    /// Redirects to a route, with the part of the path after its first `count` segments appended.
    fn at_route(&self, route: &str, count: usize, path: &RequestedPath) -> Resolution {
        let rest = &path.raw[path.beginning(count).len()..];
        self.redirect(&encoded(&format!("{route}{rest}")))
    }
}

/// Returns the fragment of the admin app's URL for editing a post or page.
pub fn editor_fragment(post: &Post) -> String {
    format!("/editor/{}/{}/", post.kind.name(), post.id)
}

/// Returns whether `/edit/` follows the first `count` segments; `None` if anything else follows.
fn is_edited(count: usize, path: &RequestedPath) -> Option<bool> {
    match &path.segments[count..] {
        [] => Some(false),
        [option] if option == "edit" => Some(true),
        _ => None,
    }
}
