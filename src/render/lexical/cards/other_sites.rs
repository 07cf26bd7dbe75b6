//! Cards for pages of other sites: bookmarks and embeds.

use super::{Card, CardFailure, caption_class};
use crate::render::{
    html_escape::{push_attribute, push_text},
    html_tree::clean_fragment,
    lexical::properties::is_white_space,
};

/// Renders a link to a page with the page's metadata.
pub(super) fn bookmark(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let url = card.required("url")?;
    if url.is_empty() {
        return Ok(());
    }
    let page = card.properties.object("metadata");
    html.push_str("<figure class=\"kg-card kg-bookmark-card");
    html.push_str(caption_class(card.has_caption()));
    html.push_str("\"><a class=\"kg-bookmark-container\"");
    push_attribute(html, "href", url);
    html.push_str("><div class=\"kg-bookmark-content\"><div class=\"kg-bookmark-title\">");
    push_text(html, &page.text("title"));
    html.push_str("</div><div class=\"kg-bookmark-description\">");
    push_text(html, &page.text("description"));
    html.push_str("</div><div class=\"kg-bookmark-metadata\">");
    let icon = page.text("icon");
    if !icon.is_empty() {
        html.push_str("<img class=\"kg-bookmark-icon\"");
        push_attribute(html, "src", &icon);
        html.push_str(" alt=\"\">");
    }
    // The classes are swapped in all published content.
    for (class, property) in [("author", "publisher"), ("publisher", "author")] {
        let name = page.text(property);
        if !name.is_empty() {
            html.push_str("<span class=\"kg-bookmark-");
            html.push_str(class);
            html.push_str("\">");
            push_text(html, &name);
            html.push_str("</span>");
        }
    }
    html.push_str("</div></div>");
    let thumbnail = page.text("thumbnail");
    if !thumbnail.is_empty() {
        html.push_str("<div class=\"kg-bookmark-thumbnail\"><img");
        push_attribute(html, "src", &thumbnail);
        html.push_str(" alt=\"\" onerror=\"this.style.display = 'none'\"></div>");
    }
    html.push_str("</a>");
    card.push_caption(html);
    Ok(())
}

/// Renders HTML that another site provides for embedding.
pub(super) fn embed(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
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
