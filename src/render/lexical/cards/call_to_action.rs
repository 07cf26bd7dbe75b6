//! Call-to-action cards: a text and a button, as in advertisements.

use std::borrow::Cow;

use super::template::push_card;
use super::{Card, CardFailure, visibility};
use crate::render::basic_html;
use crate::render::html_tree::parse_fragment;
use crate::render::lexical::properties::{as_text, is_truthy};

/// The default sponsor label.
const SPONSOR_LABEL: &str = r#"<p><span style="white-space: pre-wrap;">SPONSORED</span></p>"#;

pub(super) fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
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

/// Returns `word` if it applies.
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

/// Returns the content of the first element of single-line HTML, or all of it without an element.
fn sponsor_label(html: &str) -> String {
    let mut written = String::new();
    parse_fragment(html).root().push_inner_html(&mut written);
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
    // A button without a URL is not shown, but its place is.
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

/// Returns whether it is a colour name, or `#` with three or six hexadecimal digits.
fn is_color(color: &str) -> bool {
    let is_part_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    match color.strip_prefix('#') {
        Some(digits) => {
            matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        }
        None => !color.is_empty() && color.bytes().all(is_part_of_name),
    }
}
