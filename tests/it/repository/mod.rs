//! Tests of a site with a git repository, which is cloned, followed, and served during failures.

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
