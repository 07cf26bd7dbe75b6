//! Tags of Hexo that differ from the usual ones.

use crate::{
    content_text::{
        document,
        document::{Kind, Language},
    },
    generators::syntax::{
        ExpansionScope,
        arguments::{Arguments, Notation},
        catalogue::TagRendering,
        escape::{destination, html, label, markdown_text, reference},
        writer::fence_for,
    },
};

/// Returns the rendering of a tag; `None` if it is not specific to Hexo.
pub fn rendering(
    name: &str,
    arguments: &str,
    content: Option<&str>,
    scope: ExpansionScope<'_>,
) -> Option<TagRendering> {
    let words = Arguments::of(arguments, Notation::Words).0;
    let words: Vec<String> = words.into_iter().map(|word| word.value).collect();
    let text = match name {
        "post_link" => post_link(&words, scope)?,
        "post_path" => post(words.first()?),
        "asset_path" => words.first()?.clone(),
        "asset_link" => {
            let (file, title) = words.split_first()?;
            let title = title_of(title).unwrap_or_else(|| file.clone());
            format!("[{}]({})", label(&title), destination(file))
        }
        "asset_img" | "img" | "image" => image(&words)?,
        "link" => {
            // The text before the URL may have several words without quotation marks.
            let index = words
                .iter()
                .position(|word| word.contains([':', '/', '#']))?;
            let (text, url) = (words[..index].join(" "), &words[index]);
            let text = if text.is_empty() { url } else { &text };
            format!("[{}]({})", label(text), destination(url))
        }
        "codeblock" | "code" => {
            // Without a closing tag it is not a block, and the shared rules report it.
            content?;
            let language = words.iter().find_map(|word| word.strip_prefix("lang:"));
            return Some(TagRendering::Code(language.unwrap_or_default().to_owned()));
        }
        "include_code" => {
            let language = words.iter().find_map(|word| word.strip_prefix("lang:"));
            let file = words.last()?;
            // This is the default of `code_dir`.
            let included = scope.included(&format!("downloads/code/{file}")).ok()?;
            let language = language.or_else(|| Some(file.rsplit_once('.')?.1));
            let fence = fence_for(&included.text);
            let code = included.text.trim_end();
            format!("{fence}{}\n{code}\n{fence}", language.unwrap_or_default())
        }
        "pullquote" => {
            content?;
            let open = "<blockquote class=\"pullquote\">".to_owned();
            return Some(TagRendering::BlockAround(open, "</blockquote>".to_owned()));
        }
        "iframe" => {
            let url = html(words.first()?);
            let size = |index: usize, default: &str| match words.get(index) {
                Some(size) => html(size),
                None => default.to_owned(),
            };
            let (width, height) = (size(1, "100%"), size(2, "300"));
            return Some(TagRendering::Block(format!(
                "<iframe src=\"{url}\" width=\"{width}\" height=\"{height}\" allowfullscreen></iframe>"
            )));
        }
        _ => return None,
    };
    Some(TagRendering::Text(text))
}

/// Returns the reference to a named post, with its fragment.
fn post(named: &str) -> String {
    match named.split_once('#') {
        Some((slug, fragment)) => reference("post_link", slug, Some(fragment)),
        None => reference("post_link", named, None),
    }
}

/// Returns a link to a post, whose text is the post's title unless the tag has another one.
fn post_link(words: &[String], scope: ExpansionScope<'_>) -> Option<String> {
    let (named, title) = words.split_first()?;
    let of_post = || {
        let slug = named.split('#').next().unwrap_or(named);
        let extensions = [".md", ".markdown"].iter();
        let mut files = extensions.map(|extension| format!("{slug}{extension}"));
        let included = files.find_map(|file| scope.included(&file).ok())?;
        title_in(&included.text)
    };
    let title = title_of(title).or_else(of_post);
    let title = title.unwrap_or_else(|| named.clone());
    Some(format!("[{}]({})", markdown_text(&title), post(named)))
}

/// Returns the title in a tag, without a trailing flag for the escaping of HTML.
fn title_of(words: &[String]) -> Option<String> {
    let words = match words.split_last() {
        Some((last, rest)) if ["true", "false"].contains(&last.as_str()) => rest,
        _ => words,
    };
    (!words.is_empty()).then(|| words.join(" "))
}

/// Returns the title in the front matter of a post.
fn title_in(text: &str) -> Option<String> {
    let text = text.strip_prefix("---\n").unwrap_or(text);
    let (front_matter, _) = text.split_once("\n---")?;
    let table = document::parse(Language::Yaml, front_matter, 0).ok()?;
    let mut entries = table.entries.into_iter();
    entries.find_map(|(key, value)| match value.value {
        Kind::Text(title) if key.value == "title" => Some(title),
        _ => None,
    })
}

/// Renders `[classes] image.png [width] [height] ["title" ["alternative text"]]`.
fn image(words: &[String]) -> Option<String> {
    let index = words.iter().position(|word| word.contains(['.', '/']))?;
    let mut image = format!("<img src=\"{}\"", html(&words[index]));
    let classes = words[..index].join(" ");
    if !classes.is_empty() {
        image.push_str(&format!(" class=\"{}\"", html(&classes)));
    }
    let is_size = |word: &&String| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut rest = words[index + 1..].iter().peekable();
    for name in ["width", "height"] {
        if let Some(size) = rest.next_if(is_size) {
            image.push_str(&format!(" {name}=\"{size}\""));
        }
    }
    let rest: Vec<&str> = rest.map(String::as_str).collect();
    // Both texts may be quoted together: '"title" "alternative text"'.
    let texts = Arguments::of(&rest.join(" "), Notation::Words);
    let texts: Vec<&str> = match rest.as_slice() {
        [one] if one.starts_with('"') => texts.0.iter().map(|word| word.value.as_str()).collect(),
        several => several.to_vec(),
    };
    if let Some(title) = texts.first() {
        image.push_str(&format!(" title=\"{}\"", html(title)));
    }
    let alternative = texts.get(1).map_or(String::new(), |text| html(text));
    image.push_str(&format!(" alt=\"{alternative}\">"));
    Some(image)
}
