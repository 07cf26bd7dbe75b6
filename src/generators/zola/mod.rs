//! Zola.

pub(crate) mod syntax;
