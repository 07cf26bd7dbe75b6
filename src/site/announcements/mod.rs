//! The webhook events of a transaction, derived from all its changes and committed with it.
//!
//! A transaction is examined once it is complete, by comparing each record before and after. So it
//! does not matter which caller made the change, and a record that was changed twice is announced
//! once. Tags come first, then posts and pages, then members, each in ascending order of identifiers.
//! The event of the whole site comes last, at most once.
//!
//! Two things differ from Ghost 6.65, which announces nothing for bulk changes, for posts that
//! change their author because a user is deleted, and for imports: here they are announced like any
//! other change. As in Ghost, posts and members that lose a tag or a label because it was deleted are
//! not announced.
//!
//! An event is serialised only if a webhook subscribes to it: one record at a time, and once for all
//! subscribers.

mod announcer;
mod difference;
mod queueing;
mod requested;
mod site_change;
mod subjects;

pub use announcer::{AnnouncedChange, Announcer, ChangedFields, RecordState};
pub(super) use queueing::announce;
pub(super) use requested::Announcements;
