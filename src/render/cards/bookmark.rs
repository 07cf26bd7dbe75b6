//! Bookmark cards: links to pages, shown with the page's metadata.

use serde_json::{Value as Json, json};

use super::{
    Card, CardFailure, CardType,
    UrlContent::Url,
    caption_class,
    from_html::{HtmlForm, attribute_of, of_class, text_of},
    in_mail::{push_caption_below, trimmed_text},
    parsed_cost,
};
use crate::render::{
    html_escape::{push_attribute, push_text},
    html_to_lexical::{numbers::trimmed, style::Style},
    html_tree::{Node, Serialization},
    mail::body::{MailWriter, is_followable},
};

pub(super) static CARD: CardType = CardType {
    name: "bookmark",
    render,
    cost: parsed_cost,
    urls: &[
        ("url", Url),
        ("metadata.icon", Url),
        ("metadata.thumbnail", Url),
    ],
    html: &[
        HtmlForm::of_class("figure", "kg-bookmark-card", |figure| {
            Some(from_html(figure))
        }),
        HtmlForm::of_class("div", "graf--mixtapeEmbed", |div| Some(from_medium(div))),
    ],
    mail: Some(("kg-bookmark-card", mail)),
};

fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
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
    // Ghost swaps these two classes, and published content depends on it.
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

/// Returns the card of a bookmark that Ghost rendered.
fn from_html(figure: Node<'_>) -> Json {
    let thumbnail = of_class(figure, "kg-bookmark-thumbnail")
        .and_then(|around| around.find(|node| node.is("img")));
    let caption = figure.find(|node| node.is("figcaption"));
    json!({
        "type": "bookmark",
        "version": 1,
        "url": attribute_of(of_class(figure, "kg-bookmark-container"), "href"),
        "metadata": {
            "icon": attribute_of(of_class(figure, "kg-bookmark-icon"), "src"),
            "title": text_of(figure, "kg-bookmark-title"),
            "description": text_of(figure, "kg-bookmark-description"),
            // Ghost's renderer swaps the classes of author and publisher.
            "author": text_of(figure, "kg-bookmark-publisher"),
            "publisher": text_of(figure, "kg-bookmark-author"),
            "thumbnail": attribute_of(thumbnail, "src"),
        },
        // Unlike those of images, Ghost reads this caption as text (recorded:
        // `card/bookmark-rendered`).
        "caption": caption.map(Node::text_content).unwrap_or_default(),
    })
}

/// Returns the card of a link that Medium shows in a box. The link contains a title, a description
/// and a site name. Its first line break is only a separator.
fn from_medium(div: Node<'_>) -> Json {
    let link = of_class(div, "markup--mixtapeEmbed-anchor");
    let line_break = link.and_then(|link| link.find(|node| node.is("br")));
    let part = |class| {
        let part = of_class(link?, class)?;
        let html = html_without(part, &[line_break]);
        (!html.is_empty()).then_some((part, html))
    };
    let title = part("markup--mixtapeEmbed-strong");
    let description = part("markup--mixtapeEmbed-em");
    let others = [&title, &description].map(|part| part.as_ref().map(|(part, _)| *part));
    let publisher = link.map(|link| html_without(link, &[others[0], others[1], line_break]));
    let thumbnail =
        of_class(div, "mixtapeImage").and_then(|image| Style::of(image).background_image());
    json!({
        "type": "bookmark",
        "version": 1,
        "url": attribute_of(link, "href"),
        "metadata": {
            "icon": "",
            "title": title.map(|(_, html)| html).unwrap_or_default(),
            "description": description.map(|(_, html)| html).unwrap_or_default(),
            "author": "",
            "publisher": publisher.unwrap_or_default(),
            "thumbnail": thumbnail.unwrap_or_default(),
        },
        "caption": "",
    })
}

/// Returns the inner HTML of an element, except for the `omitted` descendants.
fn html_without(element: Node<'_>, omitted: &[Option<Node<'_>>]) -> String {
    let mut html = String::new();
    element.push_filtered_html(&mut html, |node| {
        if omitted.contains(&Some(node)) {
            Serialization::Nothing
        } else {
            Serialization::Element
        }
    });
    trimmed(&html).to_owned()
}

/// Writes the text next to the thumbnail, as on web pages (Ghost 6.65, observed).
fn mail(writer: &mut MailWriter<'_>, node: Node<'_>) {
    let link = node.find(|element| element.is("a"));
    let href = link.and_then(|link| link.attribute("href"));
    let thumbnail = of_class(node, "kg-bookmark-thumbnail")
        .and_then(|thumbnail| thumbnail.find(|element| element.is("img")));
    let text = |writer: &mut MailWriter<'_>| push_text_of(writer, node, href);
    writer.framed(|writer| match thumbnail {
        Some(thumbnail) => {
            let image = |writer: &mut MailWriter<'_>| {
                writer.linked(href, |writer| writer.filling_image(thumbnail, (160, 148)));
            };
            writer.beside_thumbnail(
                ("padding: 20px; vertical-align: top", &text),
                ("width: 160px; vertical-align: middle", &image),
            );
        }
        None => writer.part("padding: 20px", |writer| text(writer)),
    });
    push_caption_below(writer, node);
}

fn push_text_of(writer: &mut MailWriter<'_>, node: Node<'_>, href: Option<&str>) {
    let title = trimmed_text(node, "kg-bookmark-title");
    let href = href.filter(|href| is_followable(href));
    let style = "margin: 0; font-size: 15px; font-weight: 600; line-height: 1.5";
    writer.part(style, |writer| match href {
        Some(href) => writer.plain_link(href, if title.is_empty() { href } else { &title }),
        None => push_text(&mut writer.html, &title),
    });
    writer.small(&trimmed_text(node, "kg-bookmark-description"));
    let names =
        ["kg-bookmark-author", "kg-bookmark-publisher"].map(|class| trimmed_text(node, class));
    let names: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| !name.is_empty())
        .collect();
    let icon = of_class(node, "kg-bookmark-icon");
    let source = |writer: &mut MailWriter<'_>| writer.small(&names.join(" • "));
    match icon {
        Some(icon) if !names.is_empty() => {
            let sign = |writer: &mut MailWriter<'_>| writer.square_image(icon, 20);
            let cell = "width: 20px; padding: 8px 8px 0 0; vertical-align: middle";
            writer.columns(&[(cell, &sign), ("padding: 4px 0 0", &source)]);
        }
        _ => source(writer),
    }
}
