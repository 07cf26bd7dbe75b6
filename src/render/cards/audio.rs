//! Audio cards.

use serde_json::{Value as Json, json};

use super::{
    Card, CardFailure, CardType,
    UrlContent::Url,
    from_html::{HtmlForm, attribute_of, html_of, of_class, resolved, text_of},
    in_mail::{push_sign, trimmed_text},
    parsed_cost, video,
};
use crate::render::{
    html_escape::{push_attribute, push_text},
    html_to_lexical::numbers::{self, decimal},
    html_tree::Node,
    mail::body::MailWriter,
};

pub(super) static CARD: CardType = CardType {
    name: "audio",
    render,
    cost: parsed_cost,
    urls: &[("src", Url)],
    html: &[HtmlForm::of_class("div", "kg-audio-card", |div| {
        Some(from_html(div))
    })],
    mail: Some(("kg-audio-card", mail)),
};

/// The icon of audio without a thumbnail.
const PLACEHOLDER: &str = "\
    <svg width=\"24\" height=\"24\" fill=\"none\"><path fill-rule=\"evenodd\" clip-rule=\"evenodd\" d=\"M7.5 \
    15.33a.75.75 0 1 0 0 1.5.75.75 0 0 0 0-1.5Zm-2.25.75a2.25 2.25 0 1 1 4.5 0 2.25 2.25 0 0 1-4.5 \
    0ZM15 13.83a.75.75 0 1 0 0 1.5.75.75 0 0 0 0-1.5Zm-2.25.75a2.25 2.25 0 1 1 4.5 0 2.25 2.25 0 0 \
    1-4.5 0Z\"></path><path fill-rule=\"evenodd\" clip-rule=\"evenodd\" d=\"M14.486 6.81A2.25 2.25 0 0 1 \
    17.25 9v5.579a.75.75 0 0 1-1.5 0v-5.58a.75.75 0 0 0-.932-.727.755.755 0 0 \
    1-.059.013l-4.465.744a.75.75 0 0 0-.544.72v6.33a.75.75 0 0 1-1.5 0v-6.33a2.25 2.25 0 0 1 \
    1.763-2.194l4.473-.746Z\"></path><path fill-rule=\"evenodd\" clip-rule=\"evenodd\" d=\"M3 1.5a.75.75 \
    0 0 0-.75.75v19.5a.75.75 0 0 0 .75.75h18a.75.75 0 0 0 .75-.75V5.133a.75.75 0 0 \
    0-.225-.535l-.002-.002-3-2.883A.75.75 0 0 0 18 1.5H3ZM1.409.659A2.25 2.25 0 0 1 3 0h15a2.25 \
    2.25 0 0 1 1.568.637l.003.002 3 2.883a2.25 2.25 0 0 1 .679 1.61V21.75A2.25 2.25 0 0 1 21 \
    24H3a2.25 2.25 0 0 1-2.25-2.25V2.25c0-.597.237-1.169.659-1.591Z\"></path></svg></div><div \
    class=\"kg-audio-player-container\">";

/// The markup of the player before the duration.
const PLAYER: &str = "\
    </div><div class=\"kg-audio-player\"><button class=\"kg-audio-play-icon\" aria-label=\"Play audio\">\
    <svg viewBox=\"0 0 24 24\"><path d=\"M23.14 10.608 2.253.164A1.559 1.559 0 0 0 0 \
    1.557v20.887a1.558 1.558 0 0 0 2.253 1.392L23.14 13.393a1.557 1.557 0 0 0 0-2.785Z\"></path>\
    </svg></button><button class=\"kg-audio-pause-icon kg-audio-hide\" aria-label=\"Pause audio\"><svg \
    viewBox=\"0 0 24 24\"><rect x=\"3\" y=\"1\" width=\"7\" height=\"22\" rx=\"1.5\" ry=\"1.5\"></rect><rect \
    x=\"14\" y=\"1\" width=\"7\" height=\"22\" rx=\"1.5\" ry=\"1.5\"></rect></svg></button><span \
    class=\"kg-audio-current-time\">0:00</span><div class=\"kg-audio-time\">/<span \
    class=\"kg-audio-duration\">";

/// The markup of the player after the duration.
const VOLUME: &str = "\
    </span></div><input type=\"range\" class=\"kg-audio-seek-slider\" max=\"100\" value=\"0\"><button \
    class=\"kg-audio-playback-rate\" aria-label=\"Adjust playback speed\">1×</button><button \
    class=\"kg-audio-unmute-icon\" aria-label=\"Unmute\"><svg viewBox=\"0 0 24 24\"><path d=\"M15.189 \
    2.021a9.728 9.728 0 0 0-7.924 4.85.249.249 0 0 1-.221.133H5.25a3 3 0 0 0-3 3v2a3 3 0 0 0 3 \
    3h1.794a.249.249 0 0 1 .221.133 9.73 9.73 0 0 0 7.924 4.85h.06a1 1 0 0 0 1-1V3.02a1 1 0 0 \
    0-1.06-.998Z\"></path></svg></button><button class=\"kg-audio-mute-icon kg-audio-hide\" \
    aria-label=\"Mute\"><svg viewBox=\"0 0 24 24\"><path d=\"M16.177 4.3a.248.248 0 0 0 .073-.176v-1.1a1 \
    1 0 0 0-1.061-1 9.728 9.728 0 0 0-7.924 4.85.249.249 0 0 1-.221.133H5.25a3 3 0 0 0-3 3v2a3 3 0 \
    0 0 3 3h.114a.251.251 0 0 0 .177-.073ZM23.707 1.706A1 1 0 0 0 22.293.292l-22 22a1 1 0 0 0 0 \
    1.414l.009.009a1 1 0 0 0 1.405-.009l6.63-6.631A.251.251 0 0 1 8.515 17a.245.245 0 0 1 .177.075 \
    10.081 10.081 0 0 0 6.5 2.92 1 1 0 0 0 1.061-1V9.266a.247.247 0 0 1 .073-.176Z\"></path></svg>\
    </button><input type=\"range\" class=\"kg-audio-volume-slider\" max=\"100\" value=\"100\"></div></div>\
    </div>";

fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let src = card.required("src")?;
    if src.is_empty() {
        return Ok(());
    }
    let thumbnail = card.properties.text("thumbnailSrc");
    let (hidden_thumbnail, hidden_placeholder) = match &*thumbnail {
        "" => (" kg-audio-hide", ""),
        _ => ("", " kg-audio-hide"),
    };
    html.push_str("<div class=\"kg-card kg-audio-card\"><img");
    push_attribute(html, "src", &thumbnail);
    html.push_str(" alt=\"audio-thumbnail\" class=\"kg-audio-thumbnail");
    html.push_str(hidden_thumbnail);
    html.push_str("\"><div class=\"kg-audio-thumbnail placeholder");
    html.push_str(hidden_placeholder);
    html.push_str("\">");
    html.push_str(PLACEHOLDER);
    html.push_str("<audio");
    push_attribute(html, "src", src);
    html.push_str(" preload=\"metadata\"></audio><div class=\"kg-audio-title\">");
    push_text(html, &card.properties.text("title"));
    html.push_str(PLAYER);
    // The duration in seconds, as stored.
    push_text(html, &card.properties.text_unless_null("duration", "0"));
    html.push_str(VOLUME);
    Ok(())
}

fn from_html(div: Node<'_>) -> Json {
    let player = of_class(div, "kg-audio-player-container");
    let audio = player.and_then(|player| player.find(|node| node.is("audio")));
    let thumbnail = of_class(div, "kg-audio-thumbnail").filter(|image| image.is("img"));
    json!({
        "type": "audio",
        "version": 1,
        "duration": numbers::json(audio_seconds(&text_of(div, "kg-audio-duration"))),
        "mimeType": "",
        "src": resolved(attribute_of(audio, "src")),
        "title": html_of(div, "kg-audio-title"),
        "thumbnailSrc": resolved(attribute_of(thumbnail, "src")),
    })
}

/// Returns the number of seconds in a text such as `1:05` or `65.5`.
fn audio_seconds(duration: &str) -> f64 {
    // `render` writes the stored seconds without a colon; other HTML has minutes and seconds.
    match video::minutes_and_seconds(duration) {
        (seconds, None) => decimal(seconds).unwrap_or(0.0),
        (_, Some(_)) => video::seconds(duration) as f64,
    }
}

fn mail(writer: &mut MailWriter<'_>, node: Node<'_>) {
    let title = trimmed_text(node, "kg-audio-title");
    let seconds = audio_seconds(&trimmed_text(node, "kg-audio-duration")) as u64;
    let duration = match seconds {
        0 => String::new(),
        seconds => format!("{}:{:02}", seconds / 60, seconds % 60),
    };
    let url = writer.url;
    let thumbnail = of_class(node, "kg-audio-thumbnail").filter(|image| image.is("img"));
    let thumbnail =
        thumbnail.filter(|image| image.attribute("src").is_some_and(|src| !src.is_empty()));
    let sign = |writer: &mut MailWriter<'_>| match thumbnail {
        Some(image) => writer.linked(Some(url), |writer| writer.square_image(image, 56)),
        // U+FE0E after the triangle requests its text form; without it, many programs show an
        // emoji.
        None => push_sign(writer, url, "&#9654;&#65038;"),
    };
    let text = |writer: &mut MailWriter<'_>| {
        let shown = if title.is_empty() { "Listen" } else { &title };
        writer.part(
            "font-size: 16px; font-weight: 600; line-height: 1.4",
            |writer| {
                writer.plain_link(url, shown);
            },
        );
        let details: Vec<&str> = [&*duration, "Click to play audio"]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
        writer.small(&details.join(" • "));
    };
    writer.framed(|writer| {
        let cell = "width: 56px; padding: 12px 16px 12px 12px; vertical-align: middle";
        writer.columns(&[
            (cell, &sign),
            ("padding: 12px 12px 12px 0; vertical-align: middle", &text),
        ]);
    });
}
