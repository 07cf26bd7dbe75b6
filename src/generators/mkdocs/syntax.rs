//! Expands syntax of Material for MkDocs within lines: icons `:material-anchor:`, attribute lists `{ .class #id }`, keys
//! `++ctrl+c++`.

use crate::generators::mkdocs::settings;
use crate::generators::syntax::{
    ExpandedText, ExpansionScope, attribute_lists,
    code::{Code, is_item, line_end},
    directives::{Containers, OtherContainers},
    escape::{html, markdown_text},
    indented,
    writer::ExpansionWriter,
};

/// The prefixes of icon names, one for each set of icons.
const ICONS: [&str; 4] = ["material-", "fontawesome-", "octicons-", "simple-"];

/// Text without output: an empty extension of kramdown.
const EMPTY_TEXT: &str = "{::comment/}";

/// Maximum length of an icon or keys, in bytes. Longer ones are text.
const LENGTH_MAX: usize = 300;

/// Blocks between lines of slashes: `/// note | Title`.
pub(super) static BLOCKS: Containers = Containers {
    mark: '/',
    callouts: &[
        "note",
        "abstract",
        "info",
        "tip",
        "success",
        "question",
        "warning",
        "failure",
        "danger",
        "bug",
        "example",
        "quote",
        "attention",
        "caution",
        "error",
        "hint",
        "important",
        "details",
        "tab",
        "check",
    ],
    style: indented::admonition,
    others: OtherContainers::Elements,
    has_code_titles: false,
};

/// Drops documentation that plugins generate from code: `::: module.name`, with the indented options below it. If the line
/// is a heading, `## ::: module.name`, the heading is retained.
pub(super) fn without_generated(text: &str) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    let code = Code::of(text);
    let mut offset = 0;
    while offset < text.len() {
        let start = offset;
        offset = line_end(text, offset);
        let line = &text[start..offset];
        let marks = &line[..line.len() - line.trim_start_matches('#').len()];
        let name = line[marks.len()..].trim_start_matches(' ');
        let name = name.strip_prefix("::: ").map(str::trim);
        let Some(name) = name.filter(|name| !name.is_empty() && code.at(start).is_none()) else {
            continue;
        };
        let message =
            format!("the documentation of `{name}` is generated from code and is left out");
        writer.remark(start, message);
        writer.copy_to(start);
        if !marks.is_empty() {
            writer.put(&format!("{marks} {}\n", markdown_text(name)));
        }
        // The indented lines are options of the plugin in YAML.
        while offset < text.len() && text[offset..].starts_with([' ', '\t']) {
            offset = line_end(text, offset);
        }
        writer.skip_to(offset);
    }
    writer.finish()
}

/// Expands icons and attribute lists in a text, and keys if the project has their extension.
pub(super) fn pass(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    let has_keys = scope.environment.site.contains_key(settings::KEYS);
    let mut writer = ExpansionWriter::new(text);
    let code = Code::of(text);
    let mut offset = 0;
    while let Some(found) = text[offset..].find([':', '{', '+']) {
        let start = offset + found;
        if let Some(code) = code.at(start) {
            offset = code.end;
            continue;
        }
        let end = match text.as_bytes()[start] {
            b':' => icon(&mut writer, start),
            b'{' => attribute_lists::rewrite(&mut writer, start),
            // Without the extension, `++` is text.
            _ if has_keys => keys(&mut writer, start),
            _ => None,
        };
        offset = end.unwrap_or(start + 1);
    }
    writer.finish()
}

/// Drops an icon, its attributes, and the spaces that separate it from the text after it. Returns the end of the dropped
/// text; `None` if there is no icon at the byte `start`.
fn icon(writer: &mut ExpansionWriter<'_>, start: usize) -> Option<usize> {
    let rest = window(writer.source, start);
    let name = rest[1..].split_once(':')?.0;
    let is_of_name = |character: char| character.is_ascii_alphanumeric() || character == '-';
    if !ICONS.iter().any(|set| name.starts_with(set)) || !name.chars().all(is_of_name) {
        return None;
    }
    let mut end = start + name.len() + 2;
    if let Some(list) = attribute_lists::at(writer.source, end) {
        end += list.len();
    }
    writer.copy_to(start);
    if begins_text(writer.written()) {
        let source = writer.source;
        let rest = source[end..].trim_start_matches([' ', '\t']);
        end = source.len() - rest.len();
        let line = writer.written().rsplit('\n').next().unwrap_or_default();
        // Without text, the item would end before the blocks below it.
        if rest.starts_with('\n') && is_mark_of_item(line) {
            writer.put(EMPTY_TEXT);
        }
    }
    writer.skip_to(end);
    Some(end)
}

/// Returns whether a line is only the marker of a list item.
fn is_mark_of_item(line: &str) -> bool {
    let line = line.trim_start();
    is_item(line) && !line.trim_end().contains([' ', '\t'])
}

/// Returns whether the text after `before` begins a line, an item or a part of a line, or follows a space.
fn begins_text(before: &str) -> bool {
    let outside = before.trim_end_matches(['*', '_', '~', '=']);
    outside.is_empty() || outside.ends_with([' ', '\t', '\n', '[', '(', '|', '>'])
}

/// Expands keys and returns their end; `None` if there are none at the byte `start`.
fn keys(writer: &mut ExpansionWriter<'_>, start: usize) -> Option<usize> {
    let rest = window(writer.source, start);
    let inside = rest.strip_prefix("++")?.split_once("++")?.0;
    let is_of_key = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    let is_key = |key: &str| {
        let quoted = key.strip_prefix('"').and_then(|key| key.strip_suffix('"'));
        let is_text = quoted.is_some_and(|text| !text.is_empty() && !text.contains(['"', '\n']));
        is_text || !key.is_empty() && key.chars().all(is_of_key)
    };
    if !inside.split('+').all(is_key) {
        return None;
    }
    let keys = inside
        .split('+')
        .map(|key| format!("<kbd>{}</kbd>", html(&display_name(key))));
    let keys: Vec<String> = keys.collect();
    let end = start + inside.len() + 4;
    writer.copy_to(start);
    writer.put(&format!(
        "<span class=\"keys\">{}</span>",
        keys.join("<span>+</span>")
    ));
    writer.skip_to(end);
    Some(end)
}

/// Returns the displayed name of a key: `Page Up` for `page-up`.
fn display_name(key: &str) -> String {
    if key.starts_with('"') {
        return key.trim_matches('"').to_owned();
    }
    let words = key.split('-').map(|word| {
        let mut characters = word.chars();
        let first = characters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(characters).collect::<String>()
    });
    words.collect::<Vec<_>>().join(" ")
}

fn window(text: &str, start: usize) -> &str {
    &text[start..text.floor_char_boundary(start + LENGTH_MAX)]
}
