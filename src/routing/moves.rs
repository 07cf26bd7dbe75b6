//! The pages whose paths change when the routes change.

use std::fmt;

use super::bound_routes::BoundRoutes;
use crate::{
    catalog::Catalog,
    domain::{
        change::{ChangedRecord, Resource},
        post::PostKind,
    },
    id::Id,
};

/// Maximum number of pages listed as examples.
const EXAMPLES_MAX: usize = 5;

/// The pages whose paths change with the routes. Their former paths are not redirected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MovedPages {
    /// The number of pages.
    pub count: usize,
    /// The first pages: the paths before and after the change; `None` if the record does not have a page.
    pub examples: Vec<(Option<String>, Option<String>)>,
}

impl MovedPages {
    /// Returns the pages of a site that a change of its routes moves.
    pub fn between(before: &BoundRoutes, after: &BoundRoutes, catalog: &Catalog) -> Self {
        let mut moved = Self::default();
        for post in catalog.posts.listed(PostKind::Post).iter() {
            moved.compare(before.post_path(post), after.post_path(post));
        }
        // Only records that readers see have a page, so only those are compared.
        let ids = |resource| {
            catalog
                .all_public(resource, Id::MIN)
                .map(|found| found.subject)
        };
        for ChangedRecord { id, .. } in ids(Resource::Tags) {
            if let Some(tag) = catalog.tags.get(id) {
                moved.compare(before.tag_path(tag), after.tag_path(tag));
            }
        }
        for ChangedRecord { id, .. } in ids(Resource::Authors) {
            if let Some(author) = catalog.users.get(id) {
                moved.compare(before.author_path(author), after.author_path(author));
            }
        }
        moved
    }

    fn compare(&mut self, before: Option<String>, after: Option<String>) {
        if before == after {
            return;
        }
        self.count += 1;
        if self.examples.len() < EXAMPLES_MAX {
            self.examples.push((before, after));
        }
    }
}

impl fmt::Display for MovedPages {
    /// Writes the count and the examples: `2; /a/ -> /b/; /c/ -> none`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.count)?;
        let shown = |path: &Option<String>| path.clone().unwrap_or_else(|| "none".to_owned());
        for (before, after) in &self.examples {
            write!(formatter, "; {} -> {}", shown(before), shown(after))?;
        }
        Ok(())
    }
}
