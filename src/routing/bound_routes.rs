//! Routes bound to a catalog.

use std::{fmt, sync::Arc};

use jiff::tz::TimeZone;

use super::{
    filter,
    pattern::{Pattern, RequestedPath, Variable},
};
use crate::{
    catalog::{Catalog, filter::Filter, posts::PostIndex, records::Records},
    clock::{Clock, SystemClock},
    domain::{
        post::{Post, PostKind},
        routes::Routes,
        tag::Tag,
        user::User,
    },
    id::Id,
};

/// The value of `{primary_tag}` and `{primary_author}` for a post without a tag or author (Ghost 6.65, observed).
const WITHOUT_ONE: &str = "all";

/// The value of an unknown variable (Ghost 6.65, observed).
const UNKNOWN: &str = "undefined";

/// The routes of a site, bound to a catalog.
pub struct BoundRoutes {
    routes: Arc<Routes>,
    /// The paths of the routes, in order.
    pub(super) static_paths: Vec<Pattern>,
    /// The collections, in order.
    pub(super) collections: Vec<BoundCollection>,
    /// The permalink of tags.
    pub(super) tag: Option<Pattern>,
    /// The permalink of authors.
    pub(super) author: Option<Pattern>,
    /// The time zone of dates in paths.
    time_zone: TimeZone,
    /// The records, if their paths may differ from the default paths.
    moved: Option<MovedRecords>,
}

/// The records needed to compute paths that depend on other records, and to rewrite links.
pub(super) struct MovedRecords {
    pub(super) posts: PostIndex,
    pub(super) tags: Records<Tag>,
    pub(super) users: Records<User>,
}

/// A collection bound to a catalog.
pub(super) struct BoundCollection {
    pub(super) path: Pattern,
    pub(super) permalink: Pattern,
    /// The filter; `None` if all posts match.
    filter: Option<Filter<Post>>,
}

impl BoundRoutes {
    /// Binds the routes of a site to its catalog.
    pub fn of(catalog: &Catalog) -> Self {
        Self::bind(&catalog.routes, catalog)
    }

    /// Binds other routes to the catalog of a site.
    pub fn bind(routes: &Arc<Routes>, catalog: &Catalog) -> Self {
        let now = SystemClock.now();
        let collections = routes.collections.iter().map(|collection| BoundCollection {
            path: Pattern::of_route(&collection.path),
            permalink: Pattern::of_permalink(&collection.permalink),
            filter: collection
                .posts
                .filter
                .as_deref()
                .map(|text| filter::compile(text, catalog, now)),
        });
        let static_paths = routes.routes.iter();
        let taxonomy = |path: &Option<String>| path.as_deref().map(Pattern::of_permalink);
        Self {
            static_paths: static_paths
                .map(|route| Pattern::of_route(&route.path))
                .collect(),
            collections: collections.collect(),
            tag: taxonomy(&routes.tag),
            author: taxonomy(&routes.author),
            time_zone: catalog.settings.time_zone(),
            // The clones are cheap, because the indexes are persistent maps. Sites with default
            // paths do not need them: their paths follow from the slug alone.
            moved: (!routes.has_default_paths()).then(|| MovedRecords {
                posts: catalog.posts.clone(),
                tags: catalog.tags.clone(),
                users: catalog.users.clone(),
            }),
            routes: Arc::clone(routes),
        }
    }

    /// Returns the routes.
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// Returns whether a path is that of a route, whose page takes precedence over feeds, collections and posts.
    pub fn is_of_a_route(&self, path: &str) -> bool {
        let path = RequestedPath::of(path);
        path.is_some_and(|path| self.static_paths.iter().any(|own| own.is_at(&path)))
    }

    /// Returns whether the paths of records may differ from the default paths.
    pub fn moves_records(&self) -> bool {
        self.moved.is_some()
    }

    pub(super) fn moved_records(&self) -> Option<&MovedRecords> {
        self.moved.as_ref()
    }

    /// Returns the index of the collection that contains a post: the first one whose filter matches. `None` for a post that is
    /// not in a collection, and for pages.
    pub fn collection_of(&self, post: &Post) -> Option<usize> {
        if post.kind == PostKind::Page {
            return None;
        }
        let mut collections = self.collections.iter();
        // The first match wins, as in Ghost: a post belongs to one collection only.
        collections.position(|collection| match &collection.filter {
            Some(filter) => filter.holds(post),
            None => true,
        })
    }

    /// Returns the path of a post or page; `None` for a post that is not in a collection.
    pub fn post_path(&self, post: &Post) -> Option<String> {
        self.post_path_with_slug(post, &post.slug)
    }

    /// Returns the path that a post or page would have with another slug; `None` for a post that is not in a collection.
    pub fn post_path_with_slug(&self, post: &Post, slug: &str) -> Option<String> {
        if post.kind == PostKind::Page {
            return Some(Self::page_path(slug));
        }
        let collection = &self.collections[self.collection_of(post)?];
        let value = |variable| self.value_of_post(post, slug, variable);
        Some(collection.permalink.filled(value))
    }

    /// Returns the path of a deleted post; `None` if the path depends on more than the slug and the ID.
    pub fn removed_post_path(&self, id: Id, slug: &str) -> Option<String> {
        const KNOWN: [Variable; 2] = [Variable::Slug, Variable::Id];
        // A filter could depend on fields that are deleted with the post. Without one, the first
        // collection contains all posts.
        let collection = self.collections.first()?;
        let permalink = &collection.permalink;
        let is_known = collection.filter.is_none() && permalink.has_only(&KNOWN);
        is_known.then(|| {
            permalink.filled(|variable| match variable {
                Variable::Id => id.to_string(),
                _ => slug.to_owned(),
            })
        })
    }

    /// Returns the path of the page with a slug.
    pub fn page_path(slug: &str) -> String {
        format!("/{slug}/")
    }

    /// Returns the slug of the tag whose posts are at a path.
    pub fn tag_slug_at(&self, path: &str) -> Option<String> {
        slug_at(self.tag.as_ref()?, path)
    }

    /// Returns the slug of the author whose posts are at a path.
    pub fn author_slug_at(&self, path: &str) -> Option<String> {
        slug_at(self.author.as_ref()?, path)
    }

    /// Returns the path of a tag's posts; `None` for an internal tag, or if tags do not have pages.
    pub fn tag_path(&self, tag: &Tag) -> Option<String> {
        let path = self.tag_path_of_slug(&tag.slug);
        path.filter(|_| !tag.internal)
    }

    /// Returns the path of a public tag's posts, given its slug.
    pub fn tag_path_of_slug(&self, slug: &str) -> Option<String> {
        let path = self.tag.as_ref()?;
        Some(path.filled(|variable| value_of_taxonomy(slug, variable)))
    }

    /// Returns the path of an author's posts; `None` if authors do not have pages.
    pub fn author_path(&self, author: &User) -> Option<String> {
        self.author_path_of_slug(&author.slug)
    }

    /// Returns the path of an author's posts, given the author's slug.
    pub fn author_path_of_slug(&self, slug: &str) -> Option<String> {
        let path = self.author.as_ref()?;
        Some(path.filled(|variable| value_of_taxonomy(slug, variable)))
    }

    fn value_of_post(&self, post: &Post, slug: &str, variable: Variable) -> String {
        let date = || {
            let published = post.published_at.unwrap_or(post.updated_at);
            published.to_zoned(self.time_zone.clone()).date()
        };
        let author = || {
            // A permalink with this variable is not the default one, so `moved` has the records.
            let users = &self.moved.as_ref()?.users;
            users.get(*post.authors.first()?)
        };
        let tag = || {
            let tags = &self.moved.as_ref()?.tags;
            // An internal first tag is not replaced by the next tag: the post has no primary tag
            // then.
            let first = post.tags.iter().find_map(|tag| tags.get(*tag));
            first.filter(|tag| !tag.internal)
        };
        match variable {
            Variable::Slug => slug.to_owned(),
            Variable::Id => post.id.to_string(),
            Variable::Year => format!("{:04}", date().year()),
            Variable::Month => format!("{:02}", date().month()),
            Variable::Day => format!("{:02}", date().day()),
            Variable::Author => author().map_or(UNKNOWN, |author| &*author.slug).to_owned(),
            Variable::PrimaryAuthor => author()
                .map_or(WITHOUT_ONE, |author| &*author.slug)
                .to_owned(),
            Variable::PrimaryTag => tag().map_or(WITHOUT_ONE, |tag| &*tag.slug).to_owned(),
            Variable::Unknown => UNKNOWN.to_owned(),
        }
    }
}

impl fmt::Debug for BoundRoutes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.routes.fmt(formatter)
    }
}

fn value_of_taxonomy(slug: &str, variable: Variable) -> String {
    match variable {
        Variable::Slug => slug,
        _ => UNKNOWN,
    }
    .to_owned()
}

fn slug_at(pattern: &Pattern, path: &str) -> Option<String> {
    let path = RequestedPath::of(path)?;
    let captures = pattern.matched_beginning(&path)?;
    captures
        .slug
        // `matched_beginning` also accepts paths below the list, such as those of its further
        // pages.
        .filter(|_| path.segments.len() == pattern.len())
}
