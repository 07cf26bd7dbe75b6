//! Markdown cards.

use super::{Card, CardFailure, CardType, UrlContent::Markdown, parsed_cost};
use crate::render::{
    lexical::json::Value,
    limits::{Budget, Excess},
    markdown::card,
};

pub(super) static CARD: CardType = CardType {
    name: "markdown",
    render,
    cost,
    urls: &[("markdown", Markdown)],
    html: &[],
    mail: None,
};

fn cost(node: &Value<'_>, budget: &mut Budget) -> Result<(), Excess> {
    parsed_cost(node, budget)?;
    match node.get("markdown") {
        Some(Value::String(markdown)) => card::take_cost(markdown, budget),
        _ => Ok(()),
    }
}

fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let markdown = card.required("markdown")?;
    if !markdown.is_empty() {
        html.push_str(&card::to_html(markdown));
    }
    Ok(())
}
