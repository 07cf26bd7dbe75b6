//! The settings of projects of mdBook.

use std::path::Path;

use crate::generators::settings::{
    Settings,
    literals::{clean, data_in, inner, text},
};

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> Settings {
    let table = data_in(root, "book").unwrap_or_default();
    let source = inner(&table, "book").and_then(|book| text(book, "src"));
    Settings {
        roots: source.map(|source| clean(&source)).into_iter().collect(),
        ..Settings::default()
    }
}
