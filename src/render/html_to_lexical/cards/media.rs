//! Video, audio and file cards.

use serde_json::{Value, json};

use crate::render::html_tree::Node;

use super::super::numbers::{self, decimal, leading_integer};
use super::{attribute_of, caption, html_of, of_class, resolved, text_of};

/// Returns the card of a video that Ghost rendered, unless it has no URL.
pub(super) fn video(figure: Node<'_>) -> Option<Value> {
    if !figure.has_class("kg-video-card") {
        return None;
    }
    let container = of_class(figure, "kg-video-container")?;
    let video = container.find(|node| node.is("video"))?;
    let address = video
        .attribute("src")
        .filter(|address| !address.is_empty())?;
    let size = |name| video.attribute(name).and_then(leading_integer);
    let width_class = ["full", "wide"]
        .into_iter()
        .find(|width| figure.has_class(&format!("kg-width-{width}")));
    Some(json!({
        "type": "video",
        "version": 1,
        "src": resolved(address),
        "caption": caption::of_figure(figure),
        "fileName": "",
        "mimeType": "",
        "width": size("width"),
        "height": size("height"),
        "duration": video_seconds(&text_of(figure, "kg-video-duration")),
        "thumbnailSrc": figure.attribute("data-kg-thumbnail").unwrap_or_default(),
        "customThumbnailSrc": figure.attribute("data-kg-custom-thumbnail").unwrap_or_default(),
        "thumbnailWidth": null,
        "thumbnailHeight": null,
        "cardWidth": width_class.unwrap_or("regular"),
        "loop": video.attribute("loop").is_some(),
    }))
}

/// Returns the seconds of a text such as `1:05`: minutes and optional seconds.
fn video_seconds(duration: &str) -> i64 {
    let (minutes, seconds) = minutes_and_seconds(duration);
    let number = |text: &str| leading_integer(text);
    match (number(minutes), seconds.map(number)) {
        (Some(minutes), None) => minutes.saturating_mul(60),
        (Some(minutes), Some(Some(seconds))) => minutes.saturating_mul(60).saturating_add(seconds),
        _ => 0,
    }
}

/// Splits a duration at its first colon; anything after a second colon is ignored.
fn minutes_and_seconds(duration: &str) -> (&str, Option<&str>) {
    let mut parts = duration.split(':');
    (parts.next().unwrap_or_default(), parts.next())
}

pub(super) fn audio(div: Node<'_>) -> Value {
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

/// Returns the seconds of a text such as `1:05` or `65.5`.
fn audio_seconds(duration: &str) -> f64 {
    match minutes_and_seconds(duration) {
        (seconds, None) => decimal(seconds).unwrap_or(0.0),
        (_, Some(_)) => video_seconds(duration) as f64,
    }
}

pub(super) fn file(div: Node<'_>) -> Value {
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

/// Returns the bytes of a rounded size such as `1.5 MB`; 0 if it is invalid.
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
