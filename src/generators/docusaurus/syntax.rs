//! Admonitions of Docusaurus.

use crate::generators::syntax::{
    callout::CalloutTag,
    directives::{Containers, OtherContainers},
    escape::inline_markdown,
};

/// The containers: `:::note[Title]`.
pub static CONTAINERS: Containers = Containers {
    mark: ':',
    callouts: &[
        "note",
        "tip",
        "info",
        "warning",
        "danger",
        "caution",
        "important",
        "secondary",
        "success",
    ],
    style: callout,
    others: OtherContainers::Reported,
    has_code_titles: true,
};

/// The component for callouts.
pub const CALLOUT: CalloutTag = CalloutTag {
    key: "admonition",
    style: callout,
};

fn callout(kind: &str, title: Option<&str>) -> (String, String) {
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
