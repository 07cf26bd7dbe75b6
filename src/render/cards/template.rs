//! Cards that consist of a template with inserted texts.
//!
//! The texts are HTML and are inserted unchanged. The result is parsed, and must consist of one
//! element.

use super::CardFailure;
use crate::render::html_tree::{Node, Tree, parse_fragment};

/// Returns the element of a filled template. Comments and text next to it are ignored.
///
/// # Errors
///
/// If HTML in a text closes the element and opens another after it.
pub(super) fn only_element(filled: &Tree) -> Result<Node<'_>, CardFailure> {
    let mut elements = filled.root().children().filter(|node| node.is_element());
    match (elements.next(), elements.next()) {
        (Some(element), None) => Ok(element),
        _ => Err(CardFailure(
            "the HTML in its texts closes the card early".to_owned(),
        )),
    }
}

/// Appends the element of a filled template.
///
/// # Errors
///
/// If there is more than one element; see [`only_element`].
pub(super) fn push_card(filled: &str, html: &mut String) -> Result<(), CardFailure> {
    only_element(&parse_fragment(filled))?.push_outer_html(html);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(filled: &str) -> Option<String> {
        let filled = parse_fragment(filled);
        let mut html = String::new();
        only_element(&filled).ok()?.push_outer_html(&mut html);
        Some(html)
    }

    #[test]
    fn content_next_to_the_element_is_omitted() {
        for filled in [
            "<p>x</p>",
            "<p>x",
            "<p>x</p>tail</div>",
            "<p>x</p> <!--c-->",
        ] {
            assert_eq!(outcome(filled).as_deref(), Some("<p>x</p>"), "{filled}");
        }
    }

    #[test]
    fn second_element_is_rejected() {
        assert_eq!(outcome("<div>x</div><p>y</p></div>"), None);
    }
}
