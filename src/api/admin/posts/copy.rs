//! Copies of posts and pages.

use super::post_response;
use crate::{
    admin::posts::{self, Writer},
    api::{
        admin::{Reply, Request},
        listing::not_found,
    },
    domain::post::PostKind,
    error::Result,
    id::Id,
};

/// `POST admin/posts/{id}/copy/`
pub fn post(request: &Request) -> Result<Reply> {
    copy(request, PostKind::Post)
}

/// `POST admin/pages/{id}/copy/`
pub fn page(request: &Request) -> Result<Reply> {
    copy(request, PostKind::Page)
}

fn copy(request: &Request, kind: PostKind) -> Result<Reply> {
    let id = request.id(0)?.ok_or_else(|| not_found(kind.name()))?;
    let writer = Writer {
        actor: request.actor()?,
        site: request.site_urls.url(),
    };
    let raw = request
        .site()
        .write(|transaction| posts::copy(transaction, &writer, kind, id))?;
    let body = post_response(request, &request.site().current(), kind, &raw.after)?;
    Ok(Reply::created(body, &location(request, raw.after.id)))
}

/// Returns the URL of the copy, which is beside the original; the requested path is the original's
/// with `copy` appended.
fn location(request: &Request, id: Id) -> String {
    let path = request.head.target.path().trim_end_matches('/');
    let list = path.rsplitn(3, '/').nth(2).unwrap_or_default();
    format!("{}{list}/{id}/", request.site_urls.origin())
}
