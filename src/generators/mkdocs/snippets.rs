//! Inserts files: `--8<-- "path"`, alone on a line, and `--8<--` around a list of paths. A path may select a section or
//! lines of the file: `path:section`, `path:1:3`.

use serde_json::Value;

use crate::generators::syntax::{
    ExpandedText, ExpansionScope, code::line_end, selected_lines::SelectedLines,
    writer::ExpansionWriter,
};

/// The mark of an inclusion, between any number of dashes.
const MARK: &str = "8<";

/// Replaces the inclusions in a text with the files.
pub(super) fn pass(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    if !text.contains(MARK) {
        return writer.finish();
    }
    let mut is_list = false;
    let mut offset = 0;
    while offset < text.len() {
        let end = line_end(text, offset);
        let line = text[offset..end].trim_end_matches(['\n', '\r']);
        let start = offset + (line.len() - line.trim_start().len());
        let directive = after_mark(line.trim());
        let paths = match directive {
            Some("") => {
                is_list = !is_list;
                Vec::new()
            }
            Some(written) => vec![unquoted(written)],
            None if is_list && !line.trim().is_empty() => vec![line.trim()],
            None => {
                offset = end;
                continue;
            }
        };
        writer.copy_to(offset);
        let indentation = &text[offset..start];
        for path in paths {
            insert(&mut writer, (offset, indentation), path, scope);
        }
        writer.skip_to(offset + line.len());
        offset = end;
    }
    writer.finish()
}

/// Returns the text after the mark at the beginning of a line.
fn after_mark(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('-');
    let has_dashes = line.len() > rest.len();
    let rest = rest.strip_prefix(MARK)?;
    let after = rest.trim_start_matches('-');
    (has_dashes && rest.len() > after.len()).then(|| after.trim())
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\''])
}

/// Inserts one file, indented like the line. Reports failures as remarks.
fn insert(
    writer: &mut ExpansionWriter<'_>,
    (offset, indentation): (usize, &str),
    written: &str,
    scope: ExpansionScope<'_>,
) {
    if written.starts_with("https://") || written.starts_with("http://") {
        let message = format!("the text at {written} is not included: URLs are not fetched");
        writer.remark(offset, message);
        return;
    }
    let (path, part) = match written.split_once(':') {
        Some((path, part)) => (path, part),
        None => (written, ""),
    };
    let folders = scope.environment.site.get("snippets");
    let folders = folders.and_then(Value::as_array).into_iter().flatten();
    let below = folders.filter_map(Value::as_str);
    let below: Vec<String> = below
        // The leading slash makes the path relative to the project and not to the document.
        .map(|folder| format!("/{}/{path}", folder.trim_matches(['.', '/'])))
        .collect();
    let found = below.iter().find_map(|path| scope.included(path).ok());
    let included = match found.map_or_else(|| scope.included(path), Ok) {
        Ok(included) => included,
        Err(refusal) => {
            writer.remark(
                offset,
                format!("the file `{path}` is not included: {refusal}"),
            );
            return;
        }
    };
    let selected = part_of(&included.text, part);
    let expanded = pass(&selected.text(), scope.within(&included));
    writer.remark_all(offset, &included.path, selected.in_file(expanded.remarks));
    let lines = expanded.text.lines();
    let lines: Vec<String> = lines.map(|line| format!("{indentation}{line}")).collect();
    writer.put(&lines.join("\n"));
}

/// Selects a section of a file, some of its lines, or the whole file, without the markers of sections.
fn part_of<'t>(text: &'t str, part: &str) -> SelectedLines<'t> {
    let (first, last) = part.split_once(':').unwrap_or((part, part));
    let number = |written: &str| written.trim().parse::<usize>().ok();
    let lines = match (number(first), number(last)) {
        (None, None) if !part.is_empty() && part != ":" => section(text, part),
        (first, last) => {
            SelectedLines::all(text).numbered(first.unwrap_or(1), last.unwrap_or(usize::MAX))
        }
    };
    // Markers of other sections in the part are not shown.
    lines.without(|line| line.contains("--8<-- ["))
}

/// Selects the lines of a section.
fn section<'t>(text: &'t str, name: &str) -> SelectedLines<'t> {
    let (start, end) = (
        format!("--8<-- [start:{name}]"),
        format!("--8<-- [end:{name}]"),
    );
    let lines = text.lines().enumerate();
    let lines = lines.skip_while(|(_, line)| !line.contains(&start));
    let lines = lines.skip(1).take_while(|(_, line)| !line.contains(&end));
    lines.collect()
}
