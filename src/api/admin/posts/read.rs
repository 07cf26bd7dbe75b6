//! Reading single posts and pages, by identifier and by slug. Post endpoints do not find pages, and
//! vice versa.

use http::StatusCode;

use super::PostResource;
use crate::{
    api::{
        admin::{Reply, Request, long_reply::LongReply, view::View},
        json::Object,
        listing::{LookupKey, lookup_by_id, lookup_by_slug},
        params::Selection,
    },
    domain::post::PostKind,
    error::{Error, Result},
};

/// Returns the post or page with the identifier in the path.
pub fn read_by_id(request: &Request, kind: PostKind) -> Result<Reply> {
    read(request, kind, lookup_by_id(request.variable())?)
}

/// Returns the post or page with the slug in the path.
pub fn read_by_slug(request: &Request, kind: PostKind) -> Result<Reply> {
    read(request, kind, lookup_by_slug(request.variable())?)
}

fn read(request: &Request, kind: PostKind, lookup: LookupKey) -> Result<Reply> {
    let posts = &request.snapshot.catalog.posts;
    let (key, found) = match lookup {
        LookupKey::Id(id) => ("id", id.and_then(|id| posts.get(id))),
        LookupKey::Slug(slug) => ("slug", posts.by_slug(slug)),
    };
    let post = found
        .filter(|post| post.kind == kind)
        .ok_or_else(|| Error::not_found(kind.name()))?;
    let resource = PostResource::of(kind);
    let selection = Selection::for_staff(request.parameters, &resource.defaults);
    let view = View {
        snapshot: request.snapshot,
        site_urls: request.site_urls,
        selection: &selection,
    };
    let mut reply = LongReply::to(request);
    let mut bytes = Vec::new();
    let mut envelope = Object::begin(&mut bytes);
    let list = envelope.name(resource.schema.name);
    resource.write(&view, &[post], &[key], list, &mut reply)?;
    envelope.end();
    Ok(Reply::new(StatusCode::OK, reply.finish(bytes)?))
}
