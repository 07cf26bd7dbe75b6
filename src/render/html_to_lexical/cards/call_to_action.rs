//! Call-to-action cards.

use serde_json::{Value, json};

use crate::render::html_tree::{Node, clean_fragment};

use super::super::style::Style;
use super::super::trimmed;
use super::{
    attribute_of, attribute_or, class_suffix, image, inner_html, of_class, resolved, text_of,
    visibility,
};

/// The colour of a button without a colour or with the accent colour (Ghost 6.65, recorded). It is
/// not a valid colour, so the button is rendered in the accent colour.
const UNKNOWN_COLOUR: &str = "#00NaNNaN";

/// The default sponsor label.
const SPONSORED: &str = r#"<p><span style="white-space: pre-wrap;">SPONSORED</span></p>"#;

pub(super) fn card(div: Node<'_>) -> Value {
    let button = of_class(div, "kg-cta-button");
    let style = button.map(Style::of);
    let button_colour = style.and_then(Style::background_colour);
    let button_text_colour = style.and_then(Style::colour);
    let button_text = button.map(Node::text_content).unwrap_or_default();
    let label = of_class(div, "kg-cta-sponsor-label");
    let image = of_class(div, "kg-cta-image-container")
        .and_then(|container| container.find(|node| node.is("img")));
    let (width, height) = image.map_or((None, None), image::dimensions);
    let text = text_of(div, "kg-cta-text");
    json!({
        "type": "call-to-action",
        "version": 1,
        "layout": attribute_or(Some(div), "data-layout", "minimal"),
        "alignment": attribute_or(Some(div), "data-alignment", "left"),
        "textValue": trimmed(&text),
        "showButton": button.is_some(),
        "showDividers": div.has_class("kg-cta-has-dividers"),
        "buttonText": match trimmed(&button_text) {
            "" => "Learn more",
            text => text,
        },
        "buttonUrl": attribute_of(button, "href"),
        "buttonColor": button_colour.as_deref().unwrap_or(UNKNOWN_COLOUR),
        "buttonTextColor": button_text_colour.as_deref().unwrap_or("#ffffff"),
        "hasSponsorLabel": label.is_some(),
        "sponsorLabel": label.map_or_else(|| SPONSORED.to_owned(), sponsor_label),
        "backgroundColor": class_suffix(div, "kg-cta-bg-").unwrap_or("grey"),
        "linkColor": "text",
        "imageUrl": resolved(attribute_of(image, "src")),
        "imageWidth": width,
        "imageHeight": height,
        "visibility": visibility(),
    })
}

/// Returns the label as a paragraph.
fn sponsor_label(label: Node<'_>) -> String {
    let mut cleaned = String::new();
    clean_fragment(&format!("<p>{}</p>", inner_html(label)), &mut cleaned);
    cleaned
}
