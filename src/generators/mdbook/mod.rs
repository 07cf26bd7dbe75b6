//! mdBook.

pub(crate) mod syntax;
