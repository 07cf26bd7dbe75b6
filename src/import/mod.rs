//! What comes from elsewhere: exports of Ghost, lists of members, folders of Markdown.
//!
//! An import is one change of the site: all of it or nothing. It reports what came in, what was changed on the way and
//! what was left out, and doing it again changes nothing.

pub mod members;
mod report;

pub use report::{Count, NOTES_MAX, Note, Notes, Outcome, Report};

/// Is told how far an import has come.
pub trait Progress: Sync {
    /// So many bytes of what is read are done. `total` stays the same during an import.
    fn advance(&self, done: u64, total: u64);
}
