//! Notes, tips and warnings (callouts), and their markup.

use crate::generators::syntax::escape::{html, inline_markdown};

/// The kinds of notes.
pub const KINDS: [&str; 18] = [
    "note",
    "notes",
    "tip",
    "info",
    "information",
    "warning",
    "warn",
    "caution",
    "danger",
    "important",
    "success",
    "error",
    "hint",
    "attention",
    "question",
    "example",
    "secondary",
    "seealso",
];

/// Returns the markup before and after the content of a note. The kind is one word in lower case, escaped for HTML; the
/// title is Markdown.
pub type CalloutStyle = fn(&str, Option<&str>) -> (String, String);

/// A component for notes that a generator renders in its own way.
#[derive(Clone, Copy, Debug)]
pub struct CalloutTag {
    /// Its name, normalised.
    pub key: &'static str,
    /// The markup of its notes.
    pub style: CalloutStyle,
}

/// Returns the markup before and after the content of a note. `kind` is one word; the title is Markdown.
pub fn around(kind: &str, title: Option<&str>, style: CalloutStyle) -> (String, String) {
    style(&html(&kind.to_lowercase()), title)
}

/// The markup of notes without a generator-specific style.
pub fn plain(kind: &str, title: Option<&str>) -> (String, String) {
    let title = title.map_or_else(String::new, |title| {
        format!(
            "<p class=\"notice-title\"><strong>{}</strong></p>",
            inline_markdown(title)
        )
    });
    let open = format!("<div class=\"notice notice-{kind}\">{title}");
    (open, "</div>".to_owned())
}

/// Returns the kind as a title: `Note`.
pub fn title_of(kind: &str) -> String {
    let mut characters = kind.chars();
    let first = characters
        .next()
        .map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + characters.as_str()
}
