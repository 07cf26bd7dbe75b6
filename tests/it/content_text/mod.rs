//! Tests that edits of content files change what they should and nothing else.

mod bodies;
mod keys;
mod merges;
mod random_edits;
