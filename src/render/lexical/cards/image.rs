//! Image cards.

use super::{Card, CardFailure, caption_class};
use crate::render::html_escape::{push_attribute, push_attribute_value};
use crate::render::lexical::responsive::{REGULAR_SIZES, ResponsiveImage, WIDE_SIZES};

pub(super) fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let src = card.required("src")?;
    if src.is_empty() {
        return Ok(());
    }
    let properties = card.properties;
    let card_width = properties.text_or("cardWidth", "regular");
    html.push_str("<figure class=\"kg-card kg-image-card");
    if card_width != "regular" {
        html.push_str(" kg-width-");
        push_attribute_value(html, &card_width);
    }
    html.push_str(caption_class(card.has_caption()));
    html.push_str("\">");
    let href = properties.text("href");
    if !href.is_empty() {
        html.push_str("<a");
        push_attribute(html, "href", &href);
        html.push('>');
    }
    html.push_str("<img");
    push_attribute(html, "src", src);
    html.push_str(" class=\"kg-image\"");
    push_attribute(html, "alt", &properties.text("alt"));
    html.push_str(" loading=\"lazy\"");
    let title = properties.text("title");
    if !title.is_empty() {
        push_attribute(html, "title", &title);
    }
    let responsive = ResponsiveImage::new(src, properties.get("width"), card.context.site);
    responsive.push_dimensions(html, properties.get("height"));
    if responsive.push_srcset(html)? {
        match &*card_width {
            "regular" if responsive.is_at_least(720.0) => html.push_str(REGULAR_SIZES),
            "wide" if responsive.is_at_least(1200.0) => html.push_str(WIDE_SIZES),
            _ => {}
        }
    }
    html.push('>');
    if !href.is_empty() {
        html.push_str("</a>");
    }
    card.push_caption(html);
    Ok(())
}
