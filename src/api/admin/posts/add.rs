//! Adding posts and pages.

use super::{input, invalidation, post_response};
use crate::{
    admin::posts::{self, Writer},
    api::admin::{Reply, Request},
    domain::post::PostKind,
    error::Result,
};

/// `POST admin/posts/`
pub fn post(request: &Request) -> Result<Reply> {
    add(request, PostKind::Post)
}

/// `POST admin/pages/`
pub fn page(request: &Request) -> Result<Reply> {
    add(request, PostKind::Page)
}

fn add(request: &Request, kind: PostKind) -> Result<Reply> {
    let input = input::new_record(request, kind)?;
    let change = input::change(request, &input)?;
    let writer = Writer {
        actor: request.actor()?,
        site: request.site_urls.url(),
    };
    let raw = request
        .site()
        .write(|transaction| posts::add(transaction, &writer, kind, change))?;
    let snapshot = request.site().current();
    let body = post_response(request, &snapshot, kind, &raw.after)?;
    let reply = Reply::created(body, &request.location(raw.after.id));
    Ok(invalidation::with_invalidation(reply, &raw, writer.site))
}
