//! Pictures.

use serde_json::{Value, json};

use crate::render::html_tree::Node;

use super::super::numbers::{decimal, leading_integer};
use super::{caption, class_suffix, resolved};

/// Stands for pictures that are in the HTML itself: they are not kept (Ghost 6.65, recorded).
const INLINE_PICTURE: &str = "<base64String>";

/// The card of an `img` element.
pub(super) fn card(image: Node<'_>) -> Value {
    image_card(image, link_around(image), "", "regular")
}

/// The card of a figure with a picture.
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
        INLINE_PICTURE.to_owned()
    } else {
        resolved(address)
    }
}

/// Where the link right around a picture leads, unless it is to the picture itself.
pub(super) fn link_around(image: Node<'_>) -> Option<String> {
    let link = image.parent().filter(|parent| parent.is("a"))?;
    let address = resolved(link.attribute("href").unwrap_or_default());
    (address != resolved(image.attribute("src").unwrap_or_default())).then_some(address)
}

/// A picture's width and height in pixels, as far as they are told.
pub(super) fn dimensions(image: Node<'_>) -> (Option<i64>, Option<i64>) {
    let attribute = |name| image.attribute(name);
    let mut told = (
        attribute("data-width").and_then(leading_integer),
        attribute("data-height").and_then(leading_integer),
    );
    let is_sized = |name| attribute(name).and_then(pixels).is_some();
    if !is_sized("width")
        && !is_sized("height")
        && let Some((width, height)) = attribute("data-image-dimensions").and_then(pair)
    {
        told = (width, height);
    }
    (
        attribute("width").and_then(pixels).or(told.0),
        attribute("height").and_then(pixels).or(told.1),
    )
}

/// A `width` or `height` in pixels. Per cents and units are not read.
pub(super) fn pixels(value: &str) -> Option<i64> {
    let pixels = decimal(value)?.trunc();
    (1.0..=f64::from(u32::MAX))
        .contains(&pixels)
        .then_some(pixels as i64)
}

/// The numbers on both sides of an `x`.
fn pair(value: &str) -> Option<(Option<i64>, Option<i64>)> {
    let (width, height) = value.split_once(['x', 'X'])?;
    let number = |text: &str| text.parse::<u32>().ok().map(i64::from);
    Some((Some(number(width)?), number(height)))
}

/// How wide a figure of Ghost or of Medium says that it is.
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
