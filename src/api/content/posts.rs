//! Posts and pages, listed and single.

use super::{Request, view::View};
use crate::{
    api::{
        json::{self, Object},
        listing::{FilterRules, Lookup, lookup_by_id, lookup_by_slug, not_found, pagination},
        params::{Paging, Rows, Selection},
    },
    catalog::{
        browse,
        fields::{PAGES, POSTS, Schema, Source, ViewField},
        relation::Relations,
    },
    domain::post::{Post, PostKind},
    error::Result,
};

/// What a list or a read of one kind goes by.
struct Resource {
    kind: PostKind,
    schema: &'static Schema<Post>,
}

const POST: Resource = Resource {
    kind: PostKind::Post,
    schema: &POSTS,
};

const PAGE: Resource = Resource {
    kind: PostKind::Page,
    schema: &PAGES,
};

/// `GET posts/`
pub fn browse_posts(request: &Request) -> Result<Vec<u8>> {
    POST.browse(request)
}

/// `GET posts/{id}/`
pub fn read_post_by_id(request: &Request) -> Result<Vec<u8>> {
    POST.read(request, lookup_by_id(request.variable)?)
}

/// `GET posts/slug/{slug}/`
pub fn read_post_by_slug(request: &Request) -> Result<Vec<u8>> {
    POST.read(request, lookup_by_slug(request.variable)?)
}

/// `GET pages/`
pub fn browse_pages(request: &Request) -> Result<Vec<u8>> {
    PAGE.browse(request)
}

/// `GET pages/{id}/`
pub fn read_page_by_id(request: &Request) -> Result<Vec<u8>> {
    PAGE.read(request, lookup_by_id(request.variable)?)
}

/// `GET pages/slug/{slug}/`
pub fn read_page_by_slug(request: &Request) -> Result<Vec<u8>> {
    PAGE.read(request, lookup_by_slug(request.variable)?)
}

impl Resource {
    fn browse(&self, request: &Request) -> Result<Vec<u8>> {
        let selection = Selection::parse(request.parameters)?;
        let paging = Paging::parse(request.parameters)?;
        let rules = FilterRules {
            schema: self.schema,
            relations: Relations::OfPosts,
            with_post_count: false,
        };
        let page = browse::posts(request.catalog, self.kind, &request.query(&paging, &rules)?);
        let posts: Vec<&Post> = page.records.iter().map(AsRef::as_ref).collect();

        let mut bytes = Vec::new();
        let mut object = Object::begin(&mut bytes);
        self.write(
            request,
            &selection,
            &posts,
            None,
            object.name(self.schema.name),
        )?;
        object.field("meta", pagination(&page, &paging));
        object.end();
        Ok(bytes)
    }

    fn read(&self, request: &Request, lookup: Lookup) -> Result<Vec<u8>> {
        let selection = Selection::parse(request.parameters)?;
        let (key, found) = match lookup {
            Lookup::Id(id) => ("id", id.and_then(|id| request.catalog.posts.get(id))),
            Lookup::Slug(slug) => ("slug", request.catalog.posts.by_slug(slug)),
        };
        let post = found
            .filter(|post| post.kind == self.kind && post.is_listed())
            .ok_or_else(|| not_found(self.kind.name()))?;

        let mut bytes = Vec::new();
        let mut object = Object::begin(&mut bytes);
        self.write(
            request,
            &selection,
            &[post],
            Some(key),
            object.name(self.schema.name),
        )?;
        object.end();
        Ok(bytes)
    }

    fn write(
        &self,
        request: &Request,
        selection: &Selection,
        posts: &[&Post],
        key: Option<&str>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let view = View::new(request, selection);
        let rows = view.rows(self.schema, key.as_slice());
        let bodies = match needs_body(&rows) {
            true => request.edition.bodies(posts.iter().map(|post| post.id))?,
            false => vec![None; posts.len()],
        };
        json::list(bytes, posts.iter().zip(&bodies), |bytes, (post, html)| {
            view.post(bytes, post, &rows, html.as_deref());
        });
        Ok(())
    }
}

fn needs_body(rows: &Rows<Post>) -> bool {
    rows.iter().any(|field| {
        matches!(
            field.source,
            Source::View(ViewField::Html | ViewField::Plaintext)
        )
    })
}
