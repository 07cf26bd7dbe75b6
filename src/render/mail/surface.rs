//! Parts of cards for mail programs: boxes with a background, coloured buttons, and images that play a video.

use super::body::MailWriter;
use crate::render::{
    html_escape::{push_attribute, push_text},
    html_tree::Node,
};

/// The start of a table for layout, before its style.
const LAYOUT: &str =
    "<table role=\"presentation\" border=\"0\" cellpadding=\"0\" cellspacing=\"0\" width=\"100%\"";

/// The text colour on light backgrounds.
pub(in crate::render) const DARK_TEXT: &str = "#15171a";

/// Height of the play sign, in pixels.
const PLAY_HEIGHT: f64 = 56.0;

/// A box.
#[derive(Clone, Copy, Debug)]
pub(in crate::render) struct Surface<'s> {
    /// The style of the box: background, border and padding.
    pub(in crate::render) style: &'s str,
    /// The colour of text in the box.
    pub(in crate::render) text: &'s str,
    /// The colour of links in the box.
    pub(in crate::render) link: &'s str,
}

/// A column: the style of its cell, and the function that writes its content.
pub(in crate::render) type Column<'c, 'w> = (&'c str, &'c dyn Fn(&mut MailWriter<'w>));

impl<'w> MailWriter<'w> {
    /// Writes the output of `content` in a box.
    pub(in crate::render) fn surface(
        &mut self,
        surface: Surface<'_>,
        content: impl FnOnce(&mut Self),
    ) {
        let Surface { style, text, link } = surface;
        let link = format!("color: {link}; text-decoration: underline");
        let outside = std::mem::replace(&mut self.link, link);
        self.html.push_str(LAYOUT);
        self.html
            .push_str(" style=\"margin: 0 0 24px; border-collapse: separate\"><tr><td");
        push_attribute(&mut self.html, "style", &format!("{style}; color: {text}"));
        self.html.push('>');
        content(self);
        self.html.push_str("</td></tr></table>");
        // Boxes nest, and the text after this one has the link colour of its box.
        self.link = outside;
    }

    /// Writes the output of `content` in a box with a border and without padding.
    pub(in crate::render) fn framed(&mut self, content: impl FnOnce(&mut Self)) {
        let style = format!(
            "border: 1px solid {}; border-radius: 6px",
            self.design.border()
        );
        let text = self.design.text();
        let outside = self.link.clone();
        let surface = Surface {
            style: &style,
            text,
            link: text,
        };
        self.surface(surface, |writer| {
            // A frame has no background, so links have the colour of those outside.
            writer.link = outside;
            content(writer);
        });
    }

    /// Writes a link in the colour of the surrounding text.
    pub(in crate::render) fn plain_link(&mut self, href: &str, text: &str) {
        let style = format!("color: {}; text-decoration: none", self.design.text());
        self.html.push_str("<a");
        push_attribute(&mut self.html, "href", href);
        push_attribute(&mut self.html, "style", &style);
        self.html.push('>');
        push_text(&mut self.html, text);
        self.html.push_str("</a>");
    }

    /// Writes columns side by side.
    pub(in crate::render) fn columns(&mut self, columns: &[Column<'_, 'w>]) {
        self.html.push_str(LAYOUT);
        self.html.push_str("><tr>");
        for (style, content) in columns {
            self.html.push_str("<td");
            push_attribute(&mut self.html, "style", style);
            self.html.push('>');
            content(self);
            self.html.push_str("</td>");
        }
        self.html.push_str("</tr></table>");
    }

    /// Writes `text`, and next to it an image that narrow screens do not show (`page.html`).
    pub(in crate::render) fn beside_thumbnail(
        &mut self,
        text: Column<'_, 'w>,
        image: Column<'_, 'w>,
    ) {
        self.html.push_str(LAYOUT);
        self.html.push_str("><tr>");
        for ((style, content), class) in [(text, ""), (image, " class=\"thumbnail\"")] {
            self.html.extend(["<td", class]);
            push_attribute(&mut self.html, "style", style);
            self.html.push('>');
            content(self);
            self.html.push_str("</td>");
        }
        self.html.push_str("</tr></table>");
    }

    /// Writes a part of the content of a box in this style.
    pub(in crate::render) fn part(&mut self, style: &str, content: impl FnOnce(&mut Self)) {
        self.html.push_str("<div");
        push_attribute(&mut self.html, "style", style);
        self.html.push('>');
        content(self);
        self.html.push_str("</div>");
    }

    /// Writes the content of a node in a box. The last paragraph has no margin below.
    pub(in crate::render) fn inside_box(&mut self, node: Node) {
        let last = node.children().filter(|child| child.is_element()).last();
        for child in node.children() {
            if child.is("p") {
                let is_last = Some(child) == last;
                let margin = if is_last {
                    "margin: 0"
                } else {
                    "margin: 0 0 16px"
                };
                self.boxed(child, "p", margin, false);
            } else {
                self.node(child);
            }
        }
    }

    /// Writes a button in this colour. If `is_wide`, it is as wide as its box.
    pub(in crate::render) fn colored_button(
        &mut self,
        href: &str,
        color: &str,
        is_wide: bool,
        text: impl FnOnce(&mut Self),
    ) {
        let mut style = self.design.button_style_in(color);
        if is_wide {
            style.push_str("; display: block; text-align: center");
        }
        self.styled_link(href, &style, text);
    }

    /// Writes a button filled with this colour, even if other buttons are outlined: it may be on an image.
    pub(in crate::render) fn filled_button(
        &mut self,
        href: &str,
        color: &str,
        text: impl FnOnce(&mut Self),
    ) {
        let style = self.design.filled_button_style_in(color);
        self.styled_link(href, &style, text);
    }

    fn styled_link(&mut self, href: &str, style: &str, text: impl FnOnce(&mut Self)) {
        self.html.push_str("<a");
        push_attribute(&mut self.html, "href", href);
        push_attribute(&mut self.html, "style", style);
        self.html.push('>');
        text(self);
        self.html.push_str("</a>");
    }

    /// Writes an image with a play sign on it as a link to `href`. The width is `ratio` times the height. The
    /// background is dark without an image, and in mail programs that show no background images.
    pub(in crate::render) fn play_sign(&mut self, href: &str, image: Option<&str>, ratio: f64) {
        let ratio = if ratio.is_finite() { ratio } else { 16.0 / 9.0 };
        let width = f64::from(super::body::WIDTH_MAX);
        let height = width / ratio.clamp(0.5, 4.0);
        // Percentages refer to the width of the mail, even for the padding above and below.
        let padding = (height - PLAY_HEIGHT) / 2.0 / width * 100.0;
        self.html.push_str("<a");
        push_attribute(&mut self.html, "href", href);
        self.html.push_str(
            " aria-label=\"Play the video\" style=\"display: block; text-decoration: none\">",
        );
        self.html.push_str(LAYOUT);
        let mut style = "background: #1d1f21".to_owned();
        if let Some(image) = image {
            push_attribute(&mut self.html, "background", image);
            let image = in_style(image);
            style.push_str(&format!(" url('{image}') center / cover no-repeat"));
        }
        self.html.push_str(" bgcolor=\"#1d1f21\"");
        push_attribute(&mut self.html, "style", &style);
        self.html.push_str("><tr><td align=\"center\"");
        let style = format!("padding: {padding:.2}% 0; text-align: center; line-height: 0");
        push_attribute(&mut self.html, "style", &style);
        self.html.push_str(
            "><span style=\"display: inline-block; padding: 0 20px 0 24px; border-radius: 10px; \
             background: #000000; color: #ffffff; font: 28px/56px Arial, sans-serif\">&#9654;&#65038;</span>\
             </td></tr></table></a>",
        );
    }
}

/// Returns a URL in a form that can be quoted in a style.
pub(in crate::render) fn in_style(url: &str) -> String {
    let mut written = String::with_capacity(url.len());
    for character in url.chars() {
        match character {
            '\'' | '"' | '(' | ')' | '\\' | ';' | '<' | '>' => {
                written.push_str(&format!("%{:02X}", u32::from(character)));
            }
            character if character.is_whitespace() || character.is_control() => {
                written.push_str("%20");
            }
            character => written.push(character),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_cannot_leave_its_quotes_in_a_style() {
        assert_eq!(
            in_style("https://example.com/a b'); x: (\"\\\n"),
            "https://example.com/a%20b%27%29%3B%20x:%20%28%22%5C%20"
        );
    }
}
