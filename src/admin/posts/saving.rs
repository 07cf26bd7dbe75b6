//! The end of every change of a post: body, record, revision and the note of what was done, in one transaction.

use std::sync::Arc;

use jiff::Timestamp;
use url::Url;

use super::{
    Writer, Written, body,
    change::{BodyChange, PostChange},
    revisions::{self, Save},
};
use crate::{
    catalog::fields::STAFF_POSTS,
    clock,
    domain::{
        action::{ActionEvent, Subject},
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
    writer: &Writer,
    post: Post,
    text: Body,
) -> Result<Written> {
    let id = post.id;
    let lexical = text.lexical.clone();
    transaction.save_post(post, text)?;
    let written = Written {
        before: None,
        after: saved(transaction, id),
    };
    let save = Save {
        before: Status::Draft,
        wanted: written.after.status,
        is_explicit: false,
    };
    revisions::keep(
        transaction,
        writer.actor,
        &written.after,
        lexical.as_deref(),
        save,
    )?;
    note(transaction, writer, &written.after, ActionEvent::Added)?;
    Ok(written)
}

/// Saves what became of a post. It gets a date of change that it never had when the post itself changed, and keeps its date
/// when only its relations or its side record did.
///
/// # Errors
///
/// `UpdateCollision` when the client did not know the last change; `Validation` when the body is none.
pub(super) fn save_changed(
    transaction: &mut Transaction,
    writer: &Writer,
    before: &Arc<Post>,
    mut post: Post,
    change: &PostChange,
) -> Result<Written> {
    let stored = transaction.body(before.id)?;
    let text = changed_body(before, &post, &stored, change.body.as_ref(), writer.site)?;
    post.public_excerpt = text.public_excerpt.clone();
    post.reading_time = text.reading_time;
    let is_same_text = text.html == stored.0 && text.lexical == stored.1;
    let emptied = STAFF_POSTS.without_value(before, &change.emptied);
    let is_itself = is_same_text && emptied.is_empty() && post.is_itself_as(before);
    if !is_itself || !post.is_related_as(before) {
        check_collision(before, change.updated_at)?;
    }
    let is_changed = !is_same_text || !emptied.is_empty() || post != **before;
    let lexical = text.lexical.clone();
    if is_changed {
        revisions::keep_first(transaction, before, stored.1.as_deref())?;
        if !is_itself {
            post.updated_at = transaction.changed_after(before.updated_at);
        }
        if !emptied.is_empty() {
            transaction.announce_emptied(Table::Posts, post.id, emptied);
        }
        transaction.save_post(post, text)?;
    }
    let written = Written {
        before: Some(Arc::clone(before)),
        after: if is_changed {
            saved(transaction, before.id)
        } else {
            Arc::clone(before)
        },
    };
    if is_changed {
        send(transaction, before, &written.after)?;
        note(transaction, writer, &written.after, ActionEvent::Edited)?;
    }
    let save = Save {
        before: before.status,
        wanted: change.status.unwrap_or(before.status),
        is_explicit: change.is_explicit_save,
    };
    revisions::keep(
        transaction,
        writer.actor,
        &written.after,
        lexical.as_deref(),
        save,
    )?;
    Ok(written)
}

/// Saves what became of one of many posts that are changed at once: its date of change stays, and no revision is kept
/// (Ghost 6.65, recorded).
pub(super) fn save_one_of_many(
    transaction: &mut Transaction,
    writer: &Writer,
    before: &Post,
    mut post: Post,
) -> Result<()> {
    let stored = transaction.body(before.id)?;
    let text = kept_body(before, &post, &stored);
    post.public_excerpt = text.public_excerpt.clone();
    post.reading_time = text.reading_time;
    if post == *before {
        return Ok(());
    }
    note(transaction, writer, &post, ActionEvent::Edited)?;
    transaction.save_post(post, text)
}

/// Dates of change are compared to the second: clients know no finer ones.
fn check_collision(post: &Post, known: Option<Timestamp>) -> Result<()> {
    let stored = clock::whole_seconds(post.updated_at);
    match known {
        Some(known) if known != stored => Err(Error::new(
            Kind::UpdateCollision,
            "Saving failed: somebody else changed this in the meantime.",
        )
        .context(format!(
            "The {} {} was changed at {stored}; this change is of what it was at {known}.",
            post.kind.name(),
            post.id
        ))
        .help("Read it again and make the change anew.")
        .code("UPDATE_COLLISION")),
        _ => Ok(()),
    }
}

/// The body that `post` gets, with what is worked out from it.
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
            Some(lexical) if is_same(lexical, sent, site) => Ok(kept_body(before, post, stored)),
            _ => Err(body::refused("lexical", problem)),
        },
        Some(BodyChange::Empty) if lexical.is_some() => {
            let empty = body::empty();
            Ok(of_document(post, empty.html, empty.lexical))
        }
        Some(BodyChange::Empty) | None => Ok(kept_body(before, post, stored)),
    }
}

/// Whether two documents say the same, however they are written.
fn is_same(stored: &str, sent: &str, site: &Url) -> bool {
    urls::lexical_to_served(stored, site) == sent || lexical::say_the_same(stored, sent)
}

/// The body that is there, worked out anew where that depends on what changed.
fn kept_body(
    before: &Post,
    post: &Post,
    (html, lexical): &(Option<String>, Option<String>),
) -> Body {
    let is_worked_out_alike = before.is_closed() == post.is_closed()
        && before.feature_image.is_some() == post.feature_image.is_some();
    if is_worked_out_alike {
        return Body {
            html: html.clone(),
            lexical: lexical.clone(),
            public_excerpt: before.public_excerpt.clone(),
            reading_time: before.reading_time,
        };
    }
    Body {
        lexical: lexical.clone(),
        ..worked_out(post, html.clone().unwrap_or_default())
    }
}

/// The body that is this document.
pub(super) fn of_document(post: &Post, html: String, lexical: String) -> Body {
    worked_out(post, html).with_lexical(lexical)
}

fn worked_out(post: &Post, html: String) -> Body {
    Body::new(html, post.is_closed(), post.feature_image.is_some())
}

/// Has a post that was published by this change sent to the subscribers of its newsletter.
fn send(transaction: &mut Transaction, before: &Post, after: &Post) -> Result<()> {
    if after.is_out() && !before.is_out() {
        transaction.send_to_subscribers(after)
    } else {
        Ok(())
    }
}

fn saved(transaction: &Transaction, id: Id) -> Arc<Post> {
    let post = transaction.catalog().posts.get(id);
    Arc::clone(post.expect("it was saved in this transaction"))
}

/// Notes what was done to a post.
pub(super) fn note(
    transaction: &mut Transaction,
    writer: &Writer,
    post: &Post,
    event: ActionEvent,
) -> Result<()> {
    transaction.record_action(
        writer.actor,
        event,
        Subject {
            id: post.id,
            resource_type: "post",
            name: Some(&post.title),
            kind: Some(post.kind.name()),
        },
    )
}
