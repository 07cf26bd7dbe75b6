//! Renders images with captions, and embedded content of other sites, as HTML on one line.

use std::fmt::Write as _;

use crate::generators::syntax::{
    arguments::Arguments,
    escape::{destination, html, inline_markdown, label},
};

/// The names of arguments with the URL of an image or a file.
const SOURCES: [&str; 10] = [
    "src",
    "url",
    "image_path",
    "path",
    "file",
    "image",
    "href",
    "source",
    "filename",
    "img",
];
/// The names of arguments with the alternative text of an image.
const ALTS: [&str; 4] = ["alt", "alttext", "alt_text", "description"];

/// Renders an image as Markdown; `None` without a URL.
pub fn image(arguments: &Arguments) -> Option<String> {
    let source = arguments.named_or(&SOURCES, 0)?;
    let alt = arguments.named(&ALTS);
    let alt = alt
        .or_else(|| arguments.positional(1))
        .or_else(|| arguments.named(&["caption"]));
    let title = arguments
        .named(&["title"])
        .map_or_else(String::new, |title| {
            format!(" \"{}\"", title.replace(['"', '\n'], " "))
        });
    let alt = label(alt.unwrap_or_default());
    let image = format!("![{}]({}{title})", alt.trim(), destination(source));
    Some(match arguments.named(&["link"]) {
        Some(link) => format!("[{image}]({})", destination(link)),
        None => image,
    })
}

/// Renders an image with its caption, like Hugo's `figure`. `content` is the caption unless an argument is.
pub fn figure(arguments: &Arguments, content: Option<&str>) -> Option<String> {
    let source = arguments.named_or(&SOURCES, 0)?;
    let given = |names: &[&str]| arguments.named(names).filter(|value| !value.is_empty());
    let caption = given(&["caption"])
        .or_else(|| content.map(str::trim).filter(|content| !content.is_empty()))
        .map(inline_markdown);
    // As in Hugo, an image without an alternative text has its caption instead.
    let alt = given(&ALTS)
        .map(html)
        .or_else(|| caption.as_deref().map(plain_text));
    let mut image = format!("<img src=\"{}\"", html(source));
    push_attribute(&mut image, "alt", alt.as_deref());
    for name in ["width", "height", "loading"] {
        push_attribute(&mut image, name, given(&[name]).map(html).as_deref());
    }
    image.push('>');
    if let Some(link) = given(&["link"]) {
        let mut anchor = format!("<a href=\"{}\"", html(link));
        for name in ["target", "rel"] {
            push_attribute(&mut anchor, name, given(&[name]).map(html).as_deref());
        }
        image = format!("{anchor}>{image}</a>");
    }
    let mut figure = "<figure".to_owned();
    push_attribute(
        &mut figure,
        "class",
        given(&["class", "classname"]).map(html).as_deref(),
    );
    let _ = write!(figure, ">{image}");
    let title = given(&["title"]).map(|title| format!("<h4>{}</h4>", html(title)));
    let credit = given(&["attr"]).map(inline_markdown);
    let credit = credit.map(|credit| match given(&["attrlink"]) {
        Some(link) => format!("<a href=\"{}\">{credit}</a>", html(link)),
        None => credit,
    });
    let words: Vec<String> = caption.into_iter().chain(credit).collect();
    let words = (!words.is_empty()).then(|| format!("<p>{}</p>", words.join(" ")));
    if title.is_some() || words.is_some() {
        let (title, words) = (title.unwrap_or_default(), words.unwrap_or_default());
        let _ = write!(figure, "<figcaption>{title}{words}</figcaption>");
    }
    Some(figure + "</figure>")
}

/// Appends an attribute to a start tag, if it has a value. The value is already escaped.
fn push_attribute(tag: &mut String, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        let _ = write!(tag, " {name}=\"{value}\"");
    }
}

/// Returns HTML without its tags.
fn plain_text(markup: &str) -> String {
    let mut text = String::with_capacity(markup.len());
    for (index, part) in markup.split('<').enumerate() {
        match index {
            0 => text.push_str(part),
            _ => text.push_str(part.split_once('>').map_or("", |(_, rest)| rest)),
        }
    }
    // The text becomes the value of an attribute.
    text.replace('"', "&quot;")
}

/// Renders a video of YouTube. `id` may be the URL of its page.
pub fn youtube(id: &str, arguments: &Arguments) -> String {
    let id = youtube_id(id);
    let mut query = Vec::new();
    let list = arguments.named(&["playlist"]).map(html);
    query.extend(list.map(|list| format!("list={list}")));
    for name in ["autoplay", "loop", "mute"] {
        query.extend(arguments.is_set(&[name]).then(|| format!("{name}=1")));
    }
    for name in ["start", "end"] {
        let value = arguments.named(&[name]).map(html);
        query.extend(value.map(|value| format!("{name}={value}")));
    }
    let query = if query.is_empty() {
        String::new()
    } else {
        format!("?{}", query.join("&amp;"))
    };
    let title = arguments.named(&["title"]).unwrap_or("YouTube Video");
    frame(
        &format!("https://www.youtube.com/embed/{}{query}", html(id)),
        title,
    )
}

/// Returns the id of a video of YouTube, which may be written as a URL of its page or its player.
fn youtube_id(written: &str) -> &str {
    let written = written.trim();
    for mark in ["youtu.be/", "/embed/", "/shorts/", "/live/", "?v=", "&v="] {
        if let Some((_, rest)) = written.split_once(mark) {
            return rest.split(['?', '&', '#', '/']).next().unwrap_or(rest);
        }
    }
    written
}

/// Returns the id of a video of Vimeo, which may be written as a URL of its page or its player: the first number in the path.
fn vimeo_id(written: &str) -> &str {
    let written = written.trim();
    let Some((_, path)) = written.split_once("vimeo.com/") else {
        return written;
    };
    let is_number =
        |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    path.split(['/', '?', '#']).find(is_number).unwrap_or(path)
}

/// Renders a video of Vimeo. `id` may be the URL of its page.
pub fn vimeo(id: &str, arguments: &Arguments) -> String {
    let title = arguments.named(&["title"]).unwrap_or("vimeo video");
    let id = html(vimeo_id(id));
    frame(&format!("https://player.vimeo.com/video/{id}"), title)
}

/// Renders a video of Streamable.
pub fn streamable(id: &str) -> String {
    frame(
        &format!("https://streamable.com/e/{}", html(id)),
        "Streamable video",
    )
}

fn frame(url: &str, title: &str) -> String {
    format!(
        "<iframe width=\"560\" height=\"315\" src=\"{url}\" title=\"{}\" allowfullscreen></iframe>",
        html(title)
    )
}

/// Renders a post of X. Older documents do not name its `user`.
pub fn tweet(user: Option<&str>, id: &str) -> String {
    let url = if id.contains("://") {
        html(id)
    } else {
        format!(
            "https://twitter.com/{}/status/{}",
            // `i` stands for any user.
            html(user.unwrap_or("i")),
            html(id)
        )
    };
    format!(
        "<blockquote class=\"twitter-tweet\"><a href=\"{url}\">{url}</a></blockquote> <script async \
         src=\"https://platform.twitter.com/widgets.js\" charset=\"utf-8\"></script>"
    )
}

/// Renders a post of Instagram.
pub fn instagram(id: &str) -> String {
    let url = if id.contains("://") {
        html(id)
    } else {
        format!("https://www.instagram.com/p/{}/", html(id))
    };
    format!(
        "<blockquote class=\"instagram-media\" data-instgrm-permalink=\"{url}\"><a \
         href=\"{url}\">{url}</a></blockquote> <script async \
         src=\"https://www.instagram.com/embed.js\"></script>"
    )
}

/// Renders a gist from `user/id` or its URL, with a link for clients without scripts.
pub fn gist(name: &str, file: Option<&str>) -> String {
    let url = if name.contains("://") {
        html(name.trim_end_matches(".js"))
    } else {
        format!("https://gist.github.com/{}", html(name))
    };
    let file = file.map_or_else(String::new, |file| format!("?file={}", html(file)));
    format!(
        "<script src=\"{url}.js{file}\"></script><noscript><a href=\"{url}\">{url}</a></noscript>"
    )
}

/// Renders a player of a video or audio file of the site.
pub fn player(element: &str, arguments: &Arguments) -> Option<String> {
    let source = arguments.named_or(&SOURCES, 0);
    let source = source.or_else(|| arguments.named(&["mp4", "webm", "mp3"]))?;
    let mut tag = format!("<{element} src=\"{}\"", html(source));
    for name in ["poster", "width", "height", "title"] {
        push_attribute(
            &mut tag,
            name,
            arguments.named(&[name]).map(html).as_deref(),
        );
    }
    for name in ["autoplay", "loop", "muted"] {
        if arguments.is_set(&[name]) {
            let _ = write!(tag, " {name}");
        }
    }
    Some(format!("{tag} controls></{element}>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn videos_are_recognised_by_their_urls() {
        for id in [
            "a-B_1",
            "https://youtu.be/a-B_1?t=5",
            "https://www.youtube.com/watch?v=a-B_1&t=5",
            "https://www.youtube.com/watch?list=c&v=a-B_1",
            "https://www.youtube-nocookie.com/embed/a-B_1",
            "https://www.youtube.com/live/a-B_1?si=c",
        ] {
            assert_eq!(youtube_id(id), "a-B_1", "{id}");
        }
        for id in [
            "123",
            "https://vimeo.com/123",
            "https://vimeo.com/123/abc0?share=copy",
            "https://vimeo.com/channels/staffpicks/123",
            "https://player.vimeo.com/video/123?h=abc0",
        ] {
            assert_eq!(vimeo_id(id), "123", "{id}");
        }
    }
}
