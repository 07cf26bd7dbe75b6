//! Replaces or drops placeholders for tables of contents: `[TOC]` of Python-Markdown, which its extension replaces, and
//! those of editors.

use crate::generators::syntax::{
    ExpandedText,
    code::{TextParts, fence_mark},
    writer::ExpansionWriter,
};

/// The placeholder of Python-Markdown, alone on a line.
const MARK: &str = "[TOC]";

/// The placeholder of kramdown, which Galley renders.
const LIST: &str = "- contents\n{:toc}\n";

/// Replaces `[TOC]` with a table of contents, or drops it unless `is_shown`, because a plugin shows the table elsewhere.
pub fn pass(text: &str, is_shown: bool) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    if !text.contains(MARK) {
        return writer.finish();
    }
    for part in TextParts::of(text) {
        let is_mark = part.text.trim_end() == MARK && !part.is_code;
        if is_mark {
            writer.copy_to(part.start);
            writer.put(if is_shown { LIST } else { "\n" });
            writer.skip_to(part.end());
        }
    }
    writer.finish()
}

/// The placeholders of editors and of markdown-it plugins, in lower case.
const MARKS: [&str; 5] = ["[toc]", "[[toc]]", "[[_toc_]]", "@[toc]", "${toc}"];

/// Drops the placeholders of editors, such as Typora's `[toc]`, and of markdown-it plugins, such as `${toc}`.
pub fn leave_out(text: &str) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    for part in TextParts::of(text) {
        let line = part.text.trim();
        let is_mark =
            line.ends_with([']', '}']) && line.len() <= "[[_toc_]]".len() && !part.is_code;
        if is_mark && MARKS.contains(&line.to_lowercase().as_str()) {
            writer.copy_to(part.start);
            writer.put("\n");
            writer.skip_to(part.end());
        }
    }
    writer.finish()
}

/// Drops code blocks in the language `toc`. A Gatsby plugin replaces them with a table of contents, and their lines are its
/// options.
pub fn leave_out_fences(text: &str) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    for part in TextParts::of(text).filter(|part| part.is_code) {
        let line = part.text.lines().next().unwrap_or_default().trim();
        let info = fence_mark(line).and_then(|(_, marks)| line.get(marks..));
        if info.is_some_and(|info| info.trim() == "toc") {
            writer.copy_to(part.start);
            writer.put("\n");
            writer.skip_to(part.end());
        }
    }
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_of_a_table_of_contents_are_left_out() {
        let text = "a\n\n```toc\nexclude: b\n```\n\n```js\nc\n```\n";
        assert_eq!(leave_out_fences(text).text, "a\n\n\n\n```js\nc\n```\n");
        assert_eq!(leave_out("${toc}\n\n[[toc]]\n").text, "\n\n\n");
    }

    #[test]
    fn marks_of_editors_are_left_out() {
        let text = "@[toc]\n\n[TOC]\na [toc]\n```\n[toc]\n```\n";
        assert_eq!(leave_out(text).text, "\n\n\na [toc]\n```\n[toc]\n```\n");
    }

    #[test]
    fn marks_alone_in_a_line_are_replaced() {
        for (text, expected) in [
            ("[TOC]\n\na\n", "- contents\n{:toc}\n\na\n"),
            ("a [TOC]\n", "a [TOC]\n"),
            ("```\n[TOC]\n```\n", "```\n[TOC]\n```\n"),
        ] {
            assert_eq!(pass(text, true).text, expected);
        }
        assert_eq!(pass("a\n\n[TOC]\n\nb\n", false).text, "a\n\n\n\nb\n");
    }
}
