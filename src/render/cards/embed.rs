//! Embed cards: HTML that other sites provide for embedding.

use serde_json::{Value as Json, json};

use super::{
    Card, CardFailure, CardType, Target,
    UrlContent::Url,
    caption, caption_class,
    from_html::{HtmlForm, resolved},
    in_mail::{push_caption, push_caption_below},
    parsed_cost,
};
use crate::render::{
    html_escape::push_attribute,
    html_tree::{Node, Serialization, clean_fragment},
    lexical::properties::{Properties, as_text, is_white_space},
    mail::body::MailWriter,
};

pub(super) static CARD: CardType = CardType {
    name: "embed",
    render,
    cost: parsed_cost,
    urls: &[("url", Url)],
    html: &[
        HtmlForm::of_element("iframe", |frame| from_frame(frame, "")),
        HtmlForm::when("figure", is_embed, from_figure),
    ],
    mail: Some(("kg-embed-card", mail)),
};

/// The attributes for mails with the thumbnail and the page of a player.
const THUMBNAIL: &str = "data-thumbnail";
const PAGE: &str = "data-page";

fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let markup = card.properties.text("html");
    let is_tweet = card.properties.get("embedType") == "twitter";
    // A tweet is shown even without HTML, as an empty figure (recorded:
    // `embed/twitter-empty-html`).
    if !is_tweet && markup.is_empty() && card.properties.text("url").is_empty() {
        return Ok(());
    }
    html.push_str("<figure class=\"kg-card kg-embed-card");
    html.push_str(caption_class(card.has_caption()));
    html.push('"');
    // Mails are rewritten from the HTML alone, so the metadata has to be in attributes.
    if card.target == Target::Mail {
        push_thumbnail(card, html);
    }
    html.push('>');
    let markup = if is_tweet {
        markup.trim_matches(is_white_space)
    } else {
        &markup
    };
    clean_fragment(markup, html);
    card.push_caption(html);
    Ok(())
}

/// Appends the thumbnail and the URL of a player, with which mails show it, as attributes.
fn push_thumbnail(card: Card<'_>, html: &mut String) {
    let Some(metadata) = card.properties.get("metadata").as_object().map(Properties) else {
        return;
    };
    let (thumbnail, url) = (metadata.text("thumbnail_url"), card.properties.text("url"));
    if card.properties.get("embedType") != "video" || thumbnail.is_empty() || url.is_empty() {
        return;
    }
    push_attribute(html, THUMBNAIL, &thumbnail);
    push_attribute(html, PAGE, &url);
    for name in ["thumbnail_width", "thumbnail_height"] {
        let length = as_text(metadata.get(name));
        push_attribute(html, &format!("data-{}", name.replace('_', "-")), &length);
    }
}

/// Returns whether a figure contains a frame or a quote of another site.
pub(super) fn is_embed(figure: Node<'_>) -> bool {
    let is_embedded = |node: Node<'_>| node.is("iframe") || node.is("blockquote");
    figure.find(is_embedded).is_some()
}

/// Returns the card of a frame from another site. Frames of the same site are omitted.
fn from_frame(frame: Node<'_>, caption: &str) -> Option<Json> {
    let written = frame.attribute("src").unwrap_or_default();
    let with_scheme = match written.strip_prefix("//") {
        Some(rest) => format!("https://{rest}"),
        None => written.to_owned(),
    };
    let url = resolved(&with_scheme);
    is_web_url(&url).then(|| {
        let mut html = String::new();
        frame.push_outer_html(&mut html);
        if written != with_scheme {
            // The rest of the URL may be escaped here. In values of attributes, quotation marks are.
            html = html.replacen(" src=\"//", " src=\"https://", 1);
        }
        properties(&url, &html, caption)
    })
}

/// Returns the card of a figure that contains a frame, or a quote with a link to its source.
fn from_figure(figure: Node<'_>) -> Option<Json> {
    let caption = caption::of_figure(figure);
    if let Some(frame) = figure.find(|node| node.is("iframe")) {
        return from_frame(frame, &caption);
    }
    // A quote without a link to its source stays a quote (recorded:
    // `embed/figure-blockquote-no-link`).
    let link = figure.find(|node| node.is("a"))?;
    let url = link.attribute("href")?;
    if !is_web_url(url) {
        return None;
    }
    let mut html = String::new();
    figure.push_filtered_html(&mut html, |node| {
        if node.is("figcaption") {
            Serialization::Nothing
        } else {
            Serialization::Element
        }
    });
    Some(properties(url, &html, &caption))
}

fn is_web_url(url: &str) -> bool {
    url.starts_with("http://") || url.starts_with("https://")
}

fn properties(url: &str, html: &str, caption: &str) -> Json {
    json!({
        "type": "embed",
        "version": 1,
        "url": url,
        "embedType": "",
        "html": html,
        "metadata": {},
        "caption": caption,
    })
}

fn mail(writer: &mut MailWriter<'_>, node: Node<'_>) {
    let frame = node.find(|element| element.is("iframe"));
    match (node.attribute(THUMBNAIL), node.attribute(PAGE)) {
        (Some(thumbnail), Some(page)) if is_web_url(page) && is_web_url(thumbnail) => {
            let length = |name| {
                let length = node.attribute(name).and_then(|length| length.parse().ok());
                // Not a number makes `play_sign` use its default ratio.
                length.unwrap_or(f64::NAN)
            };
            let ratio = length("data-thumbnail-width") / length("data-thumbnail-height");
            writer.part("margin: 0 0 24px", |writer| {
                writer.play_sign(page, Some(thumbnail), ratio);
                push_caption(writer, node);
            });
        }
        _ if frame.is_some() => {
            let source = frame.and_then(|frame| frame.attribute("src"));
            writer.placeholder_link(source, "Open this on the web");
            push_caption(writer, node);
        }
        _ => {
            let is_caption = |child: &Node<'_>| child.is("figcaption");
            let content = node.children().filter(|child| !is_caption(child));
            content.for_each(|child| writer.node(child));
            push_caption_below(writer, node);
        }
    }
}
