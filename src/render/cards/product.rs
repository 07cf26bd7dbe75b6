//! Product cards, with a rating.

use serde_json::{Value as Json, json};

use super::{
    Card, CardFailure, CardType,
    UrlContent::{Html, Url},
    caption,
    from_html::{HtmlForm, attribute_of, of_class},
    image::pixels,
    parsed_cost,
    template::push_card,
};
use crate::render::{
    html_tree::Node,
    lexical::{
        json::Value,
        properties::{as_number, as_text, is_truthy},
    },
    mail::body::{MailWriter, is_followable},
};

pub(super) static CARD: CardType = CardType {
    name: "product",
    render,
    cost: parsed_cost,
    urls: &[
        ("productImageSrc", Url),
        ("productTitle", Html),
        ("productDescription", Html),
    ],
    html: &[HtmlForm::of_class("div", "kg-product-card", from_html)],
    mail: Some(("kg-product-card", mail)),
};

/// Highest number of stars.
const STARS_MAX: u8 = 5;

/// The icon of a star.
const STAR: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M12.729,1.2l3.346,6.629,6.44.638a.805.805,0,0,1,.5,1.374l-5.3,5.253,1.965,7.138a.813.813,0,0,1-1.151.935L12,19.934,5.48,23.163a.813.813,0,0,1-1.151-.935L6.294,15.09.99,9.837a.805.805,0,0,1,.5-1.374l6.44-.638L11.271,1.2A.819.819,0,0,1,12.729,1.2Z"></path></svg>"#;

fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let properties = card.properties;
    let title = properties.text("productTitle");
    let description = properties.text("productDescription");
    let image = image(card);
    let rating = rating(card);
    let button = button(card);
    let url = properties.text("productUrl");
    let text = properties.text("productButton");
    let has_button = !button.is_empty() && !url.is_empty() && !text.is_empty();
    let is_empty = [&*title, &*description, &*image, &*rating]
        .iter()
        .all(|part| part.is_empty());
    // An incomplete button alone is not content, but it does not hide other content (recorded:
    // `product/button-enabled-but-empty`).
    if is_empty && !has_button {
        return Ok(());
    }
    let template = format!(
        r#"<div class="kg-card kg-product-card">
            <div class="kg-product-card-container">
                {image}
                <div class="kg-product-card-title-container">
                    <h4 class="kg-product-card-title">{title}</h4>
                </div>
                {rating}

                <div class="kg-product-card-description">{description}</div>
                {button}
            </div>
        </div>"#
    );
    push_card(&template, html)
}

fn image(card: Card<'_>) -> String {
    let properties = card.properties;
    let src = properties.text("productImageSrc");
    if src.is_empty() {
        return String::new();
    }
    let length = |attribute: &str, name: &str| match properties.get(name) {
        pixels if is_truthy(pixels) => format!(r#" {attribute}="{}""#, as_text(pixels)),
        _ => String::new(),
    };
    format!(
        r#"<img src="{src}"{}{} class="kg-product-card-image" loading="lazy" />"#,
        length("width", "productImageWidth"),
        length("height", "productImageHeight"),
    )
}

fn rating(card: Card<'_>) -> String {
    let properties = card.properties;
    if !properties.is_on("productRatingEnabled", false) {
        return String::new();
    }
    let stars = match properties.get("productStarRating") {
        Value::Null => f64::from(STARS_MAX),
        stars => as_number(stars).unwrap_or(0.0),
    };
    let mut rating = String::from("\n                    <div class=\"kg-product-card-rating\">");
    for star in 1..=STARS_MAX {
        let active = if stars >= f64::from(star) {
            "kg-product-card-rating-active"
        } else {
            ""
        };
        rating += &format!(
            r#"
                        <span class="{active} kg-product-card-rating-star">{STAR}</span>"#
        );
    }
    rating + "\n                    </div>\n                "
}

fn button(card: Card<'_>) -> String {
    let properties = card.properties;
    if !properties.is_on("productButtonEnabled", false) {
        return String::new();
    }
    format!(
        r#"
                    <a href="{url}" class="kg-product-card-button kg-product-card-btn-accent" target="_blank" rel="noopener noreferrer"><span>{text}</span></a>
                "#,
        url = properties.text("productUrl"),
        text = properties.text("productButton"),
    )
}

/// The default number of stars.
const STARS: usize = 5;

/// Returns the card of a product that Ghost rendered, unless it is empty.
fn from_html(div: Node<'_>) -> Option<Json> {
    let of_class = |class| div.descendants().filter(move |node| node.has_class(class));
    let title = caption::joined(of_class("kg-product-card-title"));
    let description = caption::joined(of_class("kg-product-card-description"));
    let image = of_class("kg-product-card-image").next();
    let button = div.find(|node| node.is("a"));
    if title.is_empty() && description.is_empty() && image.is_none() && button.is_none() {
        return None;
    }
    let size = |name| image.and_then(|image| pixels(image.attribute(name)?));
    let stars = of_class("kg-product-card-rating-active").count();
    let button_text = button.map(Node::text_content).unwrap_or_default();
    let button_text = one_line(&button_text);
    let button_url = attribute_of(button, "href");
    let has_button = !button_text.is_empty() && !button_url.is_empty();
    Some(json!({
        "type": "product",
        "version": 1,
        "productImageSrc": attribute_of(image, "src"),
        "productImageWidth": size("width"),
        "productImageHeight": size("height"),
        "productTitle": title,
        "productDescription": description,
        "productRatingEnabled": stars > 0,
        "productStarRating": if stars > 0 { stars } else { STARS },
        "productButtonEnabled": has_button,
        "productButton": if has_button { &button_text } else { "" },
        "productUrl": if has_button { button_url } else { "" },
    }))
}

/// Returns the trimmed text, with one space for each run of white space.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

fn mail(writer: &mut MailWriter<'_>, node: Node<'_>) {
    let part = |class| of_class(node, class);
    let accent = writer.design.accent_of_button();
    let content = |writer: &mut MailWriter<'_>| {
        if let Some(image) = part("kg-product-card-image") {
            writer.part("padding: 0 0 16px", |writer| writer.full_width_image(image));
        }
        if let Some(title) = part("kg-product-card-title") {
            let style = "font-size: 22px; font-weight: 700; line-height: 1.25";
            writer.part(style, |writer| writer.inside(title));
        }
        if part("kg-product-card-rating").is_some() {
            let is_active = |node: &Node<'_>| node.has_class("kg-product-card-rating-active");
            let active = node.descendants().filter(is_active).count();
            // Hand-written HTML may have more stars.
            let active = active.min(usize::from(STARS_MAX));
            let stars = "★".repeat(active) + &"☆".repeat(usize::from(STARS_MAX) - active);
            writer.part(
                "padding: 4px 0 0; font-size: 20px; line-height: 1.2",
                |writer| {
                    writer.html.push_str(&stars);
                },
            );
        }
        if let Some(description) = part("kg-product-card-description") {
            let style = "padding: 8px 0 0; font-size: 16px; line-height: 1.4";
            writer.part(style, |writer| writer.inside_box(description));
        }
        let button = part("kg-product-card-button");
        let href = button.and_then(|button| button.attribute("href"));
        if let (Some(button), Some(href)) = (button, href.filter(|href| is_followable(href))) {
            writer.part("padding: 16px 0 0", |writer| {
                writer.colored_button(href, accent, true, |writer| writer.inside(button));
            });
        }
    };
    writer.framed(|writer| writer.part("padding: 20px", content));
}
