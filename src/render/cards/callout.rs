//! Callout cards: a text with a background colour and an emoji.

use std::borrow::Cow;

use serde_json::{Value as Json, json};

use super::{
    Card, CardFailure, CardType,
    from_html::{HtmlForm, class_suffix, html_of, of_class},
    in_mail::trimmed_text,
    parsed_cost,
};
use crate::render::{
    html_escape::push_text,
    html_tree::{Node, Serialization, parse_fragment},
    lexical::{
        json::Value,
        properties::{as_text, is_truthy},
    },
    mail::{body::MailWriter, design::text_colour_on, surface::Surface},
};

pub(super) static CARD: CardType = CardType {
    name: "callout",
    render,
    cost: parsed_cost,
    urls: &[],
    html: &[HtmlForm::of_class("div", "kg-callout-card", |div| {
        Some(from_html(div))
    })],
    mail: Some(("kg-callout-card", mail)),
};

/// The elements that are permitted in a callout.
const ELEMENTS: [&str; 13] = [
    "a", "strong", "em", "b", "i", "br", "code", "mark", "s", "del", "u", "sup", "sub",
];

fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    html.push_str("<div class=\"kg-card kg-callout-card kg-callout-card-");
    html.push_str(color(card)?);
    html.push_str("\">");
    // Only `null` is replaced by the default; an empty string means no emoji.
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
        .push_filtered_html(html, keep);
    html.push_str("</div></div>");
    Ok(())
}

fn color(card: Card<'_>) -> Result<&str, CardFailure> {
    let is_part_of_color = |character: char| character.is_ascii_alphanumeric() || character == '-';
    match card.properties.strict_text("backgroundColor") {
        None => Err(CardFailure(
            "its backgroundColor is not a string".to_owned(),
        )),
        // Recorded: `callout/color-empty-falls-back` is blue, `callout/color-rgba-falls-back`
        // white.
        Some("") => Ok("blue"),
        Some(color) if color.chars().all(is_part_of_color) => Ok(color),
        Some(_) => Ok("white"),
    }
}

fn keep(element: Node<'_>) -> Serialization {
    if ELEMENTS.iter().any(|name| element.is(name)) {
        Serialization::Element
    } else if element.is("template") {
        Serialization::Nothing
    } else {
        Serialization::Content
    }
}

fn from_html(div: Node<'_>) -> Json {
    json!({
        "type": "callout",
        "version": 1,
        "calloutText": html_of(div, "kg-callout-text"),
        "calloutEmoji": html_of(div, "kg-callout-emoji"),
        "backgroundColor": class_suffix(div, "kg-callout-card-").unwrap_or("blue"),
    })
}

/// The backgrounds of the editor by name (Ghost 6.65, observed).
const BACKGROUNDS: [(&str, &str); 8] = [
    ("grey", "#f1f2f4"),
    ("white", "#ffffff"),
    ("blue", "#e9f6fb"),
    ("green", "#e8f8ea"),
    ("yellow", "#fcf4e3"),
    ("red", "#fbe9e9"),
    ("pink", "#fceef8"),
    ("purple", "#f2edfc"),
];

fn mail(writer: &mut MailWriter<'_>, node: Node<'_>) {
    let name = class_suffix(node, "kg-callout-card-").unwrap_or("blue");
    let known = BACKGROUNDS.iter().find(|(known, _)| *known == name);
    let fill = match (known, name) {
        (Some((_, fill)), _) => *fill,
        (None, "accent") => writer.design.accent(),
        (None, _) => "#f1f2f4",
    };
    let border = match name {
        "white" => "; border: 1px solid #dddedf",
        _ => "",
    };
    let style = format!("padding: 24px; border-radius: 8px; background: {fill}{border}");
    let surface = Surface {
        style: &style,
        text: text_colour_on(fill),
        link: text_colour_on(fill),
    };
    let emoji = trimmed_text(node, "kg-callout-emoji");
    let text = |writer: &mut MailWriter<'_>| {
        writer.inside_box(of_class(node, "kg-callout-text").unwrap_or(node));
    };
    writer.surface(surface, |writer| {
        if emoji.is_empty() {
            return text(writer);
        }
        let sign = |writer: &mut MailWriter<'_>| push_text(&mut writer.html, &emoji);
        let cell = "width: 20px; padding: 0 12px 0 0; vertical-align: top; font-size: 20px";
        writer.columns(&[(cell, &sign), ("vertical-align: top", &text)]);
    });
}
