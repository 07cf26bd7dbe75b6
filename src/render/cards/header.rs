//! Header cards: a title as wide as the page, with an optional button. Two versions of them are in
//! use.

use serde_json::{Map, Value as Json, json};

use super::{
    Card, CardFailure, CardType,
    UrlContent::{Html, Url},
    backdrop::{Backdrop, Defaults, accent_class, button_colors},
    from_html::{HtmlForm, attribute_of, attribute_or, of_class, text_of},
    parsed_cost,
    responsive::ResponsiveImage,
    template::push_card,
};
use crate::render::{
    html_tree::{Node, clean_fragment},
    lexical::{
        json::Value,
        properties::{as_text, is_blank, is_white_space},
    },
    mail::{
        body::{MailWriter, is_followable, source_of},
        design::{Design, contrast, is_colour, text_colour_on},
        surface::{Surface, in_style},
    },
};

pub(super) static CARD: CardType = CardType {
    name: "header",
    render,
    cost: parsed_cost,
    urls: &[
        ("buttonUrl", Url),
        ("backgroundImageSrc", Url),
        ("header", Html),
        ("subheader", Html),
    ],
    html: &[HtmlForm::of_class("div", "kg-header-card", |div| {
        Some(from_html(div))
    })],
    mail: Some(("kg-header-card", mail)),
};

/// The defaults of a header's properties.
const DEFAULTS: Defaults = Defaults {
    layout: "full",
    color: "#000000",
    alignment: "center",
};

fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let version = match card.properties.get("version") {
        version @ (Value::Number(_) | Value::String(_)) => as_text(version),
        // The first version of the card had no such property (recorded:
        // `header-v1/no-version-field`).
        _ => "1".into(),
    };
    match &*version {
        "1" => render_first(card, html),
        "2" => render_second(card, html),
        other => Err(CardFailure(format!(
            "its version {other} is not supported; use 1 or 2"
        ))),
    }
}

/// Renders a header of version 1.
fn render_first(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let properties = card.properties;
    let header = text(card, "header")?;
    let subheader = text(card, "subheader")?;
    let url = properties.text("buttonUrl");
    let button = properties.text("buttonText");
    let has_button =
        properties.is_on("buttonEnabled", false) && !url.is_empty() && !button.is_empty();
    if header.is_empty() && subheader.is_empty() && !has_button {
        return Ok(());
    }
    let image = properties.text("backgroundImageSrc");
    // The data attribute has the URL in every style (recorded:
    // `header-v1/image-src-without-image-style`).
    let style = if properties.get("style") == "image" {
        format!("background-image: url({image})")
    } else {
        String::new()
    };
    let mut filled = format!(
        "<div class=\"kg-card kg-header-card kg-width-full kg-size-{} kg-style-{}\" \
         data-kg-background-image=\"{image}\" style=\"{style}\">",
        properties.text_or("size", "small"),
        properties.text_or("style", "dark"),
    );
    if !header.is_empty() {
        filled.push_str(&format!(
            "<h2 class=\"kg-header-card-header\" id=\"{}\">\n {header}\n </h2>",
            id(header)
        ));
    }
    if !is_only_breaks(subheader) {
        filled.push_str(&format!(
            "<h3 class=\"kg-header-card-subheader\" id=\"{}\">\n {subheader}\n </h3>",
            id(subheader)
        ));
    }
    if has_button {
        filled.push_str(&format!(
            "<a class=\"kg-header-card-button\" href=\"{url}\">\n {button}\n </a>"
        ));
    }
    filled.push_str("</div>");
    clean_fragment(&squeezed(&filled), html);
    Ok(())
}

/// Renders a header of version 2.
fn render_second(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let backdrop = Backdrop::read(card, &DEFAULTS);
    let style = match backdrop.style() {
        Some(style) => format!("style=\"{style};\""),
        None => String::new(),
    };
    let image = image(card, &backdrop)?;
    let (following, beside) = backdrop.layers(&image);
    let filled = format!(
        r#"<div class="kg-card kg-header-card kg-v2 {} {}" {style} data-background-color="{}">
            {following}
            <div class="kg-header-card-content">
                {beside}
                <div class="kg-header-card-text {}">
                    {}
                    {}
                    {}
                </div>
            </div>
        </div>"#,
        backdrop.classes(),
        accent_class(backdrop.is_accent()),
        backdrop.color,
        backdrop.text_class(),
        title(card, "header", "h2", "kg-header-card-heading")?,
        title(card, "subheader", "p", "kg-header-card-subheading")?,
        button(card)?,
    );
    push_card(&filled, html)
}

/// Returns the image of a header, surrounded by white space; empty if there is none.
fn image(card: Card<'_>, backdrop: &Backdrop<'_>) -> Result<String, CardFailure> {
    let src = &*backdrop.image;
    if src.is_empty() {
        return Ok(String::new());
    }
    let width = card.properties.get("backgroundImageWidth");
    let srcset = match ResponsiveImage::new(src, width, card.context.site).srcset()? {
        Some(srcset) => format!("srcset=\"{srcset}\""),
        None => String::new(),
    };
    Ok(format!(
        "\n            <picture><img class=\"kg-header-card-image\" src=\"{src}\" {srcset} \
         loading=\"lazy\" alt=\"\" /></picture>\n        "
    ))
}

/// Returns the header or the subheader as an element; empty if it has no text.
fn title(card: Card<'_>, name: &str, tag: &str, class: &str) -> Result<String, CardFailure> {
    let title = text(card, name)?;
    if title.is_empty() {
        return Ok(String::new());
    }
    let id = id(title);
    let color = card.properties.text_or("textColor", "#FFFFFF");
    Ok(format!(
        "<{tag} id=\"{id}\" class=\"{class}\" style=\"color: {color};\" \
         data-text-color=\"{color}\">{title}</{tag}>"
    ))
}

/// Returns the button of a header; empty without a URL.
fn button(card: Card<'_>) -> Result<String, CardFailure> {
    let properties = card.properties;
    if !properties.is_on("buttonEnabled", false) {
        return Ok(String::new());
    }
    let url = card.required("buttonUrl")?;
    if is_blank(url) {
        return Ok(String::new());
    }
    let color = properties.text_or("buttonColor", "#ffffff");
    let text_color = properties.text_or("buttonTextColor", "#000000");
    let (accent, style) = button_colors(&color, &text_color);
    Ok(format!(
        "<a href=\"{url}\" class=\"kg-header-card-button {accent}\" style=\"{style}\" \
         data-button-color=\"{color}\" data-button-text-color=\"{text_color}\">{}</a>",
        properties.text("buttonText"),
    ))
}

/// Returns the text of the header or the subheader, from which ids are derived.
fn text<'a>(card: Card<'a>, name: &str) -> Result<&'a str, CardFailure> {
    let text = card.properties.strict_text(name);
    text.ok_or_else(|| CardFailure(format!("its {name} is not a string")))
}

/// Returns the id of a title. Tags are skipped, each run of white space becomes a dash, and only ASCII letters, digits
/// and underscores remain of the rest. Ids are not made unique, and do not count towards the numbers of headings' ids.
fn id(title: &str) -> String {
    let mut id = String::new();
    let mut is_in_tag = false;
    let mut ends_in_space = false;
    for character in title.chars() {
        if is_in_tag || character == '<' {
            is_in_tag = character != '>';
        } else if is_white_space(character) {
            if !ends_in_space {
                id.push('-');
            }
            ends_in_space = true;
        } else if character.is_ascii_alphanumeric() || character == '_' {
            id.push(character.to_ascii_lowercase());
            ends_in_space = false;
        }
    }
    id
}

/// Returns whether a text consists of white space followed by line breaks (`<br>`) only.
fn is_only_breaks(text: &str) -> bool {
    let mut rest = text;
    while let Some(start) = rest.rfind('<').filter(|start| is_break(&rest[*start..])) {
        rest = &rest[..start];
    }
    is_blank(rest)
}

/// Returns whether `tag` is the tag of a line break without attributes.
fn is_break(tag: &str) -> bool {
    let is_named = tag
        .get(..3)
        .is_some_and(|start| start.eq_ignore_ascii_case("<br"));
    is_named && matches!(tag[3..].trim_start_matches(is_white_space), ">" | "/>")
}

/// Removes the white space that lays out the template: between tags, before `>`, and all but one space after a line
/// break. White space in the card's texts is removed in the same way.
fn squeezed(html: &str) -> String {
    let mut squeezed = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(start) = rest.find(is_white_space) {
        squeezed.push_str(&rest[..start]);
        let following = rest[start..].trim_start_matches(is_white_space);
        let space = &rest[start..rest.len() - following.len()];
        let is_between_tags = squeezed.ends_with('>') && following.starts_with('<');
        if !is_between_tags && !following.starts_with('>') {
            match space.split_once('\n') {
                Some((before, after)) if !after.is_empty() => {
                    squeezed.push_str(before);
                    squeezed.push(' ');
                }
                _ => squeezed.push_str(space),
            }
        }
        rest = following;
    }
    squeezed + rest
}

fn from_html(div: Node<'_>) -> Json {
    let mut card = Map::new();
    card.insert("type".to_owned(), Json::from("header"));
    let (version, own) = if div.has_class("kg-v2") {
        (2, properties_of_second(div))
    } else {
        (1, properties_of_first(div))
    };
    card.insert("version".to_owned(), Json::from(version));
    if let Json::Object(own) = own {
        card.extend(own);
    }
    Json::Object(card)
}

/// Returns the properties of a header of version 1, whose rendered HTML has no colours.
fn properties_of_first(div: Node<'_>) -> Json {
    let button = of_class(div, "kg-header-card-button");
    json!({
        "size": if div.has_class("kg-size-large") { "large" } else { "small" },
        "style": if div.has_class("kg-style-image") { "image" } else { "text" },
        "buttonEnabled": button.is_some(),
        "buttonUrl": attribute_of(button, "href"),
        "buttonText": button.map(Node::text_content).unwrap_or_default(),
        "header": text_of(div, "kg-header-card-header"),
        "subheader": text_of(div, "kg-header-card-subheader"),
        "backgroundImageSrc": div.attribute("data-kg-background-image").unwrap_or_default(),
        "accentColor": "#FF1A75",
        "alignment": "center",
        "backgroundColor": "#000000",
        "backgroundImageWidth": null,
        "backgroundImageHeight": null,
        "backgroundSize": "cover",
        "textColor": "#FFFFFF",
        "buttonColor": "#ffffff",
        "buttonTextColor": "#000000",
        "layout": "full",
        "swapped": false,
    })
}

/// Returns the properties of a header of version 2.
fn properties_of_second(div: Node<'_>) -> Json {
    let heading = of_class(div, "kg-header-card-heading");
    let button = of_class(div, "kg-header-card-button");
    let image = of_class(div, "kg-header-card-image");
    let background = if div.has_class("kg-style-accent") {
        "accent"
    } else {
        attribute_or(Some(div), "data-background-color", "#000000")
    };
    json!({
        "size": "small",
        "style": "dark",
        "buttonEnabled": button.is_some(),
        "buttonUrl": attribute_of(button, "href"),
        "buttonText": button.map(Node::text_content).unwrap_or_default(),
        "header": heading.map(Node::text_content).unwrap_or_default(),
        "subheader": text_of(div, "kg-header-card-subheading"),
        "backgroundImageSrc": attribute_of(image, "src"),
        "accentColor": "#FF1A75",
        "alignment": "center",
        "backgroundColor": background,
        "backgroundImageWidth": null,
        "backgroundImageHeight": null,
        "backgroundSize": "cover",
        "textColor": attribute_or(heading, "data-text-color", "#FFFFFF"),
        "buttonColor": attribute_or(button, "data-button-color", "#ffffff"),
        "buttonTextColor": attribute_or(button, "data-button-text-color", "#000000"),
        "layout": layout(div),
        // The renderer's class `kg-swapped` is not read back.
        "swapped": false,
    })
}

fn layout(div: Node<'_>) -> &'static str {
    match () {
        () if div.has_class("kg-layout-split") => "split",
        () if div.has_class("kg-width-full") => "full",
        () if div.has_class("kg-width-wide") => "wide",
        () if div.has_class("kg-width-regular") => "regular",
        // Hand-written HTML may have no such class.
        () if has_image_in_content(div) => "split",
        () => "full",
    }
}

/// Returns whether the image is inside the content, where only the split layout puts it.
fn has_image_in_content(div: Node<'_>) -> bool {
    let Some(content) = of_class(div, "kg-header-card-content") else {
        return false;
    };
    let image = of_class(div, "kg-header-card-image");
    std::iter::successors(image, |node| node.parent()).any(|node| node.number() == content.number())
}

/// Writes the header with its background colour, without which the text might be unreadable. An image is behind the
/// text, or above it in the split layout.
fn mail(writer: &mut MailWriter<'_>, node: Node<'_>) {
    let design = writer.design;
    let image = of_class(node, "kg-header-card-image");
    let behind = image.filter(|_| !node.has_class("kg-layout-split"));
    let above = image.filter(|_| behind.is_none());
    let title = of_class(node, "kg-header-card-heading");
    let color = title.and_then(|title| title.attribute("data-text-color"));
    let color = color.filter(|color| is_colour(color));
    let fill = fill(node, design);
    // If the mail program shows no images, the text is displayed on the background colour.
    let fill = match (behind, color) {
        (Some(_), Some(color)) if contrast(color, fill.unwrap_or(color)) < READABLE_CONTRAST => {
            Some(on_text(color))
        }
        _ => fill,
    };
    let text = match fill {
        Some(fill) => color.unwrap_or(text_colour_on(fill)),
        None => design.text(),
    };
    let mut style = fill.map_or_else(String::new, |fill| format!("background: {fill}"));
    let source = behind.and_then(source_of).map(in_style);
    if let Some(source) = &source {
        style.push_str(&format!(" url('{source}') center / cover no-repeat"));
    }
    let surface = Surface {
        style: &style,
        text,
        link: text,
    };
    let is_left = node.has_class("kg-v2") && of_class(node, "kg-align-center").is_none();
    let alignment = if is_left { "left" } else { "center" };
    let padding = if source.is_some() {
        "72px 32px"
    } else {
        "40px 32px"
    };
    writer.surface(surface, |writer| {
        if let Some(above) = above {
            writer.full_width_image(above);
        }
        let style = format!("padding: {padding}; text-align: {alignment}");
        writer.part(&style, |writer| push_texts(writer, node, text));
    });
}

/// Returns the background colour of the card; `None` if it is that of the mail.
fn fill<'a>(node: Node<'a>, design: &'a Design<'a>) -> Option<&'a str> {
    match node.attribute("data-background-color") {
        Some(second) => design.chosen_fill(Some(second)),
        None if node.has_class("kg-style-dark") => Some("#000000"),
        None if node.has_class("kg-style-accent") => Some(design.accent()),
        None => Some("#f1f2f4"),
    }
}

/// Returns a background on which text of this colour is readable: black or white.
fn on_text(color: &str) -> &'static str {
    match text_colour_on(color) {
        "#ffffff" => "#ffffff",
        _ => "#000000",
    }
}

/// Writes the header, the subheader and the button.
fn push_texts(writer: &mut MailWriter<'_>, node: Node<'_>, text: &str) {
    let parts = [
        ("kg-header-card-heading", HEADING),
        ("kg-header-card-header", HEADING),
        ("kg-header-card-subheading", SUBHEADING),
        ("kg-header-card-subheader", SUBHEADING),
    ];
    for (class, style) in parts {
        if let Some(part) = of_class(node, class) {
            writer.part(style, |writer| writer.inside(part));
        }
    }
    let button = of_class(node, "kg-header-card-button");
    let href = button.and_then(|button| button.attribute("href"));
    if let (Some(button), Some(href)) = (button, href.filter(|href| is_followable(href))) {
        let design = writer.design;
        let own = button.attribute("data-button-color");
        let color = own.filter(|own| *own == "accent" || is_colour(own));
        let color = match color {
            Some("accent") => design.accent(),
            Some(color) => color,
            None => text,
        };
        writer.part("padding: 24px 0 0", |writer| {
            writer.filled_button(href, color, |writer| writer.inside(button));
        });
    }
}

/// The minimum contrast between the text and the background colour, which is visible if images are not shown.
const READABLE_CONTRAST: f64 = 3.0;

/// The styles of the header and the subheader in mails.
const HEADING: &str = "font-size: 36px; font-weight: 700; line-height: 1.15";
const SUBHEADING: &str = "padding: 8px 0 0; font-size: 18px; line-height: 1.4";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_equal_those_recorded() {
        for (title, expected) in [
            ("Welcome to the bay", "welcome-to-the-bay"),
            ("Café & Crème: №1 — “go”!", "caf-crme-1-go"),
            ("   spaced   out  ", "-spaced-out-"),
            ("Маяк 港", "-"),
            ("A_b C-d", "a_b-cd"),
            ("<span>Big &amp; <b>bold</b></span>", "big-amp-bold"),
            ("a > b &gt; <x", "a-b-gt-"),
            ("İ\u{85}a\u{feff}b", "a-b"),
            ("", ""),
        ] {
            assert_eq!(id(title), expected, "{title}");
        }
    }

    #[test]
    fn white_space_of_the_layout_is_removed() {
        for (html, expected) in [
            ("<h2>\n a\n </h2>", "<h2> a </h2>"),
            ("<b>a</b> <i>b</i>", "<b>a</b><i>b</i>"),
            ("a  >  b", "a>  b"),
            ("one\n   two > three", "one two> three"),
            ("a \n\n b", "a  b"),
            ("a\nb\r\nc", "a\nb\r\nc"),
        ] {
            assert_eq!(squeezed(html), expected, "{html}");
        }
    }

    #[test]
    fn line_breaks_are_recognised_in_every_spelling() {
        for breaks in ["", " ", "<br>", "<BR/>", "<br /><br\n>", "\n<br>"] {
            assert!(is_only_breaks(breaks), "{breaks}");
        }
        for text in [
            "<br> ",
            "<br>a<br>",
            "<br> <br>",
            "<br clear=all>",
            "<b>",
            "<br",
            "é>",
            "<é>",
            "brr>",
        ] {
            assert!(!is_only_breaks(text), "{text}");
        }
    }
}
