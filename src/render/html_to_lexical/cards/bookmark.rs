//! Bookmarks: links shown as cards.

use serde_json::{Value, json};

use crate::render::html_tree::Node;

use super::super::style::Style;
use super::super::trimmed;
use super::{attribute_of, html_of, of_class, text_of};

/// The card of a bookmark that Ghost rendered.
pub(super) fn card(figure: Node<'_>) -> Value {
    let thumbnail = of_class(figure, "kg-bookmark-thumbnail")
        .and_then(|around| around.find(|node| node.is("img")));
    let caption = figure.find(|node| node.is("figcaption"));
    json!({
        "type": "bookmark",
        "version": 1,
        "url": attribute_of(of_class(figure, "kg-bookmark-container"), "href"),
        "metadata": {
            "icon": attribute_of(of_class(figure, "kg-bookmark-icon"), "src"),
            "title": text_of(figure, "kg-bookmark-title"),
            "description": text_of(figure, "kg-bookmark-description"),
            // The card shows each under the other's name.
            "author": text_of(figure, "kg-bookmark-publisher"),
            "publisher": text_of(figure, "kg-bookmark-author"),
            "thumbnail": attribute_of(thumbnail, "src"),
        },
        "caption": caption.map(Node::text_content).unwrap_or_default(),
    })
}

/// The card of a link that Medium shows in a box.
pub(super) fn medium(div: Node<'_>) -> Value {
    let link = of_class(div, "markup--mixtapeEmbed-anchor");
    let thumbnail =
        of_class(div, "mixtapeImage").and_then(|image| Style::of(image).background_image());
    json!({
        "type": "bookmark",
        "version": 1,
        "url": attribute_of(link, "href"),
        "metadata": {
            "icon": "",
            "title": html_of(div, "markup--mixtapeEmbed-strong"),
            "description": html_of(div, "markup--mixtapeEmbed-em"),
            "author": "",
            "publisher": link.map(publisher).unwrap_or_default(),
            "thumbnail": thumbnail.unwrap_or_default(),
        },
        "caption": "",
    })
}

/// What is in the link beside title and description.
fn publisher(link: Node<'_>) -> String {
    let mut html = String::new();
    for node in link.children() {
        let is_named = ["markup--mixtapeEmbed-strong", "markup--mixtapeEmbed-em"]
            .iter()
            .any(|class| node.has_class(class));
        if !is_named && !node.is("br") {
            node.push_outer_html(&mut html);
        }
    }
    trimmed(&html).to_owned()
}
