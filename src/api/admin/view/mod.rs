//! Writes records for staff and integrations: the requested rows of their table, and their
//! relations (Ghost 6.65, recorded).

mod fields;
mod post;
mod related;
mod revisions;

pub use self::fields::View;
