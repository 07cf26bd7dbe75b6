//! Generates free slugs for editors (Ghost 6.65, recorded).

use serde_json::json;

use super::{Reply, Request};
use crate::{
    error::{Error, Kind, Result},
    id::Id,
    render::slug,
};

/// `GET admin/slugs/{kind}/{text}/`, and the same with `{id}/`: the current slug of that record then
/// counts as free.
pub fn generate(request: &Request) -> Result<Reply> {
    let [kind, text, ..] = request.variables else {
        return Err(unknown_kind(""));
    };
    let own = match request.variables.len() {
        3 => request.id(2)?,
        _ => None,
    };
    let catalog = &request.snapshot.catalog;
    let by_slug: &dyn Fn(&str) -> Option<Id> = match kind.as_str() {
        "post" => &|slug| catalog.posts.by_slug(slug).map(|post| post.id),
        "tag" => &|slug| catalog.tags.by_slug(slug).map(|tag| tag.id),
        "user" => &|slug| catalog.users.by_slug(slug).map(|user| user.id),
        kind => return Err(unknown_kind(kind)),
    };
    let slug_kind = match kind.as_str() {
        "tag" => slug::Kind::Tag,
        "user" => slug::Kind::User,
        _ => slug::Kind::Post,
    };
    let base = slug::from_text(slug_kind, text, request.site_urls.subdirectory());
    let is_free = |slug: &String| by_slug(slug).is_none_or(|holder| Some(holder) == own);
    let free = slug::candidates(base)
        .find(is_free)
        .expect("invariant: there are more numbers than records");
    Ok(Reply::json(
        json!({"slugs": [{ "slug": free }]})
            .to_string()
            .into_bytes(),
    ))
}

fn unknown_kind(kind: &str) -> Error {
    Error::new(
        Kind::Validation,
        format!("Slugs can be generated for post, tag and user, not for \"{kind}\"."),
    )
}
