//! URLs of the site in the editor's documents.

use std::borrow::Cow;

use url::Url;

use super::placeholder::{base, to_served_with};
use super::{html_to_stored, markdown, url_to_stored};
use crate::render::{
    cards::{CardType, UrlContent},
    lexical::{
        ParsedDocument,
        json::{self, Members, Value},
    },
};

/// The properties of nodes that are not cards, of which links have a URL.
const NODE: &[(&str, UrlContent)] = &[("url", UrlContent::Url)];

/// Returns the stored form of an editor document (JSON text), with its keys in the same order;
/// borrowed if it contains no URL of the site.
///
/// Text that is not JSON, or is nested too deeply, is returned unchanged.
pub fn lexical_to_stored<'a>(lexical: &'a str, site: &Url) -> Cow<'a, str> {
    let document = serde_json::from_str::<Value<'_>>(lexical).ok();
    let stored = document.and_then(|document| value_to_stored(document, site));
    stored.map_or(Cow::Borrowed(lexical), Cow::Owned)
}

/// Returns the stored form of a parsed document; `None` if it contains no URL of the site.
pub fn parsed_to_stored(document: ParsedDocument<'_>, site: &Url) -> Option<String> {
    value_to_stored(document.into_value(), site)
}

fn value_to_stored(mut document: Value<'_>, site: &Url) -> Option<String> {
    let mut is_changed = false;
    let root = document.as_object_mut().and_then(|it| it.get_mut("root"));
    let mut open = Vec::from_iter(root.and_then(Value::as_object_mut).and_then(children));
    while let Some(nodes) = open.pop() {
        for node in nodes.iter_mut().filter_map(Value::as_object_mut) {
            for (path, content) in properties_of(node) {
                is_changed |= store_property(node, path, *content, site);
            }
            open.extend(children(node));
        }
    }
    if is_changed {
        json::written(&document).ok()
    } else {
        None
    }
}

/// Returns a stored editor document (JSON text) as served on `site`; borrowed if it contains no
/// placeholder.
pub fn lexical_to_served<'a>(stored: &'a str, site: &Url) -> Cow<'a, str> {
    // The URL is inserted into JSON strings.
    let quoted = serde_json::Value::from(base(site)).to_string();
    to_served_with(stored, &quoted[1..quoted.len() - 1])
}

fn children<'n, 'd>(node: &'n mut Members<'d>) -> Option<&'n mut Vec<Value<'d>>> {
    node.get_mut("children").and_then(Value::as_array_mut)
}

/// Returns the properties with URLs that a node has by its type.
fn properties_of(node: &Members<'_>) -> &'static [(&'static str, UrlContent)] {
    let kind = node.get("type").and_then(Value::as_str);
    kind.and_then(CardType::named)
        .map_or(NODE, |card| card.urls)
}

/// Replaces each string at `path` by its stored form, and returns whether one has changed.
fn store_property(holder: &mut Members<'_>, path: &str, content: UrlContent, site: &Url) -> bool {
    let Some((outer, inner)) = path.split_once('.') else {
        return (holder.get_mut(path)).is_some_and(|value| store(value, content, site));
    };
    let holders: &mut [Value<'_>] = match holder.get_mut(outer) {
        Some(Value::Array(holders)) => holders,
        Some(holder) => std::slice::from_mut(holder),
        None => return false,
    };
    let mut is_changed = false;
    for value in holders
        .iter_mut()
        .filter_map(|holder| holder.as_object_mut()?.get_mut(inner))
    {
        is_changed |= store(value, content, site);
    }
    is_changed
}

/// Replaces a string by its stored form, and returns whether it has changed.
fn store(value: &mut Value<'_>, content: UrlContent, site: &Url) -> bool {
    let Value::String(text) = value else {
        return false;
    };
    let stored = match content {
        UrlContent::Url => url_to_stored(text, site),
        UrlContent::Html => html_to_stored(text, site),
        UrlContent::Markdown => markdown::to_stored(text, site),
    };
    let Cow::Owned(stored) = stored else {
        return false;
    };
    *text = Cow::Owned(stored);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(url: &str) -> Url {
        Url::parse(url).unwrap()
    }

    #[test]
    fn documents_without_urls_of_the_site_are_unchanged() {
        let site = site("https://site.example/");
        for document in [
            "",
            "{bad",
            "[1]",
            "null",
            r#" { "root" : {"children":[{"type":"link","url":"x"}, 5, null]} } "#,
            r#"{"root":{"children":{"0":{"type":"link","url":"/x"}}}}"#,
            r#"{"root":{"url":"/x","children":[{"type":"image","src":7,"caption":null,"href":["/x"]}]}}"#,
            r#"{"children":[{"type":"link","url":"/x"}]}"#,
            &"[".repeat(100_000),
        ] {
            assert!(
                matches!(lexical_to_stored(document, &site), Cow::Borrowed(same) if same == document)
            );
        }
    }

    #[test]
    fn every_node_is_visited() {
        let site = site("https://site.example/blog/");
        let node = |url: &str| {
            format!(
                r#"{{"root":{{"children":[{{"type":"image","children":[{{"url":"{url}"}}]}}]}}}}"#
            )
        };
        assert_eq!(
            lexical_to_stored(&node("/x"), &site),
            node("__GHOST_URL__/x")
        );
        assert_eq!(
            lexical_to_served(&node("__GHOST_URL__/x"), &site),
            node("https://site.example/blog/x")
        );
    }

    #[test]
    fn served_document_is_json_for_any_url_of_the_site() {
        let site = site(r"https://site.example/?a\b#\c");
        let stored = r#"{"url":"__GHOST_URL__"}"#;
        let served: serde_json::Value =
            serde_json::from_str(&lexical_to_served(stored, &site)).unwrap();
        assert_eq!(served["url"], base(&site));
    }
}
