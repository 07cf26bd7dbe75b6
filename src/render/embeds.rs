//! Embeds: the HTML that shows a video, audio or a post of another site in a page.
//!
//! Only sites whose HTML can be derived from the URL without a request are supported. Each is a row
//! of `PROVIDERS`. The values taken from a URL consist of letters, digits, `-` and `_`, or are
//! escaped.

use url::Url;

use super::html_escape::push_attribute_value;

/// An embed, with the fields of oEmbed 1.0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embed {
    /// `video` for videos, `rich` for all other content.
    pub kind: &'static str,
    /// The name of the other site.
    pub provider_name: &'static str,
    /// The URL of the other site.
    pub provider_url: &'static str,
    /// The HTML to insert.
    pub html: String,
    /// Width in pixels; `None` for the available width.
    pub width: Option<u32>,
    /// Height in pixels; `None` if the site's script determines it.
    pub height: Option<u32>,
    /// URL of a preview image, if it can be derived from the URL.
    pub thumbnail_url: Option<String>,
}

/// A supported site.
struct Provider {
    name: &'static str,
    url: &'static str,
    kind: &'static str,
    /// Its host names, without a leading `www.` or `m.`.
    hosts: &'static [&'static str],
    /// Returns the form in which a page of the site is shown; `None` if it cannot be embedded.
    show: fn(&Url, &[&str]) -> Option<EmbedForm>,
}

/// The form of an embed.
enum EmbedForm {
    /// A frame that shows a page.
    Frame {
        url: String,
        width: Option<u32>,
        height: u32,
        thumbnail_url: Option<String>,
    },
    /// HTML that a script of the site replaces.
    Markup(String),
}

/// All supported sites.
static PROVIDERS: &[Provider] = &[
    Provider {
        name: "YouTube",
        url: "https://www.youtube.com/",
        kind: "video",
        hosts: &["youtube.com", "youtu.be", "music.youtube.com"],
        show: youtube,
    },
    Provider {
        name: "Vimeo",
        url: "https://vimeo.com/",
        kind: "video",
        hosts: &["vimeo.com", "player.vimeo.com"],
        show: vimeo,
    },
    Provider {
        name: "Dailymotion",
        url: "https://www.dailymotion.com/",
        kind: "video",
        hosts: &["dailymotion.com", "dai.ly"],
        show: dailymotion,
    },
    Provider {
        name: "Loom",
        url: "https://www.loom.com/",
        kind: "video",
        hosts: &["loom.com"],
        show: loom,
    },
    Provider {
        name: "TED",
        url: "https://www.ted.com/",
        kind: "video",
        hosts: &["ted.com"],
        show: ted,
    },
    Provider {
        name: "Spotify",
        url: "https://open.spotify.com/",
        kind: "rich",
        hosts: &["open.spotify.com"],
        show: spotify,
    },
    Provider {
        name: "SoundCloud",
        url: "https://soundcloud.com/",
        kind: "rich",
        hosts: &["soundcloud.com"],
        show: soundcloud,
    },
    Provider {
        name: "X",
        url: "https://x.com/",
        kind: "rich",
        hosts: &["x.com", "twitter.com", "mobile.twitter.com"],
        show: x,
    },
    Provider {
        name: "Instagram",
        url: "https://www.instagram.com/",
        kind: "rich",
        hosts: &["instagram.com"],
        show: instagram,
    },
    Provider {
        name: "TikTok",
        url: "https://www.tiktok.com/",
        kind: "video",
        hosts: &["tiktok.com"],
        show: tiktok,
    },
    Provider {
        name: "CodePen",
        url: "https://codepen.io/",
        kind: "rich",
        hosts: &["codepen.io"],
        show: codepen,
    },
    Provider {
        name: "GitHub Gist",
        url: "https://gist.github.com/",
        kind: "rich",
        hosts: &["gist.github.com"],
        show: gist,
    },
];

/// Returns the embed for a URL; `None` if the site is not supported, or the page cannot be
/// embedded.
pub fn of_url(url: &Url) -> Option<Embed> {
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let host = url.host_str()?;
    let host = ["www.", "m."]
        .iter()
        .find_map(|start| host.strip_prefix(start))
        .unwrap_or(host);
    let provider = PROVIDERS
        .iter()
        .find(|provider| provider.hosts.contains(&host))?;
    let segments: Vec<&str> = url
        .path_segments()?
        .filter(|segment| !segment.is_empty())
        .collect();
    let embed = |html, width, height, thumbnail_url| Embed {
        kind: provider.kind,
        provider_name: provider.name,
        provider_url: provider.url,
        html,
        width,
        height,
        thumbnail_url,
    };
    Some(match (provider.show)(url, &segments)? {
        EmbedForm::Markup(html) => embed(html, None, None, None),
        EmbedForm::Frame {
            url,
            width,
            height,
            thumbnail_url,
        } => embed(
            frame(&url, width, height, provider.name),
            width,
            Some(height),
            thumbnail_url,
        ),
    })
}

/// Returns a frame that shows a page of the other site.
fn frame(url: &str, width: Option<u32>, height: u32, title: &str) -> String {
    let width = width.map_or_else(|| "100%".to_owned(), |width| width.to_string());
    format!(
        "<iframe src=\"{}\" width=\"{width}\" height=\"{height}\" title=\"{title}\" frameborder=\"0\" \
         allow=\"autoplay; clipboard-write; encrypted-media; fullscreen; picture-in-picture; web-share\" \
         referrerpolicy=\"strict-origin-when-cross-origin\" loading=\"lazy\" allowfullscreen></iframe>",
        escaped(url)
    )
}

fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    push_attribute_value(&mut html, text);
    html
}

/// Returns the text if it can be an identifier on the other site: letters, digits, `-` and `_`.
fn name(text: &str) -> Option<&str> {
    let is_permitted =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
    (!text.is_empty() && text.len() <= 200 && text.chars().all(is_permitted)).then_some(text)
}

fn number(text: &str) -> Option<&str> {
    let is_number = !text.is_empty() && text.len() <= 30;
    (is_number && text.chars().all(|character| character.is_ascii_digit())).then_some(text)
}

fn parameter(url: &Url, parameter_name: &str) -> Option<String> {
    let mut pairs = url.query_pairs();
    let pair = pairs.find(|(key, _)| key == parameter_name);
    pair.map(|(_, value)| value.into_owned())
}

fn video(url: String, width: u32, height: u32) -> EmbedForm {
    EmbedForm::Frame {
        url,
        width: Some(width),
        height,
        thumbnail_url: None,
    }
}

fn youtube(url: &Url, segments: &[&str]) -> Option<EmbedForm> {
    let id = match (url.host_str()?, segments) {
        ("youtu.be", [id]) => (*id).to_owned(),
        (_, ["watch"]) => parameter(url, "v")?,
        (_, ["shorts" | "live" | "embed" | "v", id]) => (*id).to_owned(),
        (_, ["playlist"]) => {
            let list = parameter(url, "list")?;
            let list = name(&list)?;
            let url = format!("https://www.youtube.com/embed/videoseries?list={list}");
            return Some(video(url, 560, 315));
        }
        _ => return None,
    };
    let id = name(&id)?;
    let start = parameter(url, "t").or_else(|| parameter(url, "start"));
    let start = start.as_deref().and_then(seconds);
    let start = start.map_or_else(String::new, |start| format!("&start={start}"));
    Some(EmbedForm::Frame {
        url: format!("https://www.youtube.com/embed/{id}?feature=oembed{start}"),
        width: Some(560),
        height: 315,
        thumbnail_url: Some(format!("https://i.ytimg.com/vi/{id}/hqdefault.jpg")),
    })
}

/// Parses `90`, `90s`, `1m30s` and `1h2m3s` as seconds.
fn seconds(text: &str) -> Option<u32> {
    let mut total = 0_u32;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|character: char| !character.is_ascii_digit());
        let (count, after) = rest.split_at(digits.unwrap_or(rest.len()));
        let factor = match after.chars().next() {
            None | Some('s') => 1,
            Some('m') => 60,
            Some('h') => 3600,
            Some(_) => return None,
        };
        let count: u32 = count.parse().ok()?;
        total = total.checked_add(count.checked_mul(factor)?)?;
        rest = after.get(1..).unwrap_or_default();
    }
    Some(total)
}

fn vimeo(url: &Url, segments: &[&str]) -> Option<EmbedForm> {
    let (id, hash) = match segments {
        ["video", id] | [id] => (number(id)?, parameter(url, "h")),
        ["channels", _, id] | ["groups", _, "videos", id] => (number(id)?, None),
        [id, hash] => (number(id)?, Some((*hash).to_owned())),
        _ => return None,
    };
    // An unlisted video opens only with its hash.
    let hash = match hash {
        Some(hash) => format!("?h={}", name(&hash)?),
        None => String::new(),
    };
    let url = format!("https://player.vimeo.com/video/{id}{hash}");
    Some(video(url, 640, 360))
}

fn dailymotion(url: &Url, segments: &[&str]) -> Option<EmbedForm> {
    let id = match (url.host_str()?, segments) {
        ("dai.ly", [id]) | (_, ["video", id] | ["embed", "video", id]) => name(id)?,
        _ => return None,
    };
    let url = format!("https://geo.dailymotion.com/player.html?video={id}");
    Some(video(url, 640, 360))
}

fn loom(_: &Url, segments: &[&str]) -> Option<EmbedForm> {
    let ["share" | "embed", id] = segments else {
        return None;
    };
    let url = format!("https://www.loom.com/embed/{}", name(id)?);
    Some(video(url, 640, 360))
}

fn ted(_: &Url, segments: &[&str]) -> Option<EmbedForm> {
    let ["talks", talk] = segments else {
        return None;
    };
    let url = format!("https://embed.ted.com/talks/{}", name(talk)?);
    Some(video(url, 560, 316))
}

fn spotify(_: &Url, segments: &[&str]) -> Option<EmbedForm> {
    // Links copied from Spotify's site begin with a language, such as `/intl-de/track/…`.
    let segments = match segments {
        [language, rest @ ..] if language.starts_with("intl-") => rest,
        all => all,
    };
    let [kind, id] = segments else {
        return None;
    };
    let height = match *kind {
        "track" | "episode" => 152,
        "album" | "artist" | "playlist" | "show" => 352,
        _ => return None,
    };
    Some(EmbedForm::Frame {
        url: format!("https://open.spotify.com/embed/{kind}/{}", name(id)?),
        width: None,
        height,
        thumbnail_url: None,
    })
}

fn soundcloud(_: &Url, segments: &[&str]) -> Option<EmbedForm> {
    let (path, height) = match segments {
        [user, "sets", set] => (format!("{}/sets/{}", name(user)?, name(set)?), 450),
        [user, track] => (format!("{}/{}", name(user)?, name(track)?), 166),
        _ => return None,
    };
    Some(EmbedForm::Frame {
        url: format!("https://w.soundcloud.com/player/?url=https://soundcloud.com/{path}"),
        width: None,
        height,
        thumbnail_url: None,
    })
}

fn x(_: &Url, segments: &[&str]) -> Option<EmbedForm> {
    let [user, "status" | "statuses", id, ..] = segments else {
        return None;
    };
    // X's script supports only this host.
    let url = format!("https://twitter.com/{}/status/{}", name(user)?, number(id)?);
    Some(EmbedForm::Markup(format!(
        "<blockquote class=\"twitter-tweet\"><a href=\"{url}\">{url}</a></blockquote>\
         <script async src=\"https://platform.twitter.com/widgets.js\" charset=\"utf-8\"></script>"
    )))
}

fn instagram(_: &Url, segments: &[&str]) -> Option<EmbedForm> {
    let (kind, id) = match segments {
        [kind @ ("p" | "reel" | "tv"), id] | [_, kind @ ("p" | "reel"), id] => (kind, name(id)?),
        _ => return None,
    };
    let url = format!("https://www.instagram.com/{kind}/{id}/");
    Some(EmbedForm::Markup(format!(
        "<blockquote class=\"instagram-media\" data-instgrm-permalink=\"{url}\" data-instgrm-version=\"14\">\
         <a href=\"{url}\">{url}</a></blockquote>\
         <script async src=\"https://www.instagram.com/embed.js\"></script>"
    )))
}

fn tiktok(_: &Url, segments: &[&str]) -> Option<EmbedForm> {
    let [user, "video", id] = segments else {
        return None;
    };
    let id = number(id)?;
    let user = escaped(user.strip_prefix('@')?);
    let url = format!("https://www.tiktok.com/@{user}/video/{id}");
    Some(EmbedForm::Markup(format!(
        "<blockquote class=\"tiktok-embed\" cite=\"{url}\" data-video-id=\"{id}\">\
         <section><a href=\"{url}\">@{user}</a></section></blockquote>\
         <script async src=\"https://www.tiktok.com/embed.js\"></script>"
    )))
}

fn codepen(_: &Url, segments: &[&str]) -> Option<EmbedForm> {
    let [user, "pen" | "details" | "full" | "embed", id] = segments else {
        return None;
    };
    Some(EmbedForm::Frame {
        url: format!(
            "https://codepen.io/{}/embed/{}?default-tab=result",
            name(user)?,
            name(id)?
        ),
        width: None,
        height: 300,
        thumbnail_url: None,
    })
}

fn gist(_: &Url, segments: &[&str]) -> Option<EmbedForm> {
    let [user, id] = segments else {
        return None;
    };
    let (user, id) = (name(user)?, name(id)?);
    Some(EmbedForm::Markup(format!(
        "<script src=\"https://gist.github.com/{user}/{id}.js\"></script>"
    )))
}
