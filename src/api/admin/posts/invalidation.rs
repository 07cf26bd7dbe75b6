//! What caches in front of the site are told to forget after a change (Ghost 6.65, recorded).

use crate::{
    admin::posts::Written,
    api::admin::Reply,
    domain::post::{Post, Status},
};

/// Caches are to forget everything.
pub const EVERYTHING: &str = "/*";

/// The same reply with what caches are to forget after this change: everything, when what the public sees changed; the
/// previews of what is not public yet.
pub fn with_invalidation(reply: Reply, written: &Written) -> Reply {
    let after = &written.after;
    let was = written.before.as_ref().map(|before| before.status);
    let is_changed = written.is_changed();
    match (was, after.status) {
        (_, Status::Published) if is_changed => reply.invalidating(EVERYTHING),
        (Some(Status::Published), Status::Draft) => reply.invalidating(EVERYTHING),
        (Some(_), Status::Draft) => reply.invalidating(&previews(after)),
        (Some(_), Status::Scheduled) if is_changed => reply.invalidating(&previews(after)),
        _ => reply,
    }
}

/// The addresses at which a post can be looked at before it is public.
fn previews(post: &Post) -> String {
    let address = format!("/p/{}/", post.uuid);
    format!(
        "{address}, {address}?member_status=anonymous, {address}?member_status=free, \
         {address}?member_status=paid"
    )
}
