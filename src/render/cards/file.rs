//! File cards: downloads.

use serde_json::{Value as Json, json};

use super::{
    Card, CardFailure, CardType,
    UrlContent::Url,
    from_html::{HtmlForm, attribute_of, text_of},
    in_mail::{push_sign, trimmed_text},
    parsed_cost,
};
use crate::render::{
    html_escape::{push_attribute, push_text},
    html_to_lexical::numbers::{self, decimal},
    html_tree::Node,
    lexical::{
        json::Value,
        properties::{as_number, float_as_text},
    },
    mail::body::{MailWriter, is_followable},
};

pub(super) static CARD: CardType = CardType {
    name: "file",
    render,
    cost: parsed_cost,
    urls: &[("src", Url)],
    html: &[HtmlForm::of_class("div", "kg-file-card", |div| {
        Some(from_html(div))
    })],
    mail: Some(("kg-file-card", mail)),
};

/// The markup of the card after the file size.
const ICON: &str = "\
    </div></div></div><div class=\"kg-file-card-icon\"><svg viewBox=\"0 0 24 24\"><defs><style>\
    .a{fill:none;stroke:currentColor;stroke-linecap:round;stroke-linejoin:round;stroke-width:1.5px;}</style>\
    </defs><title>download-circle</title><polyline class=\"a\" points=\"8.25 14.25 12 18 15.75 14.25\">\
    </polyline><line class=\"a\" x1=\"12\" y1=\"6.75\" x2=\"12\" y2=\"18\"></line><circle class=\"a\" cx=\"12\" \
    cy=\"12\" r=\"11.25\"></circle></svg></div></a></div>";

const UNITS: [&str; 5] = ["Bytes", "KB", "MB", "GB", "TB"];

fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
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

/// Formats a number of bytes. As in Ghost, values that are not numbers yield `NaN`, and the largest
/// unit is TB.
fn size(bytes: &Value) -> String {
    let bytes = match bytes {
        Value::Null => 0.0,
        bytes => as_number(bytes).unwrap_or(f64::NAN),
    };
    if bytes == 0.0 {
        return "0 Byte".to_owned();
    }
    // Infinity, too: `"1e999"` would be divided forever.
    if !bytes.is_finite() || bytes < 0.0 {
        // The unit is read beyond the ends of Ghost's list, too: a petabyte is `1 undefined`
        // (recorded: `file/size-petabyte`).
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

fn from_html(div: Node<'_>) -> Json {
    let link = div.find(|node| node.is("a"));
    json!({
        "type": "file",
        "version": 1,
        "src": attribute_of(link, "href"),
        "fileTitle": text_of(div, "kg-file-card-title"),
        "fileCaption": text_of(div, "kg-file-card-caption"),
        "fileName": text_of(div, "kg-file-card-filename"),
        "fileSize": numbers::json(bytes(&text_of(div, "kg-file-card-filesize"))),
    })
}

/// Returns the number of bytes of a rounded size such as `1.5 MB`; 0 if it is invalid.
fn bytes(size: &str) -> f64 {
    let (number, unit) = size.split_once(' ').unwrap_or((size, ""));
    let unit = match unit {
        "Byte" | "Bytes" => 0,
        "KB" => 1,
        "MB" => 2,
        "GB" => 3,
        "TB" => 4,
        _ => return 0.0,
    };
    let number = decimal(number).unwrap_or(0.0);
    (number * 1024_f64.powi(unit)).round()
}

fn mail(writer: &mut MailWriter<'_>, node: Node<'_>) {
    let href = node
        .find(|element| element.is("a"))
        .and_then(|link| link.attribute("href"))
        .filter(|href| is_followable(href));
    let href = href.unwrap_or(writer.url);
    let title = trimmed_text(node, "kg-file-card-title");
    let name = trimmed_text(node, "kg-file-card-filename");
    let text = |writer: &mut MailWriter<'_>| {
        let shown = match (&*title, &*name) {
            ("", "") => "Download",
            ("", name) => name,
            (title, _) => title,
        };
        writer.part(
            "font-size: 17px; font-weight: 600; line-height: 1.4",
            |writer| {
                writer.plain_link(href, shown);
            },
        );
        writer.small(&trimmed_text(node, "kg-file-card-caption"));
        let details = [name.clone(), trimmed_text(node, "kg-file-card-filesize")];
        let details: Vec<&str> = details
            .iter()
            .map(String::as_str)
            .filter(|part| !part.is_empty())
            .collect();
        writer.small(&details.join(" • "));
    };
    let sign = |writer: &mut MailWriter<'_>| push_sign(writer, href, "&#8595;");
    writer.framed(|writer| {
        let cell = "width: 56px; padding: 12px 12px 12px 16px; vertical-align: middle";
        writer.columns(&[
            ("padding: 12px 0 12px 12px; vertical-align: middle", &text),
            (cell, &sign),
        ]);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_not_sizes_have_no_unit() {
        for number in ["1e999", "-1", "NaN"] {
            assert_eq!(
                size(&Value::String(number.into())),
                "NaN undefined",
                "{number}"
            );
        }
    }
}
