//! Tests of a site of a git repository: cloned, followed, and served through failures.

mod asking;
mod commits;
mod following;
mod history;
mod host;
mod hostile;
mod origin;
mod pushing;
mod reaching;
mod starting;
