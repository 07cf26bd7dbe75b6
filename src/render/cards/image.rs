//! Image cards.

use serde_json::{Value as Json, json};

use super::{
    Card, CardFailure, CardType,
    UrlContent::{Html, Url},
    caption, caption_class,
    from_html::{HtmlForm, class_suffix, resolved},
    parsed_cost,
    responsive::{REGULAR_SIZES, ResponsiveImage, WIDE_SIZES},
};
use crate::render::{
    html_escape::{push_attribute, push_attribute_value},
    html_to_lexical::numbers::{decimal, leading_integer},
    html_tree::Node,
};

pub(super) static CARD: CardType = CardType {
    name: "image",
    render,
    cost: parsed_cost,
    urls: &[("src", Url), ("href", Url), ("caption", Html)],
    html: &[
        HtmlForm::of_element("img", |image| Some(from_element(image))),
        HtmlForm::of_element("figure", from_figure),
    ],
    mail: None,
};

fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let src = card.required("src")?;
    if src.is_empty() {
        return Ok(());
    }
    let properties = card.properties;
    let card_width = properties.text_or("cardWidth", "regular");
    html.push_str("<figure class=\"kg-card kg-image-card");
    // Any other text becomes a class, even an unknown one (recorded: `image/card-width-unknown`).
    if card_width != "regular" {
        html.push_str(" kg-width-");
        push_attribute_value(html, &card_width);
    }
    html.push_str(caption_class(card.has_caption()));
    html.push_str("\">");
    let href = properties.text("href");
    if !href.is_empty() {
        html.push_str("<a");
        push_attribute(html, "href", &href);
        html.push('>');
    }
    html.push_str("<img");
    push_attribute(html, "src", src);
    html.push_str(" class=\"kg-image\"");
    push_attribute(html, "alt", &properties.text("alt"));
    html.push_str(" loading=\"lazy\"");
    let title = properties.text("title");
    if !title.is_empty() {
        push_attribute(html, "title", &title);
    }
    let responsive = ResponsiveImage::new(src, properties.get("width"), card.context.site);
    responsive.push_dimensions(html, properties.get("height"));
    if responsive.push_srcset(html)? {
        match &*card_width {
            "regular" if responsive.is_at_least(720.0) => html.push_str(REGULAR_SIZES),
            "wide" if responsive.is_at_least(1200.0) => html.push_str(WIDE_SIZES),
            _ => {}
        }
    }
    html.push('>');
    if !href.is_empty() {
        html.push_str("</a>");
    }
    card.push_caption(html);
    Ok(())
}

/// The URL of images that are embedded as `data:` URLs, which are not stored (Ghost 6.65,
/// recorded).
const INLINE_IMAGE: &str = "<base64String>";

/// Returns the card of an `img` element.
fn from_element(image: Node<'_>) -> Json {
    properties(image, link_around(image), "", "regular")
}

/// Returns the card of a figure with an image.
fn from_figure(figure: Node<'_>) -> Option<Json> {
    // Ghost converts only the first image of a figure (recorded: `image/figure-two-images`).
    let image = figure.find(|node| node.is("img"))?;
    let caption = caption::of_figure(figure);
    Some(properties(
        image,
        link_around(image),
        &caption,
        width_class(figure),
    ))
}

fn properties(image: Node<'_>, link: Option<String>, caption: &str, width_class: &str) -> Json {
    let (width, height) = dimensions(image);
    json!({
        "type": "image",
        "version": 1,
        "src": url(image),
        "width": width,
        "height": height,
        "title": image.attribute("title").unwrap_or_default(),
        "alt": image.attribute("alt").unwrap_or_default(),
        "caption": caption,
        "cardWidth": width_class,
        "href": link.unwrap_or_default(),
    })
}

fn url(image: Node<'_>) -> String {
    let url = image.attribute("src").unwrap_or_default();
    let is_inline = (url.get(..5)).is_some_and(|start| start.eq_ignore_ascii_case("data:"));
    if is_inline {
        INLINE_IMAGE.to_owned()
    } else {
        resolved(url)
    }
}

/// Returns the URL of the link whose direct child is the image. A link to the image itself is
/// ignored.
pub(super) fn link_around(image: Node<'_>) -> Option<String> {
    let link = image.parent().filter(|parent| parent.is("a"))?;
    let url = resolved(link.attribute("href").unwrap_or_default());
    (url != resolved(image.attribute("src").unwrap_or_default())).then_some(url)
}

/// Returns the width and height of an image in pixels, if known.
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

/// Returns the card width for a figure of Ghost or Medium.
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
