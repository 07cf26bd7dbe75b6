//! The routes of a site: which page is at which path, and where posts, tags and authors have their pages (`routes.yaml`).

/// The routes of a site, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routes {
    /// Pages at a path of their own.
    pub routes: Vec<StaticRoute>,
    /// Lists of posts, each of which gives its posts their URLs.
    pub collections: Vec<Collection>,
    /// The path of a tag's posts, such as `/tag/{slug}/`; without one, tags have no pages.
    pub tag: Option<String>,
    /// The path of an author's posts; without one, authors have no pages.
    pub author: Option<String>,
}

/// A page at a path of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticRoute {
    /// Its path; a part such as `:slug` matches any text, which replaces `%s` in the data and the filter.
    pub path: String,
    /// The templates; the first that the theme has is used.
    pub templates: Vec<String>,
    /// The records that the template gets.
    pub data: Vec<RouteData>,
    /// Whether it is one page or a list.
    pub controller: Controller,
}

/// Whether a route is one page or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Controller {
    /// One page.
    Static {
        /// The media type of the response; HTML by default.
        content_type: Option<String>,
    },
    /// A list of posts, which have their URLs elsewhere.
    Channel(PostList),
}

/// A list of posts that gives them their URLs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collection {
    /// The path of the list.
    pub path: String,
    /// The path of a post, such as `/{year}/{slug}/`.
    pub permalink: String,
    /// The templates; the first that the theme has is used.
    pub templates: Vec<String>,
    /// The records that the template gets.
    pub data: Vec<RouteData>,
    /// Its posts.
    pub posts: PostList,
}

/// The posts of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostList {
    /// The filter; all posts by default.
    pub filter: Option<String>,
    /// The order.
    pub order: Option<String>,
    /// The maximum number of posts on a page; by default, that of the theme.
    pub limit: Option<Limit>,
    /// Whether it has a feed.
    pub rss: bool,
}

/// The most records of a page or a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// As many as there are.
    All,
    /// This many.
    Number(usize),
}

/// Records that a template gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteData {
    /// The name that the template knows them by.
    pub name: String,
    /// The kind of records.
    pub resource: RouteResource,
    /// The filter, the order and the limit of the records.
    pub selection: Selection,
    /// The relations in the records, parted by commas.
    pub include: Option<String>,
}

/// The kind of records that a route gives to its template.
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

/// The filter, the order and the limit of the records that a route gives to its template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// One record.
    Read {
        /// Its slug.
        slug: String,
        /// Whether the page of the record redirects to the route.
        redirects: bool,
    },
    /// A list.
    Browse {
        /// The filter.
        filter: Option<String>,
        /// The order.
        order: Option<String>,
        /// The most records.
        limit: Option<Limit>,
        /// The page, from 1.
        page: usize,
    },
}

impl Default for Routes {
    /// Returns the routes of a site without a file: posts and pages at `/{slug}/`.
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
    /// Returns whether all posts, tags and authors are at the same paths as by default.
    pub fn has_default_paths(&self) -> bool {
        let default = Self::default();
        let is_default = |collection: &Collection| {
            collection.posts.filter.is_none()
                && collection.permalink == default.collections[0].permalink
        };
        // Later collections have no posts.
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
