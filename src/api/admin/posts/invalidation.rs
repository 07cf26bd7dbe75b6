//! The `x-cache-invalidate` of a change (Ghost 6.65, recorded).

use url::Url;
use uuid::Uuid;

use crate::{admin::posts::SavedPost, api::admin::Reply, domain::post::Status};

/// The value that invalidates all URLs of the site.
pub const EVERYTHING: &str = "/*";

/// Adds the invalidation for a change to the reply: everything if public content changed, and the
/// previews of a draft or scheduled post.
pub fn with_invalidation(reply: Reply, raw: &SavedPost, site: &Url) -> Reply {
    let after = &raw.after;
    let was = raw.before.as_ref().map(|before| before.status);
    let is_changed = raw.is_changed();
    match (was, after.status) {
        (_, Status::Published) if is_changed => reply.invalidating(EVERYTHING),
        (Some(Status::Published), Status::Draft) => reply.invalidating(EVERYTHING),
        (Some(_), Status::Draft) => reply.invalidating(&previews(after.uuid, site)),
        (Some(_), Status::Scheduled) if is_changed => {
            reply.invalidating(&previews(after.uuid, site))
        }
        _ => reply,
    }
}

/// Returns the preview URLs of a post, on the host of `site`.
fn previews(uuid: Uuid, site: &Url) -> String {
    let subdirectory = site.path().trim_end_matches('/');
    let address = format!("{subdirectory}/p/{uuid}/");
    format!(
        "{address}, {address}?member_status=anonymous, {address}?member_status=free, \
         {address}?member_status=paid"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn previews_are_below_the_sites_path() {
        let uuid = Uuid::nil();
        for (site, subdirectory) in [
            ("https://example.com/", ""),
            ("https://example.com/blog/", "/blog"),
        ] {
            let previews = previews(uuid, &site.parse().unwrap());
            let begin = format!("{subdirectory}/p/{uuid}/");
            let urls: Vec<&str> = previews.split(", ").collect();
            assert_eq!(urls.len(), 4, "{site}");
            assert!(urls.iter().all(|one| one.starts_with(&begin)), "{previews}");
        }
    }
}
