//! Gallery cards: several images in rows.

use crate::render::lexical::json::Value;

use super::{Card, CardFailure, caption_class};
use crate::render::html_escape::push_attribute;
use crate::render::lexical::properties::{Properties, is_blank, is_truthy};
use crate::render::lexical::responsive::{REGULAR_SIZES, ResponsiveImage, WIDE_SIZES};

/// An image that can be shown.
struct Image<'a> {
    properties: Properties<'a>,
    src: &'a str,
    row: u64,
}

pub(super) fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let images = match card.properties.get("images") {
        Value::Array(images) => images,
        images if is_truthy(images) => {
            return Err(CardFailure("its images are not a list".to_owned()));
        }
        _ => return Ok(()),
    };
    let images = in_rows(images.iter().filter_map(Image::read).collect());
    if images.is_empty() {
        return Ok(());
    }
    // A single image has the whole width, unless its row number is not 0.
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
    /// Reads an image with all required properties.
    fn read(image: &'a Value<'a>) -> Option<Self> {
        let properties = Properties(image.as_object()?);
        let text = |name| properties.get(name).as_str().filter(|text| !is_blank(text));
        let is_length = |name| {
            properties
                .get(name)
                .as_f64()
                .is_some_and(|pixels| pixels > 0.0)
        };
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

/// Returns a row number: an integer, also if written as `1.0`.
fn row_number(row: &Value) -> Option<u64> {
    let number = row.as_f64()?;
    (number >= 0.0 && number.fract() == 0.0).then_some(number as u64)
}

/// Sorts the images by their rows. To avoid a single image in the last row of three, the one before
/// it moves to that row, too.
fn in_rows(mut images: Vec<Image<'_>>) -> Vec<Image<'_>> {
    let count = images.len();
    if count > 1 && count % 3 == 1 {
        let row = &mut images[count - 2].row;
        *row = row.saturating_add(1);
    }
    images.sort_by_key(|image| image.row);
    images
}
