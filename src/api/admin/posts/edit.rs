//! Editing posts and pages.

use http::StatusCode;

use super::{input, invalidation, post_response};
use crate::{
    admin::posts::{self, Writer},
    api::{
        admin::{Reply, Request},
        listing::not_found,
    },
    domain::post::PostKind,
    error::Result,
};

/// `PUT admin/posts/{id}/`
pub fn post(request: &Request) -> Result<Reply> {
    edit(request, PostKind::Post)
}

/// `PUT admin/pages/{id}/`
pub fn page(request: &Request) -> Result<Reply> {
    edit(request, PostKind::Page)
}

fn edit(request: &Request, kind: PostKind) -> Result<Reply> {
    let id = request.id(0)?;
    let input = input::changed_record(request, kind, id)?;
    let change = input::change(request, &input)?;
    let id = id.ok_or_else(|| not_found(kind.name()))?;
    let writer = Writer {
        actor: request.actor()?,
        site: request.site_urls.url(),
    };
    let raw = request
        .site()
        .write(|transaction| posts::edit(transaction, &writer, kind, id, change))?;
    let snapshot = request.site().current();
    let body = post_response(request, &snapshot, kind, &raw.after)?;
    let reply = Reply::new(StatusCode::OK, body);
    Ok(invalidation::with_invalidation(reply, &raw, writer.site))
}
