//! The search index for editors: a few fields of all records, on one page, the latest change first
//! (Ghost 6.65, recorded).

use std::cmp::Reverse;

use serde_json::json;

use super::{Reply, Request};
use crate::{
    api::{
        json::{self, Object},
        listing::written_time,
    },
    domain::post::PostKind,
    error::Result,
};

/// `GET admin/search-index/posts/`
pub fn posts(request: &Request) -> Result<Reply> {
    Ok(index_of(request, "posts", PostKind::Post))
}

/// `GET admin/search-index/pages/`
pub fn pages(request: &Request) -> Result<Reply> {
    Ok(index_of(request, "pages", PostKind::Page))
}

fn index_of(request: &Request, name: &str, kind: PostKind) -> Reply {
    let mut posts: Vec<_> = request
        .snapshot
        .catalog
        .posts
        .staff_listing(kind)
        .iter()
        .collect();
    posts.sort_by_key(|post| Reverse(post.updated_at));
    index(name, posts.into_iter(), |bytes, post| {
        json::value(
            bytes,
            json!({
                "id": post.id,
                "uuid": post.uuid,
                "url": request.site_urls.post_or_preview_url(post),
                "title": post.title,
                "slug": post.slug,
                "status": post.status.name(),
                "published_at": post.published_at.map(written_time),
                "visibility": post.visibility.name(),
            }),
        );
    })
}

/// `GET admin/search-index/tags/`: public tags, used or not.
pub fn tags(request: &Request) -> Result<Reply> {
    let tags = request.snapshot.catalog.tags.iter();
    let mut tags: Vec<_> = tags.filter(|tag| !tag.internal).collect();
    tags.sort_by_key(|tag| Reverse(tag.updated_at));
    Ok(index("tags", tags.into_iter(), |bytes, tag| {
        let url = request.site_urls.tag(tag);
        json::value(
            bytes,
            json!({"id": tag.id, "slug": tag.slug, "name": tag.name, "url": url}),
        );
    }))
}

/// `GET admin/search-index/users/`
pub fn users(request: &Request) -> Result<Reply> {
    let mut users: Vec<_> = request.snapshot.catalog.users.iter().collect();
    users.sort_by_key(|user| Reverse(user.updated_at));
    Ok(index("users", users.into_iter(), |bytes, user| {
        let image = user
            .profile_image
            .as_deref()
            .map(|image| request.site_urls.absolute(image));
        json::value(
            bytes,
            json!({
                "id": user.id,
                "slug": user.slug,
                "url": request.site_urls.author(user),
                "name": user.name,
                "profile_image": image,
            }),
        );
    }))
}

fn index<T>(
    name: &str,
    records: impl Iterator<Item = T>,
    write: impl FnMut(&mut Vec<u8>, T),
) -> Reply {
    let mut bytes = Vec::new();
    let mut object = Object::begin(&mut bytes);
    json::list(object.name(name), records, write);
    object.end();
    Reply::json(bytes)
}
