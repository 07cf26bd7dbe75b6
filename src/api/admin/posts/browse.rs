//! Lists of posts and of pages, whatever their state. Reading is not narrowed: every role sees the drafts of all.

use http::StatusCode;

use super::Resource;
use crate::{
    api::{
        admin::{Reply, Request, long_reply::LongReply, view::View},
        json::Object,
        listing::{self, FilterRules, pagination},
        params::{Paging, Selection},
    },
    catalog::{browse::staff, relation::Relations},
    domain::post::{Post, PostKind},
    error::Result,
};

/// `GET admin/posts/`
pub fn browse_posts(request: &Request) -> Result<Reply> {
    browse(request, Resource::of(PostKind::Post))
}

/// `GET admin/pages/`
pub fn browse_pages(request: &Request) -> Result<Reply> {
    browse(request, Resource::of(PostKind::Page))
}

fn browse(request: &Request, resource: &Resource) -> Result<Reply> {
    let selection = Selection::for_staff(request.parameters, &resource.defaults);
    let paging = Paging::parse(request.parameters)?;
    let catalog = &request.edition.catalog;
    let rules = resource.filter_rules();
    let query = listing::query(catalog, request.now, &paging, &rules)?;
    let page = staff::posts(catalog, resource.kind, &query);
    let posts: Vec<&Post> = page.records.iter().map(AsRef::as_ref).collect();
    let view = View {
        edition: request.edition,
        addresses: request.addresses,
        selection: &selection,
    };
    let mut reply = LongReply::to(request);
    let mut bytes = Vec::new();
    let mut envelope = Object::begin(&mut bytes);
    let list = envelope.name(resource.schema.name);
    resource.write(&view, &posts, &[], list, &mut reply)?;
    envelope.field("meta", pagination(&page, &paging));
    envelope.end();
    Ok(Reply::new(StatusCode::OK, reply.finish(bytes)?))
}

impl Resource {
    /// How filters of posts or pages are read.
    pub fn filter_rules(&self) -> FilterRules<Post> {
        FilterRules {
            relations: Relations::OfPosts,
            ..FilterRules::of_fields(self.schema)
        }
    }
}
