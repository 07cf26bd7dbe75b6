//! Reads the settings of mdBook projects.

use std::path::Path;

use crate::{
    content_text::document::Kind,
    generators::settings::{
        ProjectSettings,
        literals::{clean, data_in, inner, text, truth_at, value_at},
        redirects::Redirects,
        reference::unsupported_in_data,
    },
    render::markdown::{Alerts, Math, Typography},
};

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> ProjectSettings {
    let table = data_in(root, "book").unwrap_or_default();
    let source = inner(&table, "book").and_then(|book| text(book, "src"));
    // The defaults are those of mdBook 0.5.
    let is_off = |key: &str| truth_at(&table, &format!("output.html.{key}")) == Some(false);
    let mut dialect = super::PROFILE.dialect;
    if is_off("smart-punctuation") || is_off("curly-quotes") {
        dialect.typography = Typography::AS_TYPED;
    }
    if is_off("admonitions") {
        dialect.alerts = Alerts::None;
    }
    if value_at(&table, "preprocessor.katex").is_some() {
        dialect.math = Math::DOLLARS;
    }
    dialect.definition_lists = !is_off("definition-lists");
    let mut redirects = Redirects::default();
    let listed = value_at(&table, "output.html.redirect");
    if let Some(Kind::Table(listed)) = listed.map(|listed| &listed.value) {
        for (from, to) in &listed.entries {
            if let Kind::Text(to) = &to.value {
                redirects.add(&from.value, to);
            }
        }
    }
    ProjectSettings {
        redirects,
        dialect: Some(dialect),
        problems: unsupported_in_data(root, "book", &[], super::reference::ROWS, &table),
        roots: source.map(|source| clean(&source)).into_iter().collect(),
        ..ProjectSettings::default()
    }
}
