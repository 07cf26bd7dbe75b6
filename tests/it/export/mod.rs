//! Tests that an export results in the same responses when it is imported, or served as a content folder.

mod documents;
mod folder;
mod ghost;
pub mod publication;
mod records;
