//! Expands syntax of VitePress and VuePress: containers and included files. Scripts, styles and tables of contents are
//! dropped.

use std::borrow::Cow;

use serde_json::Value as Json;

use crate::generators::syntax::{
    ExpandedText, ExpansionScope, IncludedFile, callout,
    code::{Code, TextParts, line_end},
    directives::{Containers, OtherContainers},
    escape::inline_markdown,
    rebase::rebased,
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

/// Inserts files: code by `<<< @/file{js}` and `@[code js](file)`, Markdown by `<!--@include: ./file.md-->` and `@include(file)`.
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
            if let Some(written) = content.strip_prefix("<<<") {
                let included = IncludedCode::of_vitepress(written.trim());
                insert_code(&mut writer, (start, offset + line.len()), included, scope);
            } else if let Some(included) = IncludedCode::of_vuepress(content) {
                insert_code(&mut writer, (start, offset + line.len()), included, scope);
            } else if let Some(written) = included_markdown(content) {
                let tag = (start, offset + line.len());
                insert_markdown(&mut writer, tag, written, scope, base);
            }
        }
        offset = end;
    }
    writer.finish()
}

/// Returns the path of the Markdown file that a line includes.
fn included_markdown(line: &str) -> Option<&str> {
    let comment = line
        .strip_prefix("<!--")
        .and_then(|rest| rest.strip_suffix("-->"));
    let of_comment = comment.and_then(|comment| comment.trim().strip_prefix("@include:"));
    let of_vuepress = comment.and_then(|comment| comment.trim().strip_prefix("@include"));
    let of_vuepress = of_vuepress.and_then(|rest| rest.trim().strip_prefix(':').or(Some(rest)));
    let path = of_comment.or(of_vuepress)?.trim();
    (!path.is_empty()).then_some(path)
}

/// Returns the path of a file without the part to include: `#region`, `{1,3}`.
fn without_part(written: &str) -> &str {
    let end = written.find(['#', '{', ' ']);
    written[..end.unwrap_or(written.len())].trim()
}

/// Replaces the tag that includes a file with the file, or with a remark why the file is not included.
fn insert(
    writer: &mut ExpansionWriter<'_>,
    (start, end): (usize, usize),
    path: &str,
    scope: ExpansionScope<'_>,
    write: impl FnOnce(&mut ExpansionWriter<'_>, &IncludedFile),
) {
    writer.copy_to(start);
    writer.skip_to(end);
    match scope.included(&resolved(path, scope)) {
        Ok(file) => write(writer, &file),
        Err(refusal) => writer.remark(
            start,
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

/// The code to include.
struct IncludedCode<'t> {
    /// The path of the file.
    path: &'t str,
    /// The name of the region to include.
    region: Option<&'t str>,
    /// The first and the last line to include, from 1.
    lines: (usize, usize),
    /// The language of the code.
    language: &'t str,
}

impl<'t> IncludedCode<'t> {
    /// Returns the code that `file.js#region` includes.
    fn of_vitepress(written: &'t str) -> Self {
        let path = without_part(written);
        let region = written[path.len()..].strip_prefix('#');
        Self {
            path,
            region: region.map(without_part).filter(|name| !name.is_empty()),
            lines: (1, usize::MAX),
            language: path.rsplit_once('.').map_or("", |(_, extension)| extension),
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
        let language = language[..end].trim();
        let included = Self::of_vitepress(path.trim());
        Some(Self {
            lines: line_numbers(lines),
            language: match language {
                "" => included.language,
                language => language,
            },
            ..included
        })
    }
}

/// Parses the numbers of the first and the last line: `3`, `1-3`, `-3`, `3-`.
fn line_numbers(written: &str) -> (usize, usize) {
    let written = written.trim();
    let (first, last) = written.split_once('-').unwrap_or((written, written));
    let number = |text: &str, other: usize| text.trim().parse().unwrap_or(other);
    (number(first, 1), number(last, usize::MAX))
}

fn insert_code(
    writer: &mut ExpansionWriter<'_>,
    tag: (usize, usize),
    included: IncludedCode<'_>,
    scope: ExpansionScope<'_>,
) {
    insert(writer, tag, included.path, scope, |writer, file| {
        let region = included.region;
        let code = region.map_or_else(|| file.text.clone(), |name| region_of(&file.text, name));
        let (first, last) = included.lines;
        let lines = code.lines().take(last).skip(first.saturating_sub(1));
        let code = lines.collect::<Vec<_>>().join("\n");
        let language = included.language;
        let fence = fence_for(&code);
        writer.put(&format!("{fence}{language}\n{}\n{fence}", code.trim_end()));
    });
}

/// Returns the lines between the comments `#region name` and `#endregion`.
fn region_of(text: &str, name: &str) -> String {
    let is_start = |line: &&str| {
        let region = line.split_once("#region").map(|(_, rest)| rest.trim());
        region.is_some_and(|rest| rest.split_whitespace().next() == Some(name))
    };
    let lines = text.lines().skip_while(|line| !is_start(line)).skip(1);
    let lines = lines.take_while(|line| !line.contains("#endregion"));
    lines.collect::<Vec<_>>().join("\n")
}

fn insert_markdown(
    writer: &mut ExpansionWriter<'_>,
    tag: (usize, usize),
    written: &str,
    scope: ExpansionScope<'_>,
    base: LinkBase,
) {
    insert(writer, tag, without_part(written), scope, |writer, file| {
        let body = super::without_front_matter(&file.text).0;
        let body = match base {
            LinkBase::Document => Cow::Borrowed(body),
            LinkBase::IncludedFile => rebased(body, &file.path, scope.environment.file),
        };
        // Only inclusions are expanded here. The other passes run later, over the whole document.
        let expanded = include(&body, scope.within(file), base);
        writer.remark_all(tag.0, &file.path, expanded.remarks);
        writer.put(expanded.text.trim_end());
    });
}
