//! Applies a change to the fields of a record, its access and its slug.

use url::Url;

use super::{
    ChangeContext, authors,
    change::PostChange,
    status::{self, PreviousStatus},
    tags,
};
use crate::{
    admin::texts,
    catalog::{
        Catalog,
        fields::{POST_TEXTS, Requests, StoredText},
    },
    domain::post::{Post, PostKind, TITLE_CHARACTERS_MAX, Visibility},
    error::{Error, Kind, Result},
    render::slug,
    site::Transaction,
};

/// Title of a post without one (Ghost 6.65, recorded).
const UNTITLED: &str = "(Untitled)";

/// Applies a change to `post`, except for its body. A new post is a draft without a slug.
///
/// # Errors
///
/// `Validation` if values contradict each other. Rights are checked by the caller.
pub(super) fn apply(
    transaction: &mut Transaction,
    context: &ChangeContext,
    post: &mut Post,
    change: &PostChange,
) -> Result<()> {
    // Captured first, because the steps below change the post in place.
    let before = PreviousStatus {
        status: post.status,
        published_at: post.published_at,
        is_email_only: post.is_email_only(),
    };
    if let Some(title) = &change.title {
        post.title = checked_title(title)?;
    }
    texts::apply(post, &change.texts, context.site);
    check_lengths(post)?;
    if let Some(featured) = change.featured {
        post.featured = featured;
    }
    match post.kind {
        PostKind::Post => apply_email_only(post, change),
        PostKind::Page => {
            let shown = change.show_title_and_feature_image;
            post.show_title_and_feature_image = shown.unwrap_or(post.show_title_and_feature_image);
        }
    }
    apply_access(post, change, transaction.catalog())?;
    let now = transaction.now();
    status::apply(post, &before, change, transaction.catalog(), now)?;
    if let Some(references) = &change.authors {
        post.authors = authors::resolved(transaction.catalog(), references)?;
    }
    // Needed even if the authors do not change: an account may exist only because a content file
    // names it.
    authors::keep(transaction, &post.authors)?;
    if let Some(references) = &change.tags {
        post.tags = tags::resolved(transaction, context, references)?;
    }
    // Last, because the slug of a new post is derived from its title.
    apply_slug(transaction, context, post, change);
    Ok(())
}

fn checked_title(title: &str) -> Result<Box<str>> {
    if title.is_empty() {
        // Ghost replaces an empty title and rejects a blank one.
        return Ok(UNTITLED.into());
    }
    let title = title.trim();
    let characters = title.chars().count();
    // The errors name no field (Ghost 6.65, recorded).
    match characters {
        0 => Err(Error::new(Kind::Validation, "A title must not be blank.")),
        1..=TITLE_CHARACTERS_MAX => Ok(title.into()),
        _ => Err(Error::new(
            Kind::Validation,
            format!(
                "A title has at most {TITLE_CHARACTERS_MAX} characters; this one has {characters}."
            ),
        )),
    }
}

/// Checks the lengths of texts whose limit in requests is higher than in posts.
fn check_lengths(post: &Post) -> Result<()> {
    let checked_twice =
        |field: &&&StoredText<Post>| matches!(field.rules.requests, Requests::CheckedTwice(_));
    for field in POST_TEXTS.iter().filter(checked_twice) {
        let (name, max) = (field.name, field.content.characters_max());
        let characters = field.text(post).map_or(0, |text| text.chars().count());
        if characters > max {
            return Err(Error::new(
                Kind::Validation,
                format!("\"{name}\" has at most {max} characters; this one has {characters}."),
            ));
        }
    }
    Ok(())
}

fn apply_email_only(post: &mut Post, change: &PostChange) {
    match change.email_only {
        // `false` changes nothing if there is no metadata, and must not create an empty metadata
        // record.
        Some(email_only) if email_only || post.meta.is_some() => {
            post.meta.get_or_insert_default().email_only = email_only;
        }
        _ => {}
    }
}

/// Sets the requested slug in valid form. Without a requested slug, a new post gets the slug of its
/// title; later changes of the title do not change it.
fn apply_slug(
    transaction: &Transaction,
    context: &ChangeContext,
    post: &mut Post,
    change: &PostChange,
) {
    let requested = change.slug.as_deref().filter(|slug| **slug != *post.slug);
    let preferred = match requested {
        Some("") => &*post.title,
        Some(slug) => slug,
        None if post.slug.is_empty() => &*post.title,
        None => return,
    };
    let slug = unique_slug(transaction.catalog(), post, preferred, context.site);
    post.slug = slug;
}

/// Applies the visibility and the tiers of a change to `post`. Tiers are stored only if the
/// visibility uses them.
///
/// # Errors
///
/// `Validation` if there is no such tier (Ghost 6.65, recorded).
pub(super) fn apply_access(post: &mut Post, change: &PostChange, catalog: &Catalog) -> Result<()> {
    if let Some(visibility) = change.visibility {
        post.visibility = visibility;
    }
    if let Some(tiers) = &change.tiers {
        if let Some(unknown) = tiers
            .iter()
            .find(|tier| catalog.tiers.get(**tier).is_none())
        {
            return Err(Error::new(
                Kind::Validation,
                format!("\"tiers\" names a tier that does not exist: {unknown}."),
            ));
        }
        post.tiers.clear();
        for tier in tiers {
            if !post.tiers.contains(tier) {
                post.tiers.push(*tier);
            }
        }
    }
    // Dropped, so that a later change of the visibility does not bring back old tiers.
    if post.visibility != Visibility::Tiers {
        post.tiers.clear();
    }
    Ok(())
}

/// Returns the slug of `post` for `text`, which is the requested slug or the title. The slug is
/// unique among posts and pages: if it is in use, a number is appended.
pub(super) fn unique_slug(catalog: &Catalog, post: &Post, text: &str, site: &Url) -> Box<str> {
    let wanted = slug::from_text(slug::Kind::Post, text, site.path());
    let is_free = |slug: &String| {
        catalog
            .posts
            .by_slug(slug)
            .is_none_or(|holder| holder.id == post.id)
    };
    slug::candidates(wanted)
        .find(is_free)
        .expect("invariant: there are more numbers than posts")
        .into()
}
