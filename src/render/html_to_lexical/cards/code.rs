//! Code cards.

use memchr::memmem;
use serde_json::{Value, json};

use crate::render::html_tree::Node;

use super::caption;

/// Returns the card of a `pre` that begins with a `code`; the rest of the `pre` is omitted.
pub(super) fn preformatted(pre: Node<'_>) -> Option<Value> {
    let code = pre.first_element().filter(|element| element.is("code"))?;
    Some(card(pre, code, String::new()))
}

/// Returns the card of a figure with code and a caption.
pub(super) fn figure(figure: Node<'_>) -> Option<Value> {
    let pre = figure.find(|node| node.is("pre"))?;
    let code = pre.find(|node| node.is("code"))?;
    figure.find(|node| node.is("figcaption"))?;
    Some(card(pre, code, caption::of_figure(figure)))
}

fn card(pre: Node<'_>, code: Node<'_>, caption: String) -> Value {
    let language = language(pre).or_else(|| language(code));
    json!({
        "type": "codeblock",
        "version": 1,
        "code": code.text_content(),
        "language": language.unwrap_or_default(),
        "caption": caption,
    })
}

/// Returns the language of a class such as `language-rust` or `lang-rust`, in lower case.
fn language(element: Node<'_>) -> Option<String> {
    let classes = element.attribute("class")?.to_ascii_lowercase();
    let start = memmem::find_iter(classes.as_bytes(), "lang").find_map(|start| {
        let rest = &classes[start + "lang".len()..];
        let name = rest
            .strip_prefix("uage")
            .unwrap_or(rest)
            .strip_prefix('-')?;
        Some(classes.len() - name.len())
    })?;
    let name = classes[start..].split_ascii_whitespace().next();
    let is_named = !classes[start..].starts_with(|character: char| character.is_ascii_whitespace());
    name.filter(|_| is_named).map(|name| name.to_lowercase())
}
