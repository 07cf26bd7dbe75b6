//! Adding, editing, copying and deleting posts and pages, individually or in bulk.
//!
//! A change is a [`PostChange`]. Adding and editing share these steps, in one transaction: rights
//! (`rights`), fields and slug (`apply`, `tags`, `authors`), status (`status`), mailing
//! (`mailing`), and finally the record, its body, its revision and the action (`saving`). Bodies
//! are converted before the transaction ([`body`]), because the conversion takes longest and does
//! not depend on stored data.

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
