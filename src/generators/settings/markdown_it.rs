//! The options of markdown-it, which several generators use.

use serde_json::Value as Json;

use crate::{
    generators::settings::scripts,
    render::markdown::{BareLinks, Dialect, Typography},
};

/// The behaviour without a project's plugins.
pub(crate) const PLUGINS: &str =
    "plugins of markdown-it are not run, and the Markdown is read without them";

/// Returns `dialect` with the options `breaks`, `linkify` and `typographer` in a script. `above` is the prefix of their
/// keys.
pub(crate) fn with_options(script: &str, above: &str, dialect: Dialect) -> Dialect {
    let truth = |key: &str| scripts::truth(script, &format!("{above}{key}"));
    with(dialect, truth)
}

/// Returns `dialect` with the options in the text of an object.
pub(crate) fn with_object(object: &str, dialect: Dialect) -> Dialect {
    let truth = |key: &str| match scripts::literal(scripts::member(object, key)?)? {
        Json::Bool(truth) => Some(truth),
        _ => None,
    };
    with(dialect, truth)
}

/// Returns `dialect` with the options for which `truth` returns a value.
pub(crate) fn with(dialect: Dialect, truth: impl Fn(&str) -> Option<bool>) -> Dialect {
    Dialect {
        line_breaks: truth("breaks").unwrap_or(dialect.line_breaks),
        bare_links: match truth("linkify") {
            Some(true) if dialect.bare_links != BareLinks::None => dialect.bare_links,
            Some(true) => BareLinks::MarkdownIt,
            Some(false) => BareLinks::None,
            None => dialect.bare_links,
        },
        typography: match truth("typographer") {
            Some(true) => Typography::MARKDOWN_IT,
            Some(false) => Typography::AS_TYPED,
            None => dialect.typography,
        },
        ..dialect
    }
}
