//! Button cards.

use super::{Card, CardFailure};
use crate::render::html_escape::{push_attribute, push_attribute_value, push_text};

pub(super) fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let url = card.required("buttonUrl")?;
    if url.is_empty() {
        return Ok(());
    }
    html.push_str("<div class=\"kg-card kg-button-card kg-align-");
    push_attribute_value(html, &card.properties.text_or("alignment", "center"));
    html.push_str("\"><a");
    push_attribute(html, "href", url);
    html.push_str(" class=\"kg-btn kg-btn-accent\">");
    push_text(html, &card.properties.text_or("buttonText", "Button Title"));
    html.push_str("</a></div>");
    Ok(())
}
