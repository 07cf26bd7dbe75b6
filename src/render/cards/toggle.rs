//! Toggle cards: a heading, and content that is shown on a click.

use serde_json::{Value as Json, json};

use super::{
    Card, CardFailure, CardType,
    UrlContent::Html,
    from_html::{HtmlForm, of_class, text_of},
    parsed_cost,
    template::push_card,
};
use crate::render::{html_tree::Node, mail::body::MailWriter};

pub(super) static CARD: CardType = CardType {
    name: "toggle",
    render,
    cost: parsed_cost,
    urls: &[("heading", Html), ("content", Html)],
    html: &[HtmlForm::of_class("div", "kg-toggle-card", |div| {
        Some(from_html(div))
    })],
    mail: Some(("kg-toggle-card", mail)),
};

fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
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

fn from_html(div: Node<'_>) -> Json {
    json!({
        "type": "toggle",
        "version": 1,
        "heading": text_of(div, "kg-toggle-heading-text"),
        "content": text_of(div, "kg-toggle-content"),
    })
}

/// Writes the toggle with its content visible.
fn mail(writer: &mut MailWriter<'_>, node: Node<'_>) {
    writer.bordered(|writer| {
        writer
            .html
            .push_str("<p style=\"margin: 0 0 8px; font-weight: 600\">");
        if let Some(heading) = of_class(node, "kg-toggle-heading-text") {
            writer.inside(heading);
        }
        writer.html.push_str("</p>");
        if let Some(content) = of_class(node, "kg-toggle-content") {
            writer.inside_box(content);
        }
    });
}
