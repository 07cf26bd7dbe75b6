//! Deleting posts and pages.

use super::invalidation;
use crate::{
    admin::posts::{self, Writer},
    api::{
        admin::{Reply, Request},
        listing::not_found,
    },
    domain::post::{PostKind, Status},
    error::Result,
};

/// `DELETE admin/posts/{id}/`
pub fn post(request: &Request) -> Result<Reply> {
    delete(request, PostKind::Post)
}

/// `DELETE admin/pages/{id}/`
pub fn page(request: &Request) -> Result<Reply> {
    delete(request, PostKind::Page)
}

fn delete(request: &Request, kind: PostKind) -> Result<Reply> {
    let id = request.id(0)?.ok_or_else(|| not_found(kind.name()))?;
    let writer = Writer {
        actor: request.actor()?,
        site: request.site_urls.url(),
    };
    let deleted = request
        .site()
        .write(|transaction| posts::delete(transaction, &writer, kind, id))?;
    // Deleting a draft invalidates nothing, with an empty header field (Ghost 6.65, recorded; of
    // scheduled and mailed posts, observed).
    Ok(Reply::no_content().invalidating(match deleted.status {
        Status::Published | Status::Scheduled | Status::Sent => invalidation::EVERYTHING,
        Status::Draft => "",
    }))
}
