//! Callouts, toggles and buttons.

use serde_json::{Value, json};

use crate::render::html_tree::Node;

use super::{attribute_of, class_suffix, html_of, of_class, text_of};

pub(super) fn callout(div: Node<'_>) -> Value {
    json!({
        "type": "callout",
        "version": 1,
        "calloutText": html_of(div, "kg-callout-text"),
        "calloutEmoji": html_of(div, "kg-callout-emoji"),
        "backgroundColor": class_suffix(div, "kg-callout-card-").unwrap_or("blue"),
    })
}

pub(super) fn toggle(div: Node<'_>) -> Value {
    json!({
        "type": "toggle",
        "version": 1,
        "heading": text_of(div, "kg-toggle-heading-text"),
        "content": text_of(div, "kg-toggle-content"),
    })
}

pub(super) fn button(div: Node<'_>) -> Value {
    let alignment = match class_suffix(div, "kg-align-") {
        Some("left") => "left",
        _ => "center",
    };
    json!({
        "type": "button",
        "version": 1,
        "buttonText": text_of(div, "kg-btn"),
        "alignment": alignment,
        "buttonUrl": attribute_of(of_class(div, "kg-btn"), "href"),
    })
}
