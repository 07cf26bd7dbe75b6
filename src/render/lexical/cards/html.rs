//! HTML cards: HTML as written by the author.

use super::{Card, CardFailure, visibility};

pub(super) fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let markup = card.properties.text("html");
    if markup.is_empty() {
        return Ok(());
    }
    visibility::push_gated(card, html, |html| {
        html.push_str("\n<!--kg-card-begin: html-->\n");
        push_with_line_feeds(html, &markup);
        html.push_str("\n<!--kg-card-end: html-->\n");
        Ok(())
    })
}

/// Appends `markup` with all line breaks as line feeds. A carriage return at the very end is
/// dropped (Ghost 6.65, recorded).
fn push_with_line_feeds(html: &mut String, markup: &str) {
    let markup = markup.strip_suffix('\r').unwrap_or(markup);
    let mut lines = markup.split('\r');
    html.extend(lines.next());
    for line in lines {
        if !line.starts_with('\n') {
            html.push('\n');
        }
        html.push_str(line);
    }
}
