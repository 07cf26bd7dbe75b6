//! Obsidian.

pub(crate) mod syntax;
