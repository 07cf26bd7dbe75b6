//! Cards that are one template with texts in its gaps.
//!
//! The texts are markup and go in as they are. What comes out is what a parser makes of the whole,
//! as long as that is still one element.

use super::CardFailure;
use crate::render::html_tree::{Node, Tree, parse_fragment};

/// The element that a filled template is. What is beside it, comments and text, does not count.
///
/// # Errors
///
/// When markup in a gap closes the element and opens another behind it.
pub(super) fn only_element(filled: &Tree) -> Result<Node<'_>, CardFailure> {
    let mut elements = filled.root().children().filter(|node| node.is_element());
    match (elements.next(), elements.next()) {
        (Some(element), None) => Ok(element),
        _ => Err(CardFailure(
            "the markup in its texts closes the card early".to_owned(),
        )),
    }
}

/// Appends the element that a filled template is.
///
/// # Errors
///
/// When it is more than one, see [`only_element`].
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
    fn what_is_beside_the_element_is_left_out() {
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
    fn a_second_element_is_refused() {
        assert_eq!(outcome("<div>x</div><p>y</p></div>"), None);
    }
}
