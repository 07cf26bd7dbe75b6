//! Asides of Astro's theme Starlight.

use crate::generators::syntax::{
    callout::CalloutTag,
    directives::{Containers, OtherContainers},
    escape::inline_markdown,
};

/// The containers: `:::note[Title]`.
pub static CONTAINERS: Containers = Containers {
    mark: ':',
    callouts: &["note", "tip", "caution", "danger"],
    style: callout,
    others: OtherContainers::Text,
    has_code_titles: true,
};

/// The component for callouts.
pub const CALLOUT: CalloutTag = CalloutTag {
    key: "aside",
    style: callout,
};

fn callout(kind: &str, title: Option<&str>) -> (String, String) {
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
