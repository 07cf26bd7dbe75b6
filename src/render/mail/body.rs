//! Rewriting of a post's HTML for mail programs.
//!
//! Supported elements remain and get inline styles. The author's styles are appended, so that they
//! take precedence. Scripts, external resources and forms are removed. Recursion follows the
//! nesting of the tree, which is bounded.

use super::design::Design;
use crate::render::{
    html_escape::{push_attribute, push_attribute_value, push_text},
    html_tree::{HtmlNodeKind, Node, parse_fragment},
    srcset,
};

/// Largest width of an image, in pixels, which is the width of the page.
pub(super) const WIDTH_MAX: u32 = 600;

/// The width of an image that is sharp at the width of the page on screens with a pixel ratio of 2.
const SHARP_WIDTH: u32 = 2 * WIDTH_MAX;

/// The style of an aside.
const ASIDE: &str = "margin: 32px 0; padding: 0 32px; font-size: 21px; font-style: italic; line-height: 1.5; text-align: center";

/// Elements that are removed together with their content.
const DROPPED: &[&str] = &[
    "base", "button", "canvas", "datalist", "dialog", "embed", "form", "head", "input", "link",
    "math", "meta", "noscript", "object", "option", "script", "select", "source", "style", "svg",
    "template", "textarea", "title", "track",
];

/// Elements that remain. Other elements are replaced by their content.
const ALLOWED_ELEMENTS: &[&str] = &[
    "abbr",
    "b",
    "blockquote",
    "br",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "div",
    "dl",
    "dt",
    "em",
    "font",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "samp",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "u",
    "ul",
    "var",
];

/// Attributes that remain, in addition to the style.
const ALLOWED_ATTRIBUTES: &[&str] = &[
    "align",
    "bgcolor",
    "border",
    "cellpadding",
    "cellspacing",
    "colspan",
    "dir",
    "lang",
    "role",
    "rowspan",
    "start",
    "title",
    "valign",
    "width",
];

/// Writes an element for mail programs.
pub(in crate::render) type Push = fn(&mut MailWriter<'_>, Node<'_>);

/// Rewrites the HTML of a post. `url` is its URL on the web. `form_of` returns the function that
/// writes an element if it is a card; other elements are written by the rules for their names.
pub(super) fn rewritten(
    html: &str,
    url: &str,
    design: &Design,
    form_of: fn(Node<'_>) -> Option<Push>,
) -> String {
    let tree = parse_fragment(html);
    let mut writer = MailWriter::new(url, design, form_of);
    writer.inside(tree.root());
    writer.html
}

/// The writer of HTML for mail programs.
pub(in crate::render) struct MailWriter<'a> {
    pub(in crate::render) html: String,
    /// The URL of the post, to which content that cannot be shown is linked.
    pub(in crate::render) url: &'a str,
    pub(in crate::render) design: &'a Design<'a>,
    form_of: fn(Node<'_>) -> Option<Push>,
    button: String,
    pub(super) link: String,
    heading: String,
    faint: String,
    rule: String,
    quote: String,
}

impl<'a> MailWriter<'a> {
    fn new(url: &'a str, design: &'a Design, form_of: fn(Node<'_>) -> Option<Push>) -> Self {
        Self {
            html: String::new(),
            url,
            design,
            form_of,
            button: design.button_style(),
            link: design.link_style(),
            heading: format!(
                "color: {}; font-family: {}; font-weight: {}; line-height: 1.25",
                design.heading(),
                design.title_font(),
                design.weight()
            ),
            faint: format!(
                "margin: 8px 0 0; color: {}; font-size: 13px; line-height: 1.4; text-align: center",
                design.faint_text()
            ),
            rule: format!(
                "height: 0; margin: 32px 0; border: 0; border-top: 1px solid {}",
                design.divider()
            ),
            quote: format!(
                "margin: 0 0 24px; padding: 0 0 0 20px; border-left: 2px solid {}",
                design.quote_line()
            ),
        }
    }

    /// Writes the content of a node.
    pub(in crate::render) fn inside(&mut self, node: Node) {
        node.children().for_each(|child| self.node(child));
    }

    pub(in crate::render) fn node(&mut self, node: Node) {
        match node.kind() {
            HtmlNodeKind::Text(text) => push_text(&mut self.html, text),
            HtmlNodeKind::Element(name) => self.element(node, name),
            HtmlNodeKind::Root | HtmlNodeKind::Comment(_) => {}
        }
    }

    fn element(&mut self, node: Node, name: &str) {
        // Before the rules for names: a card is recognised by its class, whatever its element.
        if let Some(push) = (self.form_of)(node) {
            return push(self, node);
        }
        match name {
            _ if DROPPED.contains(&name) => {}
            "a" => self.anchor(node),
            "img" => self.image(node),
            "iframe" => self.placeholder_link(node.attribute("src"), "Open this"),
            "video" => self.placeholder_link(node.attribute("src"), "Watch the video"),
            "audio" => self.placeholder_link(node.attribute("src"), "Listen"),
            "br" => self.html.push_str("<br>"),
            "hr" => self.rule(),
            "figure" => self.boxed(node, "div", "margin: 0 0 24px", true),
            "figcaption" => self.caption(node),
            "blockquote" if node.has_class("kg-blockquote-alt") => {
                self.boxed(node, name, ASIDE, false);
            }
            "code" if node.parent().is_some_and(|parent| parent.is("pre")) => {
                self.boxed(node, name, "font: inherit", false);
            }
            _ if ALLOWED_ELEMENTS.contains(&name) => {
                let style = self.style_of(name);
                self.boxed(node, name, &style, false);
            }
            _ => self.inside(node),
        }
    }

    /// Returns the default style of an element.
    fn style_of(&self, name: &str) -> String {
        let sized = |size: &str, margin: &str| {
            format!("margin: {margin}; font-size: {size}; {}", self.heading)
        };
        match name {
            "p" => "margin: 0 0 24px".to_owned(),
            "h1" => sized("34px", "44px 0 12px"),
            "h2" => sized("29px", "40px 0 12px"),
            "h3" => sized("24px", "36px 0 10px"),
            "h4" | "h5" | "h6" => sized("20px", "32px 0 8px"),
            "ul" | "ol" => "margin: 0 0 24px; padding: 0 0 0 28px".to_owned(),
            "li" => "margin: 8px 0".to_owned(),
            "blockquote" => self.quote.clone(),
            "pre" => format!(
                "margin: 0 0 24px; padding: 16px 20px; border-radius: 6px; background: {}; color: {}; \
                 font: 15px/1.5 Menlo, Consolas, monospace; white-space: pre-wrap",
                self.design.code_background(),
                self.design.text()
            ),
            "code" => format!(
                "padding: 2px 5px; border-radius: 3px; background: {}; color: {}; \
                 font-family: Menlo, Consolas, monospace; font-size: 0.85em",
                self.design.code_background(),
                self.design.text()
            ),
            "table" => "margin: 0 0 24px; border-collapse: collapse".to_owned(),
            "td" | "th" => "padding: 6px 8px; text-align: left; vertical-align: top".to_owned(),
            _ => String::new(),
        }
    }

    /// Writes an element as `name`, with its content. The author's style is appended to `style`.
    /// Classes are removed, and so are all other attributes if `is_ours`.
    pub(super) fn boxed(&mut self, node: Node, name: &str, style: &str, is_ours: bool) {
        self.html.extend(["<", name]);
        if !is_ours {
            for (attribute, value) in node.attributes() {
                if ALLOWED_ATTRIBUTES.contains(&attribute) {
                    push_attribute(&mut self.html, attribute, value);
                }
            }
        }
        let own = node.attribute("style").unwrap_or_default();
        self.push_style(style, own);
        self.html.push('>');
        self.inside(node);
        self.html.extend(["</", name, ">"]);
    }

    /// Writes a caption.
    pub(in crate::render) fn caption(&mut self, node: Node) {
        let faint = self.faint.clone();
        self.boxed(node, "p", &faint, true);
    }

    /// Writes the caption of a figure, with a margin below it.
    pub(in crate::render) fn caption_below(&mut self, node: Node) {
        let faint = format!("{}; margin: 0 0 24px", self.faint);
        self.boxed(node, "p", &faint, true);
    }

    fn push_style(&mut self, style: &str, own: &str) {
        let both = match (style, own.trim()) {
            ("", "") => return,
            (style, "") => style.to_owned(),
            ("", own) => own.to_owned(),
            (style, own) => format!("{style}; {own}"),
        };
        push_attribute(&mut self.html, "style", &both);
    }

    fn anchor(&mut self, node: Node) {
        let is_button = [
            "kg-btn",
            "kg-cta-button",
            "kg-product-card-button",
            "kg-header-card-button",
        ]
        .iter()
        .any(|class| node.has_class(class));
        let href = node.attribute("href").filter(|href| is_followable(href));
        match href {
            Some(href) if is_button => self.button(href, |writer| writer.inside(node)),
            Some(href) => {
                let link = self.link.clone();
                let own = node.attribute("style").unwrap_or_default();
                self.html.push_str("<a");
                push_attribute(&mut self.html, "href", href);
                self.push_style(&link, own);
                self.html.push('>');
                self.inside(node);
                self.html.push_str("</a>");
            }
            None => self.inside(node),
        }
    }

    /// Writes a link.
    pub(in crate::render) fn link(&mut self, href: &str, text: &str) {
        self.html.push_str("<a");
        push_attribute(&mut self.html, "href", href);
        push_attribute(&mut self.html, "style", &self.link);
        self.html.push('>');
        push_text(&mut self.html, text);
        self.html.push_str("</a>");
    }

    /// Writes the output of `content`, inside a link if `href` can be followed.
    pub(in crate::render) fn linked(
        &mut self,
        href: Option<&str>,
        content: impl FnOnce(&mut Self),
    ) {
        let href = href.filter(|href| is_followable(href));
        if let Some(href) = href {
            self.html.push_str("<a");
            push_attribute(&mut self.html, "href", href);
            self.html.push('>');
        }
        content(self);
        if href.is_some() {
            self.html.push_str("</a>");
        }
    }

    /// Writes a button.
    pub(in crate::render) fn button(&mut self, href: &str, text: impl FnOnce(&mut Self)) {
        self.html.push_str("<a");
        push_attribute(&mut self.html, "href", href);
        push_attribute(&mut self.html, "style", &self.button);
        self.html.push('>');
        text(self);
        self.html.push_str("</a>");
    }

    /// Writes an image, no wider than the page.
    pub(in crate::render) fn image(&mut self, node: Node) {
        let width = node.attribute("width").and_then(|width| width.parse().ok());
        // A width in another unit, such as `50%`, counts as that of the page.
        let width: u32 = width.unwrap_or(WIDTH_MAX).min(WIDTH_MAX);
        // An image of unknown width may be narrower than the page, and a width would enlarge it.
        let width = node.attribute("width").map(|_| width);
        self.sized_image(node, width, self.design.image_style());
    }

    /// Writes an image as wide as the page.
    pub(in crate::render) fn full_width_image(&mut self, node: Node) {
        let style = format!("{}; width: 100%", self.design.image_style());
        self.sized_image(node, Some(WIDTH_MAX), &style);
    }

    /// Writes an image as a square whose sides have `side` pixels.
    pub(in crate::render) fn square_image(&mut self, node: Node, side: u32) {
        self.filling_image(node, (side, side));
    }

    /// Writes an image that fills a box of this width and height in pixels. Only its centre is
    /// shown if the aspect ratio differs.
    pub(in crate::render) fn filling_image(&mut self, node: Node, (width, height): (u32, u32)) {
        let radius = self.design.image_radius();
        let style = format!(
            "display: block; width: {width}px; height: {height}px; border: 0; border-radius: {radius}; object-fit: cover"
        );
        self.sized_image(node, Some(width), &style);
    }

    /// Writes an image with this style.
    fn sized_image(&mut self, node: Node, width: Option<u32>, style: &str) {
        let Some(src) = source_of(node) else {
            return;
        };
        self.html.push_str("<img");
        push_attribute(&mut self.html, "src", src);
        let alt = node.attribute("alt").unwrap_or_default();
        push_attribute(&mut self.html, "alt", alt);
        if let Some(width) = width {
            push_attribute(&mut self.html, "width", &width.to_string());
        }
        push_attribute(&mut self.html, "style", style);
        self.html.push('>');
    }

    /// Writes a divider.
    pub(in crate::render) fn rule(&mut self) {
        self.html.push_str("<hr");
        push_attribute(&mut self.html, "style", &self.rule);
        self.html.push('>');
    }

    /// Writes a link to content that cannot be shown: to its own URL if it has one, otherwise to
    /// the post.
    pub(in crate::render) fn placeholder_link(&mut self, src: Option<&str>, text: &str) {
        let href = src.filter(|src| is_web(src)).unwrap_or(self.url);
        self.html.push_str("<p style=\"margin: 0 0 24px\">");
        self.link(href, text);
        self.html.push_str("</p>");
    }

    /// Writes a box with a border and the output of `content` inside.
    pub(in crate::render) fn bordered(&mut self, content: impl FnOnce(&mut Self)) {
        self.html.push_str(
            "<table role=\"presentation\" border=\"0\" cellpadding=\"0\" cellspacing=\"0\" width=\"100%\" style=\"",
        );
        let style = format!(
            "margin: 0 0 24px; border: 1px solid {}; border-radius: 6px; border-collapse: separate",
            self.design.border()
        );
        push_attribute_value(&mut self.html, &style);
        self.html
            .push_str("\"><tr><td style=\"padding: 16px; vertical-align: top\">");
        content(self);
        self.html.push_str("</td></tr></table>");
    }

    /// Writes a line of smaller text.
    pub(in crate::render) fn small(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let style = format!(
            "margin: 4px 0 0; color: {}; font-size: 14px; line-height: 1.4",
            self.design.faint_text()
        );
        self.html.push_str("<p");
        push_attribute(&mut self.html, "style", &style);
        self.html.push('>');
        push_text(&mut self.html, text);
        self.html.push_str("</p>");
    }
}

/// Returns the URL of an image in a width for mails. Mail programs do not support `srcset`, and
/// each recipient would download the original, which may have megabytes.
pub(in crate::render) fn source_of(image: Node<'_>) -> Option<&str> {
    let resized = image.attribute("srcset");
    let resized = resized.and_then(|srcset| srcset::at_least(srcset, SHARP_WIDTH));
    let resized = resized.filter(|url| is_web(url));
    let src = resized.or_else(|| image.attribute("src"));
    src.filter(|src| is_web(src))
}

/// Returns whether a link opens a page, an e-mail address or a phone number, and runs no code.
pub(in crate::render) fn is_followable(href: &str) -> bool {
    let href = href.trim_start();
    is_web(href)
        // A slot is later replaced by a URL of the recipient.
        || href.starts_with("%%{")
        || ["mailto:", "tel:", "sms:", "#"]
            .iter()
            .any(|start| begins_with(href, start))
}

fn is_web(address: &str) -> bool {
    begins_with(address, "https://") || begins_with(address, "http://")
}

fn begins_with(text: &str, start: &str) -> bool {
    text.get(..start.len())
        .is_some_and(|beginning| beginning.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(html: &str) -> String {
        super::rewritten(
            html,
            "https://example.com/post/",
            &Design::default(),
            |_| None,
        )
    }

    #[test]
    fn scripts_and_forms_are_removed() {
        let html = "<p onclick=\"x()\" class=\"a\">a<script>x()</script><a href=\"javascript:x()\">b</a></p>\
                    <form><input></form><style>p{}</style><!--c-->";
        assert_eq!(rewritten(html), "<p style=\"margin: 0 0 24px\">ab</p>");
    }

    #[test]
    fn styles_of_the_author_take_precedence() {
        assert_eq!(
            rewritten("<p style=\"margin: 0\">a</p><custom-thing>b</custom-thing>"),
            "<p style=\"margin: 0 0 24px; margin: 0\">a</p>b"
        );
    }

    #[test]
    fn images_are_no_wider_than_the_page_and_have_no_fixed_height() {
        let html = rewritten(
            "<img src=\"https://example.com/a.png\" srcset=\"x 2w\" width=\"2000\" height=\"900\" alt=\"A\">",
        );
        assert!(html.starts_with("<img src=\"https://example.com/a.png\" alt=\"A\" width=\"600\""));
        assert!(
            !html.contains("srcset") && !html.contains("height=\""),
            "{html}"
        );
        assert_eq!(rewritten("<img src=\"data:image/png;base64,x\">"), "");
    }

    #[test]
    fn wide_images_are_mailed_in_a_width_that_is_sharp() {
        let html = rewritten(
            "<img src=\"https://example.com/a.png\" width=\"4000\" \
             srcset=\"https://example.com/600.png 600w, https://example.com/1600.png 1600w, https://example.com/2400.png 2400w\">",
        );
        assert!(
            html.starts_with("<img src=\"https://example.com/1600.png\""),
            "{html}"
        );
    }

    #[test]
    fn unsupported_content_becomes_a_link() {
        let frame = rewritten("<iframe src=\"https://player.example/1\"></iframe>");
        assert!(
            frame.contains("href=\"https://player.example/1\""),
            "{frame}"
        );
        let video = rewritten("<video></video>");
        assert!(
            video.contains("href=\"https://example.com/post/\""),
            "{video}"
        );
    }
}
