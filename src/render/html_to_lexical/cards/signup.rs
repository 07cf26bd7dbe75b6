//! Signup cards.

use serde_json::{Value, json};

use crate::render::html_tree::Node;

use super::super::style::Style;
use super::super::trimmed;
use super::{attribute_of, of_class, text_of};

pub(super) fn card(div: Node<'_>) -> Value {
    let own_background = Style::of(div).background_colour();
    let background = if div.has_class("kg-style-accent") {
        "accent"
    } else {
        own_background.as_deref().unwrap_or("#ffffff")
    };
    let success = of_class(div, "kg-signup-card-success");
    let text_colour = success.and_then(|success| Style::of(success).colour());
    let image = attribute_of(of_class(div, "kg-signup-card-image"), "src");
    let is_split = div.has_class("kg-layout-split");
    // Without a background, the text has the colour of the page.
    let text_colour = if background == "transparent" && (image.is_empty() || is_split) {
        ""
    } else {
        text_colour.as_deref().unwrap_or("#ffffff")
    };
    let button = of_class(div, "kg-signup-card-button");
    let button_colour = button.map(|button| {
        if button.has_class("kg-style-accent") {
            return Some("accent".to_owned());
        }
        Style::of(button).background_colour()
    });
    let button_text_colour = button.and_then(|button| Style::of(button).colour());
    let text = of_class(div, "kg-signup-card-text");
    let is_centred = text.is_some_and(|text| text.has_class("kg-align-center"));
    let text_in = |name| {
        let element = div.find(|node| node.is(name));
        element.map(Node::text_content).unwrap_or_default()
    };
    let labels: Vec<&str> = div
        .descendants()
        .filter(|node| node.is("input") && node.attribute("data-members-label").is_some())
        .map(|input| input.attribute("value").unwrap_or_default())
        .collect();
    json!({
        "type": "signup",
        "version": 1,
        "alignment": if is_centred { "center" } else { "left" },
        "backgroundColor": background,
        "backgroundImageSrc": image,
        "backgroundSize": if div.has_class("kg-content-wide") { "contain" } else { "cover" },
        "textColor": text_colour,
        "buttonColor": button_colour.flatten().unwrap_or_else(|| "#ffffff".to_owned()),
        "buttonTextColor": button_text_colour.unwrap_or_else(|| "#000000".to_owned()),
        "buttonText": text_or(div, "kg-signup-card-button-default", "Subscribe"),
        // A line after the title is read as the small print.
        "disclaimer": text_in("p"),
        "header": text_in("h2"),
        "layout": if is_split { "split" } else { "regular" },
        "subheader": text_in("h3"),
        "successMessage": text_or(
            div,
            "kg-signup-card-success",
            "Email sent! Check your inbox to complete your signup.",
        ),
        "swapped": div.has_class("kg-swapped"),
        "labels": labels,
    })
}

/// Returns the text of the first element with a class, or `default` if it is missing or empty.
fn text_or(div: Node<'_>, class: &str, default: &str) -> String {
    let text = text_of(div, class);
    match trimmed(&text) {
        "" => default.to_owned(),
        text => text.to_owned(),
    }
}
