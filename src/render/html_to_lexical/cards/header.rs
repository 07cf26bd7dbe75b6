//! Header cards: a title and a button on an image or a colour.

use serde_json::{Map, Value, json};

use crate::render::html_tree::Node;

use super::{attribute_of, attribute_or, of_class, text_of};

pub(super) fn card(div: Node<'_>) -> Value {
    let mut card = Map::new();
    card.insert("type".to_owned(), Value::from("header"));
    let (version, own) = if div.has_class("kg-v2") {
        (2, second(div))
    } else {
        (1, first(div))
    };
    card.insert("version".to_owned(), Value::from(version));
    if let Value::Object(own) = own {
        card.extend(own);
    }
    Value::Object(card)
}

/// Returns the properties of a header of version 1, whose rendered HTML has no colours.
fn first(div: Node<'_>) -> Value {
    let button = of_class(div, "kg-header-card-button");
    json!({
        "size": if div.has_class("kg-size-large") { "large" } else { "small" },
        "style": if div.has_class("kg-style-image") { "image" } else { "text" },
        "buttonEnabled": button.is_some(),
        "buttonUrl": attribute_of(button, "href"),
        "buttonText": button.map(Node::text_content).unwrap_or_default(),
        "header": text_of(div, "kg-header-card-header"),
        "subheader": text_of(div, "kg-header-card-subheader"),
        "backgroundImageSrc": div.attribute("data-kg-background-image").unwrap_or_default(),
        "accentColor": "#FF1A75",
        "alignment": "center",
        "backgroundColor": "#000000",
        "backgroundImageWidth": null,
        "backgroundImageHeight": null,
        "backgroundSize": "cover",
        "textColor": "#FFFFFF",
        "buttonColor": "#ffffff",
        "buttonTextColor": "#000000",
        "layout": "full",
        "swapped": false,
    })
}

/// Returns the properties of a header of version 2.
fn second(div: Node<'_>) -> Value {
    let heading = of_class(div, "kg-header-card-heading");
    let button = of_class(div, "kg-header-card-button");
    let image = of_class(div, "kg-header-card-image");
    let background = if div.has_class("kg-style-accent") {
        "accent"
    } else {
        attribute_or(Some(div), "data-background-color", "#000000")
    };
    json!({
        "size": "small",
        "style": "dark",
        "buttonEnabled": button.is_some(),
        "buttonUrl": attribute_of(button, "href"),
        "buttonText": button.map(Node::text_content).unwrap_or_default(),
        "header": heading.map(Node::text_content).unwrap_or_default(),
        "subheader": text_of(div, "kg-header-card-subheading"),
        "backgroundImageSrc": attribute_of(image, "src"),
        "accentColor": "#FF1A75",
        "alignment": "center",
        "backgroundColor": background,
        "backgroundImageWidth": null,
        "backgroundImageHeight": null,
        "backgroundSize": "cover",
        "textColor": attribute_or(heading, "data-text-color", "#FFFFFF"),
        "buttonColor": attribute_or(button, "data-button-color", "#ffffff"),
        "buttonTextColor": attribute_or(button, "data-button-text-color", "#000000"),
        "layout": layout(div),
        "swapped": false,
    })
}

fn layout(div: Node<'_>) -> &'static str {
    match () {
        () if div.has_class("kg-layout-split") => "split",
        () if div.has_class("kg-width-full") => "full",
        () if div.has_class("kg-width-wide") => "wide",
        () if div.has_class("kg-width-regular") => "regular",
        // Hand-written HTML may have no such class.
        () if has_image_in_content(div) => "split",
        () => "full",
    }
}

/// Returns whether the image is inside the content: only the split layout puts it there.
fn has_image_in_content(div: Node<'_>) -> bool {
    let Some(content) = of_class(div, "kg-header-card-content") else {
        return false;
    };
    let image = of_class(div, "kg-header-card-image");
    std::iter::successors(image, |node| node.parent()).any(|node| node.number() == content.number())
}
