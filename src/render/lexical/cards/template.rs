//! Cards that are templates: HTML with values put into it as they are, parsed and written again.
//!
//! Values may hold markup, and whatever that breaks, the parser mends.

use crate::render::html_tree::parse_fragment;

/// Appends the card that `template` makes: its first element, and whatever markup in a value put
/// behind that by closing it early.
pub(super) fn push_card(template: &str, html: &mut String) {
    let tree = parse_fragment(template);
    let from = html.len();
    tree.root().push_inner_html(html);
    let written = html.trim_end().len();
    html.truncate(written.max(from));
}
