//! Expands the syntax of Obsidian and Quartz: `[[links]]`, `![[embeds]]`, `%%comments%%`, sizes of images and block ids.

use crate::generators::syntax::{
    ExpandedText,
    code::{Code, ends_paragraph},
    escape::{html, markdown_text, reference},
    writer::ExpansionWriter,
};

/// Maximum length of a link, in bytes. Longer ones are plain text.
const LINK_BYTES_MAX: usize = 2_000;

const IMAGE_EXTENSIONS: [&str; 9] = [
    "png", "jpg", "jpeg", "gif", "bmp", "svg", "webp", "avif", "tiff",
];
const AUDIO: [&str; 7] = ["mp3", "wav", "m4a", "ogg", "3gp", "flac", "opus"];
const VIDEOS: [&str; 5] = ["mp4", "webm", "ogv", "mov", "mkv"];

/// The text of a link that contains only its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkText {
    /// The path of the page, as written.
    Path,
    /// The last part of the heading, else of the path. The text in a link is also shown only after its last slash.
    LastPart,
}

/// Expands a text.
pub fn pass(text: &str, link_text: LinkText) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    let code = Code::of(text);
    // A search without a result is not repeated, so that unclosed comments take linear time.
    let mut has_more_comments = true;
    let mut offset = 0;
    while let Some(found) = text[offset..].find(['[', '!', '%', '^', '\\']) {
        let start = offset + found;
        let rest = &text[start..];
        if let Some(code) = code.at(start) {
            offset = code.end;
            continue;
        }
        offset = if rest.starts_with("![[") || rest.starts_with("[[") {
            wikilink(&mut writer, start, link_text)
        } else if rest.starts_with("![") {
            sized_image(&mut writer, start)
        } else if rest.starts_with("%%") && has_more_comments {
            let end = rest[2..].find("%%").map(|end| start + 2 + end + 2);
            has_more_comments = end.is_some();
            if let Some(end) = end {
                writer.copy_to(start);
                writer.skip_to(end);
            }
            end
        } else if rest.starts_with('^') {
            block_name(&mut writer, start)
        } else if rest.starts_with('\\') {
            rest.chars()
                .nth(1)
                .map(|escaped| start + 1 + escaped.len_utf8())
        } else {
            None
        }
        .unwrap_or(start + 1);
    }
    writer.finish()
}

/// Expands the link or embed at the byte `start` and returns its end; `None` if there is none.
fn wikilink(writer: &mut ExpansionWriter<'_>, start: usize, link_text: LinkText) -> Option<usize> {
    let rest = &writer.source[start..];
    let is_embed = rest.starts_with('!');
    let before = if is_embed { 3 } else { 2 };
    let window = &rest[before..rest.floor_char_boundary(LINK_BYTES_MAX)];
    let length = window.find("]]")?;
    let inside = &window[..length];
    if inside.contains('\n') || inside.contains("[[") || inside.trim().is_empty() {
        return None;
    }
    // In tables, the bar is escaped.
    let (named, shown) = match inside.split_once('|') {
        Some((named, shown)) => (named.trim_end_matches('\\'), Some(shown.trim())),
        None => (inside, None),
    };
    let (page, heading) = match named.split_once('#') {
        Some((page, heading)) => (page.trim(), Some(heading.trim())),
        None => (named.trim(), None),
    };
    let shown = if link_text == LinkText::LastPart && !is_embed {
        let of_path = || heading.or(page.contains('/').then_some(page));
        let shown = shown.filter(|shown| !shown.is_empty()).or_else(of_path);
        shown.map(|shown| shown.rsplit('/').next().unwrap_or(shown))
    } else {
        shown
    };
    let output = if is_embed {
        embed(writer, start, page, heading, shown)
    } else {
        link(page, heading, shown)
    };
    let end = start + before + length + 2;
    writer.copy_to(start);
    writer.skip_to(end);
    put_inline(writer, &output);
    Some(end)
}

/// Writes an element that is part of a paragraph. Alone on its line, the element would begin an HTML block, and Markdown in
/// the following lines would not be parsed; there, the element is wrapped in a `<span>`.
fn put_inline(writer: &mut ExpansionWriter<'_>, output: &str) {
    let after = &writer.source[writer.offset()..];
    let is_last = after
        .split('\n')
        .next()
        .is_some_and(|rest| rest.trim().is_empty());
    let (_, is_first) = writer.line_so_far();
    if is_first && is_last && !ends_paragraph(after) && output.starts_with('<') {
        writer.put(&format!("<span>{output}</span>"));
    } else {
        writer.put(output);
    }
}

/// Renders a link to a page, to a heading of a page, or to a heading of this page.
fn link(page: &str, heading: Option<&str>, shown: Option<&str>) -> String {
    // Of `#Part#Section`, the last part is the target, and all parts are shown.
    let last = heading.map(|heading| heading.rsplit('#').next().unwrap_or(heading).trim());
    let url = reference("wiki", page, last);
    let words = match shown.filter(|shown| !shown.is_empty()) {
        Some(shown) => shown.replace(['[', ']'], " "),
        None => {
            let page = page.strip_suffix(".md").unwrap_or(page);
            let headings = heading.into_iter().flat_map(|heading| heading.split('#'));
            let parts: Vec<&str> = [page].into_iter().chain(headings.map(str::trim)).collect();
            let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            markdown_text(&parts.join(" > "))
        }
    };
    format!("[{words}]({url})")
}

/// Renders an image, audio, video or another file. A note becomes a link, with a remark.
fn embed(
    writer: &mut ExpansionWriter<'_>,
    start: usize,
    page: &str,
    heading: Option<&str>,
    shown: Option<&str>,
) -> String {
    let extension = page
        .rsplit_once('.')
        .map(|(_, extension)| extension.to_lowercase());
    let extension = extension.as_deref().unwrap_or_default();
    let url = reference("embed", page, None);
    let name = page.rsplit('/').next().unwrap_or(page);
    if IMAGE_EXTENSIONS.contains(&extension) {
        // The last part may be a size.
        let parts: Vec<&str> = shown
            .into_iter()
            .flat_map(|shown| shown.split('|'))
            .collect();
        let size = parts.last().and_then(|last| size(last));
        let words: Vec<&str> = match size {
            Some(_) => parts[..parts.len() - 1].to_vec(),
            None => parts,
        };
        let alt = if words.is_empty() {
            name.to_owned()
        } else {
            words.join(" ")
        };
        return image(&alt, &url, size);
    }
    if AUDIO.contains(&extension) {
        return format!("<audio src=\"{url}\" controls></audio>");
    }
    if VIDEOS.contains(&extension) {
        return format!("<video src=\"{url}\" controls></video>");
    }
    if !extension.is_empty()
        && extension != "md"
        && extension.chars().all(char::is_alphanumeric)
        && extension.len() <= 5
    {
        let words = shown.map_or_else(|| markdown_text(name), str::to_owned);
        return format!("[{words}]({url})");
    }
    writer.remark(start, "an embedded note is shown as a link to it");
    link(page, heading, shown)
}

/// Parses a width, or a width and a height.
fn size(written: &str) -> Option<(&str, Option<&str>)> {
    let (width, height) = match written.split_once('x') {
        Some((width, height)) => (width, Some(height)),
        None => (written, None),
    };
    let is_number = |word: &str| {
        (1..=5).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
    };
    (is_number(width) && height.is_none_or(is_number)).then_some((width, height))
}

fn image(alt: &str, url: &str, size: Option<(&str, Option<&str>)>) -> String {
    match size {
        None => format!("![{}]({url})", alt.replace(['[', ']'], " ")),
        Some((width, height)) => {
            let height = height.map_or_else(String::new, |height| format!(" height=\"{height}\""));
            format!(
                "<img src=\"{}\" alt=\"{}\" width=\"{width}\"{height}>",
                html(url),
                html(alt)
            )
        }
    }
}

/// Expands the size in `![alt|300](url)`.
fn sized_image(writer: &mut ExpansionWriter<'_>, start: usize) -> Option<usize> {
    let rest = &writer.source[start..];
    let window = &rest[2..rest.floor_char_boundary(LINK_BYTES_MAX)];
    let label_end = window
        .find(['[', ']', '\n'])
        .filter(|end| window[*end..].starts_with("]("))?;
    let label = &window[..label_end];
    let (alt, written) = label.rsplit_once('|').unwrap_or(("", label));
    let size = size(written.trim())?;
    let url = &window[label_end + 2..];
    let end = url
        .find([')', '\n', '('])
        .filter(|end| url[*end..].starts_with(')'))?;
    let written = url[..end].trim();
    let (url, title) = written.split_once(' ').unwrap_or((written, ""));
    if !title.is_empty() {
        return None;
    }
    let output = image(
        alt.trim_end_matches('\\'),
        url.trim_matches(['<', '>']),
        Some(size),
    );
    let end = start + 2 + label_end + 2 + end + 1;
    writer.copy_to(start);
    writer.skip_to(end);
    put_inline(writer, &output);
    Some(end)
}

/// Replaces ` ^name` at the end of a line with an anchor.
fn block_name(writer: &mut ExpansionWriter<'_>, start: usize) -> Option<usize> {
    let source = writer.source;
    let before = source[..start].chars().next_back();
    if before.is_some_and(|character| !character.is_whitespace()) {
        return None;
    }
    let rest = &source[start + 1..];
    let length = rest
        .find(|character: char| !(character.is_ascii_alphanumeric() || character == '-'))
        .unwrap_or(rest.len());
    let end = start + 1 + length;
    let after = source[end..].trim_start_matches([' ', '\t', '\r']);
    let is_at_end = after.is_empty() || after.starts_with('\n');
    if length == 0 || !is_at_end {
        return None;
    }
    let name = &rest[..length];
    let spaces = source[..start].len() - source[..start].trim_end_matches([' ', '\t']).len();
    let is_alone = source[..start - spaces].ends_with('\n') || start == spaces;
    // Alone on a line, the name belongs to the block above, whose indentation the anchor must have.
    writer.copy_to(if is_alone { start } else { start - spaces });
    writer.skip_to(end);
    writer.put(&format!("<a id=\"^{name}\"></a>"));
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_link_is_its_last_part_in_quartz() {
        for (text, expected) in [
            ("[[a/b c]]", "[b c](galley-ref:wiki/a/b%20c)"),
            ("[[a#B]]", "[B](galley-ref:wiki/a#B)"),
            ("[[a#B/C|d/e]]", "[e](galley-ref:wiki/a#B/C)"),
            ("[[a]]", "[a](galley-ref:wiki/a)"),
        ] {
            assert_eq!(pass(text, LinkText::LastPart).text, expected, "{text}");
        }
    }
}
