//! Expands components in Markdown in the syntax of Nuxt Content: blocks `::name{attributes}` … `::`, with YAML and slots,
//! and `:name[text]{attributes}` within lines. Callouts retain their kind, other blocks become elements with their name as a
//! class, and components within lines are replaced with their text.

use crate::{
    content_text::document::{self, Kind, Language, Table},
    generators::syntax::{
        ExpandedText, ExpansionScope, callout,
        code::{Code, line_end, verbatim_length},
        escape::{html, inline_markdown, markdown_text},
        writer::ExpansionWriter,
    },
};

/// Maximum depth of nested blocks.
const DEPTH_MAX: usize = 50;

/// Maximum length of a component within a line, in bytes. Longer ones are text.
const INLINE_BYTES_MAX: usize = 1_000;

/// Maximum length of the attributes of a block in YAML, in bytes. Longer ones are text.
const YAML_BYTES_MAX: usize = 8_000;

/// Expands the components of a text.
pub fn pass(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    let mut expanded = blocks(text);
    let within = inline(&expanded.text, scope);
    expanded.remarks.extend(within.remarks);
    expanded.text = within.text;
    expanded.lines = within.lines.after(&expanded.lines);
    expanded
}

/// A line that opens a block.
struct Opening<'t> {
    colons: usize,
    name: &'t str,
    attributes: &'t str,
}

/// A block that is not closed yet.
struct OpenBlock {
    colons: usize,
    /// The indentation of its first line.
    spaces: usize,
    /// The end tag of its element.
    end_tag: String,
}

/// The visible properties of a component.
#[derive(Default)]
struct Properties {
    title: Option<String>,
    target: Option<String>,
    color: Option<String>,
}

fn blocks(text: &str) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    if !text.contains("::") {
        return writer.finish();
    }
    let mut open: Vec<OpenBlock> = Vec::new();
    let mut offset = 0;
    while offset < text.len() {
        let end = line_end(text, offset);
        let line = text[offset..end].trim_end_matches(['\n', '\r']);
        let spaces = line.len() - line.trim_start().len();
        // Nested blocks may be indented, and their content would then be code.
        let removed = open.last().map_or(0, |block| block.spaces.min(spaces));
        if let Some(length) = verbatim_length(&text[offset..]) {
            copy_lines(&mut writer, offset, offset + length, removed);
            offset += length;
            continue;
        }
        let content = line.trim();
        if let Some(index) = closed_by(content, &open) {
            writer.copy_to(offset);
            writer.skip_to(offset + line.len());
            for block in open.drain(index..).rev() {
                writer.close_block(&block.end_tag);
            }
        } else if open.len() < DEPTH_MAX
            && let Some(opening) = Opening::of(content)
        {
            // YAML below the line is part of the component and not of its content.
            let (yaml, after) = yaml_after(text, end);
            let properties = Properties::of(opening.attributes, yaml);
            let (start_tag, end_tag) = around(opening.name, &properties);
            writer.copy_to(offset);
            writer.skip_to(after.max(offset + line.len()));
            writer.separate();
            writer.open_block(&start_tag);
            if after > end {
                writer.put("\n");
            }
            open.push(OpenBlock {
                colons: opening.colons,
                spaces,
                end_tag,
            });
            offset = after.max(end);
            continue;
        } else if !open.is_empty() && is_slot(content) {
            writer.copy_to(offset);
            writer.skip_to(end);
        } else {
            copy_lines(&mut writer, offset, end, removed);
        }
        offset = end;
    }
    writer.copy_to(text.len());
    for block in open.into_iter().rev() {
        writer.put(&format!("\n\n{}\n", block.end_tag));
    }
    writer.finish()
}

/// Copies lines without up to `removed` leading spaces of each.
fn copy_lines(writer: &mut ExpansionWriter<'_>, start: usize, end: usize, removed: usize) {
    let mut offset = start;
    while offset < end && removed > 0 {
        writer.copy_to(offset);
        let line = &writer.source[offset..end];
        let spaces = line.len() - line.trim_start_matches([' ', '\t']).len();
        writer.skip_to(offset + spaces.min(removed));
        offset = line_end(writer.source, offset);
    }
    writer.copy_to(end);
}

/// Returns the index of the block that a line of colons closes.
fn closed_by(line: &str, open: &[OpenBlock]) -> Option<usize> {
    let is_close = line.len() >= 2 && line.bytes().all(|byte| byte == b':');
    let colons = line.len();
    open.iter()
        .rposition(|block| block.colons == colons)
        .filter(|_| is_close)
}

/// Returns whether a line names the slot of the following content: `#title`.
fn is_slot(line: &str) -> bool {
    let name = line.strip_prefix('#').unwrap_or_default();
    let name = match name.split_once('{') {
        Some((name, attributes)) if attributes.ends_with('}') => name,
        _ => name,
    };
    name.starts_with(|character: char| character.is_ascii_lowercase())
        && name.chars().all(is_of_name)
}

/// Returns whether names of components and slots may contain a character.
fn is_of_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-_".contains(character)
}

impl<'t> Opening<'t> {
    fn of(line: &'t str) -> Option<Self> {
        let rest = line.trim_start_matches(':');
        let colons = line.len() - rest.len();
        let length = rest
            .find(|character: char| !is_of_name(character))
            .unwrap_or(rest.len());
        let (name, attributes) = rest.split_at(length);
        let attributes = attributes.trim();
        let is_whole = attributes.is_empty()
            || attributes.starts_with('{') && attributes.ends_with('}')
            || attributes.starts_with('[');
        (colons >= 2 && name.starts_with(|first: char| first.is_ascii_alphabetic()) && is_whole)
            .then_some(Self {
                colons,
                name,
                attributes,
            })
    }
}

/// Returns the YAML between two `---` lines at the byte `start`, and the end of the second line; `start` if there is none.
fn yaml_after(text: &str, start: usize) -> (Option<Table>, usize) {
    let end = line_end(text, start);
    if start >= text.len() || text[start..end].trim() != "---" {
        return (None, start);
    }
    let window = &text[end..text.floor_char_boundary(end + YAML_BYTES_MAX)];
    let mut length = 0;
    for line in window.split_inclusive('\n') {
        if line.trim() == "---" {
            let yaml = dedented(&window[..length]);
            let table = document::parse(Language::Yaml, &yaml, 0).ok();
            return (
                table,
                end + length + line.trim_end_matches(['\n', '\r']).len(),
            );
        }
        length += line.len();
    }
    (None, start)
}

/// Removes the indentation of the first line from all lines.
fn dedented(text: &str) -> String {
    let spaces = text.len() - text.trim_start_matches(' ').len();
    let lines = text.lines().map(|line| {
        let own = line.len() - line.trim_start_matches(' ').len();
        &line[own.min(spaces)..]
    });
    lines.collect::<Vec<_>>().join("\n")
}

impl Properties {
    fn of(attributes: &str, yaml: Option<Table>) -> Self {
        let yaml = yaml.unwrap_or_default();
        let value = |key: &str| {
            let entry = yaml.entries.iter().find(|(name, _)| name.value == key);
            let of_yaml = entry.and_then(|(_, value)| match &value.value {
                Kind::Text(text) => Some(text.clone()),
                _ => None,
            });
            of_yaml.or_else(|| quoted_after(attributes, key))
        };
        Self {
            title: value("title").or_else(|| value("label")),
            target: value("to").or_else(|| value("href")),
            color: value("type").or_else(|| value("color")),
        }
    }
}

/// Returns the quoted value of an attribute.
fn quoted_after(attributes: &str, key: &str) -> Option<String> {
    let starts = attributes.match_indices(key);
    let mut values = starts.filter_map(|(start, _)| {
        let before = attributes[..start].chars().next_back()?;
        let rest = attributes[start + key.len()..].strip_prefix('=')?;
        let quote = rest.chars().next().filter(|quote| "\"'".contains(*quote))?;
        let (inside, _) = rest[1..].split_once(quote)?;
        (before == ' ' || before == '{').then(|| inside.to_owned())
    });
    values.next()
}

/// Returns the markup before and after the content of a block.
fn around(name: &str, properties: &Properties) -> (String, String) {
    let title = properties.title.as_deref();
    if callout::KINDS.contains(&name) {
        return callout::around(name, title, callout::plain);
    }
    if ["alert", "callout"].contains(&name) {
        let kind = properties.color.as_deref().unwrap_or("note");
        return callout::around(kind, title, callout::plain);
    }
    let name = html(name);
    let words = title.map(|title| format!("<strong>{}</strong>", inline_markdown(title)));
    let words = match (words, &properties.target) {
        (Some(words), Some(target)) => Some(format!("<a href=\"{}\">{words}</a>", html(target))),
        (words, _) => words,
    };
    let title = words.map_or_else(String::new, |words| {
        format!("<p class=\"{name}-title\">{words}</p>")
    });
    (
        format!("<div class=\"{name}\">{title}"),
        "</div>".to_owned(),
    )
}

/// Expands components and bindings within lines, and drops attributes of inline elements. As in remark-mdc, these directly
/// follow code, emphasis, links, images and spans.
fn inline(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    let code = Code::and_comments(text);
    let mut offset = 0;
    while let Some(found) = text[offset..].find([':', ')', ']', '*', '_', '`', '{']) {
        let start = offset + found;
        if let Some(code) = code.at(start) {
            // Code spans may have attributes; fenced code has its own.
            let is_inline = text[..code.end].ends_with('`') && !text[start..].starts_with("```");
            let after = is_inline.then(|| attributes_after(&mut writer, code.end));
            offset = after.flatten().unwrap_or(code.end);
            continue;
        }
        let end = match text.as_bytes()[start] {
            b':' => component(&mut writer, start),
            b'{' => binding(&mut writer, start, scope),
            b']' => span(&mut writer, start).or_else(|| attributes_after(&mut writer, start + 1)),
            b')' if !ends_link(&text[..start]) => None,
            _ => attributes_after(&mut writer, start + 1),
        };
        offset = end.unwrap_or(start + 1);
    }
    writer.finish()
}

/// Returns whether a parenthesis after `before` is the end of a link.
fn ends_link(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let target = line.rsplit_once("](").map(|(_, target)| target);
    target.is_some_and(|target| !target.contains(')'))
}

/// Replaces `:name[text]{attributes}` with its text and returns its end; `None` if it is not a component.
fn component(writer: &mut ExpansionWriter<'_>, start: usize) -> Option<usize> {
    let text = writer.source;
    let before = text[..start].chars().next_back();
    // Within words a colon is text: `12:30`, `https:`.
    if before.is_some_and(|before| !before.is_whitespace() && !"[*_(".contains(before)) {
        return None;
    }
    let rest = &text[start + 1..text.floor_char_boundary(start + INLINE_BYTES_MAX)];
    let length = rest.find(|character: char| !is_of_name(character));
    let mut end = length.unwrap_or(rest.len());
    let name = &rest[..end];
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic());
    // `:smile:` is an emoji.
    if !is_name || name.ends_with('_') || rest[end..].starts_with(':') {
        return None;
    }
    let mut words = "";
    if let Some(inside) = rest[end..].strip_prefix('[')
        && let Some((label, _)) = inside.split_once(']')
    {
        end += label.len() + 2;
        words = label;
    }
    end += list_of(&rest[end..]).unwrap_or_default();
    let end = start + 1 + end;
    writer.copy_to(start);
    writer.put(if name == "br" { "<br>" } else { words });
    writer.skip_to(end);
    Some(end)
}

/// Replaces `{{ $doc.title || 'default' }}` with the value in the front matter, or else the default, and returns its end.
fn binding(
    writer: &mut ExpansionWriter<'_>,
    start: usize,
    scope: ExpansionScope<'_>,
) -> Option<usize> {
    let text = writer.source;
    let window = &text[start..text.floor_char_boundary(start + INLINE_BYTES_MAX)];
    let (inside, _) = window.strip_prefix("{{")?.split_once("}}")?;
    let (name, default) = inside.split_once("||").unwrap_or((inside, ""));
    let value = name.trim().strip_prefix("$doc.");
    let value = value.and_then(|name| scope.environment.parameter(name));
    let default = default.trim().trim_matches(['\'', '"']);
    if value.is_none() && default.is_empty() {
        let name = name.trim();
        let remark = format!("the expression `{name}` is not evaluated and is left out");
        writer.remark(start, remark);
    }
    let end = start + inside.len() + "{{}}".len();
    writer.copy_to(start);
    writer.put(&markdown_text(value.as_deref().unwrap_or(default)));
    writer.skip_to(end);
    Some(end)
}

/// Replaces `[text]{attributes}` with its text and returns its end. `start` is the offset of the second bracket.
fn span(writer: &mut ExpansionWriter<'_>, start: usize) -> Option<usize> {
    let text = writer.source;
    let end =
        start + 1 + list_of(&text[start + 1..text.floor_char_boundary(start + INLINE_BYTES_MAX)])?;
    // The search ends at the text that is already written, which also bounds its time.
    let written = writer.offset();
    let mut depth = 0;
    let open = text[written..start]
        .char_indices()
        .rev()
        .find(|(_, character)| {
            match *character {
                ']' => depth += 1,
                '[' if depth == 0 => return true,
                '[' => depth -= 1,
                _ => {}
            }
            false
        });
    let open = written + open?.0;
    if text[..open].ends_with(['!', '\\']) {
        return None;
    }
    writer.copy_to(open);
    writer.skip_to(open + 1);
    writer.copy_to(start);
    writer.skip_to(end);
    Some(end)
}

/// Drops the attributes at the byte `start` and returns their end; `None` without any.
fn attributes_after(writer: &mut ExpansionWriter<'_>, start: usize) -> Option<usize> {
    let text = writer.source;
    let rest = &text[start..text.floor_char_boundary(start + INLINE_BYTES_MAX)];
    let end = start + list_of(rest)?;
    writer.copy_to(start);
    writer.skip_to(end);
    Some(end)
}

/// Returns the length of the attributes in braces at the beginning of a text, in bytes. Quoted values may contain braces.
fn list_of(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('{')?;
    let first = inside.trim_start().chars().next()?;
    let mut quote = None;
    for (offset, character) in inside.char_indices() {
        match (quote, character) {
            (_, '\n') => return None,
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '}') => {
                let is_list = first.is_ascii_alphabetic() || ".#:".contains(first);
                return is_list.then_some(offset + 2);
            }
            _ => {}
        }
    }
    None
}
