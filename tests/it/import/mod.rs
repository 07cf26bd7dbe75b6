//! Tests of imports.

mod archives;
mod columns;
mod destination;
mod folder;
mod ghost;
mod hostile;
mod members;
mod other_records;
mod repeated;
mod settings_and_memberships;
mod with_content_files;
