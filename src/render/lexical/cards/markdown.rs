//! Markdown cards.

use super::{Card, CardFailure};
use crate::render::markdown::card;

pub(super) fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let markdown = card.required("markdown")?;
    if !markdown.is_empty() {
        html.push_str(&card::to_html(markdown));
    }
    Ok(())
}
