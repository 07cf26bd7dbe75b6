//! Cards: elements and comments other than text.
//!
//! Cards rendered by Ghost are recognised by their classes, with losses: HTML in them is often read
//! as text (Ghost 6.65, recorded). There are also images, frames, code, tables, and some classes of
//! Medium and Squarespace.

mod bookmark;
mod boxes;
mod call_to_action;
mod caption;
mod code;
mod embed;
mod gallery;
mod header;
mod image;
mod media;
mod product;
mod raw_html;
mod signup;

pub(crate) use self::raw_html::is_mark as is_html_card_mark;
use serde_json::{Value, json};
use url::Url;

use crate::render::html_tree::Node;

use super::text::Lines;

/// Reads cards, and remembers the elements in which no card ends.
#[derive(Default)]
pub(super) struct Reader {
    raw_html: raw_html::RawHtmlReader,
}

impl Reader {
    /// Returns the card of an element. Sibling elements that belong to it are removed from `lines`.
    pub(super) fn element(
        &self,
        element: Node<'_>,
        name: &str,
        lines: &mut Lines,
    ) -> Option<Value> {
        match name {
            "img" => Some(image::card(element)),
            "figure" => figure(element),
            "div" => div(element, lines),
            "iframe" => embed::frame(element, ""),
            "pre" => code::preformatted(element),
            "table" => Some(raw_html::table(element)),
            "hr" => Some(json!({"type": "horizontalrule", "version": 1})),
            _ => None,
        }
    }

    /// Returns the card that a comment represents or begins.
    pub(super) fn comment(
        &mut self,
        comment: Node<'_>,
        text: &str,
        lines: &mut Lines,
    ) -> Option<Value> {
        if text.trim() == "members-only" {
            return Some(json!({"type": "paywall", "version": 1}));
        }
        self.raw_html.card(comment, text, lines)
    }
}

fn figure(figure: Node<'_>) -> Option<Value> {
    if figure.find(|node| node.is("pre")).is_some() {
        return code::figure(figure);
    }
    if let Some(video) = media::video(figure) {
        return Some(video);
    }
    if figure.has_class("kg-bookmark-card") {
        return Some(bookmark::card(figure));
    }
    let is_embedded = |node: Node<'_>| node.is("iframe") || node.is("blockquote");
    if figure.find(is_embedded).is_some() {
        return embed::figure(figure);
    }
    if figure.has_class("kg-gallery-card") {
        return Some(gallery::figure(figure));
    }
    image::figure(figure)
}

fn div(div: Node<'_>, lines: &mut Lines) -> Option<Value> {
    if div.attribute("data-lexical-signup-form").is_some() {
        return Some(signup::card(div));
    }
    if let Some(gallery) = gallery::of_other_generator(div, lines) {
        return Some(gallery);
    }
    let classes = div.attribute("class")?;
    // Most elements have none of these.
    if !classes.contains("kg-") && !classes.contains("graf--") {
        return None;
    }
    match () {
        () if div.has_class("kg-audio-card") => Some(media::audio(div)),
        () if div.has_class("kg-callout-card") => Some(boxes::callout(div)),
        () if div.has_class("kg-cta-card") => Some(call_to_action::card(div)),
        () if div.has_class("kg-file-card") => Some(media::file(div)),
        () if div.has_class("kg-toggle-card") => Some(boxes::toggle(div)),
        () if div.has_class("kg-button-card") => Some(boxes::button(div)),
        () if div.has_class("kg-header-card") => Some(header::card(div)),
        () if div.has_class("kg-product-card") => product::card(div),
        () if div.has_class("graf--mixtapeEmbed") => Some(bookmark::medium(div)),
        () => None,
    }
}

/// Returns the first element below `node` with a class.
fn of_class<'t>(node: Node<'t>, class: &str) -> Option<Node<'t>> {
    node.find(|node| node.has_class(class))
}

/// Returns the text of the first element with a class; empty without one.
fn text_of(node: Node<'_>, class: &str) -> String {
    of_class(node, class).map_or_else(String::new, Node::text_content)
}

/// Returns the trimmed inner HTML of the first element with a class; empty without one.
fn html_of(node: Node<'_>, class: &str) -> String {
    of_class(node, class).map_or_else(String::new, inner_html)
}

/// Returns the trimmed inner HTML of an element.
fn inner_html(node: Node<'_>) -> String {
    let mut html = String::new();
    node.push_inner_html(&mut html);
    super::trimmed(&html).to_owned()
}

fn attribute_of<'t>(node: Option<Node<'t>>, name: &str) -> &'t str {
    (node.and_then(|node| node.attribute(name))).unwrap_or_default()
}

/// Returns the value of an attribute, or `default` if it is missing or empty.
fn attribute_or<'t>(element: Option<Node<'t>>, name: &str, default: &'t str) -> &'t str {
    match attribute_of(element, name) {
        "" => default,
        value => value,
    }
}

/// Returns a URL resolved without a base: an absolute one in normal form, any other unchanged.
fn resolved(address: &str) -> String {
    Url::parse(address).map_or_else(|_| address.to_owned(), String::from)
}

/// Returns the letters, digits and underscores after `prefix` in an element's classes.
fn class_suffix<'t>(element: Node<'t>, prefix: &str) -> Option<&'t str> {
    let classes = element.attribute("class")?;
    classes.match_indices(prefix).find_map(|(start, _)| {
        let rest = &classes[start + prefix.len()..];
        let is_end = |character: char| !character.is_ascii_alphanumeric() && character != '_';
        let suffix = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        (!suffix.is_empty()).then_some(suffix)
    })
}

/// Returns a card of raw HTML.
pub(super) fn of_raw_html(html: &str) -> Value {
    raw_html::card(html)
}

/// Returns the default visibility of a card: everyone.
fn visibility() -> Value {
    json!({
        "web": {"nonMember": true, "memberSegment": "status:free,status:-free"},
        "email": {"memberSegment": "status:free,status:-free"},
    })
}
