//! The title of a document: that of its front matter, its first heading, or the name of its file.

use crate::{
    content_files::body::{Body, BodyFormat},
    domain::post::TITLE_CHARACTERS_MAX,
    generators::NameTitle,
    render::{markdown, markdown::Dialect, plaintext},
};

/// Returns the title of a document, and its body without a first heading that repeats the title, because the page shows the
/// title already.
pub(super) fn titled(
    title: Option<String>,
    body: Body,
    stem: &str,
    name_rule: NameTitle,
) -> (String, Body) {
    let heading = first_heading(&body);
    let title = title.filter(|title| !title.trim().is_empty());
    match (title, heading) {
        (Some(title), Some((heading, end))) if same(&title, &heading) => {
            (title, body.without_start(end))
        }
        (Some(title), _) => (title, body),
        (None, Some((heading, end))) => (cut(&heading), body.without_start(end)),
        (None, None) => match later_heading(&body) {
            Some(heading) => (cut(&heading), body),
            None => (cut(&title_from_name(stem, name_rule)), body),
        },
    }
}

/// Returns the text of a leading level-one heading of a Markdown document, and the end of the heading.
fn first_heading(body: &Body) -> Option<(String, usize)> {
    if body.format != BodyFormat::Markdown {
        return None;
    }
    let text = body.text();
    let start = text.len() - text.trim_start().len();
    let mut lines = text[start..].lines();
    let line = lines.next().unwrap_or_default();
    let next = lines.next().unwrap_or_default();
    let is_underlined = next.starts_with("==") && next.trim_end().bytes().all(|byte| byte == b'=');
    let length = match (line.starts_with("# "), is_underlined) {
        (true, _) => line.len(),
        (false, true) => line.len() + 1 + next.len(),
        (false, false) => return None,
    };
    let heading = plain(&text[start..start + length]);
    (!heading.is_empty()).then_some((heading, start + length))
}

/// Returns the text of the first level-one heading outside of code.
fn later_heading(body: &Body) -> Option<String> {
    if body.format != BodyFormat::Markdown {
        return None;
    }
    // In code, `#` begins a comment.
    let mut is_code = false;
    let mut lines = body.text().lines();
    let line = lines.find(|line| {
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        is_code ^= is_fence;
        !is_code && line.starts_with("# ")
    })?;
    Some(plain(line)).filter(|heading| !heading.is_empty())
}

/// Converts Markdown to plain text.
fn plain(markdown: &str) -> String {
    // Headings may contain formats and links, which titles have not.
    let text = plaintext::from_html(&markdown::to_html(markdown, Dialect::GALLEY, |_| None));
    text.trim().to_owned()
}

/// Returns whether two titles are equal, ignoring case and surrounding whitespace.
fn same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

/// Derives a title from the name of a file, by the rule of a generator.
pub(super) fn title_from_name(stem: &str, rule: NameTitle) -> String {
    if rule == NameTitle::AsIs {
        return stem.to_owned();
    }
    let words = stem.replace(['-', '_'], " ");
    let words = words.split_whitespace().enumerate().map(|(number, word)| {
        let mut characters = word.chars();
        match characters.next() {
            Some(first) if number == 0 || rule == NameTitle::Capitals => {
                first.to_uppercase().chain(characters).collect()
            }
            _ => word.to_owned(),
        }
    });
    let title = words.collect::<Vec<String>>().join(" ");
    if title.is_empty() {
        stem.to_owned()
    } else {
        title
    }
}

/// Truncates a title to the maximum length.
pub(super) fn cut(title: &str) -> String {
    title.chars().take(TITLE_CHARACTERS_MAX).collect()
}
