//! Bodies of posts in RSS, as Ghost writes them (6.65, recorded).
//!
//! Feed readers have neither the style sheets nor the scripts of cards, so audio and video cards are played by the
//! reader's own controls. All non-ASCII characters are numeric references, and empty attributes are written without a
//! value.

use std::{borrow::Cow, fmt::Write};

use super::{
    feed_html::STYLE_DEPENDENT_CLASSES,
    html_tree::{HtmlNodeKind, Node, parse_fragment},
};

/// HTML elements without content and without an end tag.
const VOID: &[&str] = &[
    "area", "base", "basefont", "br", "col", "command", "embed", "frame", "hr", "img", "input",
    "isindex", "keygen", "link", "meta", "param", "source", "track", "wbr",
];

/// HTML elements whose text is not escaped.
const RAW_TEXT: &[&str] = &[
    "iframe",
    "noembed",
    "noframes",
    "noscript",
    "plaintext",
    "script",
    "style",
    "xmp",
];

/// The image of a post, which is inserted into its body in a feed.
#[derive(Clone, Copy, Debug)]
pub struct FeedImage<'a> {
    /// The URL of the image.
    pub url: &'a str,
    /// The title of the post, which becomes the alternative text of all images in the body.
    pub title: &'a str,
}

/// Returns `html` for RSS. The image is inserted before the first paragraph; without a paragraph, it is omitted.
pub fn for_rss(html: &str, image: Option<FeedImage>) -> String {
    let tree = parse_fragment(html);
    let mut writer = RssWriter {
        html: String::with_capacity(html.len() + html.len() / 8),
        image,
        is_image_due: image.is_some(),
        steps: Vec::new(),
    };
    writer.push_children(tree.root());
    while let Some(step) = writer.steps.pop() {
        match step {
            Step::Node(node) => writer.push_node(node),
            Step::Markup(markup) => writer.html.push_str(markup),
            Step::End(name) => {
                writer.html.push_str("</");
                writer.html.push_str(name);
                writer.html.push('>');
            }
        }
    }
    writer.html
}

/// A step that is still to be written. The next step is the last one in the list.
enum Step<'t> {
    Node(Node<'t>),
    Markup(&'static str),
    End(&'t str),
}

struct RssWriter<'t, 'i> {
    html: String,
    image: Option<FeedImage<'i>>,
    is_image_due: bool,
    steps: Vec<Step<'t>>,
}

impl<'t> RssWriter<'t, '_> {
    fn push_children(&mut self, node: Node<'t>) {
        // The next step is the last in the list, so the children are pushed from the end.
        let backwards = std::iter::successors(node.last_child(), |child| child.previous_sibling());
        self.steps.extend(backwards.map(Step::Node));
    }

    fn push_node(&mut self, node: Node<'t>) {
        match node.kind() {
            HtmlNodeKind::Root => {}
            HtmlNodeKind::Comment(text) => {
                self.html.push_str("<!--");
                self.html.push_str(text);
                self.html.push_str("-->");
            }
            HtmlNodeKind::Text(text) => {
                let is_raw = node
                    .parent()
                    .is_some_and(|parent| RAW_TEXT.iter().any(|name| parent.is(name)));
                if is_raw {
                    self.html.push_str(text);
                } else {
                    push_escaped(&mut self.html, text);
                }
            }
            HtmlNodeKind::Element(name) => self.push_element(node, name),
        }
    }

    fn push_element(&mut self, node: Node<'t>, name: &'t str) {
        let card = ancestor_with_class(node, "kg-card");
        if card.is_some() {
            if STYLE_DEPENDENT_CLASSES
                .iter()
                .any(|class| node.has_class(class))
            {
                return;
            }
            if node.has_class("kg-audio-player-container") {
                return self.push_children(node);
            }
            if node.has_class("kg-bookmark-description") {
                self.html.push_str("<small>");
                // Pushed before the end of the element, so it is written after it.
                self.steps.push(Step::Markup("</small>"));
            }
        }
        if self.is_image_due && node.is("p") {
            self.push_image();
        }
        let is_html = node.is(name);
        self.html.push('<');
        self.html.push_str(name);
        for (prefix, name, value) in self.attributes(node, card) {
            self.html.push(' ');
            self.html.push_str(prefix);
            self.html.push_str(name);
            if !(is_html && value.is_empty()) {
                self.html.push_str("=\"");
                push_escaped(&mut self.html, &value);
                self.html.push('"');
            }
        }
        let is_void = is_html && VOID.contains(&name);
        if !is_html && node.first_child().is_none() {
            self.html.push_str("/>");
            return;
        }
        self.html.push('>');
        if !is_void {
            self.steps.push(Step::End(name));
        }
        self.push_children(node);
    }

    /// Returns the attributes of an element. A player gets the controls of the feed reader, and an image gets the title
    /// of the post as its alternative text.
    fn attributes<'n>(
        &self,
        node: Node<'n>,
        card: Option<Node<'n>>,
    ) -> Vec<(&'static str, &'n str, Cow<'n, str>)> {
        let mut attributes: Vec<_> = node
            .prefixed_attributes()
            .map(|(prefix, name, value)| (prefix, name, Cow::Borrowed(value)))
            .collect();
        let mut set = |name, value| match attributes.iter_mut().find(|found| found.1 == name) {
            Some(found) => found.2 = value,
            None => attributes.push(("", name, value)),
        };
        if let (Some(image), true) = (self.image, node.is("img")) {
            set("alt", Cow::Owned(image.title.to_owned()));
        }
        let Some(card) = card else { return attributes };
        let is_video = node.is("video") && ancestor_with_class(node, "kg-video-card").is_some();
        let is_audio = node.is("audio") && ancestor_with_class(node, "kg-audio-card").is_some();
        if is_video {
            let own = card.attribute("data-kg-custom-thumbnail");
            let own = own.filter(|url| !url.is_empty());
            if let Some(poster) = own.or_else(|| card.attribute("data-kg-thumbnail")) {
                set("poster", Cow::Borrowed(poster));
            }
        }
        if is_video || is_audio {
            set("controls", Cow::Borrowed(""));
        }
        // A video's style shows its thumbnail, which the poster replaces.
        attributes.retain(|(_, name, _)| !(is_video && *name == "style"));
        attributes
    }

    fn push_image(&mut self) {
        self.is_image_due = false;
        let Some(image) = self.image else { return };
        self.html.push_str("<img");
        for (name, value) in [("src", image.url), ("alt", image.title)] {
            self.html.push(' ');
            self.html.push_str(name);
            if !value.is_empty() {
                self.html.push_str("=\"");
                push_escaped(&mut self.html, value);
                self.html.push('"');
            }
        }
        self.html.push('>');
    }
}

/// Returns the nearest ancestor with a class.
fn ancestor_with_class<'t>(node: Node<'t>, class: &str) -> Option<Node<'t>> {
    std::iter::successors(node.parent(), |node| node.parent()).find(|node| node.has_class(class))
}

/// Appends a text or an attribute value. Characters with a meaning in HTML, non-ASCII characters and `$` are written as
/// character references.
fn push_escaped(html: &mut String, text: &str) {
    let mut copied = 0;
    for (index, character) in text.char_indices() {
        let reference = match character {
            '&' => "&amp;",
            '"' => "&quot;",
            '\'' => "&apos;",
            '<' => "&lt;",
            '>' => "&gt;",
            '$' => "&#x24;",
            _ if character.is_ascii() => continue,
            _ => "",
        };
        html.push_str(&text[copied..index]);
        copied = index + character.len_utf8();
        if reference.is_empty() {
            let written = write!(html, "&#x{:x};", u32::from(character));
            debug_assert!(written.is_ok(), "writing to a string cannot fail");
        } else {
            html.push_str(reference);
        }
    }
    html.push_str(&text[copied..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_references_and_empty_attributes_have_no_value() {
        assert_eq!(
            for_rss("<p data-x class=\"\">It's $5 — ok<br/></p>", None),
            "<p data-x class>It&apos;s &#x24;5 &#x2014; ok<br></p>"
        );
    }

    #[test]
    fn image_is_before_the_first_paragraph_and_its_title_is_the_text_of_all_images() {
        let image = FeedImage {
            url: "/a.png?b&c",
            title: "T\"",
        };
        assert_eq!(
            for_rss(
                "<h2>A</h2><p>B</p><img src=\"/c.png\" alt=\"C\" id=\"d\"><p>E</p>",
                Some(image)
            ),
            "<h2>A</h2><img src=\"/a.png?b&amp;c\" alt=\"T&quot;\"><p>B</p><img src=\"/c.png\" alt=\"T&quot;\" id=\"d\"><p>E</p>"
        );
        assert_eq!(for_rss("<h2>A</h2>", Some(image)), "<h2>A</h2>");
    }

    #[test]
    fn cards_are_readable_without_styles_and_scripts() {
        let video = "<figure class=\"kg-card kg-video-card\" data-kg-thumbnail=\"/t.jpg\"><div><video src=\"/v.mp4\" style=\"x\">\
                     </video><div class=\"kg-video-overlay\">Play</div></div></figure>";
        assert_eq!(
            for_rss(video, None),
            "<figure class=\"kg-card kg-video-card\" data-kg-thumbnail=\"/t.jpg\"><div><video src=\"/v.mp4\" poster=\"/t.jpg\" \
             controls></video></div></figure>"
        );
        let audio = "<div class=\"kg-card kg-audio-card\"><div class=\"kg-audio-player-container\"><audio src=\"/a.mp3\"></audio>\
                     <div class=\"kg-audio-title\">T</div></div></div>";
        assert_eq!(
            for_rss(audio, None),
            "<div class=\"kg-card kg-audio-card\"><audio src=\"/a.mp3\" controls></audio></div>"
        );
        let bookmark = "<a class=\"kg-card\"><div class=\"kg-bookmark-description\">D</div><img class=\"kg-bookmark-icon\"></a>";
        assert_eq!(
            for_rss(bookmark, None),
            "<a class=\"kg-card\"><small><div class=\"kg-bookmark-description\">D</div></small></a>"
        );
    }

    #[test]
    fn svg_elements_without_content_are_self_closing() {
        let svg = "<svg viewBox=\"0 0 1 1\"><use xlink:href=\"#a\" id=\"\"></use><g><path d=\"M0\"/></g></svg>";
        assert_eq!(
            for_rss(svg, None),
            "<svg viewBox=\"0 0 1 1\"><use xlink:href=\"#a\" id=\"\"/><g><path d=\"M0\"/></g></svg>"
        );
    }
}
