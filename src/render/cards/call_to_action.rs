//! Call-to-action cards: a text and a button, as in advertisements.

use std::borrow::Cow;

use serde_json::{Value as Json, json};

use super::{
    Card, CardFailure, CardType,
    from_html::{
        HtmlForm, attribute_of, attribute_or, class_suffix, inner_html, of_class, resolved,
        text_of, visible_to_all,
    },
    image, parsed_cost,
    template::push_card,
    visibility,
};
use crate::render::{
    basic_html,
    html_to_lexical::{numbers::trimmed, style::Style},
    html_tree::{Node, clean_fragment, parse_fragment},
    lexical::properties::{as_text, is_truthy},
    mail::{
        body::{MailWriter, is_followable},
        design::{Design, is_colour, text_colour_on},
        surface::{DARK_TEXT, Surface},
    },
};

pub(super) static CARD: CardType = CardType {
    name: "call-to-action",
    render,
    cost: parsed_cost,
    urls: &[],
    html: &[HtmlForm::of_class("div", "kg-cta-card", |div| {
        Some(from_html(div))
    })],
    mail: Some(("kg-cta-card", mail)),
};

/// The default sponsor label.
const SPONSOR_LABEL: &str = r#"<p><span style="white-space: pre-wrap;">SPONSORED</span></p>"#;

fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    visibility::push_gated(card, html, |html| push_card(&template(card), html))
}

fn template(card: Card<'_>) -> String {
    let properties = card.properties;
    let image = image(card);
    let background = properties.text_or("backgroundColor", "grey");
    format!(
        r#"<div class="kg-card kg-cta-card kg-cta-bg-{background} kg-cta-{layout} {dividers} {has_image} {link} {alignment}" data-layout="{layout}">
            {sponsor}
            <div class="kg-cta-content">
                {image}
                {content}
            </div>
        </div>"#,
        // A missing colour is grey, but an invalid one is white (recorded:
        // `cta/background-invalid`, `cta/background-empty-uses-default`).
        background = if is_color(&background) {
            &background
        } else {
            "white"
        },
        layout = properties.text_or("layout", "minimal"),
        dividers = word(
            !properties.is_on("showDividers", true),
            "kg-cta-no-dividers"
        ),
        has_image = word(!image.is_empty(), "kg-cta-has-img"),
        link = word(
            properties.text_or("linkColor", "text") == "accent",
            "kg-cta-link-accent"
        ),
        alignment = word(
            properties.text_or("alignment", "left") == "center",
            "kg-cta-centered"
        ),
        sponsor = sponsor(card),
        content = content(card),
    )
}

/// Returns `word` if `applies` is true, and otherwise an empty string.
fn word(applies: bool, word: &str) -> &str {
    if applies { word } else { "" }
}

fn sponsor(card: Card<'_>) -> String {
    let properties = card.properties;
    if !properties.is_on("hasSponsorLabel", true) {
        return String::new();
    }
    format!(
        r#"
                <div class="kg-cta-sponsor-label-wrapper">
                    <div class="kg-cta-sponsor-label">
                        {}
                    </div>
                </div>
            "#,
        sponsor_label(&properties.text_or("sponsorLabel", SPONSOR_LABEL)),
    )
}

/// Returns the content of the first element of single-line HTML, or the whole HTML if it contains
/// no element.
fn sponsor_label(html: &str) -> String {
    let mut written = String::new();
    parse_fragment(html).root().push_inner_html(&mut written);
    // `clean` needs HTML as a tree serialises it, not as the author wrote it.
    let cleaned = basic_html::clean(&written);
    let Some(first) = parse_fragment(&cleaned)
        .root()
        .first_element()
        .map(|first| {
            let mut inner = String::new();
            first.push_inner_html(&mut inner);
            inner
        })
    else {
        return cleaned;
    };
    first.trim().to_owned()
}

/// Returns the URL and the text of the button, if there is one.
fn button(card: Card<'_>) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    let properties = card.properties;
    let url = properties.text("buttonUrl");
    (properties.is_on("showButton", true) && !url.is_empty())
        .then(|| (url, properties.text_or("buttonText", "Learn more")))
}

fn image(card: Card<'_>) -> String {
    let properties = card.properties;
    let src = properties.text("imageUrl");
    if src.is_empty() {
        return String::new();
    }
    let (width, height) = (properties.get("imageWidth"), properties.get("imageHeight"));
    let dimensions = if is_truthy(width) && is_truthy(height) {
        format!(
            r#" data-image-dimensions="{}x{}""#,
            as_text(width),
            as_text(height)
        )
    } else {
        String::new()
    };
    let image = format!(r#"<img src="{src}" alt="CTA Image"{dimensions}>"#);
    let linked = match button(card) {
        Some((url, _)) => format!(r#"<a href="{url}">{image}</a>"#),
        None => image,
    };
    format!(
        r#"
                    <div class="kg-cta-image-container">
                        {linked}
                    </div>
                "#
    )
}

fn content(card: Card<'_>) -> String {
    let text = match card.properties.text("textValue") {
        text if text.is_empty() => String::new(),
        text => format!(
            r#"
                        <div class="kg-cta-text">
                            {text}
                        </div>
                    "#
        ),
    };
    let button = match button(card) {
        Some((url, text)) => {
            let (class, style) = button_style(card);
            format!(
                r#"
                        <a href="{url}" class="kg-cta-button {class}" style="{style}">
                            {text}
                        </a>
                        "#
            )
        }
        None => String::new(),
    };
    // A button without a URL is not shown, but its space remains.
    if text.is_empty() && !card.properties.is_on("showButton", true) {
        return String::new();
    }
    format!(
        r#"
                    <div class="kg-cta-content-inner">
                    {text}
                    {button}
                    </div>
                "#
    )
}

/// Returns the class and the style of the button.
fn button_style(card: Card<'_>) -> (&'static str, String) {
    let properties = card.properties;
    let text_color = properties.text_or("buttonTextColor", "#ffffff");
    match &*properties.text_or("buttonColor", "#000000") {
        color if color != "accent" && is_color(color) => (
            "",
            format!("background-color: {color}; color: {text_color};"),
        ),
        _ => ("kg-style-accent", format!("color: {text_color};")),
    }
}

/// Returns whether `color` is a colour name, or `#` with three or six hexadecimal digits.
fn is_color(color: &str) -> bool {
    let is_part_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    match color.strip_prefix('#') {
        Some(digits) => {
            matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        }
        None => !color.is_empty() && color.bytes().all(is_part_of_name),
    }
}

/// The colour of a button that has no colour or has the accent colour (Ghost 6.65, recorded). It is
/// not a valid colour, so the button is rendered in the accent colour.
const UNKNOWN_COLOUR: &str = "#00NaNNaN";

/// The default sponsor label.
const SPONSORED: &str = r#"<p><span style="white-space: pre-wrap;">SPONSORED</span></p>"#;

fn from_html(div: Node<'_>) -> Json {
    let button = of_class(div, "kg-cta-button");
    let style = button.map(Style::of);
    let button_colour = style.and_then(Style::background_colour);
    let button_text_colour = style.and_then(Style::colour);
    let button_text = button.map(Node::text_content).unwrap_or_default();
    let label = of_class(div, "kg-cta-sponsor-label");
    let image = of_class(div, "kg-cta-image-container")
        .and_then(|container| container.find(|node| node.is("img")));
    let (width, height) = image.map_or((None, None), image::dimensions);
    let text = text_of(div, "kg-cta-text");
    json!({
        "type": "call-to-action",
        "version": 1,
        "layout": attribute_or(Some(div), "data-layout", "minimal"),
        "alignment": attribute_or(Some(div), "data-alignment", "left"),
        "textValue": trimmed(&text),
        "showButton": button.is_some(),
        // Ghost's renderer never writes this class, so a converted card has no dividers (recorded:
        // `card/cta-minimal-rendered`).
        "showDividers": div.has_class("kg-cta-has-dividers"),
        "buttonText": match trimmed(&button_text) {
            "" => "Learn more",
            text => text,
        },
        "buttonUrl": attribute_of(button, "href"),
        "buttonColor": button_colour.as_deref().unwrap_or(UNKNOWN_COLOUR),
        "buttonTextColor": button_text_colour.as_deref().unwrap_or("#ffffff"),
        "hasSponsorLabel": label.is_some(),
        "sponsorLabel": label.map_or_else(|| SPONSORED.to_owned(), label_as_paragraph),
        "backgroundColor": class_suffix(div, "kg-cta-bg-").unwrap_or("grey"),
        "linkColor": "text",
        "imageUrl": resolved(attribute_of(image, "src")),
        "imageWidth": width,
        "imageHeight": height,
        "visibility": visible_to_all(),
    })
}

/// Returns the label as a paragraph.
fn label_as_paragraph(label: Node<'_>) -> String {
    let mut cleaned = String::new();
    clean_fragment(&format!("<p>{}</p>", inner_html(label)), &mut cleaned);
    cleaned
}

/// The backgrounds of the editor by name, with the colour of the line below the label (Ghost 6.65,
/// observed).
const BACKGROUNDS: [(&str, &str, &str); 7] = [
    ("grey", "#f1f2f4", "#d0d1d2"),
    ("blue", "#e9f6fb", "#cddee5"),
    ("green", "#e8f8ea", "#cce0ce"),
    ("yellow", "#fcf4e3", "#e3d9c4"),
    ("red", "#fbe9e9", "#e7d0d0"),
    ("pink", "#fceef8", "#e6d6e1"),
    ("purple", "#f2edfc", "#dbd5e7"),
];

/// The appearance of a card in mails.
struct Appearance<'a> {
    style: String,
    text: &'a str,
    link: &'a str,
    /// The line below the label; `None` without one.
    line: Option<String>,
    /// True if the card has the background of the mail.
    is_transparent: bool,
}

impl<'a> Appearance<'a> {
    fn of(card: Node<'_>, design: &Design<'a>) -> Self {
        let name = class_suffix(card, "kg-cta-bg-").unwrap_or_default();
        let known = BACKGROUNDS.iter().find(|(known, ..)| *known == name);
        let has_dividers = !card.has_class("kg-cta-no-dividers");
        let (radius, divider) = (design.image_radius(), design.divider());
        // All named backgrounds are light, even in a dark mail.
        let text = known.map_or(design.text(), |_| DARK_TEXT);
        let style = match (known, name) {
            (Some((_, fill, _)), _) => {
                format!("padding: 0 24px; border-radius: {radius}; background: {fill}")
            }
            (None, "white") => {
                format!("padding: 0 24px; border: 1px solid {divider}; border-radius: {radius}")
            }
            (None, _) if has_dividers => {
                let above = match of_class(card, "kg-cta-sponsor-label") {
                    Some(_) => String::new(),
                    None => format!("; border-top: 1px solid {divider}"),
                };
                format!("border-bottom: 1px solid {divider}{above}")
            }
            (None, _) => "padding: 0".to_owned(),
        };
        let is_transparent = known.is_none();
        let accent = card.has_class("kg-cta-link-accent");
        Self {
            style,
            text,
            link: if accent { design.accent() } else { text },
            line: match known {
                Some((_, _, line)) => Some((*line).to_owned()),
                None => (has_dividers || name == "white").then_some(divider),
            },
            is_transparent,
        }
    }
}

/// Writes the card with its background, label, image and button.
fn mail(writer: &mut MailWriter<'_>, card: Node<'_>) {
    let appearance = Appearance::of(card, writer.design);
    let is_immersive = card.has_class("kg-cta-immersive");
    let surface = Surface {
        style: &appearance.style,
        text: appearance.text,
        link: appearance.link,
    };
    let image = of_class(card, "kg-cta-image-container")
        .and_then(|container| container.find(|node| node.is("img")));
    let link = image.and_then(|image| image.parent()?.attribute("href"));
    writer.surface(surface, |writer| {
        push_label(writer, card, &appearance);
        let body = |writer: &mut MailWriter<'_>| push_body(writer, card, &appearance, is_immersive);
        match image {
            Some(image) if is_immersive => {
                writer.part("padding: 24px 0 0", |writer| {
                    writer.linked(link, |writer| writer.full_width_image(image));
                });
                body(writer);
            }
            Some(image) => {
                let icon = |writer: &mut MailWriter<'_>| {
                    writer.linked(link, |writer| writer.square_image(image, 64));
                };
                let cell = "width: 64px; padding: 24px 24px 26px 0; vertical-align: top";
                writer.columns(&[(cell, &icon), ("vertical-align: top", &body)]);
            }
            None => body(writer),
        }
    });
}

fn push_label(writer: &mut MailWriter<'_>, card: Node<'_>, appearance: &Appearance<'_>) {
    let Some(label) = of_class(card, "kg-cta-sponsor-label") else {
        return;
    };
    let line = appearance.line.as_deref().map_or_else(String::new, |line| {
        format!("border-bottom: 1px solid {line}; ")
    });
    let style = format!(
        "padding: 12px 0; {line}color: #738a94; font-size: 12px; font-weight: 500; line-height: 1.4; \
         text-transform: uppercase"
    );
    writer.part(&style, |writer| writer.inside_box(label));
}

/// Writes the text and the button.
fn push_body(
    writer: &mut MailWriter<'_>,
    card: Node<'_>,
    appearance: &Appearance<'_>,
    is_immersive: bool,
) {
    let is_centered = is_immersive && card.has_class("kg-cta-centered");
    let align = if is_centered {
        "; text-align: center"
    } else {
        ""
    };
    let style = format!("padding: 24px 0 26px; font-size: 17px; line-height: 1.4{align}");
    writer.part(&style, |writer| {
        let text = of_class(card, "kg-cta-text");
        if let Some(text) = text {
            writer.inside_box(text);
        }
        let button = of_class(card, "kg-cta-button");
        let href = button.and_then(|button| button.attribute("href"));
        let (Some(button), Some(href)) = (button, href.filter(|href| is_followable(href))) else {
            return;
        };
        let color = button_color(button, writer.design, appearance);
        // Below an image of full width, the button has that width, too.
        let is_wide = is_immersive && card.has_class("kg-cta-has-img");
        let gap = if text.is_some() {
            "padding: 20px 0 0"
        } else {
            ""
        };
        writer.part(gap, |writer| {
            writer.colored_button(href, &color, is_wide, |writer| writer.inside(button));
        });
    });
}

/// Returns the colour of the button, or the accent colour if it has none. A black button on the
/// background of a dark mail becomes white.
fn button_color(button: Node<'_>, design: &Design<'_>, appearance: &Appearance<'_>) -> String {
    let own = Style::of(button).background_colour();
    let own = own.filter(|own| is_colour(own));
    let accent = || {
        if appearance.is_transparent {
            design.accent_of_button()
        } else {
            design.accent()
        }
    };
    let color = own.unwrap_or_else(|| accent().to_owned());
    let is_lost = appearance.is_transparent
        && text_colour_on(&color) == "#ffffff"
        && appearance.text == "#ffffff";
    if is_lost && color.trim_start_matches(['#', '0']).is_empty() {
        "#ffffff".to_owned()
    } else {
        color
    }
}
