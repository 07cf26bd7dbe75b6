//! Tests of a content folder: reading, following and checking it, and serving despite invalid files and damage.

mod bad_files;
mod changes;
mod crash;
mod damaged_store;
mod determinism;
mod editor_bodies;
mod faults;
mod follower;
mod front_matter;
mod full_disk;
mod names;
mod own_saves;
mod references;
mod schedule;
mod search_files;
mod slugs;
mod theme_settings;
mod themes;
pub mod users;
mod webhooks;
