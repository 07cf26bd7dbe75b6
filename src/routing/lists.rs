//! The lists of posts in routes: collections and channels.

use super::{
    bound_routes::BoundRoutes,
    pattern::{Pattern, RequestedPath},
};
use crate::domain::routes::{PostList, RouteData};

/// A list of posts in the routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoutedList {
    /// A collection, by its index.
    Collection(usize),
    /// A channel, by its index among the routes.
    Channel(usize),
}

impl BoundRoutes {
    /// Returns the posts of a list, and the data for its template.
    pub fn list(&self, list: RoutedList) -> Option<(&PostList, &[RouteData])> {
        match list {
            RoutedList::Collection(index) => {
                let collection = self.routes().collections.get(index)?;
                Some((&collection.posts, &collection.data))
            }
            RoutedList::Channel(index) => {
                let route = self.routes().routes.get(index)?;
                Some((route.channel()?, &route.data))
            }
        }
    }

    /// Returns the path of a list.
    pub fn path_of_list(&self, list: RoutedList) -> Option<&str> {
        match list {
            RoutedList::Collection(index) => {
                let collection = self.routes().collections.get(index);
                collection.map(|collection| &*collection.path)
            }
            RoutedList::Channel(index) => self.routes().routes.get(index).map(|route| &*route.path),
        }
    }

    /// Returns the lists with a separate feed, in Ghost's order: those at a path without variables whose feed is not that of the
    /// site.
    pub fn lists_with_feeds(&self) -> impl Iterator<Item = RoutedList> {
        self.lists().filter(|list| {
            let is_home = self.path_of_list(*list) == Some("/");
            let has_rss = self.list(*list).is_some_and(|(posts, _)| posts.rss);
            has_rss
                // The feed of the site already contains the posts of such a home page.
                && !(is_home && self.has_feed_of_site())
                && !self.pattern_of(*list).has_variables()
        })
    }

    /// Returns whether the feed of the home page contains all posts: the home page is a list of all posts and has a feed.
    pub fn has_feed_of_site(&self) -> bool {
        let mut lists = self.lists();
        let at_home = lists.find(|list| self.path_of_list(*list) == Some("/"));
        let posts = at_home.and_then(|list| self.list(list));
        posts.is_some_and(|(posts, _)| posts.rss && posts.filter.is_none() && posts.order.is_none())
    }

    /// Returns the list with a separate feed whose first page is at a path.
    pub fn list_with_feed_at(&self, path: &str) -> Option<RoutedList> {
        let path = RequestedPath::of(path)?;
        let mut lists = self.lists_with_feeds();
        lists.find(|list| self.pattern_of(*list).is_at(&path))
    }

    /// Returns all routes, some of which are channels, and all collections, in Ghost's order.
    pub(super) fn lists(&self) -> impl Iterator<Item = RoutedList> {
        // Routes come before collections: at the same path, a route takes precedence.
        let channels = (0..self.static_paths.len()).map(RoutedList::Channel);
        channels.chain((0..self.collections.len()).map(RoutedList::Collection))
    }

    pub(super) fn pattern_of(&self, list: RoutedList) -> &Pattern {
        match list {
            RoutedList::Collection(index) => &self.collections[index].path,
            RoutedList::Channel(index) => &self.static_paths[index],
        }
    }
}
