//! Routes that are bound to one catalog.

use std::sync::Arc;

use crate::{
    catalog::Catalog,
    domain::{post::Post, routes::Routes, tag::Tag, user::User},
};

/// The routes of a site, bound to one catalog.
pub struct BoundRoutes {
    routes: Arc<Routes>,
}

impl BoundRoutes {
    /// Binds the routes of a site to its catalog.
    pub fn of(catalog: &Catalog) -> Self {
        let _ = catalog;
        todo!()
    }

    /// Returns the routes.
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// Returns the position of the collection that a post is in; `None` for a post in none, and for pages.
    pub fn collection_of(&self, post: &Post) -> Option<usize> {
        let _ = post;
        todo!()
    }

    /// Returns the path of a published post or page; `None` for a post in no collection.
    pub fn post_path(&self, post: &Post) -> Option<String> {
        let _ = post;
        todo!()
    }

    /// Returns the path of a tag's posts; `None` for an internal tag, and if tags have no pages.
    pub fn tag_path(&self, tag: &Tag) -> Option<String> {
        let _ = tag;
        todo!()
    }

    /// Returns the path of an author's posts; `None` if authors have no pages.
    pub fn author_path(&self, author: &User) -> Option<String> {
        let _ = author;
        todo!()
    }
}
