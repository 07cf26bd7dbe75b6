//! Bodies of posts for feed readers, which have neither the style sheets nor the scripts of cards.

use std::borrow::Cow;

use super::html_tree::{Node, Serialization, parse_fragment};

/// Classes of elements that are useless without a style sheet or a script (Ghost 6.65).
pub(super) const STYLE_DEPENDENT_CLASSES: &[&str] = &[
    "kg-audio-player",
    "kg-audio-thumbnail",
    "kg-audio-title",
    "kg-bookmark-icon",
    "kg-bookmark-metadata",
    "kg-bookmark-thumbnail",
    "kg-video-overlay",
    "kg-video-player-container",
];

/// Returns `html` without scripts. Audio and video cards are played by the controls of the feed
/// reader.
pub fn for_feeds(html: &str) -> Cow<'_, str> {
    if !html.contains("kg-") && !html.contains("<script") {
        return Cow::Borrowed(html);
    }
    let mut tree = parse_fragment(html);
    let mut added = Vec::new();
    for node in tree.root().descendants() {
        if !(node.is("audio") || node.is("video")) {
            continue;
        }
        // A player outside of cards is the author's own HTML and stays as written.
        let Some(card) = card_of(node) else { continue };
        added.push((node.number(), "controls", String::new()));
        let poster = ["data-kg-custom-thumbnail", "data-kg-thumbnail"]
            .iter()
            .find_map(|name| card.attribute(name).filter(|url| !url.is_empty()));
        if let Some(poster) = poster {
            added.push((node.number(), "poster", poster.to_owned()));
        }
    }
    for (number, name, value) in added {
        tree.set_attribute(number, name, &value);
    }
    let mut filtered = String::with_capacity(html.len());
    tree.root().push_filtered_html(&mut filtered, |node| {
        let is_left_out = node.is("script")
            || STYLE_DEPENDENT_CLASSES
                .iter()
                .any(|class| node.has_class(class));
        if is_left_out {
            Serialization::Nothing
        } else {
            Serialization::Element
        }
    });
    Cow::Owned(filtered)
}

/// Returns the audio or video card that contains a player.
fn card_of(player: Node<'_>) -> Option<Node<'_>> {
    let mut node = player.parent();
    while let Some(parent) = node {
        if parent.has_class("kg-audio-card") || parent.has_class("kg-video-card") {
            return Some(parent);
        }
        node = parent.parent();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_get_the_controls_of_the_reader() {
        let html = "<figure class=\"kg-card kg-video-card\" data-kg-thumbnail=\"/t.jpg\"><div><video src=\"/v.mp4\"></video>\
                    <div class=\"kg-video-overlay\">Play</div></div></figure><script>alert(1)</script><p>Text</p>";
        assert_eq!(
            for_feeds(html),
            "<figure class=\"kg-card kg-video-card\" data-kg-thumbnail=\"/t.jpg\"><div><video src=\"/v.mp4\" controls=\"\" \
             poster=\"/t.jpg\"></video></div></figure><p>Text</p>"
        );
    }

    #[test]
    fn html_without_cards_and_scripts_is_unchanged() {
        let html = "<p>a &amp; b<br/>c";
        assert_eq!(for_feeds(html), html);
    }
}
