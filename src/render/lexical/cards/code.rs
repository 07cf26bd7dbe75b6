//! Code cards.

use super::{Card, CardFailure};
use crate::render::html_escape::{push_attribute_value, push_text};

pub(super) fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let code = card.required("code")?;
    if code.is_empty() {
        return Ok(());
    }
    let has_caption = card.has_caption();
    if has_caption {
        html.push_str("<figure class=\"kg-card kg-code-card\">");
    }
    html.push_str("<pre><code");
    let language = card.properties.text("language");
    if !language.is_empty() {
        html.push_str(" class=\"language-");
        push_attribute_value(html, &language);
        html.push('"');
    }
    html.push('>');
    push_text(html, code);
    html.push_str("</code></pre>");
    if has_caption {
        card.push_caption(html);
    }
    Ok(())
}
