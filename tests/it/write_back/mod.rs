//! Tests of edits that are written back to content files, and of their commits and branches.

pub mod commits;
mod crashes;
pub mod editing;
mod endurance;
mod file_names;
mod images;
mod links;
mod new_files;
mod outages;
mod push_protocols;
mod records;
mod reviews;
mod stale_editors;
