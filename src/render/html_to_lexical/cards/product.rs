//! Product cards.

use serde_json::{Value, json};

use crate::render::html_tree::Node;

use super::image::pixels;
use super::{attribute_of, caption};

/// The default number of stars.
const STARS: usize = 5;

/// Returns the card of a product that Ghost rendered, unless it is empty.
pub(super) fn card(div: Node<'_>) -> Option<Value> {
    let of_class = |class| div.descendants().filter(move |node| node.has_class(class));
    let title = caption::joined(of_class("kg-product-card-title"));
    let description = caption::joined(of_class("kg-product-card-description"));
    let image = of_class("kg-product-card-image").next();
    let button = div.find(|node| node.is("a"));
    if title.is_empty() && description.is_empty() && image.is_none() && button.is_none() {
        return None;
    }
    let size = |name| image.and_then(|image| pixels(image.attribute(name)?));
    let stars = of_class("kg-product-card-rating-active").count();
    let button_text = button.map(Node::text_content).unwrap_or_default();
    let button_text = one_line(&button_text);
    let button_address = attribute_of(button, "href");
    let has_button = !button_text.is_empty() && !button_address.is_empty();
    Some(json!({
        "type": "product",
        "version": 1,
        "productImageSrc": attribute_of(image, "src"),
        "productImageWidth": size("width"),
        "productImageHeight": size("height"),
        "productTitle": title,
        "productDescription": description,
        "productRatingEnabled": stars > 0,
        "productStarRating": if stars > 0 { stars } else { STARS },
        "productButtonEnabled": has_button,
        "productButton": if has_button { &button_text } else { "" },
        "productUrl": if has_button { button_address } else { "" },
    }))
}

/// Returns the text trimmed, and with one space for each run of white space.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}
