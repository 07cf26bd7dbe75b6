//! Posts and pages: lists and reads.

use std::sync::Arc;

use super::{
    EndpointBody, EndpointError, Request,
    bodies::RenderedFormat,
    served_body::{self, ServedBody},
    view::{PostBody, View},
};
use crate::{
    api::{
        json::{self, Object},
        listing::{FilterRules, LookupKey, lookup_by_id, lookup_by_slug, pagination},
        params::{Rows, Selection},
    },
    catalog::{
        browse::{PostSearch, found_posts},
        fields::{self, FieldSource, Schema, ViewField},
        relation::Relations,
    },
    domain::post::{Post, PostKind},
    error::{Error, Kind},
};

/// The approximate size of a post in a response besides its body, in bytes.
const RECORD_BYTES: usize = 4 * 1024;

/// The endpoints of posts or of pages: their kind and schema.
pub struct PostResource {
    kind: PostKind,
    schema: &'static Schema<Post>,
}

/// Posts.
pub const POSTS: PostResource = PostResource {
    kind: PostKind::Post,
    schema: &fields::POSTS,
};

/// Pages.
pub const PAGES: PostResource = PostResource {
    kind: PostKind::Page,
    schema: &fields::PAGES,
};

impl PostResource {
    /// Returns a page of the records.
    pub fn browse(&self, request: &Request) -> EndpointBody {
        let selection = Selection::with_formats(request.parameters)?;
        let paging = request.paging()?;
        let rules = FilterRules {
            schema: self.schema,
            relations: Relations::OfPosts,
            with_post_count: false,
        };
        let query = request.query(&paging, &rules)?;
        let page = match request.parameters.single("search", Kind::BadRequest)? {
            Some(text) if !text.is_empty() => {
                let found = request.search(text, Some(self.kind))?;
                found_posts(&found.posts, &query)
            }
            _ => {
                // Charged before the records are examined.
                let search = PostSearch::new(request.catalog, self.kind, &query);
                request.charge(search.examined())?;
                search.page()
            }
        };
        let posts: Vec<&Arc<Post>> = page.records.iter().collect();

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

    /// Returns the record with the identifier in the path.
    pub fn read_by_id(&self, request: &Request) -> EndpointBody {
        self.read(request, lookup_by_id(request.variable)?)
    }

    /// Returns the record with the slug in the path.
    pub fn read_by_slug(&self, request: &Request) -> EndpointBody {
        self.read(request, lookup_by_slug(request.variable)?)
    }

    fn read(&self, request: &Request, lookup: LookupKey) -> EndpointBody {
        let selection = Selection::with_formats(request.parameters)?;
        let (key, found) = match lookup {
            LookupKey::Id(id) => ("id", id.and_then(|id| request.catalog.posts.get(id))),
            LookupKey::Slug(slug) => ("slug", request.catalog.posts.by_slug(slug)),
        };
        // Drafts must not be found, not even by their identifier
        // (`drafts_do_not_leak_through_other_urls`).
        let post = found
            .filter(|post| post.kind == self.kind && post.is_listed())
            .ok_or_else(|| Error::not_found(self.kind.name()))?;

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
        posts: &[&Arc<Post>],
        key: Option<&str>,
        bytes: &mut Vec<u8>,
    ) -> Result<(), EndpointError> {
        let view = View::new(request, selection);
        let rows = view.rows(self.schema, key.as_slice());
        let bodies = |field, form| {
            if has_field(&rows, field) {
                request.bodies(posts, form).map(Some)
            } else {
                Ok(None)
            }
        };
        let html = bodies(ViewField::Html, RenderedFormat::Html)?;
        let plaintext = bodies(ViewField::Plaintext, RenderedFormat::Plaintext)?;
        let excerpts = match request.reader {
            // Anonymous readers get the stored public excerpt, without reading bodies.
            Some(_) => bodies(ViewField::Excerpt, RenderedFormat::Excerpt)?,
            None => None,
        };
        let body = |bodies: &Option<Vec<Arc<ServedBody>>>, index: usize| {
            bodies.as_ref().map(|bodies| Arc::clone(&bodies[index]))
        };

        let texts = [&html, &plaintext, &excerpts].into_iter().flatten();
        let text_bytes: usize = texts.map(|bodies| served_body::bytes(bodies)).sum();
        // Reserved at once, because each growth of the buffer would copy the bodies written so far.
        bytes.reserve(text_bytes + posts.len() * RECORD_BYTES);
        let mut related = view.related();
        json::list(bytes, posts.iter().enumerate(), |bytes, (index, post)| {
            let body = PostBody {
                html: body(&html, index),
                plaintext: body(&plaintext, index),
                excerpt: body(&excerpts, index),
            };
            view.post(bytes, post, &rows, &body, &mut related);
        });
        Ok(())
    }
}

fn has_field(rows: &Rows<Post>, view_field: ViewField) -> bool {
    rows.iter()
        .any(|field| matches!(field.source, FieldSource::View(view) if view == view_field))
}
