//! Gallery cards: several images in rows.

use serde_json::{Map, Value as Json, json};

use super::{
    Card, CardFailure, CardType,
    UrlContent::{Html, Url},
    caption, caption_class,
    embed::is_embed,
    from_html::{HtmlForm, resolved},
    image,
    in_mail::push_caption_below,
    parsed_cost,
    responsive::{REGULAR_SIZES, ResponsiveImage, WIDE_SIZES},
};
use crate::render::{
    html_escape::push_attribute,
    html_to_lexical::text::Lines,
    html_tree::Node,
    lexical::{
        json::Value,
        properties::{Properties, is_blank, is_truthy},
    },
    mail::body::MailWriter,
};

pub(super) static CARD: CardType = CardType {
    name: "gallery",
    render,
    cost: parsed_cost,
    urls: &[
        ("images.src", Url),
        ("images.caption", Html),
        ("caption", Html),
    ],
    html: &[
        HtmlForm::when(
            "figure",
            |figure| figure.has_class("kg-gallery-card") && !is_embed(figure),
            |figure| Some(from_html(figure)),
        ),
        HtmlForm::with_siblings(
            "div",
            |div| is_part(div) || is_squarespace(div),
            |div, lines| Some(from_other_generator(div, lines)),
        ),
    ],
    mail: Some(("kg-gallery-card", mail)),
};

/// An image that can be shown.
struct Image<'a> {
    properties: Properties<'a>,
    src: &'a str,
    row: u64,
}

fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let images = match card.properties.get("images") {
        Value::Array(images) => images,
        images if is_truthy(images) => {
            return Err(CardFailure("its images are not a list".to_owned()));
        }
        _ => return Ok(()),
    };
    // Entries that cannot be shown are left out first, since the rule of rows counts the rest
    // (recorded: `gallery/filter-changes-row-rule`).
    let images = in_rows(images.iter().filter_map(Image::read).collect());
    if images.is_empty() {
        return Ok(());
    }
    // A single image is shown in the full width, unless its row number is not 0.
    let is_wide = images.len() == 1 && images[0].row == 0;
    html.push_str("<figure class=\"kg-card kg-gallery-card kg-width-wide");
    html.push_str(caption_class(card.has_caption()));
    html.push_str("\"><div class=\"kg-gallery-container\">");
    for row in images.chunk_by(|one, next| one.row == next.row) {
        html.push_str("<div class=\"kg-gallery-row\">");
        for image in row {
            html.push_str("<div class=\"kg-gallery-image\">");
            image.push(html, card, is_wide)?;
            html.push_str("</div>");
        }
        html.push_str("</div>");
    }
    html.push_str("</div>");
    card.push_caption(html);
    Ok(())
}

impl<'a> Image<'a> {
    /// Returns the image of an entry; `None` if it lacks a required property.
    fn read(image: &'a Value<'a>) -> Option<Self> {
        let properties = Properties(image.as_object()?);
        let text = |name| properties.get(name).as_str().filter(|text| !is_blank(text));
        let is_length = |name| {
            properties
                .get(name)
                .as_f64()
                .is_some_and(|pixels| pixels > 0.0)
        };
        // Ghost shows no image without a file name (recorded: `gallery/invalid-images-filtered`).
        text("fileName")?;
        (is_length("width") && is_length("height")).then_some(())?;
        Some(Self {
            properties,
            src: text("src")?,
            row: row_number(properties.get("row"))?,
        })
    }

    fn push(&self, html: &mut String, card: Card<'_>, is_wide: bool) -> Result<(), CardFailure> {
        let href = self.properties.text("href");
        if !href.is_empty() {
            html.push_str("<a");
            push_attribute(html, "href", &href);
            html.push('>');
        }
        html.push_str("<img");
        push_attribute(html, "src", self.src);
        let responsive =
            ResponsiveImage::new(self.src, self.properties.get("width"), card.context.site);
        responsive.push_dimensions(html, self.properties.get("height"));
        html.push_str(" loading=\"lazy\"");
        push_attribute(html, "alt", &self.properties.text("alt"));
        let title = self.properties.text("title");
        if !title.is_empty() {
            push_attribute(html, "title", &title);
        }
        if responsive.push_srcset(html)? {
            if is_wide && responsive.is_at_least(1200.0) {
                html.push_str(WIDE_SIZES);
            } else if responsive.is_at_least(720.0) {
                html.push_str(REGULAR_SIZES);
            }
        }
        html.push('>');
        if !href.is_empty() {
            html.push_str("</a>");
        }
        Ok(())
    }
}

/// Returns a row number. Integers with a fraction of zero, such as `1.0`, are accepted.
fn row_number(row: &Value) -> Option<u64> {
    let number = row.as_f64()?;
    (number >= 0.0 && number.fract() == 0.0).then_some(number as u64)
}

/// Sorts the images by their rows. If a single image would be left for the last row of three, the
/// image before it moves to that row as well.
fn in_rows(mut images: Vec<Image<'_>>) -> Vec<Image<'_>> {
    let count = images.len();
    if count > 1 && count % 3 == 1 {
        let row = &mut images[count - 2].row;
        // A stored row may be the largest number.
        *row = row.saturating_add(1);
    }
    // The sort is stable: the images of a row stay in the order of the document.
    images.sort_by_key(|image| image.row);
    images
}

/// The number of images in a row.
const ROW_IMAGES: usize = 3;

/// Returns the card of a gallery that Ghost rendered.
fn from_html(figure: Node<'_>) -> Json {
    let captions = caption::of_figure(figure);
    properties(
        figure.descendants().filter(|node| node.is("img")),
        &captions,
    )
}

/// Returns the card of another generator's gallery. The rows of a Medium gallery that follow `div`
/// are removed from `lines`.
fn from_other_generator(div: Node<'_>, lines: &mut Lines) -> Json {
    if is_part(div) {
        medium(div, lines)
    } else {
        squarespace(div)
    }
}

fn is_squarespace(div: Node<'_>) -> bool {
    div.attribute("class").is_some_and(|classes| {
        classes.contains("sqs-gallery-container")
            && !classes.contains("summary-item-list-container")
    })
}

/// Returns whether `node` is a row of images in a story of Medium.
fn is_part(node: Node<'_>) -> bool {
    node.is("div")
        && node
            .attribute("data-paragraph-count")
            .is_some_and(|count| !count.is_empty())
        && node.find(|node| node.is("img")).is_some()
}

/// Returns the card of a Medium gallery, which has an element for each row.
fn medium(first: Node<'_>, lines: &mut Lines) -> Json {
    let following = std::iter::successors(first.next_sibling(), |node| node.next_sibling())
        .filter(|node| node.is_element())
        .take_while(|node| is_part(*node));
    let parts: Vec<Node<'_>> = std::iter::once(first).chain(following).collect();
    for part in &parts[1..] {
        // Otherwise each row would become a separate gallery.
        lines.take(*part);
    }
    let all = || parts.iter().flat_map(|part| part.descendants());
    let caption = caption::joined(all().filter(|node| node.is("figcaption")));
    properties(all().filter(|node| node.is("img")), &caption)
}

fn squarespace(div: Node<'_>) -> Json {
    let titles = div
        .descendants()
        .filter(|node| node.has_class("meta-title"));
    let images = (div.descendants()).filter(|node| node.is("img") && node.has_class("thumb-image"));
    properties(
        images.filter(|image| !url(*image).is_empty()),
        &caption::joined(titles),
    )
}

fn url<'t>(image: Node<'t>) -> &'t str {
    let attribute = |name| image.attribute(name).filter(|url| !url.is_empty());
    attribute("src")
        .or_else(|| attribute("data-src"))
        .unwrap_or_default()
}

fn properties<'t>(images: impl Iterator<Item = Node<'t>>, caption: &str) -> Json {
    let images: Vec<Json> = images
        .enumerate()
        .map(|(index, image)| entry(image, index / ROW_IMAGES))
        .collect();
    json!({"type": "gallery", "version": 1, "images": images, "caption": caption})
}

/// Returns the entry of an image, without the properties that are unknown.
fn entry(image: Node<'_>, row: usize) -> Json {
    let mut entry = Map::new();
    let mut set = |name: &str, value: Json| entry.insert(name.to_owned(), value);
    let url = resolved(url(image));
    let file_name = url.rsplit('/').next().unwrap_or_default().to_owned();
    if !url.is_empty() {
        set("src", Json::from(url));
    }
    let (width, height) = image::dimensions(image);
    let text = |name| image.attribute(name).filter(|text| !text.is_empty());
    let optional = [
        ("width", width.map(Json::from)),
        ("height", height.map(Json::from)),
        ("alt", text("alt").map(Json::from)),
        ("title", text("title").map(Json::from)),
        ("href", image::link_around(image).map(Json::from)),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            set(name, value);
        }
    }
    set("fileName", Json::from(file_name));
    set("row", Json::from(row));
    Json::Object(entry)
}

/// Writes the images below one another, all as wide as the mail (Ghost 6.65, observed).
fn mail(writer: &mut MailWriter<'_>, node: Node<'_>) {
    let images = node.descendants().filter(|element| element.is("img"));
    for image in images {
        writer.html.push_str("<div style=\"margin: 0 0 20px\">");
        let link = image.parent().filter(|parent| parent.is("a"));
        let href = link.and_then(|link| link.attribute("href"));
        writer.linked(href, |writer| writer.full_width_image(image));
        writer.html.push_str("</div>");
    }
    push_caption_below(writer, node);
}
