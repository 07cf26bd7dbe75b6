//! Links between records of the site, which are stored with default paths such as `/SLUG/`.

use std::borrow::Cow;

use super::{bound_routes::BoundRoutes, pattern::RequestedPath};
use crate::{domain::post::PostKind, render::urls::PLACEHOLDER};

impl BoundRoutes {
    /// Returns a stored text in which links to posts, tags and authors have their current paths, in stored form.
    pub fn current_links<'t>(&self, stored: &'t str) -> Cow<'t, str> {
        // Most sites have default paths, and most texts no links of the site: they are not copied.
        if !self.moves_records() || !stored.contains(PLACEHOLDER) {
            return Cow::Borrowed(stored);
        }
        let (mut text, mut copied) = (String::new(), 0);
        for (start, placeholder) in stored.match_indices(PLACEHOLDER) {
            let path = path_at(&stored[start + placeholder.len()..]);
            if let Some(current) = self.moved_path(path) {
                text.push_str(&stored[copied..start + placeholder.len()]);
                text.push_str(&current);
                copied = start + placeholder.len() + path.len();
            }
        }
        if copied == 0 {
            return Cow::Borrowed(stored);
        }
        text.push_str(&stored[copied..]);
        Cow::Owned(text)
    }

    /// Returns the current path of the record with this default path, if the two differ.
    fn moved_path(&self, path: &str) -> Option<String> {
        let records = self.moved_records()?;
        // Only links in the exact default form are rewritten. Longer paths, such as those of feeds,
        // stay.
        let inner = path.strip_prefix('/')?.strip_suffix('/')?;
        let current = match inner.split_once('/') {
            None => {
                let post = records.posts.by_slug(inner)?;
                // Pages are always at `/SLUG/`, whatever the routes are.
                let is_public = post.is_listed() && post.kind == PostKind::Post;
                self.post_path(post).filter(|_| is_public)
            }
            Some(("tag", slug)) => self.tag_path(records.tags.by_slug(slug)?),
            Some(("author", slug)) => self.author_path(records.users.by_slug(slug)?),
            Some(_) => None,
        }?;
        let requested = RequestedPath::of(path)?;
        let mut collections = self.collections.iter();
        let is_route = self.is_of_a_route(path)
            || collections.any(|collection| collection.path.is_at(&requested));
        // A link to a route or list that happens to have the default path of a record means the
        // route.
        (current != path && !is_route).then_some(current)
    }
}

/// Returns the path at the start of a text.
fn path_at(text: &str) -> &str {
    let is_of_path = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'~' | b'%')
    };
    let end = text.bytes().position(|byte| !is_of_path(byte));
    &text[..end.unwrap_or(text.len())]
}
