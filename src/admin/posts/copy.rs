//! Copying a post.

use uuid::Uuid;

use super::{ChangeContext, SavedPost, apply, rights, saving};
use crate::{
    admin::posts::lookup::not_found,
    domain::{
        origin::RecordOrigin,
        post::{Body, Post, PostKind, Status, TITLE_CHARACTERS_MAX},
    },
    error::{Error, Result},
    id::Id,
    site::Transaction,
};

/// Suffix of the title of a copy (Ghost 6.65, recorded).
const COPY_MARK: &str = " (Copy)";

/// Copies a post or page. The copy is a draft with the same text, image, tags and authors, but
/// without the dates, the canonical URL and the mail settings. `kind` is the kind that the client
/// expects; in Ghost 6.65, each endpoint copies both kinds (recorded).
///
/// # Errors
///
/// `NotFound` if it does not exist, `NoPermission` if the actor may not copy it.
pub fn copy(
    transaction: &mut Transaction,
    context: &ChangeContext,
    kind: PostKind,
    id: Id,
) -> Result<SavedPost> {
    let catalog = transaction.catalog();
    let original = catalog.posts.get(id).cloned();
    let original = original.ok_or_else(|| not_found(kind, id))?;
    rights::check_copy(context.actor, &original)?;
    context.edit_files(transaction);
    let catalog = transaction.catalog();
    let now = transaction.now();
    let id = Id::generate(now).map_err(Error::internal)?;
    let mut post = Post {
        id,
        uuid: Uuid::new_v4(),
        slug: "".into(),
        title: marked(&original.title),
        status: Status::Draft,
        created_at: now,
        updated_at: now,
        published_at: None,
        comment_id: id.to_string().into(),
        canonical_url: None,
        show_title_and_feature_image: true,
        newsletter: None,
        origin: RecordOrigin::Store,
        // Former URLs remain with the original.
        aliases: Box::default(),
        // Tags, authors, texts and access are those of the original (Ghost 6.65, recorded).
        ..Post::clone(&original)
    };
    if let Some(meta) = &mut post.meta {
        meta.email_subject = None;
        meta.email_only = false;
    }
    post.slug = apply::unique_slug(catalog, &post, &post.title, context.site);
    let (html, lexical) = transaction.body(original.id)?;
    let text = Body {
        html,
        lexical,
        public_excerpt: original.public_excerpt.clone(),
        reading_time: original.reading_time,
    };
    saving::save_new(transaction, context, post, text)
}

/// Returns the title of a copy, shortened if it would become too long.
fn marked(title: &str) -> Box<str> {
    // The suffix is ASCII, so its length in bytes equals its length in characters.
    let room = TITLE_CHARACTERS_MAX - COPY_MARK.len();
    let mut marked: String = title.chars().take(room).collect();
    marked.push_str(COPY_MARK);
    marked.into()
}
