//! Renders shortcodes and components that have the same evident meaning in many themes.

use crate::generators::syntax::{
    arguments::Arguments,
    callout,
    callout::CalloutTag,
    embeds,
    escape::{destination, html, inline_markdown, label, markdown_text, reference},
};

/// The rendering of a tag and its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TagRendering {
    /// This text replaces the tag and its content.
    Text(String),
    /// This HTML replaces the tag and its content.
    Block(String),
    /// These texts surround the content, inline.
    Around(String, String),
    /// These texts surround the content, which is separate Markdown.
    BlockAround(String, String),
    /// The content as code in this language.
    Code(String),
    /// Only the content.
    Content,
    /// Nothing: the tag and its content are dropped.
    Nothing,
}

impl TagRendering {
    /// Converts the rendering to HTML, for use where Markdown is not parsed. The text of a [known tag](find) is Markdown.
    pub fn in_html(self) -> Self {
        // A word without marks of Markdown stands for the content, because the
        // marks around it must be converted together.
        const CONTENT: &str = "galleycontent";
        match self {
            Self::Text(markdown) => Self::Text(inline_markdown(&markdown)),
            Self::Around(open, close) => {
                let around = inline_markdown(&format!("{open}{CONTENT}{close}"));
                match around.split_once(CONTENT) {
                    Some((open, close)) => Self::Around(open.to_owned(), close.to_owned()),
                    None => Self::Around(open, close),
                }
            }
            other => other,
        }
    }
}

/// Normalises a name: without the folder and the extension of a file, without hyphens and underscores, and in lower case.
pub fn key(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name);
    let name = [".html", ".md", ".liquid", ".njk", ".htm", ".ext"]
        .iter()
        .find_map(|extension| name.strip_suffix(extension))
        .unwrap_or(name);
    let name = name.rsplit('.').next().unwrap_or(name);
    name.replace(['-', '_'], "").to_lowercase()
}

/// Returns the rendering of the tag `name`; `None` if it is unknown or arguments are missing. `content` is the text up to
/// the closing tag, and `own` is the generator's own component for notes.
pub fn find(
    name: &str,
    arguments: &Arguments,
    content: Option<&str>,
    own: Option<CalloutTag>,
) -> Option<TagRendering> {
    let key = key(name);
    let key = key.as_str();
    from_elsewhere(key, arguments, content)
        .or_else(|| images(key, arguments, content))
        .or_else(|| links(key, arguments, content))
        .or_else(|| code(key, arguments, content))
        .or_else(|| blocks(key, arguments, content, own))
        .or_else(|| silent(key, arguments, content))
}

fn from_elsewhere(key: &str, arguments: &Arguments, content: Option<&str>) -> Option<TagRendering> {
    const IDS: [&str; 8] = [
        "id",
        "videoid",
        "youtubeid",
        "v",
        "code",
        "video",
        "url",
        "src",
    ];
    let content = content.map(str::trim).filter(|content| !content.is_empty());
    let id = || arguments.named_or(&IDS, 0).or(content);
    let rendering = match key {
        "youtube" | "youtubevideo" | "youtubeembed" | "youtubeplayer" | "youtubelite"
        | "liteyoutube" | "liteyoutubeembed" | "yt" => embeds::youtube(id()?, arguments),
        "vimeo" | "vimeosimple" | "vimeovideo" | "vimeoembed" => embeds::vimeo(id()?, arguments),
        "streamable" => embeds::streamable(id()?),
        "tweet" | "twitter" | "xpost" | "tweetsimple" | "twittersimple" | "tweetembed"
        | "twittertweet" | "twittertweetembed" => tweet(arguments)?,
        "instagram" | "instagramsimple" => embeds::instagram(id()?),
        "gist" => gist(arguments)?,
        _ => return None,
    };
    Some(TagRendering::Block(rendering))
}

/// Renders a post of X: `id` alone, `user` and `id`, or its URL.
pub fn tweet(arguments: &Arguments) -> Option<String> {
    let id = arguments.named(&["id", "tweetid", "tweetlink", "url", "status"]);
    let user = arguments.named(&["user", "username"]);
    match (id, arguments.positional(0), arguments.positional(1)) {
        (Some(id), _, _) => Some(embeds::tweet(user, id)),
        (None, Some(user), Some(id)) if !user.contains("://") => {
            Some(embeds::tweet(Some(user), id))
        }
        (None, Some(id), _) => Some(embeds::tweet(user, id)),
        _ => None,
    }
}

fn gist(arguments: &Arguments) -> Option<String> {
    let first = arguments.named_or(&["id", "url", "gist"], 0)?;
    let file = |index| {
        arguments
            .named(&["file", "filename"])
            .or_else(|| arguments.positional(index))
    };
    // Two words are the user and the id, or the id and a file; only an id is hexadecimal.
    let is_id = |word: &&str| {
        word.len() >= 5 && word.chars().all(|character| character.is_ascii_hexdigit())
    };
    match (first.contains('/'), arguments.positional(1).filter(is_id)) {
        (false, Some(id)) => Some(embeds::gist(&format!("{first}/{id}"), file(2))),
        _ => Some(embeds::gist(first, file(1))),
    }
}

fn images(key: &str, arguments: &Arguments, content: Option<&str>) -> Option<TagRendering> {
    match key {
        "figure" | "fig" | "captionedimage" | "imagewithcaption" | "figureimage" | "imgcaption"
        | "imagecaption" => embeds::figure(arguments, content).map(TagRendering::Block),
        "img" | "image" | "picture" | "photo" | "pic" | "postimage" | "blogimage"
        | "idealimage" | "zoomimage" | "nextimage" | "themedimage" | "lazyimage"
        | "responsiveimage" | "resizeimage" | "imageprocessing" | "imgproc" => {
            let is_captioned = arguments.named(&["caption"]).is_some();
            // An image without a caption stays Markdown, so that it may be within text.
            if is_captioned {
                embeds::figure(arguments, content).map(TagRendering::Block)
            } else {
                embeds::image(arguments).map(TagRendering::Text)
            }
        }
        "video" | "videoplayer" | "html5video" | "localvideo" => {
            embeds::player("video", arguments).map(TagRendering::Block)
        }
        "audio" | "audioplayer" => embeds::player("audio", arguments).map(TagRendering::Block),
        _ => None,
    }
}

fn links(key: &str, arguments: &Arguments, content: Option<&str>) -> Option<TagRendering> {
    const LABELS: [&str; 4] = ["text", "label", "title", "content"];
    const URLS: [&str; 5] = ["href", "url", "link", "to", "src"];
    let url = || {
        // The links of some themes name a document instead of a URL.
        let of_text = arguments.named(&["relref", "ref"]);
        let of_text = of_text.map(|target| split_reference("relref", target));
        of_text.or_else(|| arguments.named_or(&URLS, 0).map(str::to_owned))
    };
    match key {
        "button" | "btn" | "linkbutton" | "buttonlink" | "cta" | "ctabutton" | "link"
        | "nextlink" | "a" | "anchor" | "extlink" | "externallink" | "internallink" => {
            let url = destination(&url()?);
            let is_content = content.is_some_and(|content| !content.trim().is_empty());
            Some(if is_content {
                TagRendering::Around("[".to_owned(), format!("]({url})"))
            } else {
                let words = arguments.named_or(&LABELS, 1)?;
                TagRendering::Text(format!("[{}]({url})", label(words)))
            })
        }
        "linkcard" => {
            let url = destination(&url()?);
            let title = label(arguments.named(&LABELS)?);
            let more = arguments.named(&["description", "subtitle"]);
            let more =
                more.map_or_else(String::new, |more| format!(": {}", more.replace('\n', " ")));
            Some(TagRendering::Text(format!("[{title}]({url}){more}")))
        }
        "card" | "featurecard" => card(
            &url().filter(|_| arguments.named(&URLS).is_some()),
            arguments,
        ),
        _ => None,
    }
}

fn card(url: &Option<String>, arguments: &Arguments) -> Option<TagRendering> {
    let title = arguments.named_or(&["title", "header", "name", "heading"], 0)?;
    let mut title = inline_markdown(title);
    if let Some(url) = url {
        title = format!("<a href=\"{}\">{title}</a>", html(url));
    }
    let more = arguments.named(&["subtitle", "description"]);
    let more = more.map_or_else(String::new, |more| {
        format!("<p>{}</p>", inline_markdown(more))
    });
    Some(TagRendering::BlockAround(
        format!("<div class=\"card\"><p class=\"title\"><strong>{title}</strong></p>{more}"),
        "</div>".to_owned(),
    ))
}

/// Returns the reference to the document in `path#fragment`. A fragment alone is returned unchanged.
pub fn split_reference(kind: &str, written: &str) -> String {
    match written.split_once('#') {
        Some(("", _)) => written.to_owned(),
        Some((target, fragment)) => reference(kind, target, Some(fragment)),
        None => reference(kind, written, None),
    }
}

fn code(key: &str, arguments: &Arguments, content: Option<&str>) -> Option<TagRendering> {
    const LANGUAGES: [&str; 4] = ["lang", "language", "syntax", "type"];
    content?;
    match key {
        "mermaid" => Some(TagRendering::Code("mermaid".to_owned())),
        "code" | "codeblock" | "highlight" | "codehighlight" | "syntax" | "highlightcode"
        | "codetoggle" => {
            let language = arguments.named_or(&LANGUAGES, 0).unwrap_or_default();
            let is_word =
                |character: char| character.is_alphanumeric() || "-+#_.".contains(character);
            let language = language.strip_prefix("language-").unwrap_or(language);
            let language = Some(language).filter(|language| language.chars().all(is_word));
            Some(TagRendering::Code(language.unwrap_or_default().to_owned()))
        }
        _ => None,
    }
}

fn blocks(
    key: &str,
    arguments: &Arguments,
    content: Option<&str>,
    own: Option<CalloutTag>,
) -> Option<TagRendering> {
    const TITLES: [&str; 5] = ["title", "heading", "header", "summary", "label"];
    // Other note components are specific to a site.
    let own = own.filter(|own| own.key == key);
    if callout::KINDS.contains(&key) {
        let title = arguments.named_or(&["title", "heading", "header"], 0);
        return note(key, title, arguments, content, own);
    }
    match key {
        "notice" | "callout" | "alert" | "admonition" | "admonish" | "aside" | "messagebox" => {
            general_note(key, arguments, content, own)
        }
        "details" | "expand" | "collapse" | "collapsible" | "accordion" | "accordionitem"
        | "spoiler" | "fold" | "toggle" | "dropdown" | "expandable" | "disclosure" | "foldable" => {
            let summary = arguments.named_or(&TITLES, 0).unwrap_or("Details");
            let is_open = arguments.is_set(&["open", "defaultopen"]);
            let open = if is_open { " open" } else { "" };
            let summary = inline_markdown(summary);
            let open = format!("<details{open}><summary>{summary}</summary>");
            Some(with_content(
                open,
                "</details>".to_owned(),
                arguments,
                content,
            ))
        }
        "tab" | "tabitem" | "tabpanel" | "codetab" => {
            let title =
                arguments.named_or(&["label", "title", "name", "header", "tabname", "value"], 0);
            let title = title.map_or_else(String::new, |title| {
                format!(
                    "<p class=\"tab-label\"><strong>{}</strong></p>",
                    inline_markdown(title)
                )
            });
            Some(TagRendering::BlockAround(
                format!("<section class=\"tab\">{title}"),
                "</section>".to_owned(),
            ))
        }
        "quote" | "blockquote" | "pullquote" | "epigraph" => {
            let author = arguments.named_or(&["author", "cite", "source", "by"], 0);
            let author = author.map_or_else(String::new, |author| {
                format!("<p>— <cite>{}</cite></p>", inline_markdown(author))
            });
            Some(with_content(
                "<blockquote>".to_owned(),
                format!("{author}</blockquote>"),
                arguments,
                content,
            ))
        }
        _ => None,
    }
}

/// Renders a note whose kind is an argument.
fn general_note(
    key: &str,
    arguments: &Arguments,
    content: Option<&str>,
    own: Option<CalloutTag>,
) -> Option<TagRendering> {
    let is_titled = key == "notice" || key == "admonition" || key == "aside";
    let kind = arguments.named(&[
        "type", "class", "context", "color", "kind", "variant", "level", "theme",
    ]);
    let first = arguments
        .positional(0)
        .filter(|word| word.chars().all(char::is_alphanumeric));
    let (kind, title_index) = match (kind, first) {
        (Some(kind), _) => (kind, 0),
        (None, Some(first)) => (first, 1),
        (None, None) => ("note", 0),
    };
    let title = arguments.named_or(&["title", "heading", "header"], title_index);
    match title {
        None if !is_titled => {
            let (open, close) = callout::around(kind, None, callout::plain);
            Some(with_content(open, close, arguments, content))
        }
        title => note(kind, title, arguments, content, own),
    }
}

fn note(
    kind: &str,
    title: Option<&str>,
    arguments: &Arguments,
    content: Option<&str>,
    own: Option<CalloutTag>,
) -> Option<TagRendering> {
    let of_kind = callout::title_of(kind);
    // Without content, the only argument is the content.
    let says = content.is_none() && arguments.positional(1).is_none();
    let title = match title {
        Some(_) if says && arguments.named(&["title"]).is_none() => None,
        title => title,
    };
    let title = title.or(own.is_none().then_some(of_kind.as_str()));
    let (open, close) = callout::around(kind, title, own.map_or(callout::plain, |own| own.style));
    Some(with_content(open, close, arguments, content))
}

/// Renders a block around its content, or around its last argument if it has no closing tag.
fn with_content(
    open: String,
    close: String,
    arguments: &Arguments,
    content: Option<&str>,
) -> TagRendering {
    match content {
        Some(_) => TagRendering::BlockAround(open, close),
        None => {
            let last = arguments
                .0
                .iter()
                .filter(|argument| argument.name.is_none())
                .count();
            let words = arguments.named(&["content", "text", "message", "body"]);
            let words = words.or_else(|| arguments.positional(last.checked_sub(1)?));
            let words = words.map_or_else(String::new, inline_markdown);
            TagRendering::Block(format!("{open}<p>{words}</p>{close}"))
        }
    }
}

/// Tags for layout. They are dropped, and their content is retained.
const LAYOUTS: [&str; 41] = [
    "tabs",
    "tabgroup",
    "tabpane",
    "codetabs",
    "codegroup",
    "tabscontainer",
    "steps",
    "step",
    "cards",
    "cardgrid",
    "cardgroup",
    "columns",
    "column",
    "cols",
    "col",
    "row",
    "grid",
    "container",
    "filetree",
    "center",
    "centered",
    "wrapper",
    "fragment",
    "browseronly",
    "suspense",
    "accordiongroup",
    "accordions",
    "gallery",
    "imagegallery",
    "lead",
    "fullwidth",
    "wide",
    "rawhtml",
    "html",
    "raw",
    "unsafe",
    "safehtml",
    "rendertemplate",
    "markdown",
    "md",
    "prose",
];

/// Tags whose generated output is not needed, such as a table of contents or an icon.
const GENERATED: [&str; 7] = [
    "toc",
    "tableofcontents",
    "tocinline",
    "icon",
    "faicon",
    "seo",
    "feedmeta",
];

/// Renders inline elements, and tags that are dropped.
fn silent(key: &str, arguments: &Arguments, content: Option<&str>) -> Option<TagRendering> {
    match key {
        "comment" | "hidden" => Some(TagRendering::Nothing),
        "br" | "linebreak" => Some(TagRendering::Text("<br>".to_owned())),
        "kbd" | "sup" | "sub" | "mark" => {
            content.map(|_| TagRendering::Around(format!("<{key}>"), format!("</{key}>")))
        }
        "codetitle" | "filename" => {
            let title = inline_markdown(arguments.named_or(&["title", "name"], 0)?);
            Some(TagRendering::Block(format!(
                "<div class=\"code-block-title\">{title}</div>"
            )))
        }
        "badge" | "pill" => match arguments.named(&["text", "label", "title"]) {
            Some(text) => Some(TagRendering::Text(markdown_text(text))),
            None => content.map(|_| TagRendering::Content),
        },
        _ if GENERATED.contains(&key) => Some(TagRendering::Nothing),
        _ if LAYOUTS.contains(&key) => content.map(|_| TagRendering::Content),
        _ => None,
    }
}
