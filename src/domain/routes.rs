//! The routes of a site: the paths of its pages, and of the pages of posts, tags and authors
//! (`routes.yaml`).

/// The routes of a site, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routes {
    /// Pages at fixed paths.
    pub routes: Vec<StaticRoute>,
    /// Lists of posts that determine the URLs of their posts.
    pub collections: Vec<Collection>,
    /// The path of the page of a tag, such as `/tag/{slug}/`; `None` if tags have no pages.
    pub tag: Option<String>,
    /// The path of the page of an author; `None` if authors have no pages.
    pub author: Option<String>,
}

/// A page at a fixed path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticRoute {
    /// The path. A part such as `:slug` matches any text, which replaces `%s` in the data and the
    /// filter.
    pub path: String,
    /// The templates; the first one that exists in the theme is used.
    pub templates: Vec<String>,
    /// The records that are passed to the template.
    pub data: Vec<RouteData>,
    /// A single page or a list.
    pub controller: Controller,
}

/// The controller of a route: a single page or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Controller {
    /// A single page.
    Static {
        /// The media type of the response; HTML by default.
        content_type: Option<String>,
    },
    /// A list of posts that does not determine their URLs.
    Channel(PostList),
}

/// A list of posts that determines their URLs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collection {
    /// The path of the list.
    pub path: String,
    /// The path of a post, such as `/{year}/{slug}/`.
    pub permalink: String,
    /// The templates; the first one that exists in the theme is used.
    pub templates: Vec<String>,
    /// The records that are passed to the template.
    pub data: Vec<RouteData>,
    /// The posts of the collection.
    pub posts: PostList,
}

/// The posts of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostList {
    /// The filter; all posts by default.
    pub filter: Option<String>,
    /// The order.
    pub order: Option<String>,
    /// The maximum number of posts on a page; `None` for the default of the theme.
    pub limit: Option<Limit>,
    /// True if the list has a feed.
    pub rss: bool,
}

/// The maximum number of records of a page or a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// All records.
    All,
    /// At most this many records.
    Number(usize),
}

/// Records that are passed to a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteData {
    /// The name of the records in the template.
    pub name: String,
    /// The kind of records.
    pub resource: RouteResource,
    /// The filter, the order and the limit of the records.
    pub selection: Selection,
    /// The relations to include in the records, separated by commas.
    pub include: Option<String>,
}

/// The kind of records that a route passes to its template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteResource {
    /// Posts.
    Posts,
    /// Pages.
    Pages,
    /// Tags.
    Tags,
    /// Authors.
    Authors,
}

/// The selection of the records that a route passes to its template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// One record.
    Read {
        /// Its slug.
        slug: String,
        /// True if the page of the record redirects to the route.
        redirects: bool,
    },
    /// A list.
    Browse {
        /// The filter.
        filter: Option<String>,
        /// The order.
        order: Option<String>,
        /// The maximum number of records.
        limit: Option<Limit>,
        /// The page, from 1.
        page: usize,
    },
}

impl Default for Routes {
    /// Returns the routes of a site without a routes file: posts and pages at `/{slug}/`.
    fn default() -> Self {
        Self {
            routes: Vec::new(),
            collections: vec![Collection {
                path: "/".to_owned(),
                permalink: "/{slug}/".to_owned(),
                templates: vec!["index".to_owned()],
                data: Vec::new(),
                posts: PostList::default(),
            }],
            tag: Some("/tag/{slug}/".to_owned()),
            author: Some("/author/{slug}/".to_owned()),
        }
    }
}

impl Routes {
    /// Returns whether the paths of all posts, tags and authors are the defaults.
    pub fn has_default_paths(&self) -> bool {
        let default = Self::default();
        let is_default = |collection: &Collection| {
            collection.posts.filter.is_none()
                && collection.permalink == default.collections[0].permalink
        };
        // Without a filter, the first collection has all posts, and later ones are empty.
        self.collections.first().is_some_and(is_default)
            && self.tag == default.tag
            && self.author == default.author
    }
}

impl Default for PostList {
    /// Returns all posts, with a feed.
    fn default() -> Self {
        Self {
            filter: None,
            order: None,
            limit: None,
            rss: true,
        }
    }
}

impl RouteResource {
    const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Posts, "post", "posts"),
        (Self::Pages, "page", "pages"),
        (Self::Tags, "tag", "tags"),
        (Self::Authors, "author", "authors"),
    ];

    /// Returns the resource of a short form such as `tag.recipes`.
    pub fn from_singular(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|(_, singular, _)| *singular == name)
            .map(|(resource, ..)| resource)
    }

    /// Returns the resource with this name in the API.
    pub fn from_plural(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|(.., plural)| *plural == name)
            .map(|(resource, ..)| resource)
    }
}

impl StaticRoute {
    /// Returns the list of a channel.
    pub fn channel(&self) -> Option<&PostList> {
        match &self.controller {
            Controller::Static { .. } => None,
            Controller::Channel(posts) => Some(posts),
        }
    }
}
