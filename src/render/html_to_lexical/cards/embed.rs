//! Embed cards: players, maps and posts of other sites.

use serde_json::{Value, json};

use crate::render::html_tree::{Keep, Node};

use super::{caption, resolved};

/// Returns the card of a frame with another site; frames of the same site are omitted.
pub(super) fn frame(frame: Node<'_>, caption: &str) -> Option<Value> {
    let written = frame.attribute("src").unwrap_or_default();
    let address = match written.strip_prefix("//") {
        Some(rest) => format!("https://{rest}"),
        None => written.to_owned(),
    };
    let url = resolved(&address);
    is_web_address(&url).then(|| {
        let mut html = String::new();
        frame.push_outer_html(&mut html);
        if written != address {
            html = html.replacen(&format!("src=\"{written}"), &format!("src=\"{address}"), 1);
        }
        card(&url, &html, caption)
    })
}

/// Returns the card of a figure with a frame, or with a quote that links to its source.
pub(super) fn figure(figure: Node<'_>) -> Option<Value> {
    let caption = caption::of_figure(figure);
    if let Some(frame) = figure.find(|node| node.is("iframe")) {
        return self::frame(frame, &caption);
    }
    let link = figure.find(|node| node.is("a"))?;
    let address = link.attribute("href")?;
    if !is_web_address(address) {
        return None;
    }
    let mut html = String::new();
    figure.push_kept_html(&mut html, |node| {
        if node.is("figcaption") {
            Keep::Nothing
        } else {
            Keep::Element
        }
    });
    Some(card(address, &html, &caption))
}

fn is_web_address(address: &str) -> bool {
    address.starts_with("http://") || address.starts_with("https://")
}

fn card(url: &str, html: &str, caption: &str) -> Value {
    json!({
        "type": "embed",
        "version": 1,
        "url": url,
        "embedType": "",
        "html": html,
        "metadata": {},
        "caption": caption,
    })
}
