//! Code cards.

use memchr::memmem;
use serde_json::{Value as Json, json};

use super::{Card, CardFailure, CardType, UrlContent::Html, caption, from_html::HtmlForm};
use crate::render::{
    html_escape::{push_attribute_value, push_text},
    html_tree::Node,
};

pub(super) static CARD: CardType = CardType {
    name: "codeblock",
    render,
    // Code is never parsed as HTML.
    cost: |_, _| Ok(()),
    urls: &[("caption", Html)],
    html: &[
        HtmlForm::of_element("pre", preformatted),
        HtmlForm::when(
            "figure",
            |figure| figure.find(|node| node.is("pre")).is_some(),
            from_figure,
        ),
    ],
    mail: None,
};

fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let code = card.required("code")?;
    if code.is_empty() {
        return Ok(());
    }
    let has_caption = card.has_caption();
    if has_caption {
        html.push_str("<figure class=\"kg-card kg-code-card\">");
    }
    html.push_str("<pre><code");
    let language = card.properties.text("language");
    if !language.is_empty() {
        html.push_str(" class=\"language-");
        push_attribute_value(html, &language);
        html.push('"');
    }
    html.push('>');
    push_text(html, code);
    html.push_str("</code></pre>");
    if has_caption {
        card.push_caption(html);
    }
    Ok(())
}

/// Returns the card of a `pre` element that begins with a `code` element; the rest of the `pre` is
/// omitted.
fn preformatted(pre: Node<'_>) -> Option<Json> {
    let code = pre.first_element().filter(|element| element.is("code"))?;
    // Ghost drops text around the first `code` (recorded: `code/pre-with-text-around-code`,
    // `code/pre-with-two-codes`).
    Some(properties(pre, code, String::new()))
}

/// Returns the card of a figure with code and a caption.
fn from_figure(figure: Node<'_>) -> Option<Json> {
    let pre = figure.find(|node| node.is("pre"))?;
    let code = pre.find(|node| node.is("code"))?;
    // Without a caption, the `pre` inside becomes the card (recorded:
    // `code/figure-without-caption`).
    figure.find(|node| node.is("figcaption"))?;
    Some(properties(pre, code, caption::of_figure(figure)))
}

fn properties(pre: Node<'_>, code: Node<'_>, caption: String) -> Json {
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
