//! Markdown.

use super::{Card, CardFailure};
use crate::render::html_tree::clean_fragment;
use crate::render::markdown;

pub(super) fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let source = card.required("markdown")?;
    clean_fragment(&markdown::to_html(source, |_| None), html);
    Ok(())
}
