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
mod change_context;
mod copy;
mod lookup;
mod mailing;
mod revisions;
mod rights;
mod saved_post;
mod saving;
mod status;
mod tags;
mod write;

pub use self::change_context::ChangeContext;
pub use self::saved_post::SavedPost;

pub use self::{
    bulk::{BulkChange, BulkOutcome, bulk_delete, bulk_edit},
    change::{AuthorReference, BodyChange, MailOptions, PostChange, TagReference},
    copy::copy,
    write::{add, delete, edit},
};
