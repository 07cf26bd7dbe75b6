//! Expands containers between lines of colons, `:::note[Title]` or `::: name`, or of slashes, `/// name | Title`, and titles
//! of code blocks.

use std::ops::Range;

use crate::generators::syntax::{
    ExpandedText, callout,
    callout::CalloutStyle,
    code::{Code, container_length, fence_mark, line_end},
    escape::{html, inline_markdown},
    writer::ExpansionWriter,
};

/// Maximum depth of nested containers.
const DEPTH_MAX: usize = 50;

/// Maximum number of unclosed code blocks that end with their container. The rest of the text is scanned again for each of
/// them.
const UNCLOSED_MAX: usize = 20;

/// The containers of a generator.
#[derive(Debug)]
pub struct Containers {
    /// The character of the lines around containers.
    pub mark: char,
    /// Names of callouts.
    pub callouts: &'static [&'static str],
    /// The markup of callouts.
    pub style: CalloutStyle,
    /// The treatment of other names.
    pub others: OtherContainers,
    /// Whether code blocks have titles.
    pub has_code_titles: bool,
}

/// The treatment of containers that are not callouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherContainers {
    /// They are plain text.
    Text,
    /// They become elements with their name as a class.
    Elements,
    /// Like `Elements`, with titles as paragraphs.
    Titled,
    /// Like `Elements`, with a remark.
    Reported,
}

/// A line that opens a container.
struct ContainerOpening<'t> {
    colons: usize,
    name: &'t str,
    title: Option<&'t str>,
}

/// Expands the containers of a text.
pub fn pass(text: &str, containers: &Containers) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    if !text.contains([containers.mark; 3].iter().collect::<String>().as_str())
        && !text.contains("title=")
    {
        return writer.finish();
    }
    // The generators with containers parse Markdown first, so containers in comments are not
    // expanded (`comments_contain_no_containers`).
    let mut code = Code::and_comments(text);
    let mut unclosed = 0;
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut offset = 0;
    while offset < text.len() {
        let end = line_end(text, offset);
        let line = &text[offset..end];
        let content = offset + container_length(line);
        if let Some(block) = code.at(content) {
            if block.start == offset && containers.has_code_titles {
                code_title(&mut writer, line, content, end);
            }
            // As in VitePress, an unclosed code block ends with its container. All later code
            // then begins elsewhere, so it is searched again.
            let innermost = open.last().map(|(colons, _)| *colons);
            if unclosed < UNCLOSED_MAX
                && let Some(colons) = innermost
                && let Some(mark) = unclosed_fence(text, block)
                && let Some(close) = closing_line(text, end, containers.mark, colons)
            {
                writer.copy_to(close);
                writer.put(&format!("{mark}\n"));
                code = Code::and_comments_after(text, close);
                unclosed += 1;
                offset = close;
                continue;
            }
            offset = end.max(block.end.min(text.len()));
            if !text[..offset].ends_with('\n') {
                offset = line_end(text, offset);
            }
            continue;
        }
        let written = text[content..end].trim_end();
        let colons = written.len() - written.trim_start_matches(containers.mark).len();
        if colons >= 3 && written.len() == colons {
            let inner = open.iter().rposition(|(opened, _)| *opened <= colons);
            if let Some(inner) = inner {
                writer.copy_to(content);
                writer.skip_to(content + colons);
                for (_, close) in open.drain(inner..).rev() {
                    writer.close_block(&close);
                }
            }
        } else if colons >= 3
            && open.len() < DEPTH_MAX
            && let Some(opening) = ContainerOpening::of(written, colons)
            && let Some((html, close)) = around(&mut writer, &opening, content, containers)
        {
            writer.copy_to(content);
            writer.skip_to(content + written.len());
            writer.open_block(&html);
            open.push((opening.colons, close));
        }
        offset = end;
    }
    if !open.is_empty() {
        close_all(&mut writer, open);
    }
    writer.finish()
}

/// Copies the rest of the text, and closes the containers that are open at its end.
fn close_all(writer: &mut ExpansionWriter<'_>, open: Vec<(usize, String)>) {
    writer.copy_to(writer.source.len());
    if !writer.source.ends_with('\n') {
        writer.put("\n");
    }
    for (_, close) in open.into_iter().rev() {
        writer.put(&format!("\n{close}\n"));
    }
}

/// Returns the closing fence that an unclosed code block at the end of the text lacks.
fn unclosed_fence(text: &str, block: &Range<usize>) -> Option<String> {
    let (mark, length) = fence_mark(&text[block.start..line_end(text, block.start)])?;
    let last = text[block.clone()].trim_end().rsplit('\n').next()?;
    let last = last.trim_start_matches([' ', '\t', '>']);
    let is_closed = last.len() >= length && last.trim_start_matches(mark).is_empty();
    let is_of_rest = block.end == text.len();
    (is_of_rest && !is_closed).then(|| mark.to_string().repeat(length))
}

/// Returns the byte offset of the first line from `start` on that closes a container of `colons` marks.
fn closing_line(text: &str, start: usize, mark: char, colons: usize) -> Option<usize> {
    let mut offset = start;
    while offset < text.len() {
        let end = line_end(text, offset);
        let line = text[offset..end].trim();
        if line.len() >= colons && line.trim_start_matches(mark).is_empty() {
            return Some(offset);
        }
        offset = end;
    }
    None
}

impl<'t> ContainerOpening<'t> {
    /// Parses `:::name[Title]{title="…"}` or `:::name Title`.
    fn of(line: &'t str, colons: usize) -> Option<Self> {
        let rest = line[colons..].trim_start();
        let name_length = rest
            .find(|character: char| !(character.is_alphanumeric() || "-_".contains(character)))
            .unwrap_or(rest.len());
        let (name, rest) = rest.split_at(name_length);
        // A line such as `::: -->` does not open a container.
        if !name.contains(char::is_alphanumeric) {
            return None;
        }
        let title = match rest.strip_prefix('[') {
            Some(inside) => inside.rsplit_once(']').map(|(title, _)| title),
            None => match rest.strip_prefix('{') {
                Some(attributes) => quoted_after(attributes, "title="),
                None => Some(rest.trim().trim_start_matches('|').trim()),
            },
        };
        Some(Self {
            colons,
            name,
            title: title.filter(|title| !title.is_empty()),
        })
    }
}

/// Returns the markup before and after the content of a container; `None` if the generator does not support it.
fn around(
    writer: &mut ExpansionWriter<'_>,
    opening: &ContainerOpening<'_>,
    offset: usize,
    containers: &Containers,
) -> Option<(String, String)> {
    let name = opening.name;
    if containers.callouts.contains(&name) {
        return Some(callout::around(name, opening.title, containers.style));
    }
    match containers.others {
        OtherContainers::Text => return None,
        OtherContainers::Elements | OtherContainers::Titled => {}
        OtherContainers::Reported => writer.remark(
            offset,
            format!("the directive `:::{name}` is not known; its content stays"),
        ),
    }
    let mut open = format!("<div class=\"{}\">", html(name));
    // `::: name {attributes} Title` shows its title only.
    let title = opening.title.map(|title| match title.split_once('}') {
        Some((attributes, title)) if attributes.starts_with('{') => title.trim(),
        _ => title,
    });
    let title =
        title.filter(|title| !title.is_empty() && containers.others == OtherContainers::Titled);
    if let Some(title) = title {
        let title = inline_markdown(title);
        open.push_str(&format!("<p class=\"custom-block-title\">{title}</p>"));
    }
    Some((open, "</div>".to_owned()))
}

/// Writes the title of a code block above it: ```` ```js title="x" ````.
fn code_title(writer: &mut ExpansionWriter<'_>, line: &str, content: usize, end: usize) {
    if fence_mark(line).is_none() {
        return;
    }
    if let Some(title) = quoted_after(line, "title=") {
        let start = end - line.len() + container_length(line);
        writer.copy_to(start.min(content));
        let (prefix, _) = writer.line_so_far();
        writer.put(&format!(
            "<div class=\"code-block-title\">{}</div>\n{}\n{prefix}",
            html(title),
            prefix.trim_end()
        ));
    }
}

/// Returns the quoted text after `name`.
fn quoted_after<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(name)?;
    let quote = rest.chars().next().filter(|quote| "\"'".contains(*quote))?;
    rest[1..].split_once(quote).map(|(inside, _)| inside)
}
