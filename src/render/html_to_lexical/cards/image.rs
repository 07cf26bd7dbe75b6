//! Image cards.

use serde_json::{Value, json};

use crate::render::html_tree::Node;

use super::super::numbers::{decimal, leading_integer};
use super::{caption, class_suffix, resolved};

/// Replaces images embedded in the HTML as `data:` URLs, which are not stored (Ghost 6.65,
/// recorded).
const INLINE_IMAGE: &str = "<base64String>";

/// Returns the card of an `img` element.
pub(super) fn card(image: Node<'_>) -> Value {
    image_card(image, link_around(image), "", "regular")
}

/// Returns the card of a figure with an image.
pub(super) fn figure(figure: Node<'_>) -> Option<Value> {
    let image = figure.find(|node| node.is("img"))?;
    let caption = caption::of_figure(figure);
    Some(image_card(
        image,
        link_around(image),
        &caption,
        width_class(figure),
    ))
}

fn image_card(image: Node<'_>, link: Option<String>, caption: &str, width_class: &str) -> Value {
    let (width, height) = dimensions(image);
    json!({
        "type": "image",
        "version": 1,
        "src": address(image),
        "width": width,
        "height": height,
        "title": image.attribute("title").unwrap_or_default(),
        "alt": image.attribute("alt").unwrap_or_default(),
        "caption": caption,
        "cardWidth": width_class,
        "href": link.unwrap_or_default(),
    })
}

fn address(image: Node<'_>) -> String {
    let address = image.attribute("src").unwrap_or_default();
    let is_inline = (address.get(..5)).is_some_and(|start| start.eq_ignore_ascii_case("data:"));
    if is_inline {
        INLINE_IMAGE.to_owned()
    } else {
        resolved(address)
    }
}

/// Returns the URL of the link that directly encloses an image, unless it is the image's own.
pub(super) fn link_around(image: Node<'_>) -> Option<String> {
    let link = image.parent().filter(|parent| parent.is("a"))?;
    let address = resolved(link.attribute("href").unwrap_or_default());
    (address != resolved(image.attribute("src").unwrap_or_default())).then_some(address)
}

/// Returns the width and height of an image in pixels, as far as known.
pub(super) fn dimensions(image: Node<'_>) -> (Option<i64>, Option<i64>) {
    let attribute = |name| image.attribute(name);
    let mut size = (
        attribute("data-width").and_then(leading_integer),
        attribute("data-height").and_then(leading_integer),
    );
    let is_sized = |name| attribute(name).and_then(pixels).is_some();
    if !is_sized("width")
        && !is_sized("height")
        && let Some((width, height)) = attribute("data-image-dimensions").and_then(pair)
    {
        size = (width, height);
    }
    (
        attribute("width").and_then(pixels).or(size.0),
        attribute("height").and_then(pixels).or(size.1),
    )
}

/// Parses a `width` or `height` in pixels. Percentages and units are rejected.
pub(super) fn pixels(value: &str) -> Option<i64> {
    let pixels = decimal(value)?.trunc();
    (1.0..=f64::from(u32::MAX))
        .contains(&pixels)
        .then_some(pixels as i64)
}

/// Parses the numbers on both sides of an `x`.
fn pair(value: &str) -> Option<(Option<i64>, Option<i64>)> {
    let (width, height) = value.split_once(['x', 'X'])?;
    let number = |text: &str| text.parse::<u32>().ok().map(i64::from);
    Some((Some(number(width)?), number(height)))
}

/// Returns the width of a figure of Ghost or Medium.
fn width_class(figure: Node<'_>) -> &'static str {
    match class_suffix(figure, "kg-width-") {
        Some("wide") => return "wide",
        Some("full") => return "full",
        _ => {}
    }
    match class_suffix(figure, "graf--layout") {
        Some("FillWidth") => "full",
        Some("OutsetCenter") => "wide",
        _ => "regular",
    }
}
