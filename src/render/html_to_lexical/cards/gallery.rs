//! Gallery cards: Ghost's own, and galleries of Medium and Squarespace.

use serde_json::{Map, Value, json};

use crate::render::html_tree::Node;

use super::super::text::Lines;
use super::{caption, image, resolved};

/// Images in each row.
const ROW_IMAGES: usize = 3;

/// Returns the card of a gallery that Ghost rendered.
pub(super) fn figure(figure: Node<'_>) -> Value {
    let captions = caption::of_figure(figure);
    card(
        figure.descendants().filter(|node| node.is("img")),
        &captions,
    )
}

/// Returns the card of another generator's gallery, if `div` is one. The following parts of a
/// Medium gallery are removed from `lines`.
pub(super) fn of_other_generator(div: Node<'_>, lines: &mut Lines) -> Option<Value> {
    if is_part(div) {
        return Some(medium(div, lines));
    }
    let classes = div.attribute("class")?;
    let is_squarespace = classes.contains("sqs-gallery-container")
        && !classes.contains("summary-item-list-container");
    is_squarespace.then(|| squarespace(div))
}

/// Returns whether `node` is a row of images in a story of Medium.
fn is_part(node: Node<'_>) -> bool {
    node.is("div")
        && node
            .attribute("data-paragraph-count")
            .is_some_and(|count| !count.is_empty())
        && node.find(|node| node.is("img")).is_some()
}

/// Medium uses an element for each row.
fn medium(first: Node<'_>, lines: &mut Lines) -> Value {
    let following = std::iter::successors(first.next_sibling(), |node| node.next_sibling())
        .filter(|node| node.is_element())
        .take_while(|node| is_part(*node));
    let parts: Vec<Node<'_>> = std::iter::once(first).chain(following).collect();
    for part in &parts[1..] {
        lines.take(*part);
    }
    let all = || parts.iter().flat_map(|part| part.descendants());
    let caption = caption::joined(all().filter(|node| node.is("figcaption")));
    card(all().filter(|node| node.is("img")), &caption)
}

fn squarespace(div: Node<'_>) -> Value {
    let titles = div
        .descendants()
        .filter(|node| node.has_class("meta-title"));
    let images = (div.descendants()).filter(|node| node.is("img") && node.has_class("thumb-image"));
    card(
        images.filter(|image| !address(*image).is_empty()),
        &caption::joined(titles),
    )
}

fn address<'t>(image: Node<'t>) -> &'t str {
    let attribute = |name| image.attribute(name).filter(|address| !address.is_empty());
    attribute("src")
        .or_else(|| attribute("data-src"))
        .unwrap_or_default()
}

fn card<'t>(images: impl Iterator<Item = Node<'t>>, caption: &str) -> Value {
    let images: Vec<Value> = images
        .enumerate()
        .map(|(index, image)| entry(image, index / ROW_IMAGES))
        .collect();
    json!({"type": "gallery", "version": 1, "images": images, "caption": caption})
}

/// Returns the entry of an image, without unknown properties.
fn entry(image: Node<'_>, row: usize) -> Value {
    let mut entry = Map::new();
    let mut set = |name: &str, value: Value| entry.insert(name.to_owned(), value);
    let address = resolved(address(image));
    let file_name = address.rsplit('/').next().unwrap_or_default().to_owned();
    if !address.is_empty() {
        set("src", Value::from(address));
    }
    let (width, height) = image::dimensions(image);
    let text = |name| image.attribute(name).filter(|text| !text.is_empty());
    let optional = [
        ("width", width.map(Value::from)),
        ("height", height.map(Value::from)),
        ("alt", text("alt").map(Value::from)),
        ("title", text("title").map(Value::from)),
        ("href", image::link_around(image).map(Value::from)),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            set(name, value);
        }
    }
    set("fileName", Value::from(file_name));
    set("row", Value::from(row));
    Value::Object(entry)
}
