//! Signup cards: forms in which readers become members.

use std::borrow::Cow;

use serde_json::{Value as Json, json};

use super::{
    Card, CardFailure, CardType,
    backdrop::{Backdrop, Defaults, accent_class, button_colors},
    from_html::{HtmlForm, attribute_of, of_class, text_of},
    parsed_cost,
    template::only_element,
};
use crate::render::{
    html_to_lexical::{numbers::trimmed, style::Style},
    html_tree::{Node, Serialization, parse_fragment},
    lexical::{
        json::Value,
        properties::{as_text, is_truthy},
    },
};

pub(super) static CARD: CardType = CardType {
    name: "signup",
    render,
    cost: parsed_cost,
    urls: &[],
    html: &[HtmlForm::when(
        "div",
        |div| div.attribute("data-lexical-signup-form").is_some(),
        |div| Some(from_html(div)),
    )],
    // Recipients of mails have already signed up.
    mail: Some(("kg-signup-card", |_, _| {})),
};

/// The defaults of a form's properties.
const DEFAULTS: Defaults = Defaults {
    layout: "wide",
    color: "#F0F0F0",
    alignment: "left",
};

/// The texts whose elements are hidden if they are empty, with the classes of the elements.
const TITLES: [(&str, &str); 3] = [
    ("header", "kg-signup-card-heading"),
    ("subheader", "kg-signup-card-subheading"),
    ("disclaimer", "kg-signup-card-disclaimer"),
];

/// The icon of a button while its form is being sent.
const LOADING: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" height="24" width="24" viewBox="0 0 24 24">
        <g stroke-linecap="round" stroke-width="2" fill="currentColor" stroke="none" stroke-linejoin="round" class="nc-icon-wrapper">
            <g class="nc-loop-dots-4-24-icon-o">
                <circle cx="4" cy="12" r="3"></circle>
                <circle cx="12" cy="12" r="3"></circle>
                <circle cx="20" cy="12" r="3"></circle>
            </g>
            <style data-cap="butt">
                .nc-loop-dots-4-24-icon-o{--animation-duration:0.8s}
                .nc-loop-dots-4-24-icon-o *{opacity:.4;transform:scale(.75);animation:nc-loop-dots-4-anim var(--animation-duration) infinite}
                .nc-loop-dots-4-24-icon-o :nth-child(1){transform-origin:4px 12px;animation-delay:-.3s;animation-delay:calc(var(--animation-duration)/-2.666)}
                .nc-loop-dots-4-24-icon-o :nth-child(2){transform-origin:12px 12px;animation-delay:-.15s;animation-delay:calc(var(--animation-duration)/-5.333)}
                .nc-loop-dots-4-24-icon-o :nth-child(3){transform-origin:20px 12px}
                @keyframes nc-loop-dots-4-anim{0%,100%{opacity:.4;transform:scale(.75)}50%{opacity:1;transform:scale(1)}}
            </style>
        </g>
    </svg>"#;

fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let filled = parse_fragment(&filled(card)?);
    let form = only_element(&filled)?;
    let mut hidden: Vec<Node<'_>> = Vec::new();
    for (property, class) in TITLES {
        if card.properties.text(property).is_empty() {
            let title = form.find(|node| node.has_class(class) && !is_not_searched(node, &hidden));
            hidden.extend(title);
        }
    }
    form.push_outer_filtered_html(html, |node| {
        if hidden.contains(&node) {
            Serialization::Nothing
        } else {
            Serialization::Element
        }
    });
    Ok(())
}

/// Returns whether a node is inside a hidden node or a `template`, which are not searched.
fn is_not_searched(node: Node<'_>, hidden: &[Node<'_>]) -> bool {
    std::iter::successors(node.parent(), |node| node.parent())
        .any(|node| node.is("template") || hidden.contains(&node))
}

/// Returns the filled template, which still contains the elements of empty texts.
fn filled(card: Card<'_>) -> Result<String, CardFailure> {
    let properties = card.properties;
    let backdrop = Backdrop::read(card, &DEFAULTS);
    let image = match &*backdrop.image {
        "" => String::new(),
        src => format!(
            "\n        <picture><img class=\"kg-signup-card-image\" src=\"{src}\" alt=\"\" />\
             </picture>\n    "
        ),
    };
    let (behind, beside) = backdrop.layers(&image);
    let (button_accent, button_style) = button_colors(
        &properties.text_or("buttonColor", "accent"),
        &properties.text_or("buttonTextColor", "#FFFFFF"),
    );
    // On the page's background, the text keeps the page's text colour.
    let text_style = if backdrop.color == "transparent" && !backdrop.is_covered() {
        String::new()
    } else {
        format!(
            "style=\"color: {};\"",
            properties.text_or("textColor", "#000000")
        )
    };
    Ok(format!(
        r#"<div class="kg-card kg-signup-card {classes} {accent}" data-lexical-signup-form style="{style}; display: none;">
            {behind}
            <div class="kg-signup-card-content">
                {beside}
                <div class="kg-signup-card-text {text_class}">
                    <h2 class="kg-signup-card-heading" {text_style}>{header}</h2>
                    <p class="kg-signup-card-subheading" {text_style}>{subheader}</p>
                    
        <form class="kg-signup-card-form" data-members-form="signup">
            {labels}
            <div class="kg-signup-card-fields">
                <input class="kg-signup-card-input" id="email" data-members-email="" type="email" required="true" placeholder="jamie@example.com" />
                <button class="kg-signup-card-button {button_accent}" style="{button_style}" type="submit">
                    <span class="kg-signup-card-button-default">{button}</span>
                    <span class="kg-signup-card-button-loading">{LOADING}</span>
                </button>
            </div>
            <div class="kg-signup-card-success" {text_style}>
                {success}
            </div>
            <div class="kg-signup-card-error" {text_style} data-members-error></div>
        </form>
        
                    <p class="kg-signup-card-disclaimer" {text_style}>{disclaimer}</p>
                </div>
            </div>
        </div>"#,
        classes = backdrop.classes(),
        accent = accent_class(backdrop.is_accent() && !backdrop.is_covered()),
        style = backdrop.style().unwrap_or_default(),
        text_class = backdrop.text_class(),
        header = properties.text("header"),
        subheader = properties.text("subheader"),
        labels = labels(properties.get("labels"))?,
        button = properties.text_or("buttonText", "Subscribe"),
        success = properties.text_or(
            "successMessage",
            "Email sent! Check your inbox to complete your signup.",
        ),
        disclaimer = properties.text("disclaimer"),
    ))
}

/// Returns the labels for new members as form fields. A string is split into its characters, as in
/// Ghost.
fn labels(labels: &Value) -> Result<String, CardFailure> {
    let labels: Vec<Cow<'_, str>> = match labels {
        Value::Array(labels) => labels.iter().map(as_text).collect(),
        Value::String(characters) => characters
            .chars()
            .map(|character| character.to_string().into())
            .collect(),
        labels if is_truthy(labels) => {
            return Err(CardFailure("its labels are not a list".to_owned()));
        }
        _ => Vec::new(),
    };
    let fields: Vec<String> = labels
        .iter()
        .map(|label| format!("<input data-members-label type=\"hidden\" value=\"{label}\" />"))
        .collect();
    Ok(fields.join("\n"))
}

fn from_html(div: Node<'_>) -> Json {
    let own_background = Style::of(div).background_colour();
    let background = if div.has_class("kg-style-accent") {
        "accent"
    } else {
        own_background.as_deref().unwrap_or("#ffffff")
    };
    let success = of_class(div, "kg-signup-card-success");
    let text_colour = success.and_then(|success| Style::of(success).colour());
    let image = attribute_of(of_class(div, "kg-signup-card-image"), "src");
    let is_split = div.has_class("kg-layout-split");
    // Without a background, the text has the page's text colour.
    let text_colour = if background == "transparent" && (image.is_empty() || is_split) {
        ""
    } else {
        text_colour.as_deref().unwrap_or("#ffffff")
    };
    let button = of_class(div, "kg-signup-card-button");
    let button_colour = button.map(|button| {
        if button.has_class("kg-style-accent") {
            return Some("accent".to_owned());
        }
        Style::of(button).background_colour()
    });
    let button_text_colour = button.and_then(|button| Style::of(button).colour());
    let text = of_class(div, "kg-signup-card-text");
    let is_centred = text.is_some_and(|text| text.has_class("kg-align-center"));
    let text_in = |name| {
        let element = div.find(|node| node.is(name));
        element.map(Node::text_content).unwrap_or_default()
    };
    let labels: Vec<&str> = div
        .descendants()
        .filter(|node| node.is("input") && node.attribute("data-members-label").is_some())
        .map(|input| input.attribute("value").unwrap_or_default())
        .collect();
    json!({
        "type": "signup",
        "version": 1,
        "alignment": if is_centred { "center" } else { "left" },
        "backgroundColor": background,
        "backgroundImageSrc": image,
        "backgroundSize": if div.has_class("kg-content-wide") { "contain" } else { "cover" },
        "textColor": text_colour,
        "buttonColor": button_colour.flatten().unwrap_or_else(|| "#ffffff".to_owned()),
        "buttonTextColor": button_text_colour.unwrap_or_else(|| "#000000".to_owned()),
        "buttonText": text_or(div, "kg-signup-card-button-default", "Subscribe"),
        // Ghost reads the first paragraph as the disclaimer.
        "disclaimer": text_in("p"),
        "header": text_in("h2"),
        "layout": if is_split { "split" } else { "regular" },
        // The renderer writes a `p`, so the subheader is lost (recorded:
        // `card/signup-regular-rendered`).
        "subheader": text_in("h3"),
        "successMessage": text_or(
            div,
            "kg-signup-card-success",
            "Email sent! Check your inbox to complete your signup.",
        ),
        "swapped": div.has_class("kg-swapped"),
        "labels": labels,
    })
}

/// Returns the text of the first element with a class, or `default` if it is missing or empty.
fn text_or(div: Node<'_>, class: &str, default: &str) -> String {
    let text = text_of(div, class);
    match trimmed(&text) {
        "" => default.to_owned(),
        text => text.to_owned(),
    }
}
