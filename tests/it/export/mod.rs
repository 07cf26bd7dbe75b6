//! Tests that an export, imported again or served from its folder, gives the same responses.

mod documents;
mod folder;
mod ghost;
pub mod publication;
mod records;
