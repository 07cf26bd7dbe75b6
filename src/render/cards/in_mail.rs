//! Shared parts of cards for mail clients.

use super::from_html::of_class;
use crate::render::{html_tree::Node, mail::body::MailWriter};

/// Returns the trimmed text of the first element with a class; empty without one.
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

/// Writes the content of a card in a box.
pub(super) fn framed(writer: &mut MailWriter<'_>, node: Node<'_>) {
    writer.bordered(|writer| writer.inside(node));
}
