//! Expands syntax of VitePress and VuePress: containers and included files. Scripts, styles and tables of contents are
//! dropped.

use std::{borrow::Cow, ops::Range};

use serde_json::Value as Json;

use crate::generators::syntax::{
    ExpandedText, ExpansionScope, IncludedFile, callout,
    code::{Code, TextParts, line_end},
    directives::{Containers, OtherContainers},
    escape::inline_markdown,
    rebase::rebased,
    selected_lines::SelectedLines,
    writer::{ExpansionWriter, fence_for},
};

/// Maximum length of a line with an inclusion, in bytes. Longer ones are text.
const LINE_BYTES_MAX: usize = 1_000;

/// The site variable with the folders of the path prefixes of included files.
pub const INCLUSION_PREFIXES: &str = "include.resolvePath";

/// The containers of VitePress and VuePress 1.
pub static CONTAINERS: Containers = OWN_CONTAINERS;

const OWN_CONTAINERS: Containers = Containers {
    mark: ':',
    callouts: &[
        "tip",
        "info",
        "note",
        "warning",
        "danger",
        "caution",
        "important",
        "details",
    ],
    style: container,
    others: OtherContainers::Titled,
    has_code_titles: false,
};

/// The containers of VuePress 2, which have other default titles.
pub static CONTAINERS_2: Containers = Containers {
    style: container_2,
    ..OWN_CONTAINERS
};

/// Returns the markup of a container.
fn container(kind: &str, title: Option<&str>) -> (String, String) {
    let own = match kind {
        "details" => "Details".to_owned(),
        _ => kind.to_uppercase(),
    };
    with_title(kind, title, own)
}

/// Returns the markup of a container of VuePress 2.
fn container_2(kind: &str, title: Option<&str>) -> (String, String) {
    let own = match kind {
        "tip" => "Tips".to_owned(),
        "danger" => "Caution".to_owned(),
        _ => callout::title_of(kind),
    };
    with_title(kind, title, own)
}

/// Returns the markup of a container with the default title `own`.
fn with_title(kind: &str, title: Option<&str>, own: String) -> (String, String) {
    let title = title.map_or(own, inline_markdown);
    if kind == "details" {
        let open = format!("<details class=\"details custom-block\"><summary>{title}</summary>");
        return (open, "</details>".to_owned());
    }
    let open =
        format!("<div class=\"{kind} custom-block\"><p class=\"custom-block-title\">{title}</p>");
    (open, "</div>".to_owned())
}

/// Removes the parts of a document that are not content: `<script>` and `<style>` at the beginning of lines, which are code
/// of its component, and tables of contents, `[[toc]]`.
pub fn hide(text: &str) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    let has_any = ["<script", "<style", "[[toc]]", "[[TOC]]", "[[Toc]]"];
    if !has_any.iter().any(|mark| text.contains(mark)) {
        return writer.finish();
    }
    let mut parts = TextParts::of(text);
    while let Some(part) = parts.next() {
        if part.is_code {
            continue;
        }
        let element = ["script", "style"]
            .into_iter()
            .find(|name| is_opening(part.text, name));
        if let Some(name) = element {
            let close = format!("</{name}>");
            let length = text[part.start..].find(&close);
            let Some(end) = length.map(|length| part.start + length + close.len()) else {
                // The element is not closed, so it is text like the rest.
                break;
            };
            writer.copy_to(part.start);
            writer.skip_to(end);
            parts.continue_at(end);
        } else if part.text.trim().eq_ignore_ascii_case("[[toc]]") {
            writer.copy_to(part.start);
            writer.skip_to(part.end());
        }
    }
    writer.finish()
}

/// Returns whether a line begins with the opening tag of the element `name`.
fn is_opening(line: &str, name: &str) -> bool {
    let rest = line
        .strip_prefix('<')
        .and_then(|rest| rest.strip_prefix(name));
    rest.is_some_and(|rest| rest.starts_with(['>', ' ', '\n', '\r']))
}

/// The base of relative links in an included file.
#[derive(Clone, Copy)]
pub enum LinkBase {
    /// The including document, as in VitePress.
    Document,
    /// The included file itself, as in VuePress.
    IncludedFile,
}

/// Inserts files: code by `<<< @/file.js#region{js}` and `@[code{1-3} js](file.js)`, Markdown by
/// `<!-- @include: ./file.md#region{1,3} -->`.
pub fn include(text: &str, scope: ExpansionScope<'_>, base: LinkBase) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    let has_any = ["<<<", "@[code", "@include"]
        .iter()
        .any(|mark| text.contains(mark));
    if !has_any {
        return writer.finish();
    }
    let code = Code::of(text);
    let mut offset = 0;
    while offset < text.len() {
        let end = line_end(text, offset);
        let line = text[offset..end].trim_end_matches(['\n', '\r']);
        let content = line.trim();
        let start = offset + (line.len() - line.trim_start().len());
        if content.len() <= LINE_BYTES_MAX && code.at(start).is_none() {
            let tag = start..offset + line.len();
            if let Some(written) = content.strip_prefix("<<<") {
                let code = IncludedCode::of_vitepress(written.trim());
                insert_code(&mut writer, tag, &code, scope);
            } else if let Some(code) = IncludedCode::of_vuepress(content) {
                insert_code(&mut writer, tag, &code, scope);
            } else if let Some(part) = IncludedPart::of_markdown(content) {
                insert_markdown(&mut writer, tag, &part, scope, base);
            }
        }
        offset = end;
    }
    writer.finish()
}

/// Replaces the tag of an inclusion with the included part, or with a remark why the file is not included.
fn insert(
    writer: &mut ExpansionWriter<'_>,
    tag: Range<usize>,
    part: &IncludedPart<'_>,
    scope: ExpansionScope<'_>,
    write: impl FnOnce(&mut ExpansionWriter<'_>, &IncludedFile, &SelectedLines<'_>),
) {
    writer.copy_to(tag.start);
    writer.skip_to(tag.end);
    let path = part.path;
    match scope.included(&resolved(path, scope)) {
        Ok(file) => {
            let selected = part.select(&file.text);
            if selected.is_none() {
                let name = part.region.unwrap_or_default();
                let message =
                    format!("the file `{path}` has no region `{name}` and is included as a whole");
                writer.remark(tag.start, message);
            }
            let selected = selected.unwrap_or_else(|| SelectedLines::all(&file.text));
            write(writer, &file, &selected);
        }
        Err(refusal) => writer.remark(
            tag.start,
            format!("the file `{path}` is not included: {refusal}"),
        ),
    }
}

/// Resolves a path with a prefix in the settings to a path from the root of the project. Other paths are unchanged.
fn resolved<'t>(path: &'t str, scope: ExpansionScope<'_>) -> Cow<'t, str> {
    let prefixes = scope.environment.site.get(INCLUSION_PREFIXES);
    let mut prefixes = prefixes.and_then(Json::as_object).into_iter().flatten();
    let found = prefixes.find_map(|(prefix, folder)| {
        let below = path.strip_prefix(prefix.as_str())?;
        Some(format!(
            "/{}/{}",
            folder.as_str()?,
            below.trim_start_matches('/')
        ))
    });
    found.map_or(Cow::Borrowed(path), Cow::Owned)
}

/// The part of a file to include.
struct IncludedPart<'t> {
    /// The path of the file.
    path: &'t str,
    /// The name of the region to include.
    region: Option<&'t str>,
    /// The first and the last line to include, from 1.
    lines: (usize, usize),
}

impl<'t> IncludedPart<'t> {
    /// Parses `file.js#region`. Text after a brace or a space is ignored.
    fn of(written: &'t str) -> Self {
        let end_of = |text: &str| text.find(['#', '{', ' ']).unwrap_or(text.len());
        let (path, rest) = written.split_at(end_of(written));
        let region = rest.strip_prefix('#').map(|rest| &rest[..end_of(rest)]);
        Self {
            path,
            region: region.filter(|name| !name.is_empty()),
            lines: (1, usize::MAX),
        }
    }

    /// Parses a line `<!-- @include: file.md#region{1,3} -->`.
    fn of_markdown(line: &'t str) -> Option<Self> {
        let comment = line.strip_prefix("<!--")?.strip_suffix("-->")?;
        let written = comment.trim().strip_prefix("@include:")?.trim();
        let lines = written.split_once('{').map(|(_, rest)| rest);
        let lines = lines.and_then(|rest| rest.strip_suffix('}'));
        let part = Self {
            lines: line_numbers(lines.unwrap_or_default()),
            ..Self::of(written)
        };
        (!part.path.is_empty()).then_some(part)
    }

    /// Selects this part of the text of a file; `None` if the file does not have the region.
    fn select<'f>(&self, text: &'f str) -> Option<SelectedLines<'f>> {
        let lines = match self.region {
            Some(name) => region_of(text, name)?,
            None => SelectedLines::all(text),
        };
        let (first, last) = self.lines;
        Some(lines.numbered(first, last))
    }
}

/// The code to include.
struct IncludedCode<'t> {
    part: IncludedPart<'t>,
    /// The language of the code.
    language: &'t str,
}

impl<'t> IncludedCode<'t> {
    /// Returns the code that `file.js#region{2}` includes. The braces name highlighted lines.
    fn of_vitepress(written: &'t str) -> Self {
        let part = IncludedPart::of(written);
        let extension = part.path.rsplit_once('.').map(|(_, extension)| extension);
        Self {
            part,
            language: extension.unwrap_or_default(),
        }
    }

    /// Returns the code that a line `@[code{1-3} js](file.js)` includes.
    fn of_vuepress(line: &'t str) -> Option<Self> {
        let (options, path) = line
            .strip_prefix("@[code")?
            .strip_suffix(')')?
            .split_once("](")?;
        let (lines, language) = match options.strip_prefix('{') {
            Some(options) => options.split_once('}')?,
            None => ("", options),
        };
        let end = language.find(['{', ':']).unwrap_or(language.len());
        let code = Self::of_vitepress(path.trim());
        Some(Self {
            part: IncludedPart {
                lines: line_numbers(lines),
                ..code.part
            },
            language: match language[..end].trim() {
                "" => code.language,
                language => language,
            },
        })
    }
}

/// Parses the numbers of the first and the last line: `3`, `1-3`, `-3`, `3-`, `1,3`.
fn line_numbers(written: &str) -> (usize, usize) {
    let written = written.trim();
    let (first, last) = written.split_once(['-', ',']).unwrap_or((written, written));
    let number = |text: &str, other: usize| text.trim().parse().unwrap_or(other);
    (number(first, 1), number(last, usize::MAX))
}

fn insert_code(
    writer: &mut ExpansionWriter<'_>,
    tag: Range<usize>,
    code: &IncludedCode<'_>,
    scope: ExpansionScope<'_>,
) {
    insert(writer, tag, &code.part, scope, |writer, _, selected| {
        let text = selected.text();
        let (fence, language, text) = (fence_for(&text), code.language, text.trim_end());
        writer.put(&format!("{fence}{language}\n{text}\n{fence}"));
    });
}

/// Selects the lines between the comments `#region name` and `#endregion name`, without the comments of other regions; `None`
/// if there is no such region.
fn region_of<'t>(text: &'t str, name: &str) -> Option<SelectedLines<'t>> {
    let mut lines = text.lines().enumerate();
    lines.find(|(_, line)| region_name(line, "#region") == Some(name))?;
    let is_end = |line: &str| {
        let ended = region_name(line, "#endregion");
        ended.is_some_and(|ended| ended.is_empty() || ended == name)
    };
    let inside = lines.take_while(|(_, line)| !is_end(line));
    let is_comment = |line: &str| line.contains("#region") || line.contains("#endregion");
    Some(inside.filter(|(_, line)| !is_comment(line)).collect())
}

/// Returns the name after `mark` in a line, without the end mark of a comment; `None` if the line does not contain `mark`.
fn region_name<'t>(line: &'t str, mark: &str) -> Option<&'t str> {
    let (_, rest) = line.split_once(mark)?;
    let word = rest.split_whitespace().next().unwrap_or_default();
    Some(word.trim_end_matches("-->").trim_end_matches("*/"))
}

fn insert_markdown(
    writer: &mut ExpansionWriter<'_>,
    tag: Range<usize>,
    part: &IncludedPart<'_>,
    scope: ExpansionScope<'_>,
    base: LinkBase,
) {
    let start = tag.start;
    insert(writer, tag, part, scope, |writer, file, selected| {
        let text = selected.text() + "\n";
        let (body, head_lines) = super::without_front_matter(&text);
        let body = match base {
            LinkBase::Document => Cow::Borrowed(body),
            LinkBase::IncludedFile => rebased(body, &file.path, scope.environment.file),
        };
        // Only inclusions are expanded here. The other passes run later, over the whole document.
        let mut expanded = include(&body, scope.within(file), base);
        for remark in &mut expanded.remarks {
            remark.line += head_lines;
        }
        writer.remark_all(start, &file.path, selected.in_file(expanded.remarks));
        writer.put(expanded.text.trim_end());
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_files_are_selected_by_region_and_lines() {
        let text =
            "a\n// #region one\nb\n// #region two\nc\n// #endregion two\nd\n/* #endregion */\ne\n";
        for (line, expected) in [
            ("<!--@include: f.md-->", Some(text.trim_end())),
            ("<!-- @include: f.md#one -->", Some("b\nc\nd")),
            ("<!-- @include: f.md#two -->", Some("c")),
            ("<!-- @include: f.md#one{2,} -->", Some("c\nd")),
            ("<!-- @include: f.md{9-} -->", Some("e")),
            ("<!-- @include: f.md{,1} -->", Some("a")),
            ("<!-- @include: f.md{10,1} -->", Some("")),
            ("<!-- @include: f.md#none{1,1} -->", None),
        ] {
            let part = IncludedPart::of_markdown(line).unwrap();
            let selected = part.select(text).map(|selected| selected.text());
            assert_eq!(part.path, "f.md", "{line}");
            assert_eq!(selected.as_deref(), expected, "{line}");
        }
        for line in [
            "<!-- @included: f.md -->",
            "<!-- @include: -->",
            "@include: f.md",
        ] {
            assert!(IncludedPart::of_markdown(line).is_none(), "{line}");
        }
    }
}
