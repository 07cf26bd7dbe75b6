//! Embed cards: HTML that other sites provide for embedding.

use super::{Card, CardFailure, caption_class};
use crate::render::html_tree::clean_fragment;
use crate::render::lexical::properties::is_white_space;

pub(super) fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let markup = card.properties.text("html");
    let is_tweet = card.properties.get("embedType") == "twitter";
    if !is_tweet && markup.is_empty() && card.properties.text("url").is_empty() {
        return Ok(());
    }
    html.push_str("<figure class=\"kg-card kg-embed-card");
    html.push_str(caption_class(card.has_caption()));
    html.push_str("\">");
    let markup = if is_tweet {
        markup.trim_matches(is_white_space)
    } else {
        &markup
    };
    clean_fragment(markup, html);
    card.push_caption(html);
    Ok(())
}
