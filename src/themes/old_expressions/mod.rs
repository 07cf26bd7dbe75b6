//! Expressions of earlier versions of Ghost in templates.

mod find;
mod form;
mod outdated;
mod removed;

pub(super) use self::find::find;
