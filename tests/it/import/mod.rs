//! Tests of imports.

mod archives;
mod beside_content_files;
mod beside_posts;
mod columns;
mod destination;
mod folder;
mod ghost;
mod hostile;
mod members;
mod repeated;
mod settings_and_memberships;
