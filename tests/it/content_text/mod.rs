//! Tests that edits of content files change only the edited parts.

mod bodies;
mod keys;
mod merges;
mod random_edits;
