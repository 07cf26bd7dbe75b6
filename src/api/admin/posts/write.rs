//! Adding, editing, copying and deleting posts and pages.

use http::StatusCode;

use super::{input, invalidation, post_response};
use crate::{
    admin::posts::{self, ChangeContext},
    api::admin::{Reply, Request},
    domain::post::{PostKind, Status},
    error::{Error, Result},
    id::Id,
};

/// Adds a post or a page.
pub fn add(request: &Request, kind: PostKind) -> Result<Reply> {
    let change = input::change(request, &input::new_record(request, kind)?)?;
    let context = ChangeContext {
        actor: request.actor()?,
        site: request.site_urls.url(),
    };
    // The change is cloned for each run: the transaction runs again if another process commits
    // first.
    let raw = request
        .site()
        .write(|transaction| posts::add(transaction, &context, kind, change.clone()))?;
    // A body may take much memory, and the response contains it again.
    drop(change);
    let snapshot = request.site().current();
    let body = post_response(request, &snapshot, kind, &raw.after)?;
    let reply = Reply::created(body, &request.location(raw.after.id));
    Ok(invalidation::with_invalidation(reply, &raw, context.site))
}

/// Edits a post or a page.
pub fn edit(request: &Request, kind: PostKind) -> Result<Reply> {
    let id = request.id(0)?;
    let change = input::change(request, &input::changed_record(request, kind, id)?)?;
    let id = id.ok_or_else(|| Error::not_found(kind.name()))?;
    let context = ChangeContext {
        actor: request.actor()?,
        site: request.site_urls.url(),
    };
    // Cloned for each run and dropped before the response, as in `add`.
    let raw = request
        .site()
        .write(|transaction| posts::edit(transaction, &context, kind, id, change.clone()))?;
    drop(change);
    let snapshot = request.site().current();
    let body = post_response(request, &snapshot, kind, &raw.after)?;
    let reply = Reply::new(StatusCode::OK, body);
    Ok(invalidation::with_invalidation(reply, &raw, context.site))
}

/// Copies a post or a page as a draft.
pub fn copy(request: &Request, kind: PostKind) -> Result<Reply> {
    let id = request
        .id(0)?
        .ok_or_else(|| Error::not_found(kind.name()))?;
    let context = ChangeContext {
        actor: request.actor()?,
        site: request.site_urls.url(),
    };
    let raw = request
        .site()
        .write(|transaction| posts::copy(transaction, &context, kind, id))?;
    let body = post_response(request, &request.site().current(), kind, &raw.after)?;
    Ok(Reply::created(body, &location(request, raw.after.id)))
}

/// Returns the URL of the copy, a sibling of the original's. The requested path is that of the original
/// with `copy` appended.
fn location(request: &Request, id: Id) -> String {
    // With the subdirectory, even if a proxy has removed it, so only the origin precedes it below.
    let path = request.site_urls.public_path(request.head.target.path());
    let list = path
        .trim_end_matches('/')
        .rsplitn(3, '/')
        .nth(2)
        .unwrap_or_default();
    format!("{}{list}/{id}/", request.site_urls.origin())
}

/// Deletes a post or a page.
pub fn delete(request: &Request, kind: PostKind) -> Result<Reply> {
    let id = request
        .id(0)?
        .ok_or_else(|| Error::not_found(kind.name()))?;
    let context = ChangeContext {
        actor: request.actor()?,
        site: request.site_urls.url(),
    };
    let deleted = request
        .site()
        .write(|transaction| posts::delete(transaction, &context, kind, id))?;
    // For a deleted draft, the header field is empty: nothing is invalidated (Ghost 6.65, recorded;
    // for scheduled and mailed posts, observed).
    Ok(Reply::no_content().invalidating(match deleted.status {
        Status::Published | Status::Scheduled | Status::Sent => invalidation::EVERYTHING,
        Status::Draft => "",
    }))
}
