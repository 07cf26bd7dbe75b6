//! File cards: downloads.

use crate::render::lexical::json::Value;

use super::{Card, CardFailure};
use crate::render::html_escape::{push_attribute, push_text};
use crate::render::lexical::properties::{as_number, float_as_text};

/// The end of the card, after the file size.
const ICON: &str = "\
    </div></div></div><div class=\"kg-file-card-icon\"><svg viewBox=\"0 0 24 24\"><defs><style>\
    .a{fill:none;stroke:currentColor;stroke-linecap:round;stroke-linejoin:round;stroke-width:1.5px;}</style>\
    </defs><title>download-circle</title><polyline class=\"a\" points=\"8.25 14.25 12 18 15.75 14.25\">\
    </polyline><line class=\"a\" x1=\"12\" y1=\"6.75\" x2=\"12\" y2=\"18\"></line><circle class=\"a\" cx=\"12\" \
    cy=\"12\" r=\"11.25\"></circle></svg></div></a></div>";

const UNITS: [&str; 5] = ["Bytes", "KB", "MB", "GB", "TB"];

pub(super) fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let src = card.required("src")?;
    if src.is_empty() {
        return Ok(());
    }
    html.push_str("<div class=\"kg-card kg-file-card\"><a class=\"kg-file-card-container\"");
    push_attribute(html, "href", src);
    html.push_str(" title=\"Download\" download=\"\"><div class=\"kg-file-card-contents\">");
    for (start, property) in [
        ("<div class=\"kg-file-card-title\">", "fileTitle"),
        ("</div><div class=\"kg-file-card-caption\">", "fileCaption"),
        (
            "</div><div class=\"kg-file-card-metadata\"><div class=\"kg-file-card-filename\">",
            "fileName",
        ),
    ] {
        html.push_str(start);
        push_text(html, &card.properties.text(property));
    }
    html.push_str("</div><div class=\"kg-file-card-filesize\">");
    html.push_str(&size(card.properties.get("fileSize")));
    html.push_str(ICON);
    Ok(())
}

/// Formats a number of bytes. Values that are not numbers yield `NaN`, and units end at TB, as in
/// Ghost.
fn size(bytes: &Value) -> String {
    let bytes = match bytes {
        Value::Null => 0.0,
        bytes => as_number(bytes).unwrap_or(f64::NAN),
    };
    if bytes == 0.0 {
        return "0 Byte".to_owned();
    }
    if bytes.is_nan() || bytes < 0.0 {
        return "NaN undefined".to_owned();
    }
    let mut amount = bytes;
    let mut units = UNITS.iter();
    let mut unit = units.next();
    while amount >= 1024.0 {
        amount /= 1024.0;
        unit = units.next();
    }
    let amount = float_as_text(amount.round());
    format!("{amount} {}", unit.unwrap_or(&"undefined"))
}
