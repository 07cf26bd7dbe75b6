//! A site that is made of a git repository: cloned, followed, and kept up whatever becomes of it.

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
