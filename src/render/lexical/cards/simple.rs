//! Cards of a few elements: buttons, callouts, code, HTML, Markdown and toggles.

use std::borrow::Cow;

use super::{Card, CardFailure, template::push_card, visibility};
use crate::render::{
    html_escape::{push_attribute, push_attribute_value, push_text},
    html_tree::{Keep, Node, parse_fragment},
    lexical::{
        json::Value,
        properties::{as_text, is_truthy},
    },
    markdown::card as markdown_card,
};

/// Renders a link that looks like a button.
pub(super) fn button(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
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

/// The elements that are permitted in a callout.
const CALLOUT_ELEMENTS: [&str; 13] = [
    "a", "strong", "em", "b", "i", "br", "code", "mark", "s", "del", "u", "sup", "sub",
];

/// Renders a line with a background colour and an emoji.
pub(super) fn callout(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    html.push_str("<div class=\"kg-card kg-callout-card kg-callout-card-");
    html.push_str(callout_color(card)?);
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
        .push_kept_html(html, keep_in_callout);
    html.push_str("</div></div>");
    Ok(())
}

fn callout_color(card: Card<'_>) -> Result<&str, CardFailure> {
    let is_part_of_color = |character: char| character.is_ascii_alphanumeric() || character == '-';
    match card.properties.strict_text("backgroundColor") {
        None => Err(CardFailure("its backgroundColor is not a text".to_owned())),
        Some("") => Ok("blue"),
        Some(callout_color) if callout_color.chars().all(is_part_of_color) => Ok(callout_color),
        Some(_) => Ok("white"),
    }
}

fn keep_in_callout(element: Node<'_>) -> Keep {
    if CALLOUT_ELEMENTS.iter().any(|name| element.is(name)) {
        Keep::Element
    } else if element.is("template") {
        Keep::Nothing
    } else {
        Keep::Content
    }
}

/// Renders code, with a caption if there is one.
pub(super) fn code(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
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

/// Renders HTML as written by the author.
pub(super) fn raw_html(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
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

/// Renders Markdown.
pub(super) fn markdown(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let markdown = card.required("markdown")?;
    if !markdown.is_empty() {
        html.push_str(&markdown_card::to_html(markdown));
    }
    Ok(())
}

/// Renders a heading, and content that is shown on a click.
pub(super) fn toggle(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let heading = card.properties.text("heading");
    let content = card.properties.text("content");
    let filled = format!(
        r#"<div class="kg-card kg-toggle-card" data-kg-toggle-state="close">
            <div class="kg-toggle-heading">
                <h4 class="kg-toggle-heading-text">{heading}</h4>
                <button class="kg-toggle-card-icon" aria-label="Expand toggle to read content">
                    <svg id="Regular" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">
                        <path class="cls-1" d="M23.25,7.311,12.53,18.03a.749.749,0,0,1-1.06,0L.75,7.311"></path>
                    </svg>
                </button>
            </div>
            <div class="kg-toggle-content">{content}</div>
        </div>"#
    );
    push_card(&filled, html)
}
