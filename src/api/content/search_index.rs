//! The search index for clients: a few fields of all public records, on one page (Ghost 6.65,
//! recorded).

use serde_json::json;

use super::{EndpointBody, Request};
use crate::{
    api::json::{self, Object},
    clock::local_time,
    collation,
    domain::post::{PostKind, Visibility},
};

/// `GET search-index/posts/`: newest change first.
pub fn posts(request: &Request) -> EndpointBody {
    let time_zone = request.catalog.settings.time_zone();
    let listed = request.catalog.posts.listed(PostKind::Post);
    request.charge(listed.len())?;
    let mut posts: Vec<_> = listed.iter().collect();
    posts.sort_by_key(|post| std::cmp::Reverse(post.updated_at));
    Ok(index("posts", posts.into_iter(), |bytes, post| {
        let mut object = Object::begin(bytes);
        object.field("id", post.id);
        object.field("slug", &post.slug);
        object.field("title", &post.title);
        // Unlike in other responses, Ghost returns an empty excerpt for a gated post (6.65, observed).
        match post.visibility {
            Visibility::Public => object.field(
                "excerpt",
                post.shown_excerpt()
                    .map(|text| request.site_urls.absolute(text)),
            ),
            _ => object.field("excerpt", ""),
        }
        object.field("url", request.site_urls.post(post));
        object.field("updated_at", local_time(post.updated_at, &time_zone));
        object.field("visibility", post.visibility.name());
        object.end();
    }))
}

/// `GET search-index/tags/`: public tags with posts that readers see (specification 4.1), by name.
/// They have no `updated_at`, because the time of a tag's last change is private.
pub fn tags(request: &Request) -> EndpointBody {
    let catalog = request.catalog;
    request.charge(catalog.tags.len())?;
    let mut tags: Vec<_> = catalog
        .tags
        .iter()
        .filter(|tag| !tag.internal && catalog.tag_post_count(tag.id) > 0)
        .collect();
    tags.sort_by(|a, b| collation::compare(&a.name, &b.name));
    Ok(index("tags", tags.into_iter(), |bytes, tag| {
        let url = request.site_urls.tag(tag);
        json::value(
            bytes,
            json!({"id": tag.id, "slug": tag.slug, "name": tag.name, "url": url}),
        );
    }))
}

/// `GET search-index/authors/`: authors with published posts, by name.
pub fn authors(request: &Request) -> EndpointBody {
    let catalog = request.catalog;
    request.charge(catalog.users.len())?;
    let mut authors: Vec<_> = catalog
        .users
        .iter()
        .filter(|user| catalog.author_post_count(user.id) > 0)
        .collect();
    authors.sort_by(|a, b| collation::compare(&a.name, &b.name));
    Ok(index("authors", authors.into_iter(), |bytes, author| {
        let image = author
            .profile_image
            .as_deref()
            .map(|image| request.site_urls.absolute(image));
        json::value(
            bytes,
            json!({
                "id": author.id,
                "slug": author.slug,
                "name": author.name,
                "url": request.site_urls.author(author),
                "profile_image": image,
            }),
        );
    }))
}

fn index<T>(
    name: &str,
    records: impl Iterator<Item = T>,
    write: impl FnMut(&mut Vec<u8>, T),
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut object = Object::begin(&mut bytes);
    json::list(object.name(name), records, write);
    object.end();
    bytes
}
