//! Tests of a folder of content files: seeded, followed, checked, and inspected on the command line.
//!
//! They use real files, a real store, a real watcher, and processes of the real program.

mod bad_files;
mod build;
mod changes;
mod configuration;
mod control;
mod control_characters;
mod crash;
mod damaged_store;
mod determinism;
mod editor_bodies;
mod exec;
mod exports;
mod faults;
mod folder;
mod follower;
mod front_matter;
mod git;
mod import;
mod key_and_status;
mod names;
mod own_saves;
mod program;
mod references;
mod replies;
mod schedule;
#[path = "../it/scripts.rs"]
mod scripts;
mod search_files;
mod seeded;
mod serve;
mod slugs;
mod stale_editors;
mod targets;
mod themes;
mod undated_responses;
mod users;
mod webhooks;
mod write_back;
mod write_back_commits;
mod write_back_crashes;
mod write_back_endurance;
mod write_back_images;
mod write_back_links;
mod write_back_new_files;
mod write_back_reaching;
mod write_back_records;
mod write_back_reviews;
