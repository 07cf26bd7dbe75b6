//! Tests of a site of a git repository: cloned, followed, and served through failures.

mod commits;
mod following;
mod history;
pub mod host;
mod hostile;
mod named_programs;
pub mod origin;
mod other_repositories;
mod pushing;
mod reaching;
pub mod requests;
mod starting;
