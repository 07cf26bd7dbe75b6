//! Changes of a source before parsing, for dialects whose blocks differ from the parser's: lines
//! indented by four spaces that are not code, and Markdown inside raw HTML.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::{dialect::Dialect, positions::Positions, survey::Survey};

/// The indentation of code, in spaces.
const CODE_INDENT: usize = 4;

/// Returns the source for the parser, with the original positions. `None` if nothing changes.
pub(super) fn rewritten(source: &str, dialect: Dialect) -> Option<(String, Positions)> {
    let edits = if !dialect.indented_code {
        indents(source, dialect)
    } else if dialect.kramdown && source.contains(" markdown") {
        html_around_markdown(source, dialect)
    } else {
        Vec::new()
    };
    (!edits.is_empty()).then(|| applied(source, &edits))
}

/// A replacement in the source.
struct Edit {
    range: Range<usize>,
    text: &'static str,
}

fn applied(source: &str, edits: &[Edit]) -> (String, Positions) {
    let mut text = String::with_capacity(source.len() + edits.len());
    let mut positions = Positions::default();
    let mut copied = 0;
    for edit in edits {
        positions.add(text.len(), copied);
        text.push_str(&source[copied..edit.range.start]);
        text.push_str(edit.text);
        copied = edit.range.end;
    }
    positions.add(text.len(), copied);
    text.push_str(&source[copied..]);
    (text, positions)
}

/// Returns the indentation that would make lines code, except for that of the enclosing item.
fn indents(source: &str, dialect: Dialect) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut in_code = false;
    for (event, range) in Parser::new_ext(source, dialect.options()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(_) if in_code => {
                // The parts of a tab are separate texts.
                let free = edits.last().map_or(0, |edit: &Edit| edit.range.end);
                edits.extend(indent(source, range, free));
            }
            _ => {}
        }
    }
    edits
}

/// The blanks at the beginning of a line, from the byte `free` on.
fn indent(source: &str, line: Range<usize>, free: usize) -> Option<Edit> {
    let before = &source.as_bytes()[..line.start];
    let indent = if before.ends_with(b"\t") {
        1
    } else {
        let blanks = before.iter().rev().take(CODE_INDENT);
        blanks.take_while(|byte| **byte == b' ').count()
    };
    let written = &source[line.clone()];
    let own = written.len() - written.trim_start_matches([' ', '\t']).len();
    let range = (line.start - indent).max(free)..line.start + own;
    (!range.is_empty()).then_some(Edit { range, text: "" })
}

/// Inserts blank lines around tags with `markdown="1"` and their end tags, so that the content is
/// parsed.
fn html_around_markdown(source: &str, dialect: Dialect) -> Vec<Edit> {
    let survey = Survey::of(source, dialect.options());
    let mut edits = Vec::new();
    // The open elements, with whether their content is Markdown.
    let mut open: Vec<(&str, bool)> = Vec::new();
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let from = start;
        start += line.len();
        let tag = line.trim();
        let tag_start = from + line.len() - line.trim_start().len();
        let is_code = survey.is_verbatim(from) && !survey.is_html(from);
        if is_code || !tag.starts_with('<') {
            continue;
        }
        if let Some(name) = closing_name(tag) {
            if let Some(index) = open.iter().rposition(|(opened, _)| *opened == name) {
                let (_, holds_markdown) = open[index];
                open.truncate(index);
                if holds_markdown {
                    edits.push(at(from, "\n"));
                    edits.push(at(tag_start + tag.len(), "\n"));
                }
            }
            continue;
        }
        let Some((name, end)) = opening(tag) else {
            continue;
        };
        let attribute = markdown_attribute(&tag[..end]);
        let closing = format!("</{name}>");
        let inner = tag[end..].strip_suffix(closing.as_str());
        match (attribute, inner) {
            (Some(attribute), Some(inner)) => {
                edits.push(Edit {
                    range: tag_start + attribute.start..tag_start + attribute.end,
                    text: "",
                });
                if is_container(name) && !inner.is_empty() {
                    edits.push(at(tag_start + end, "\n\n"));
                    edits.push(at(tag_start + end + inner.len(), "\n\n"));
                }
            }
            (Some(attribute), None) if is_container(name) => {
                edits.push(Edit {
                    range: tag_start + attribute.start..tag_start + attribute.end,
                    text: "",
                });
                edits.push(at(tag_start + end, "\n\n"));
                push_open(&mut open, name, true);
            }
            (None, None) if !tag.contains(closing.as_str()) => push_open(&mut open, name, false),
            _ => {}
        }
    }
    edits
}

/// Deepest nesting of elements that is tracked.
const OPEN_MAX: usize = 100;

fn push_open<'s>(open: &mut Vec<(&'s str, bool)>, name: &'s str, holds_markdown: bool) {
    if open.len() < OPEN_MAX {
        open.push((name, holds_markdown));
    }
}

fn at(position: usize, text: &'static str) -> Edit {
    Edit {
        range: position..position,
        text,
    }
}

/// Returns whether Markdown inside the element is parsed as blocks.
fn is_container(name: &str) -> bool {
    const NAMES: [&str; 19] = [
        "address",
        "article",
        "aside",
        "blockquote",
        "center",
        "dd",
        "details",
        "div",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "header",
        "li",
        "main",
        "nav",
        "section",
        "td",
    ];
    NAMES.contains(&name)
}

fn closing_name(tag: &str) -> Option<&str> {
    let name = tag.strip_prefix("</")?.strip_suffix('>')?;
    name.bytes()
        .all(|byte| byte.is_ascii_alphanumeric())
        .then_some(name)
}

/// Returns the name and the end of the start tag at the beginning of a line.
fn opening(line: &str) -> Option<(&str, usize)> {
    let inner = line.strip_prefix('<')?;
    let length = inner.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let end = line.find('>')? + 1;
    (length > 0 && !line[..end].ends_with("/>")).then(|| (&inner[..length], end))
}

/// Returns the range of ` markdown="1"`, or of ` markdown` without a value, in a tag.
fn markdown_attribute(tag: &str) -> Option<Range<usize>> {
    const NAME: &str = " markdown";
    let start = tag.find(NAME)?;
    let rest = &tag[start + NAME.len()..];
    let Some(value) = rest.strip_prefix('=') else {
        let is_bare = rest.starts_with([' ', '>']);
        return is_bare.then(|| start..start + NAME.len());
    };
    let quote = value.chars().next().filter(|quote| "\"'".contains(*quote));
    let (inner, length) = match quote {
        Some(quote) => {
            let inner = value[1..].split(quote).next()?;
            (inner, inner.len() + 2)
        }
        None => {
            let inner = value.split([' ', '>']).next()?;
            (inner, inner.len())
        }
    };
    let is_on = matches!(inner, "1" | "block" | "span" | "true");
    is_on.then(|| start..start + NAME.len() + 1 + length)
}
