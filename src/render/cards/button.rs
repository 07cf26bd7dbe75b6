//! Button cards.

use serde_json::{Value as Json, json};

use super::{
    Card, CardFailure, CardType,
    UrlContent::Url,
    from_html::{HtmlForm, attribute_of, class_suffix, of_class, text_of},
    parsed_cost,
};
use crate::render::{
    html_escape::{push_attribute, push_attribute_value, push_text},
    html_tree::Node,
    mail::body::MailWriter,
};

pub(super) static CARD: CardType = CardType {
    name: "button",
    render,
    cost: parsed_cost,
    urls: &[("buttonUrl", Url)],
    html: &[HtmlForm::of_class("div", "kg-button-card", |div| {
        Some(from_html(div))
    })],
    mail: Some(("kg-button-card", mail)),
};

fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
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

fn from_html(div: Node<'_>) -> Json {
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

fn mail(writer: &mut MailWriter<'_>, node: Node<'_>) {
    let align = match () {
        () if node.has_class("kg-align-left") => "left",
        () if node.has_class("kg-align-right") => "right",
        () => "center",
    };
    writer
        .html
        .extend(["<p style=\"margin: 0 0 24px; text-align: ", align, "\">"]);
    writer.inside(node);
    writer.html.push_str("</p>");
}
