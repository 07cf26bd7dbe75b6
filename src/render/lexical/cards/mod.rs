//! The cards: nodes that are not text, each rendered from its properties alone.
//!
//! A card is one function from properties to HTML. It writes nothing when it has nothing to show,
//! and fails when its properties make no sense; then what it wrote is taken back, and the document
//! goes on without it. Most cards are built tag by tag and have no white space between tags; some
//! are templates, whose line breaks and indents are part of what was recorded.

use super::Context;
use super::properties::Properties;

/// A card to be rendered.
#[derive(Clone, Copy)]
pub(super) struct Card<'a> {
    pub(super) properties: Properties<'a>,
    pub(super) context: Context<'a>,
}

/// Why a card cannot be rendered, in words for the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CardFailure(pub(super) String);

/// Appends the HTML of `card` if `kind` is a kind of card, `None` if not.
pub(super) fn render(
    kind: &str,
    card: Card<'_>,
    html: &mut String,
) -> Option<Result<(), CardFailure>> {
    match kind {
        "horizontalrule" => html.push_str("<hr>"),
        "paywall" => html.push_str("<!--members-only-->"),
        _ => return None,
    }
    Some(Ok(()))
}
