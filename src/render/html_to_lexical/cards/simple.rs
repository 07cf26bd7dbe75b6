//! Callouts, toggles, buttons and code.

use memchr::memmem;
use serde_json::{Value, json};

use super::{attribute_of, caption, class_suffix, html_of, of_class, text_of};
use crate::render::html_tree::Node;

pub(super) fn callout(div: Node<'_>) -> Value {
    json!({
        "type": "callout",
        "version": 1,
        "calloutText": html_of(div, "kg-callout-text"),
        "calloutEmoji": html_of(div, "kg-callout-emoji"),
        "backgroundColor": class_suffix(div, "kg-callout-card-").unwrap_or("blue"),
    })
}

pub(super) fn toggle(div: Node<'_>) -> Value {
    json!({
        "type": "toggle",
        "version": 1,
        "heading": text_of(div, "kg-toggle-heading-text"),
        "content": text_of(div, "kg-toggle-content"),
    })
}

pub(super) fn button(div: Node<'_>) -> Value {
    let alignment = match class_suffix(div, "kg-align-") {
        Some("left") => "left",
        _ => "center",
    };
    json!({
        "type": "button",
        "version": 1,
        "buttonText": text_of(div, "kg-btn"),
        "alignment": alignment,
        "buttonUrl": attribute_of(of_class(div, "kg-btn"), "href"),
    })
}

/// Returns the code_card of a `pre` that begins with a `code`; the rest of the `pre` is omitted.
pub(super) fn preformatted(pre: Node<'_>) -> Option<Value> {
    let code = pre.first_element().filter(|element| element.is("code"))?;
    Some(code_card(pre, code, String::new()))
}

/// Returns the code_card of a code_figure with code and a caption.
pub(super) fn code_figure(code_figure: Node<'_>) -> Option<Value> {
    let pre = code_figure.find(|node| node.is("pre"))?;
    let code = pre.find(|node| node.is("code"))?;
    code_figure.find(|node| node.is("figcaption"))?;
    Some(code_card(pre, code, caption::of_figure(code_figure)))
}

fn code_card(pre: Node<'_>, code: Node<'_>, caption: String) -> Value {
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
