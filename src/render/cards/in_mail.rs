//! Shared parts of cards for mail clients.

use super::from_html::of_class;
use crate::render::{
    html_escape::push_attribute,
    html_tree::Node,
    mail::{body::MailWriter, design::text_colour_on},
};

/// Returns the trimmed text of the first element with a class; empty if there is none.
pub(super) fn trimmed_text(node: Node<'_>, class: &str) -> String {
    of_class(node, class)
        .map(|element| element.text_content().trim().to_owned())
        .unwrap_or_default()
}

/// Writes the caption of a figure, if there is one.
pub(super) fn push_caption(writer: &mut MailWriter<'_>, figure: Node<'_>) {
    if let Some(caption) = figure.find(|element| element.is("figcaption")) {
        writer.caption(caption);
    }
}

/// Writes the caption of a figure, with a margin below it, if there is one.
pub(super) fn push_caption_below(writer: &mut MailWriter<'_>, figure: Node<'_>) {
    if let Some(caption) = figure.find(|element| element.is("figcaption")) {
        writer.caption_below(caption);
    }
}

/// Writes a sign on a square in the accent colour as a link to `href`.
pub(super) fn push_sign(writer: &mut MailWriter<'_>, href: &str, sign: &str) {
    let fill = writer.design.accent();
    let style = format!(
        "display: block; width: 56px; border-radius: 4px; background: {fill}; color: {}; text-align: center; \
         text-decoration: none; font: 22px/56px Arial, sans-serif",
        text_colour_on(fill)
    );
    writer.html.push_str("<a");
    push_attribute(&mut writer.html, "href", href);
    push_attribute(&mut writer.html, "style", &style);
    writer.html.extend([">", sign, "</a>"]);
}
