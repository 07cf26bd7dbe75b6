//! Products.

use serde_json::{Value, json};

use crate::render::html_tree::Node;

use super::super::trimmed;
use super::image::pixels;
use super::{attribute_of, html_of, of_class};

/// How many stars a product has that nobody rated.
const STARS: usize = 5;

/// The card of a product that Ghost rendered, unless nothing is told of it.
pub(super) fn card(div: Node<'_>) -> Option<Value> {
    let title = html_of(div, "kg-product-card-title");
    let description = html_of(div, "kg-product-card-description");
    let image = of_class(div, "kg-product-card-image");
    let image_address = attribute_of(image, "src");
    let button = of_class(div, "kg-product-card-button");
    if title.is_empty() && description.is_empty() && image_address.is_empty() && button.is_none() {
        return None;
    }
    let size = |name| image.and_then(|image| pixels(image.attribute(name)?));
    let stars = (div.descendants())
        .filter(|node| node.has_class("kg-product-card-rating-active"))
        .count();
    let button_text = button.map(Node::text_content).unwrap_or_default();
    let button_text = trimmed(&button_text);
    let button_address = attribute_of(button, "href");
    let has_button = !button_text.is_empty() && !button_address.is_empty();
    Some(json!({
        "type": "product",
        "version": 1,
        "productImageSrc": image_address,
        "productImageWidth": size("width"),
        "productImageHeight": size("height"),
        "productTitle": title,
        "productDescription": description,
        "productRatingEnabled": stars > 0,
        "productStarRating": if stars > 0 { stars } else { STARS },
        "productButtonEnabled": has_button,
        "productButton": if has_button { button_text } else { "" },
        "productUrl": if has_button { button_address } else { "" },
    }))
}
