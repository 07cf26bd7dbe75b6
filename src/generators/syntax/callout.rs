//! Notes, tips and warnings, with the markup of their generator.

use crate::generators::syntax::{
    Family,
    escape::{html, inline_markdown},
};

/// Names of kinds of notes.
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

/// Returns the markup before and after the content of a note. `kind` is one word; a title is Markdown.
pub fn around(kind: &str, title: Option<&str>, family: Family) -> (String, String) {
    let kind = html(&kind.to_lowercase());
    match family {
        Family::Docusaurus => docusaurus(&kind, title),
        Family::Astro => starlight(&kind, title),
        _ => plain(&kind, title),
    }
}

fn docusaurus(kind: &str, title: Option<&str>) -> (String, String) {
    let colour = match kind {
        "note" | "secondary" => "secondary",
        "tip" | "success" => "success",
        "info" | "important" => "info",
        "warning" | "caution" => "warning",
        "danger" => "danger",
        _ => "secondary",
    };
    let title = title.map_or_else(|| kind.to_owned(), inline_markdown);
    let open = format!(
        "<div class=\"theme-admonition theme-admonition-{kind} admonition alert alert--{colour}\"><div \
         class=\"admonition-heading\">{title}</div><div class=\"admonition-content\">"
    );
    (open, "</div></div>".to_owned())
}

fn starlight(kind: &str, title: Option<&str>) -> (String, String) {
    let own = match kind {
        "tip" => "Tip",
        "caution" | "warning" => "Caution",
        "danger" => "Danger",
        _ => "Note",
    };
    let title = title.map_or_else(|| own.to_owned(), inline_markdown);
    let kind = own.to_lowercase();
    let open = format!(
        "<aside aria-label=\"{own}\" class=\"starlight-aside starlight-aside--{kind}\"><p \
         class=\"starlight-aside__title\">{title}</p><div class=\"starlight-aside__content\">"
    );
    (open, "</div></aside>".to_owned())
}

fn plain(kind: &str, title: Option<&str>) -> (String, String) {
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
    let mut letters = kind.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
