//! Counts of the content that readers get.

use std::fmt;

use crate::{
    cli::quantities::numbered, domain::post::PostKind, error::Error,
    render::body_counts::BodyCounts, site::SiteSnapshot,
};

/// Counts of the content that readers get.
pub(super) struct ServedCounts {
    posts: usize,
    pages: usize,
    bodies: BodyCounts,
}

impl ServedCounts {
    pub fn of(snapshot: &SiteSnapshot) -> Result<Self, Error> {
        let posts_of_kind = |kind| {
            snapshot
                .catalog
                .posts
                .iter()
                .filter(move |post| post.kind == kind)
        };
        let mut served = Self {
            posts: posts_of_kind(PostKind::Post).count(),
            pages: posts_of_kind(PostKind::Page).count(),
            bodies: BodyCounts::default(),
        };
        let ids = snapshot.catalog.posts.iter().map(|post| post.id);
        snapshot.visit_bodies(ids, |_, html| served.bodies += BodyCounts::of_html(html))?;
        Ok(served)
    }
}

impl fmt::Display for ServedCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BodyCounts {
            images,
            links,
            code_blocks,
            footnotes,
        } = self.bodies;
        write!(
            f,
            "{}, {} with {}, {}, {}, {}",
            numbered(self.posts, "post"),
            numbered(self.pages, "page"),
            numbered(images, "image"),
            numbered(links, "link"),
            numbered(code_blocks, "code block"),
            numbered(footnotes, "footnote")
        )
    }
}
