//! Writing posts and pages: adding, editing, copying and deleting, one or many at once.
//!
//! What is wanted comes as a [`PostChange`]. Adding and editing go the same way: who may (`rights`), the fields (`apply`,
//! `texts`, `access`, `tags`, `authors`), how far it has come (`status`), whom it is mailed to (`mailing`), its slug (`slugs`), and at last the record, its
//! body, its revision and the note of what was done (`saving`), all in one transaction. Bodies are made before
//! ([`body`]), because that takes longest and depends on nothing that is stored.

mod access;
mod add;
mod apply;
mod authors;
pub mod body;
mod bulk;
mod change;
mod copy;
mod delete;
mod edit;
mod mailing;
mod revisions;
mod rights;
mod saving;
mod slugs;
mod status;
mod tags;
mod texts;

use std::sync::Arc;

use url::Url;

pub use self::{
    add::add,
    bulk::{BulkChange, BulkOutcome, bulk_delete, bulk_edit},
    change::{AuthorReference, BodyChange, Mailing, PostChange, TagReference},
    copy::copy,
    delete::delete,
    edit::edit,
    texts::{TEXT_FIELDS, TextField},
};
use crate::{
    domain::{
        actor::Actor,
        post::{Post, PostKind},
    },
    error::{Error, Result},
    id::Id,
    site::Transaction,
};

/// Who writes, and where the site is for its readers.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'a> {
    /// Who writes.
    pub actor: &'a Actor,
    /// The site's public address: addresses below it are stored so that the site may move.
    pub site: &'a Url,
}

/// What a change made of a post.
#[derive(Clone, Debug)]
pub struct Written {
    /// The post before; `None` when it is new.
    pub before: Option<Arc<Post>>,
    /// The post now.
    pub after: Arc<Post>,
}

impl Written {
    /// Whether anything is other than it was.
    pub fn is_changed(&self) -> bool {
        self.before
            .as_ref()
            .is_none_or(|before| !Arc::ptr_eq(before, &self.after))
    }
}

/// The post of this kind.
///
/// # Errors
///
/// `NotFound` when there is none, or it is of the other kind.
fn found(transaction: &Transaction, kind: PostKind, id: Id) -> Result<Arc<Post>> {
    let post = transaction.catalog().posts.get(id);
    post.filter(|post| post.kind == kind)
        .cloned()
        .ok_or_else(|| not_found(kind, id))
}

fn not_found(kind: PostKind, id: Id) -> Error {
    Error::not_found(format!("{} {id}", kind.name()))
}

/// What messages call a post: `post "night-ferry"`.
fn named(post: &Post) -> String {
    format!("{} \"{}\"", post.kind.name(), post.slug)
}
