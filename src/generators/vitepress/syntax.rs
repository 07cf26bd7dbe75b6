//! Drops syntax of VitePress within lines: attribute lists, and titles of code, which are only shown in groups.

use std::sync::LazyLock;

use regex::Regex;

use crate::generators::{
    settings::literals::regex,
    syntax::{
        ExpandedText,
        code::{Code, ends_paragraph, line_end, verbatim_length},
        writer::ExpansionWriter,
    },
};

/// Drops the titles of code outside of `::: code-group`: ```` ```js [a.js] ````.
pub(super) fn without_lone_titles(text: &str) -> ExpandedText {
    static TITLE: LazyLock<Regex> = LazyLock::new(|| regex(r"[ \t]*\[[^\[\]\n]*\]"));
    let mut writer = ExpansionWriter::new(text);
    let mut group_colons = None;
    let mut offset = 0;
    while offset < text.len() {
        let end = line_end(text, offset);
        let line = &text[offset..end];
        if let Some(length) = verbatim_length(&text[offset..]) {
            let title = TITLE.find(line).filter(|_| group_colons.is_none());
            if let Some(title) = title {
                writer.copy_to(offset + title.start());
                writer.skip_to(offset + title.end());
            }
            offset += length;
            continue;
        }
        let written = line.trim();
        let colons = written.len() - written.trim_start_matches(':').len();
        if colons >= 3 {
            match group_colons {
                None if written[colons..].trim() == "code-group" => group_colons = Some(colons),
                Some(opened) if written.len() == colons && colons >= opened => group_colons = None,
                _ => {}
            }
        }
        offset = end;
    }
    writer.finish()
}

/// Drops attribute lists after links, images, code and emphasis, and at the end of paragraphs: `{target="_self"}`, `{.a}`.
/// Lists in headings are ids and are retained.
pub(super) fn without_attributes(text: &str) -> ExpandedText {
    static LIST: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"[)`*_\] \t]\{[ ]*(?:[.#][A-Za-z0-9_-]+|[A-Za-z0-9_:-]+=(?:"[^"\n]*"|[^ \t\n"{}]+))(?:[ ]+(?:[.#][A-Za-z0-9_-]+|[A-Za-z0-9_:-]+(?:=(?:"[^"\n]*"|[^ \t\n"{}]+))?))*[ ]*\}"#,
        )
    });
    let mut writer = ExpansionWriter::new(text);
    if !text.contains('{') {
        return writer.finish();
    }
    let code = Code::of(text);
    for found in LIST.find_iter(text) {
        let start = found.start() + 1;
        let line_start = text[..start].rfind('\n').map_or(0, |offset| offset + 1);
        let is_heading = text[line_start..start].trim_start().starts_with('#');
        let is_apart = text[..start].ends_with([' ', '\t']);
        if code.at(start).is_none()
            && !is_heading
            && (!is_apart || ends_paragraph(&text[found.end()..]))
        {
            writer.copy_to(start);
            writer.skip_to(found.end());
        }
    }
    writer.finish()
}
