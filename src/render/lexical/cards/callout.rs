//! Callout cards: a line with a background colour and an emoji.

use std::borrow::Cow;

use crate::render::lexical::json::Value;

use super::{Card, CardFailure};
use crate::render::html_escape::push_text;
use crate::render::html_tree::{Keep, Node, parse_fragment};
use crate::render::lexical::properties::{as_text, is_truthy};

/// The elements that are permitted in a callout.
const ELEMENTS: [&str; 13] = [
    "a", "strong", "em", "b", "i", "br", "code", "mark", "s", "del", "u", "sup", "sub",
];

pub(super) fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    html.push_str("<div class=\"kg-card kg-callout-card kg-callout-card-");
    html.push_str(color(card)?);
    html.push_str("\">");
    // Only null is replaced by the default; an empty text means no emoji.
    let emoji = match card.properties.get("calloutEmoji") {
        Value::Null => Cow::Borrowed("💡"),
        emoji if is_truthy(emoji) => as_text(emoji),
        _ => Cow::Borrowed(""),
    };
    if !emoji.is_empty() {
        html.push_str("<div class=\"kg-callout-emoji\">");
        push_text(html, &emoji);
        html.push_str("</div>");
    }
    html.push_str("<div class=\"kg-callout-text\">");
    parse_fragment(&card.properties.text("calloutText"))
        .root()
        .push_kept_html(html, keep);
    html.push_str("</div></div>");
    Ok(())
}

fn color(card: Card<'_>) -> Result<&str, CardFailure> {
    let is_part_of_color = |character: char| character.is_ascii_alphanumeric() || character == '-';
    match card.properties.strict_text("backgroundColor") {
        None => Err(CardFailure("its backgroundColor is not a text".to_owned())),
        Some("") => Ok("blue"),
        Some(color) if color.chars().all(is_part_of_color) => Ok(color),
        Some(_) => Ok("white"),
    }
}

fn keep(element: Node<'_>) -> Keep {
    if ELEMENTS.iter().any(|name| element.is(name)) {
        Keep::Element
    } else if element.is("template") {
        Keep::Nothing
    } else {
        Keep::Content
    }
}
