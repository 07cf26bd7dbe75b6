//! The paths of all pages of a site.

use std::collections::BTreeMap;

use super::{
    bound_routes::BoundRoutes,
    lists::RoutedList,
    pattern::{Pattern, encoded},
};
use crate::{
    catalog::Catalog,
    domain::{post::PostKind, routes::Controller},
};

/// The path of a page, percent-encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagePath {
    /// The path on the site.
    pub path: String,
    /// Whether the page is the first page of a list, which may have further pages below it.
    pub is_list: bool,
}

impl PagePath {
    /// Returns the path of a further page of the list, by its number from 2.
    pub fn of_page(&self, number: usize) -> String {
        format!("{}page/{number}/", self.path)
    }
}

impl BoundRoutes {
    /// Returns the paths at which a site may have pages, sorted: those of routes and collections without variables, and those of
    /// posts, pages, tags and authors. [`resolve`](Self::resolve) returns the page at a path, which may be a redirect to a route.
    pub fn page_paths(&self, catalog: &Catalog) -> Vec<PagePath> {
        // Later entries replace earlier ones with the same path: a route is a list or not
        // regardless of the record whose path it has.
        let mut paths = BTreeMap::new();
        for kind in [PostKind::Post, PostKind::Page] {
            let posts = catalog.posts.listed(kind).iter();
            let of_posts = posts.filter_map(|post| self.post_path(post));
            paths.extend(of_posts.map(|path| (encoded(&path), false)));
        }
        let tags = catalog.tags.iter();
        let tags = tags.filter(|tag| catalog.tag_post_count(tag.id) > 0);
        let of_tags = tags.filter_map(|tag| self.tag_path(tag));
        let authors = catalog.users.iter();
        let authors = authors.filter(|author| catalog.author_post_count(author.id) > 0);
        let of_authors = authors.filter_map(|author| self.author_path(author));
        let of_taxonomies = of_tags.chain(of_authors);
        paths.extend(of_taxonomies.map(|path| (encoded(&path), true)));
        paths.extend(self.paths_of_routes());
        let paths = paths.into_iter();
        paths
            .map(|(path, is_list)| PagePath { path, is_list })
            .collect()
    }

    /// Returns the paths of routes and collections with variables, as written in the routes file.
    pub fn paths_with_variables(&self) -> Vec<String> {
        let lists = self
            .lists()
            .filter(|list| self.pattern_of(*list).has_variables());
        lists
            .filter_map(|list| self.path_of_list(list).map(str::to_owned))
            .collect()
    }

    /// Returns the maximum number of segments in the path of a post, page, tag or author.
    pub fn record_segments_max(&self) -> usize {
        let permalinks = self.collections.iter().map(|bound| &bound.permalink);
        let patterns = permalinks.chain(&self.tag).chain(&self.author);
        // Pages have one segment, even if no permalink has any.
        patterns.map(Pattern::len).max().unwrap_or(1).max(1)
    }

    /// Returns the paths without variables of lists of posts, which are collections and channels.
    pub fn list_paths(&self) -> Vec<String> {
        let lists = self.paths_of_routes().filter(|(_, is_list)| *is_list);
        lists.map(|(path, _)| path).collect()
    }

    /// Returns the paths of routes and collections without variables, and whether they are lists.
    fn paths_of_routes(&self) -> impl Iterator<Item = (String, bool)> {
        let lists = self
            .lists()
            .filter(|list| !self.pattern_of(*list).has_variables());
        lists.filter_map(|list| {
            let is_list = match list {
                RoutedList::Collection(_) => true,
                RoutedList::Channel(index) => {
                    let route = self.routes().routes.get(index)?;
                    matches!(route.controller, Controller::Channel(_))
                }
            };
            Some((encoded(self.path_of_list(list)?), is_list))
        })
    }
}
