//! Cards that are one template with texts in its gaps.
//!
//! The texts are markup and go in as they are. What comes out is what a parser makes of the whole,
//! as long as that is still one element.

use super::CardFailure;
use crate::render::html_tree::{Node, Tree};

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
