//! The slug of a post: made of what was asked for or of the title, and unique among posts and pages.

use url::Url;

use crate::{
    catalog::Catalog,
    domain::post::Post,
    render::slug::{self, Kind},
};

/// The slug that `post` gets when `text` is asked for: a number is added when another one has it.
pub(super) fn unique(catalog: &Catalog, post: &Post, text: &str, site: &Url) -> Box<str> {
    let wanted = slug::from_text(Kind::Post, text, site.path());
    let is_free = |slug: &String| {
        catalog
            .posts
            .by_slug(slug)
            .is_none_or(|holder| holder.id == post.id)
    };
    slug::candidates(wanted)
        .find(is_free)
        .expect("there are more numbers than posts")
        .into()
}
