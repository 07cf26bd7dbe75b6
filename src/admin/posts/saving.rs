//! The last step of every change of a post: body, record, revision and action, in one transaction.

use std::sync::Arc;

use url::Url;

use super::{
    ChangeContext, SavedPost, body,
    change::{BodyChange, PostChange},
    revisions::{self, SaveFacts},
};
use crate::{
    admin::collection,
    catalog::fields::STAFF_POSTS,
    clock,
    domain::{
        action::ActionEvent,
        post::{Body, Post, Status},
    },
    error::{Error, Kind, Result},
    id::Id,
    render::{lexical, urls},
    site::Transaction,
    store::Table,
};

/// Saves a new post with its body.
pub(super) fn save_new(
    transaction: &mut Transaction,
    context: &ChangeContext,
    post: Post,
    text: Body,
) -> Result<SavedPost> {
    let id = post.id;
    let lexical = text.lexical.clone();
    transaction.save_post(post, text)?;
    let written = SavedPost {
        before: None,
        after: saved(transaction, id),
    };
    let save = SaveFacts {
        before: Status::Draft,
        requested: written.after.status,
        is_explicit: false,
    };
    revisions::keep(
        transaction,
        context.actor,
        &written.after,
        lexical.as_deref(),
        save,
    )?;
    collection::record_action(
        transaction,
        context.actor,
        ActionEvent::Added,
        &*written.after,
    )?;
    Ok(written)
}

/// Saves a changed post. `updated_at` changes if the post itself changed, but not if only its
/// relations or its metadata did.
///
/// # Errors
///
/// `UpdateCollision` if the change is not based on the current state; `Validation` if the body is
/// invalid.
pub(super) fn save_changed(
    transaction: &mut Transaction,
    context: &ChangeContext,
    before: &Arc<Post>,
    mut post: Post,
    change: &PostChange,
) -> Result<SavedPost> {
    let stored = transaction.body(before.id)?;
    let text = changed_body(before, &post, &stored, change.body.as_ref(), context.site)?;
    post.public_excerpt = text.public_excerpt.clone();
    post.reading_time = text.reading_time;
    // The HTML is compared as well: a newer version may render the same document differently.
    let is_same_text = text.html == stored.0 && text.lexical == stored.1;
    let emptied = STAFF_POSTS.without_value(before, &change.emptied);
    let is_itself = is_same_text && emptied.is_empty() && post.equals_without_relations(before);
    // If nothing or only metadata changes, any date is accepted, as in Ghost (6.65, recorded).
    if !is_itself || !post.has_relations_of(before) {
        check_collision(before, change)?;
    }
    let is_changed = !is_same_text || !emptied.is_empty() || post != **before;
    let lexical = text.lexical.clone();
    if is_changed {
        // Must precede `save_post`, which overwrites the first state.
        revisions::keep_first(transaction, before, stored.1.as_deref())?;
        if !is_itself {
            post.updated_at = transaction.changed_after(before.updated_at);
        }
        if !emptied.is_empty() {
            transaction.announce_emptied(Table::Posts, post.id, emptied);
        }
        transaction.save_post(post, text)?;
    }
    let written = SavedPost {
        before: Some(Arc::clone(before)),
        after: if is_changed {
            saved(transaction, before.id)
        } else {
            Arc::clone(before)
        },
    };
    if is_changed {
        send(transaction, before, &written.after)?;
        collection::record_action(
            transaction,
            context.actor,
            ActionEvent::Edited,
            &*written.after,
        )?;
    }
    // Some saves store a revision even if nothing changed (see `revisions`).
    let save = SaveFacts {
        before: before.status,
        requested: change.status.unwrap_or(before.status),
        is_explicit: change.is_explicit_save,
    };
    revisions::keep(
        transaction,
        context.actor,
        &written.after,
        lexical.as_deref(),
        save,
    )?;
    Ok(written)
}

/// Saves a post of a bulk change. `updated_at` remains unchanged, and no revision is stored (Ghost
/// 6.65, recorded).
pub(super) fn save_one_of_many(
    transaction: &mut Transaction,
    context: &ChangeContext,
    before: &Post,
    mut post: Post,
) -> Result<()> {
    let stored = transaction.body(before.id)?;
    let text = current_body(before, &post, &stored);
    post.public_excerpt = text.public_excerpt.clone();
    post.reading_time = text.reading_time;
    // Before the action, so that posts that already have the value are not in the audit log.
    if post == *before {
        return Ok(());
    }
    collection::record_action(transaction, context.actor, ActionEvent::Edited, &post)?;
    transaction.save_post(post, text)
}

/// Rejects a change that is not based on the stored state. Dates of change are compared with the
/// precision of responses, in milliseconds. A client that keeps only whole seconds cannot send the
/// exact date, so for such a client collisions within a second are not detected, as in Ghost.
fn check_collision(post: &Post, change: &PostChange) -> Result<()> {
    let as_known = if change.knows_whole_seconds {
        clock::whole_seconds
    } else {
        clock::whole_milliseconds
    };
    let stored = as_known(post.updated_at);
    match change.updated_at.map(as_known) {
        Some(known) if known != stored => Err(Error::new(
            Kind::UpdateCollision,
            "Saving failed: someone else has changed this in the meantime.",
        )
        .context(format!(
            "The {} {} was changed at {stored}; this change is based on its state at {known}.",
            post.kind.name(),
            post.id
        ))
        .help("Read it again and repeat the change.")
        .code("UPDATE_COLLISION")),
        _ => Ok(()),
    }
}

/// Returns the new body of `post`, with the values computed from it.
fn changed_body(
    before: &Post,
    post: &Post,
    stored: &(Option<String>, Option<String>),
    change: Option<&BodyChange>,
    site: &Url,
) -> Result<Body> {
    let (_, lexical) = stored;
    match change {
        Some(BodyChange::Document(document)) => Ok(of_document(
            post,
            document.html.clone(),
            document.lexical.clone(),
        )),
        Some(BodyChange::Unusable(sent, problem)) => match lexical {
            Some(lexical) if is_same(lexical, sent, site) => Ok(current_body(before, post, stored)),
            _ => Err(body::refused("lexical", problem)),
        },
        // Bodies of content files have no document, so clients send back the null that they read;
        // such bodies remain unchanged.
        Some(BodyChange::Empty) if lexical.is_some() => {
            let empty = body::empty();
            Ok(of_document(post, empty.html, empty.lexical))
        }
        Some(BodyChange::Empty) | None => Ok(current_body(before, post, stored)),
    }
}

/// Returns whether two documents are equal, ignoring their formatting.
fn is_same(stored: &str, sent: &str, site: &Url) -> bool {
    // Most clients send back the text as they read it, which needs no parsing.
    urls::lexical_to_served(stored, site) == sent || lexical::are_equivalent(stored, sent)
}

/// Returns the current body, and recomputes the derived values if the change affects them.
fn current_body(
    before: &Post,
    post: &Post,
    (html, lexical): &(Option<String>, Option<String>),
) -> Body {
    // The public excerpt depends on whether the body is gated, the reading time on the image.
    let is_derived_equally = before.is_gated() == post.is_gated()
        && before.feature_image.is_some() == post.feature_image.is_some();
    if is_derived_equally {
        return Body {
            html: html.clone(),
            lexical: lexical.clone(),
            public_excerpt: before.public_excerpt.clone(),
            reading_time: before.reading_time,
        };
    }
    Body {
        lexical: lexical.clone(),
        ..computed(post, html.clone().unwrap_or_default())
    }
}

/// Returns the body of a document.
pub(super) fn of_document(post: &Post, html: String, lexical: String) -> Body {
    computed(post, html).with_lexical(lexical)
}

fn computed(post: &Post, html: String) -> Body {
    Body::new(html, post.is_gated(), post.feature_image.is_some())
}

/// Sends a post to the subscribers of its newsletter if this change published it.
fn send(transaction: &mut Transaction, before: &Post, after: &Post) -> Result<()> {
    if after.is_out() && !before.is_out() {
        transaction.send_to_subscribers(after)
    } else {
        Ok(())
    }
}

fn saved(transaction: &Transaction, id: Id) -> Arc<Post> {
    let post = transaction.catalog().posts.get(id);
    Arc::clone(post.expect("invariant: saved in this transaction"))
}
