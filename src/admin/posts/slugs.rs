//! The slug of a post: made from the requested one or from the title, and unique among posts and
//! pages.

use url::Url;

use crate::{
    catalog::Catalog,
    domain::post::Post,
    render::slug::{self, Kind},
};

/// Returns the slug of `post` for `text`: a number is added if another post has it.
pub(super) fn unique(catalog: &Catalog, post: &Post, text: &str, site: &Url) -> Box<str> {
    let preferred = slug::from_text(Kind::Post, text, site.path());
    let is_free = |slug: &String| {
        catalog
            .posts
            .by_slug(slug)
            .is_none_or(|holder| holder.id == post.id)
    };
    slug::candidates(preferred)
        .find(is_free)
        .expect("invariant: there are more numbers than posts")
        .into()
}
