//! Tests that edits of content files change what they should and nothing else.

mod keys;
