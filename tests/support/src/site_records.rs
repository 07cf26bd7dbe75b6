//! Records of sites, and their fields in responses, for tests.

use galley::{
    domain::{post::Post, tag::Tag},
    id::Id,
    site::SiteSnapshot,
};
use serde_json::json;

/// Returns a published post that was last changed at `updated_at`, in milliseconds.
pub fn post(slug: &str, updated_at: i64) -> Post {
    let at = |milliseconds| jiff::Timestamp::from_millisecond(milliseconds).unwrap();
    serde_json::from_value(json!({
        "id": Id::derive("post", slug), "uuid": "6a9b0b1c-1b0f-4d43-8a7e-2a6d2d5c6f10", "kind": "post",
        "slug": slug, "title": slug, "status": "published", "visibility": "public", "created_at": at(0),
        "updated_at": at(updated_at), "published_at": at(0), "comment_id": slug, "authors": [Id::derive("user", "ada")],
    }))
    .unwrap()
}

/// Returns a tag with this name, which is also its slug.
pub fn tag(name: &str) -> Tag {
    let id = Id::derive("tag", name);
    Tag::new(id, name, name, jiff::Timestamp::UNIX_EPOCH)
}

/// Returns the names of all visible tags, sorted.
pub fn tags(snapshot: &SiteSnapshot) -> Vec<String> {
    let tags = snapshot.catalog.tags.iter();
    let mut names: Vec<_> = tags.map(|tag| tag.name.to_string()).collect();
    names.sort();
    names
}
