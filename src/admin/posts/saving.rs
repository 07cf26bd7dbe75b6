//! The end of every change of a post: body, record, revision and the note of what was done, in one transaction.

use std::sync::Arc;

use jiff::SignedDuration;
use url::Url;

use super::{Writer, Written, body, change::BodyChange, revisions};
use crate::{
    domain::{
        action::{ActionEvent, Subject},
        post::{Body, Post},
    },
    error::Result,
    id::Id,
    render::{lexical, urls},
    site::Transaction,
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
    send(transaction, &written)?;
    revisions::keep(
        transaction,
        writer.actor,
        &written,
        lexical.as_deref(),
        false,
    )?;
    note(transaction, writer, &written.after, ActionEvent::Added)?;
    Ok(written)
}

/// Saves what became of a post. When nothing did, nothing is written; else it has a date of change that it never had, so
/// that whoever read it before is told of the collision.
pub(super) fn save_changed(
    transaction: &mut Transaction,
    writer: &Writer,
    before: &Arc<Post>,
    mut post: Post,
    change: Option<&BodyChange>,
    is_explicit_save: bool,
) -> Result<Written> {
    let stored = transaction.body(before.id)?;
    let text = changed_body(before, &post, &stored, change, writer.site)?;
    post.public_excerpt = text.public_excerpt.clone();
    post.reading_time = text.reading_time;
    let is_same_text = text.html == stored.0 && text.lexical == stored.1;
    if is_same_text && post == **before {
        return Ok(Written {
            before: Some(Arc::clone(before)),
            after: Arc::clone(before),
        });
    }
    revisions::keep_first(transaction, before, stored.1.as_deref())?;
    post.updated_at = transaction
        .now()
        .max(before.updated_at + SignedDuration::from_secs(1));
    let lexical = text.lexical.clone();
    let id = post.id;
    transaction.save_post(post, text)?;
    let written = Written {
        before: Some(Arc::clone(before)),
        after: saved(transaction, id),
    };
    send(transaction, &written)?;
    revisions::keep(
        transaction,
        writer.actor,
        &written,
        lexical.as_deref(),
        is_explicit_save,
    )?;
    note(transaction, writer, &written.after, ActionEvent::Edited)?;
    Ok(written)
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
fn send(transaction: &mut Transaction, written: &Written) -> Result<()> {
    let was_out = written
        .before
        .as_ref()
        .is_some_and(|before| before.is_out());
    match written.after.is_out() && !was_out {
        true => transaction.send_to_subscribers(&written.after),
        false => Ok(()),
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
