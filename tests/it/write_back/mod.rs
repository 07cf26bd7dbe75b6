//! Tests of edits that are written back to content files, their commits and their branches.

pub mod commits;
mod crashes;
pub mod editing;
mod endurance;
mod images;
mod links;
mod new_files;
mod reaching;
mod records;
mod reviews;
mod stale_editors;
