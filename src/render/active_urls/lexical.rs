//! Removal of active URLs from editor documents.

use std::{borrow::Cow, cell::Cell, fmt};

use serde::{
    Deserializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

use super::{Usage, html::without_active_urls, is_active};
use crate::render::cards::{CardType, UrlContent};

/// Suffixes of the names of properties with URLs, in nodes of any type.
const URL_NAMES: [&str; 5] = ["url", "src", "href", "icon", "thumbnail"];

/// The properties whose URLs refer to images and other media.
const IMAGE_NAMES: [&str; 3] = ["src", "icon", "thumbnail"];

/// Names of properties with HTML, in nodes of any type. Card types do not list all of them: some
/// contain no URLs that are stored in another form than they are served, and others belong to
/// unknown types.
const HTML_NAMES: [&str; 12] = [
    "calloutText",
    "caption",
    "content",
    "disclaimer",
    "header",
    "heading",
    "html",
    "productDescription",
    "productTitle",
    "sponsorLabel",
    "subheader",
    "textValue",
];

/// The card whose HTML is rendered unchanged.
const HTML_CARD: &str = "html";

/// Returns an editor document (JSON text) without active URLs in links and cards, and adds the
/// removed URLs to `removed`. A removed link is replaced by its content. HTML cards are unchanged,
/// and so is the text of Markdown cards, whose links are checked when they are rendered. The
/// document is borrowed if nothing is removed or if it is not JSON.
pub fn lexical_without_active_urls<'l>(
    lexical: &'l str,
    removed: &mut Vec<String>,
) -> Cow<'l, str> {
    // Most documents contain no active URL, and the tree of a large document takes many times its
    // size in memory.
    if !any_text(lexical, |text| {
        is_active(text, Usage::Link) || text.contains('<') && text.contains('=')
    }) {
        return Cow::Borrowed(lexical);
    }
    let Ok(mut document) = serde_json::from_str::<Value>(lexical) else {
        return Cow::Borrowed(lexical);
    };
    // `removed` may have entries of other texts, so a change shows only in its length.
    let known = removed.len();
    let root = document.get_mut("root");
    let mut open = Vec::from_iter(root.and_then(children));
    while let Some(nodes) = open.pop() {
        unwrap_links(nodes, removed);
        for node in nodes.iter_mut().filter_map(Value::as_object_mut) {
            let kind = node.get("type").and_then(Value::as_str);
            if kind != Some(HTML_CARD) {
                let card = kind.and_then(CardType::named);
                clean_properties(node, card.map_or(&[], |card| card.urls), removed);
            }
            open.extend(node.get_mut("children").and_then(Value::as_array_mut));
        }
    }
    if removed.len() == known {
        Cow::Borrowed(lexical)
    } else {
        Cow::Owned(document.to_string())
    }
}

/// Returns whether `holds` is true for any string of a JSON text, or the text is invalid, without
/// parsing it into a tree.
fn any_text(json: &str, holds: impl Fn(&str) -> bool) -> bool {
    let has_active_url = Cell::new(false);
    let search = TextSearch {
        holds: &holds,
        found: &has_active_url,
    };
    let read = search.deserialize(&mut serde_json::Deserializer::from_str(json));
    // The search stops at an error, so the strings after it are unknown; the complete parser
    // decides.
    has_active_url.get() || read.is_err()
}

/// Applies a predicate to every string of a value.
#[derive(Clone, Copy)]
struct TextSearch<'s> {
    holds: &'s dyn Fn(&str) -> bool,
    found: &'s Cell<bool>,
}

impl<'de> DeserializeSeed<'de> for TextSearch<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TextSearch<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        if (self.holds)(text) {
            self.found.set(true);
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        while object.next_key::<IgnoredAny>()?.is_some() {
            object.next_value_seed(self)?;
        }
        Ok(())
    }
}

fn children(node: &mut Value) -> Option<&mut Vec<Value>> {
    node.get_mut("children").and_then(Value::as_array_mut)
}

/// Replaces links with active URLs by their content.
fn unwrap_links(nodes: &mut Vec<Value>, removed: &mut Vec<String>) {
    let is_unwrapped = |node: &Value| {
        let is_link = matches!(node["type"].as_str(), Some("link" | "autolink"));
        let url = node["url"].as_str().filter(|_| is_link);
        url.is_some_and(|url| is_active(url, Usage::Link))
    };
    // The content of an unwrapped link may contain another link, which must be checked as well.
    while nodes.iter().any(is_unwrapped) {
        let mut remaining = Vec::with_capacity(nodes.len());
        for mut node in nodes.drain(..) {
            if is_unwrapped(&node) {
                removed.extend(node["url"].as_str().map(str::to_owned));
                remaining.append(children(&mut node).unwrap_or(&mut Vec::new()));
            } else {
                remaining.push(node);
            }
        }
        *nodes = remaining;
    }
}

/// Empties the properties of a node that contain active URLs, including those of nested objects and
/// lists that are not nodes. `urls` are the properties that its card type lists.
fn clean_properties(
    node: &mut Map<String, Value>,
    urls: &[(&str, UrlContent)],
    removed: &mut Vec<String>,
) {
    // Only the last name of a listed path counts: nested objects are searched wherever they are.
    let listed = |name: &str| {
        let mut urls = urls.iter();
        let listed = urls.find(|(path, _)| path.rsplit('.').next() == Some(name));
        listed.map(|(_, content)| *content)
    };
    let mut open = vec![node];
    while let Some(holder) = open.pop() {
        // Children are nodes with their own card types, which the caller visits.
        for (name, value) in holder.iter_mut().filter(|(name, _)| *name != "children") {
            match value {
                Value::String(text) => clean_text(name, listed(name), text, removed),
                Value::Object(inner) => open.push(inner),
                Value::Array(items) => {
                    open.extend(items.iter_mut().filter_map(Value::as_object_mut));
                }
                _ => {}
            }
        }
    }
}

fn clean_text(
    name: &str,
    listed: Option<UrlContent>,
    text: &mut String,
    removed: &mut Vec<String>,
) {
    let lower = name.to_ascii_lowercase();
    let ends_with = |names: &[&str]| names.iter().any(|end| lower.ends_with(end));
    if matches!(listed, Some(UrlContent::Url)) || ends_with(&URL_NAMES) {
        let usage = if ends_with(&IMAGE_NAMES) {
            Usage::Image
        } else {
            Usage::Link
        };
        if is_active(text, usage) {
            removed.push(std::mem::take(text));
        }
    } else if matches!(listed, Some(UrlContent::Html)) || HTML_NAMES.contains(&name) {
        match without_active_urls(text, removed) {
            Ok(Cow::Borrowed(_)) => {}
            Ok(Cow::Owned(cleaned)) => *text = cleaned,
            // HTML that is too large to be parsed is removed.
            Err(_) => removed.push(std::mem::take(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cleaned(nodes: Value) -> (Value, Vec<String>) {
        let document = json!({"root": {"type": "root", "children": nodes}}).to_string();
        let mut removed = Vec::new();
        let cleaned = lexical_without_active_urls(&document, &mut removed);
        let mut cleaned: Value = serde_json::from_str(&cleaned).unwrap();
        (cleaned["root"]["children"].take(), removed)
    }

    #[test]
    fn active_links_are_replaced_by_their_content() {
        let text = |text: &str| json!({"type": "text", "text": text});
        let link =
            |url: &str, children: Value| json!({"type": "link", "url": url, "children": children});
        let (nodes, removed) = cleaned(json!([{"type": "paragraph", "children": [
            text("a"),
            link("javascript:x", json!([text("b"), link(" vbscript:x", json!([text("c")]))])),
            link("/d/", json!([text("d")])),
        ]}]));
        let expected = json!([
            text("a"),
            text("b"),
            text("c"),
            link("/d/", json!([text("d")]))
        ]);
        assert_eq!(nodes[0]["children"], expected);
        assert_eq!(removed, ["javascript:x", " vbscript:x"]);
    }

    #[test]
    fn active_urls_are_removed_from_all_card_properties() {
        let url = "java\tscript:harm()";
        let html = "<a href=\"javascript:harm()\">x</a>";
        for card in [
            json!({"type": "bookmark", "url": url, "metadata": {"icon": url, "thumbnail": url, "title": "x"}}),
            json!({"type": "button", "buttonUrl": url, "buttonText": "x"}),
            json!({"type": "call-to-action", "buttonUrl": url, "imageUrl": url, "textValue": html}),
            json!({"type": "header", "buttonUrl": url, "header": html}),
            json!({"type": "image", "src": "data:text/html,harm()", "href": url, "caption": html}),
            json!({"type": "gallery", "images": [{"src": "x", "href": url}], "caption": html}),
            json!({"type": "product", "productUrl": url, "productDescription": html}),
            json!({"type": "callout", "calloutText": html}),
            json!({"type": "toggle", "heading": "x", "content": html}),
            json!({"type": "embed", "url": url, "html": html}),
        ] {
            let (nodes, removed) = cleaned(json!([card]));
            assert!(!nodes.to_string().contains("harm"), "{nodes}");
            assert!(
                nodes.to_string().contains('x') && !removed.is_empty(),
                "{nodes}"
            );
        }
    }

    #[test]
    fn urls_and_html_of_nodes_that_are_not_known_are_checked_by_name() {
        let (nodes, removed) = cleaned(json!([
            {"type": "new", "linkUrl": "javascript:x", "caption": "<a href=\"vbscript:x\">a</a>", "note": "javascript:x"},
        ]));
        assert_eq!(removed, ["javascript:x", "vbscript:x"]);
        assert_eq!(
            nodes,
            json!([{"type": "new", "linkUrl": "", "caption": "<a>a</a>", "note": "javascript:x"}])
        );
    }

    #[test]
    fn html_cards_code_and_images_are_unchanged() {
        let nodes = json!([
            {"type": "html", "html": "<a href=\"javascript:x()\">a</a>"},
            {"type": "codeblock", "code": "<a href=\"javascript:x()\">a</a>"},
            {"type": "image", "src": "data:image/svg+xml;base64,AA=="},
            {"type": "paragraph", "children": [{"type": "text", "text": "javascript:x"}]},
        ]);
        assert_eq!(cleaned(nodes.clone()), (nodes, vec![]));
    }
}
