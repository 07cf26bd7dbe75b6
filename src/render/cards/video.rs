//! Video cards.

use std::borrow::Cow;

use serde_json::{Value as Json, json};

use super::{
    Card, CardFailure, CardType,
    UrlContent::{Html, Url},
    caption, caption_class,
    from_html::{HtmlForm, of_class, resolved, text_of},
    in_mail::push_caption,
    parsed_cost,
    template::push_card,
};
use crate::render::{
    html_to_lexical::numbers::leading_integer,
    html_tree::Node,
    lexical::{
        json::Value,
        properties::{as_number, as_text},
    },
    mail::body::MailWriter,
};

pub(super) static CARD: CardType = CardType {
    name: "video",
    render,
    cost: parsed_cost,
    urls: &[
        ("src", Url),
        ("thumbnailSrc", Url),
        ("customThumbnailSrc", Url),
        ("caption", Html),
    ],
    html: &[HtmlForm::when(
        "figure",
        // A figure without a usable video must not match, so that the types after this one are
        // tried.
        |figure| from_html(figure).is_some(),
        from_html,
    )],
    mail: Some(("kg-video-card", mail)),
};

/// The overlay of a paused video.
const OVERLAY: &str = r##"                <div class="kg-video-overlay">
                    <button class="kg-video-large-play-icon" aria-label="Play video">
                        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">
                            <path d="M23.14 10.608 2.253.164A1.559 1.559 0 0 0 0 1.557v20.887a1.558 1.558 0 0 0 2.253 1.392L23.14 13.393a1.557 1.557 0 0 0 0-2.785Z"></path>
                        </svg>
                    </button>
                </div>
"##;

/// The markup of the player before the duration.
const PLAYER: &str = r##"">
                    <div class="kg-video-player">
                        <button class="kg-video-play-icon" aria-label="Play video">
                            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">
                                <path d="M23.14 10.608 2.253.164A1.559 1.559 0 0 0 0 1.557v20.887a1.558 1.558 0 0 0 2.253 1.392L23.14 13.393a1.557 1.557 0 0 0 0-2.785Z"></path>
                            </svg>
                        </button>
                        <button class="kg-video-pause-icon kg-video-hide" aria-label="Pause video">
                            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">
                                <rect x="3" y="1" width="7" height="22" rx="1.5" ry="1.5"></rect>
                                <rect x="14" y="1" width="7" height="22" rx="1.5" ry="1.5"></rect>
                            </svg>
                        </button>
                        <span class="kg-video-current-time">0:00</span>
                        <div class="kg-video-time">
                            /<span class="kg-video-duration">"##;

/// The markup of the player after the duration.
const VOLUME: &str = r##"</span>
                        </div>
                        <input type="range" class="kg-video-seek-slider" max="100" value="0">
                        <button class="kg-video-playback-rate" aria-label="Adjust playback speed">1×</button>
                        <button class="kg-video-unmute-icon" aria-label="Unmute">
                            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">
                                <path d="M15.189 2.021a9.728 9.728 0 0 0-7.924 4.85.249.249 0 0 1-.221.133H5.25a3 3 0 0 0-3 3v2a3 3 0 0 0 3 3h1.794a.249.249 0 0 1 .221.133 9.73 9.73 0 0 0 7.924 4.85h.06a1 1 0 0 0 1-1V3.02a1 1 0 0 0-1.06-.998Z"></path>
                            </svg>
                        </button>
                        <button class="kg-video-mute-icon kg-video-hide" aria-label="Mute">
                            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">
                                <path d="M16.177 4.3a.248.248 0 0 0 .073-.176v-1.1a1 1 0 0 0-1.061-1 9.728 9.728 0 0 0-7.924 4.85.249.249 0 0 1-.221.133H5.25a3 3 0 0 0-3 3v2a3 3 0 0 0 3 3h.114a.251.251 0 0 0 .177-.073ZM23.707 1.706A1 1 0 0 0 22.293.292l-22 22a1 1 0 0 0 0 1.414l.009.009a1 1 0 0 0 1.405-.009l6.63-6.631A.251.251 0 0 1 8.515 17a.245.245 0 0 1 .177.075 10.081 10.081 0 0 0 6.5 2.92 1 1 0 0 0 1.061-1V9.266a.247.247 0 0 1 .073-.176Z"></path>
                            </svg>
                        </button>
                        <input type="range" class="kg-video-volume-slider" max="100" value="100">
                    </div>
                </div>
"##;

fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let src = card.required("src")?;
    if src.is_empty() {
        return Ok(());
    }
    let properties = card.properties;
    let thumbnail = properties.text("thumbnailSrc");
    let custom_thumbnail = properties.text("customThumbnailSrc");
    let background = match &*custom_thumbnail {
        "" => &thumbnail,
        _ => &custom_thumbnail,
    };
    let (playing, hidden) = if properties.is_on("loop", false) {
        ("loop autoplay muted", " kg-video-hide")
    } else {
        ("", "")
    };
    let caption = if card.has_caption() {
        format!("<figcaption>{}</figcaption>", properties.text("caption"))
    } else {
        String::new()
    };
    // Ghost's template has no quotes around the thumbnails: an empty one takes the next attribute
    // as its value (recorded: `video/no-thumbnail`).
    let template = format!(
        r#"<figure class="kg-card kg-video-card kg-width-{card_width}{has_caption}" data-kg-thumbnail={thumbnail} data-kg-custom-thumbnail={custom_thumbnail}>
            <div class="kg-video-container">
                <video
                    src="{src}"
                    poster="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
                    width="{width}"
                    height="{height}"
                    {playing}
                    playsinline
                    preload="metadata"
                    style="aspect-ratio: {ratio}; background: transparent url('{background}') 50% 50% / cover no-repeat;"
                ></video>
{OVERLAY}                <div class="kg-video-player-container{hidden}{PLAYER}{duration}{VOLUME}            </div>
            {caption}
        </figure>"#,
        card_width = properties.text_or("cardWidth", "regular"),
        has_caption = caption_class(card.has_caption()),
        width = as_text(properties.get("width")),
        height = as_text(properties.get("height")),
        ratio = aspect_ratio(properties.get("width"), properties.get("height")),
        duration = duration(properties.get("duration")),
    );
    push_card(&template, html)
}

/// Returns the aspect ratio of the video; 16 / 9 if a side is unknown.
fn aspect_ratio(width: &Value, height: &Value) -> Cow<'static, str> {
    let is_length = |value: &Value| value.as_f64().is_some_and(|length| length > 0.0);
    if is_length(width) && is_length(height) {
        Cow::Owned(format!("{} / {}", as_text(width), as_text(height)))
    } else {
        Cow::Borrowed("16 / 9")
    }
}

/// Formats seconds as minutes and seconds; fractions are truncated, and there are no hours.
fn duration(seconds: &Value) -> String {
    let seconds = as_number(seconds).unwrap_or(f64::NAN);
    let minutes = (seconds / 60.0).floor();
    let rest = (seconds - minutes * 60.0).floor();
    format!("{minutes}:{rest:02}")
}

/// Returns the card of a video that Ghost rendered, unless it has no URL.
fn from_html(figure: Node<'_>) -> Option<Json> {
    if !figure.has_class("kg-video-card") {
        return None;
    }
    let container = of_class(figure, "kg-video-container")?;
    let video = container.find(|node| node.is("video"))?;
    let url = video.attribute("src").filter(|url| !url.is_empty())?;
    let size = |name| video.attribute(name).and_then(leading_integer);
    let width_class = ["full", "wide"]
        .into_iter()
        .find(|width| figure.has_class(&format!("kg-width-{width}")));
    Some(json!({
        "type": "video",
        "version": 1,
        "src": resolved(url),
        "caption": caption::of_figure(figure),
        "fileName": "",
        "mimeType": "",
        "width": size("width"),
        "height": size("height"),
        "duration": seconds(&text_of(figure, "kg-video-duration")),
        "thumbnailSrc": figure.attribute("data-kg-thumbnail").unwrap_or_default(),
        "customThumbnailSrc": figure.attribute("data-kg-custom-thumbnail").unwrap_or_default(),
        "thumbnailWidth": null,
        "thumbnailHeight": null,
        "cardWidth": width_class.unwrap_or("regular"),
        "loop": video.attribute("loop").is_some(),
    }))
}

/// Returns the number of seconds in a text such as `1:05`: minutes and optional seconds.
pub(super) fn seconds(duration: &str) -> i64 {
    let (minutes, seconds) = minutes_and_seconds(duration);
    let number = |text: &str| leading_integer(text);
    match (number(minutes), seconds.map(number)) {
        (Some(minutes), None) => minutes.saturating_mul(60),
        (Some(minutes), Some(Some(seconds))) => minutes.saturating_mul(60).saturating_add(seconds),
        _ => 0,
    }
}

/// Splits a duration at its first colon; anything after a second colon is ignored.
pub(super) fn minutes_and_seconds(duration: &str) -> (&str, Option<&str>) {
    let mut parts = duration.split(':');
    (parts.next().unwrap_or_default(), parts.next())
}

fn mail(writer: &mut MailWriter<'_>, node: Node<'_>) {
    let video = node.find(|element| element.is("video"));
    let poster = ["poster", "data-kg-thumbnail"].iter().find_map(|name| {
        video
            .and_then(|video| video.attribute(name))
            .or_else(|| node.attribute(name))
    });
    // The posters that Ghost generates are blank placeholder images, formerly from spacergif.org.
    let thumbnail = node
        .attribute("data-kg-custom-thumbnail")
        .filter(|own| !own.is_empty());
    let image = thumbnail
        .or_else(|| node.attribute("data-kg-thumbnail"))
        .or(poster)
        .filter(|url| url.starts_with("http") && !url.contains("spacer"));
    let size = |name| {
        let size = video.and_then(|video| video.attribute(name));
        size.and_then(|size| size.parse::<f64>().ok())
            .unwrap_or(f64::NAN)
    };
    writer.part("margin: 0 0 24px", |writer| {
        writer.play_sign(writer.url, image, size("width") / size("height"));
        push_caption(writer, node);
    });
}
