//! The settings of projects of mdBook.

use std::path::Path;

use crate::{
    generators::settings::{
        Settings,
        literals::{clean, data_in, inner, text, truth_at},
        reference::unsupported_in_data,
    },
    render::markdown::Typography,
};

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> Settings {
    let table = data_in(root, "book").unwrap_or_default();
    let source = inner(&table, "book").and_then(|book| text(book, "src"));
    let is_set = |key: &str| truth_at(&table, &format!("output.html.{key}")) == Some(true);
    let mut dialect = super::PROFILE.dialect;
    if is_set("smart-punctuation") || is_set("curly-quotes") {
        dialect.typography = Typography::SMART;
    }
    dialect.definition_lists |= is_set("definition-lists");
    Settings {
        dialect: Some(dialect),
        problems: unsupported_in_data(root, "book", &[], super::reference::ROWS, &table),
        roots: source.map(|source| clean(&source)).into_iter().collect(),
        ..Settings::default()
    }
}
