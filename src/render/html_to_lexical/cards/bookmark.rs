//! Bookmark cards.

use serde_json::{Value, json};

use crate::render::html_tree::{Keep, Node};

use super::super::style::Style;
use super::super::trimmed;
use super::{attribute_of, of_class, text_of};

/// Returns the card of a bookmark that Ghost rendered.
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
            // Ghost's renderer swaps the classes of author and publisher.
            "author": text_of(figure, "kg-bookmark-publisher"),
            "publisher": text_of(figure, "kg-bookmark-author"),
            "thumbnail": attribute_of(thumbnail, "src"),
        },
        "caption": caption.map(Node::text_content).unwrap_or_default(),
    })
}

/// Returns the card of a link that Medium shows in a box: title, description and site name, all
/// inside the link. The first line break in it is only a separator.
pub(super) fn medium(div: Node<'_>) -> Value {
    let link = of_class(div, "markup--mixtapeEmbed-anchor");
    let line_break = link.and_then(|link| link.find(|node| node.is("br")));
    let part = |class| {
        let part = of_class(link?, class)?;
        let html = html_without(part, &[line_break]);
        (!html.is_empty()).then_some((part, html))
    };
    let title = part("markup--mixtapeEmbed-strong");
    let description = part("markup--mixtapeEmbed-em");
    let others = [&title, &description].map(|part| part.as_ref().map(|(part, _)| *part));
    let publisher = link.map(|link| html_without(link, &[others[0], others[1], line_break]));
    let thumbnail =
        of_class(div, "mixtapeImage").and_then(|image| Style::of(image).background_image());
    json!({
        "type": "bookmark",
        "version": 1,
        "url": attribute_of(link, "href"),
        "metadata": {
            "icon": "",
            "title": title.map(|(_, html)| html).unwrap_or_default(),
            "description": description.map(|(_, html)| html).unwrap_or_default(),
            "author": "",
            "publisher": publisher.unwrap_or_default(),
            "thumbnail": thumbnail.unwrap_or_default(),
        },
        "caption": "",
    })
}

/// Returns the inner HTML of an element without some of its descendants.
fn html_without(element: Node<'_>, omitted: &[Option<Node<'_>>]) -> String {
    let mut html = String::new();
    element.push_kept_html(&mut html, |node| {
        if omitted.contains(&Some(node)) {
            Keep::Nothing
        } else {
            Keep::Element
        }
    });
    trimmed(&html).to_owned()
}
