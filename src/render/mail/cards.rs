//! Rewriting of rendered cards for mail programs.

use super::body::{Writer, is_followable};
use crate::render::{
    html_escape::{push_attribute, push_text},
    html_tree::Node,
};

/// Writes the card of this element; returns `false` if it is not a card, or needs no rewriting.
pub(super) fn push(writer: &mut Writer, node: Node) -> bool {
    let card = CARDS.iter().find(|(class, _)| node.has_class(class));
    match card {
        Some((_, push)) => {
            push(writer, node);
            true
        }
        None => false,
    }
}

type Push = fn(&mut Writer, Node);

/// The classes of cards with their writers.
const CARDS: &[(&str, Push)] = &[
    ("kg-bookmark-card", bookmark),
    ("kg-button-card", button),
    ("kg-embed-card", embed),
    ("kg-video-card", video),
    ("kg-audio-card", audio),
    ("kg-file-card", file),
    ("kg-toggle-card", toggle),
    ("kg-callout-card", callout),
    ("kg-product-card", framed),
    ("kg-cta-card", framed),
    ("kg-gallery-card", gallery),
    ("kg-header-card", header),
    // Recipients have already signed up.
    ("kg-signup-card", nothing),
];

fn nothing(_: &mut Writer, _: Node) {}

/// Returns the first descendant with this class.
fn inside<'a>(node: Node<'a>, class: &str) -> Option<Node<'a>> {
    node.find(|element| element.has_class(class))
}

fn text_of(node: Node, class: &str) -> String {
    inside(node, class)
        .map(|element| element.text_content().trim().to_owned())
        .unwrap_or_default()
}

fn caption(writer: &mut Writer, node: Node) {
    if let Some(caption) = node.find(|element| element.is("figcaption")) {
        writer.caption(caption);
    }
}

fn bookmark(writer: &mut Writer, node: Node) {
    let link = node.find(|element| element.is("a"));
    let href = link
        .and_then(|link| link.attribute("href"))
        .filter(|href| is_followable(href));
    let title = text_of(node, "kg-bookmark-title");
    writer.bordered(|writer| {
        if let Some(thumbnail) = inside(node, "kg-bookmark-thumbnail")
            .and_then(|thumbnail| thumbnail.find(|element| element.is("img")))
        {
            writer.image(thumbnail);
        }
        writer
            .html
            .push_str("<p style=\"margin: 8px 0 0; font-weight: 600\">");
        match href {
            Some(href) => writer.link(href, if title.is_empty() { href } else { &title }),
            None => push_text(&mut writer.html, &title),
        }
        writer.html.push_str("</p>");
        writer.small(&text_of(node, "kg-bookmark-description"));
        let names =
            ["kg-bookmark-author", "kg-bookmark-publisher"].map(|class| text_of(node, class));
        let names: Vec<&str> = names
            .iter()
            .map(String::as_str)
            .filter(|name| !name.is_empty())
            .collect();
        writer.small(&names.join(" • "));
    });
    caption(writer, node);
}

fn button(writer: &mut Writer, node: Node) {
    let align = match () {
        () if node.has_class("kg-align-left") => "left",
        () if node.has_class("kg-align-right") => "right",
        () => "center",
    };
    writer
        .html
        .extend(["<p style=\"margin: 0 0 24px; text-align: ", align, "\">"]);
    writer.inside(node);
    writer.html.push_str("</p>");
}

fn embed(writer: &mut Writer, node: Node) {
    match node.find(|element| element.is("iframe")) {
        Some(frame) => writer.placeholder_link(frame.attribute("src"), "Open this on the web"),
        None => writer.inside(node),
    }
    if node.find(|element| element.is("iframe")).is_some() {
        caption(writer, node);
    }
}

fn video(writer: &mut Writer, node: Node) {
    let video = node.find(|element| element.is("video"));
    let poster = ["poster", "data-kg-thumbnail"].iter().find_map(|name| {
        video
            .and_then(|video| video.attribute(name))
            .or_else(|| node.attribute(name))
    });
    // A placeholder poster is ignored.
    let thumbnail = node
        .attribute("data-kg-custom-thumbnail")
        .filter(|own| !own.is_empty());
    let image = thumbnail
        .or_else(|| node.attribute("data-kg-thumbnail"))
        .or(poster)
        .filter(|address| address.starts_with("http") && !address.contains("spacer"));
    let url = writer.url;
    if let Some(image) = image {
        writer.html.push_str("<a");
        push_attribute(&mut writer.html, "href", url);
        writer.html.push_str("><img");
        push_attribute(&mut writer.html, "src", image);
        writer.html.push_str(" alt=\"\" width=\"600\"");
        let style = writer.design.image_style();
        push_attribute(&mut writer.html, "style", style);
        writer.html.push_str("></a>");
    }
    writer.placeholder_link(None, "Watch the video");
    caption(writer, node);
}

fn audio(writer: &mut Writer, node: Node) {
    let title = text_of(node, "kg-audio-title");
    let text = match &*title {
        "" => "Listen".to_owned(),
        title => format!("Listen: {title}"),
    };
    let url = writer.url;
    writer.bordered(|writer| writer.link(url, &text));
}

fn file(writer: &mut Writer, node: Node) {
    let href = node
        .find(|element| element.is("a"))
        .and_then(|link| link.attribute("href"))
        .filter(|href| is_followable(href));
    let title = text_of(node, "kg-file-card-title");
    let name = text_of(node, "kg-file-card-filename");
    let url = writer.url;
    writer.bordered(|writer| {
        let text = match (&*title, &*name) {
            ("", "") => "Download",
            ("", name) => name,
            (title, _) => title,
        };
        writer.link(href.unwrap_or(url), text);
        writer.small(&text_of(node, "kg-file-card-caption"));
        let details = [name.clone(), text_of(node, "kg-file-card-filesize")];
        let details: Vec<&str> = details
            .iter()
            .map(String::as_str)
            .filter(|part| !part.is_empty())
            .collect();
        writer.small(&details.join(" • "));
    });
}

/// Toggles are shown open.
fn toggle(writer: &mut Writer, node: Node) {
    writer.bordered(|writer| {
        writer
            .html
            .push_str("<p style=\"margin: 0 0 8px; font-weight: 600\">");
        if let Some(heading) = inside(node, "kg-toggle-heading-text") {
            writer.inside(heading);
        }
        writer.html.push_str("</p>");
        if let Some(content) = inside(node, "kg-toggle-content") {
            writer.inside(content);
        }
    });
}

fn callout(writer: &mut Writer, node: Node) {
    writer.html.push_str(
        "<table role=\"presentation\" border=\"0\" cellpadding=\"0\" cellspacing=\"0\" width=\"100%\" \
         style=\"margin: 0 0 24px\"><tr><td style=\"padding: 16px; border-radius: 6px; background: #eef1f3; \
         color: #15171a\">",
    );
    let emoji = text_of(node, "kg-callout-emoji");
    if !emoji.is_empty() {
        push_text(&mut writer.html, &emoji);
        writer.html.push_str("&nbsp; ");
    }
    match inside(node, "kg-callout-text") {
        Some(text) => writer.inside(text),
        None => writer.inside(node),
    }
    writer.html.push_str("</td></tr></table>");
}

fn framed(writer: &mut Writer, node: Node) {
    writer.bordered(|writer| writer.inside(node));
}

fn gallery(writer: &mut Writer, node: Node) {
    let images = node.descendants().filter(|element| element.is("img"));
    for image in images {
        writer.html.push_str("<div style=\"margin: 0 0 12px\">");
        writer.image(image);
        writer.html.push_str("</div>");
    }
    caption(writer, node);
    writer.html.push_str("<div style=\"height: 12px\"></div>");
}

/// The background colour is preserved, since the text might be unreadable without it.
fn header(writer: &mut Writer, node: Node) {
    let colour = writer
        .design
        .chosen(node.attribute("data-background-color"));
    writer.html.push_str(
        "<table role=\"presentation\" border=\"0\" cellpadding=\"0\" cellspacing=\"0\" width=\"100%\"",
    );
    let mut style = "padding: 32px 24px; text-align: center".to_owned();
    if let Some(colour) = colour {
        push_attribute(&mut writer.html, "bgcolor", colour);
        style.push_str(&format!("; background: {colour}"));
    }
    writer.html.push_str(" style=\"margin: 0 0 24px\"><tr><td");
    push_attribute(&mut writer.html, "style", &style);
    writer.html.push('>');
    writer.inside(node);
    writer.html.push_str("</td></tr></table>");
}
