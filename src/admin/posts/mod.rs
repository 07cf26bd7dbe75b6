//! Writing posts and pages: adding, editing, copying and deleting, one or many together.
//!
//! Changes come as a [`PostChange`]. Adding and editing use the same steps: rights (`rights`),
//! fields and slug (`apply`, `tags`, `authors`), status (`status`), mailing (`mailing`),
//! and last the record, its body, its revision and the action (`saving`), all in one transaction.
//! Bodies are converted before ([`body`]), because that takes longest and depends on nothing that
//! is stored.

mod apply;
mod authors;
pub mod body;
mod bulk;
mod change;
mod copy;
mod mailing;
mod revisions;
mod rights;
mod saving;
mod status;
mod tags;
mod write;

use std::sync::Arc;

use url::Url;

pub use self::{
    bulk::{BulkChange, BulkOutcome, bulk_delete, bulk_edit},
    change::{AuthorReference, BodyChange, MailOptions, PostChange, TagReference},
    copy::copy,
    write::{add, delete, edit},
};
use super::content_files;
use crate::{
    domain::{
        actor::Actor,
        post::{Post, PostKind},
    },
    error::{Error, Result},
    id::Id,
    site::Transaction,
};

/// The actor of a change, and the site's URL.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'a> {
    /// The actor.
    pub actor: &'a Actor,
    /// The site's public URL: URLs below it are stored relative, so that the site can move.
    pub site: &'a Url,
}

impl Writer<'_> {
    /// Lets `transaction` write content files, in the actor's name.
    fn edit_files(&self, transaction: &mut Transaction) {
        content_files::edit_as(transaction, self.actor);
    }
}

/// A post before and after a change.
#[derive(Clone, Debug)]
pub struct SavedPost {
    /// The post before; `None` when it is new.
    pub before: Option<Arc<Post>>,
    /// The post now.
    pub after: Arc<Post>,
}

impl SavedPost {
    /// Returns whether anything changed.
    pub fn is_changed(&self) -> bool {
        self.before
            .as_ref()
            .is_none_or(|before| !Arc::ptr_eq(before, &self.after))
    }
}

/// Returns the post of this kind.
///
/// # Errors
///
/// `NotFound` if it does not exist, or it is of the other kind.
fn found(transaction: &Transaction, kind: PostKind, id: Id) -> Result<Arc<Post>> {
    let post = transaction.catalog().posts.get(id);
    post.filter(|post| post.kind == kind)
        .cloned()
        .ok_or_else(|| not_found(kind, id))
}

fn not_found(kind: PostKind, id: Id) -> Error {
    Error::not_found(format!("{} {id}", kind.name()))
}

/// Returns the name of a post in messages: `post "night-ferry"`.
fn named(post: &Post) -> String {
    format!("{} \"{}\"", post.kind.name(), post.slug)
}
