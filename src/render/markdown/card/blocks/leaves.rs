//! Blocks that contain no other blocks: code, headings, rules, HTML and paragraphs.

use std::borrow::Cow;

use super::super::lines::{self, TAB_COLUMNS, is_blank};
use super::html_blocks::HtmlStart;
use super::{Block, BlockParser, Ended};
use crate::render::heading_id;

/// Maximum number of hashes of a heading.
const HASHES_MAX: usize = 6;

/// The least number of marks of a fence or a rule.
const MARKS_MIN: usize = 3;

/// The beginning of a fence.
pub(super) struct FenceStart<'a> {
    mark: u8,
    length: usize,
    info: &'a str,
}

impl<'a> BlockParser<'a> {
    pub(super) fn indented_code(&mut self, start: usize, end: usize) -> bool {
        if !self.is_code(start) {
            return false;
        }
        let mut code_end = start + 1;
        for line in start + 1..end {
            if self.lines[line].is_empty() {
                continue;
            }
            if !self.is_code(line) {
                break;
            }
            code_end = line + 1;
        }
        self.line = code_end;
        let indent = self.indent + TAB_COLUMNS;
        let mut code = lines::joined(self.source, &self.lines[start..code_end], indent, false);
        code.to_mut().push('\n');
        self.blocks.push(Block::Code(code));
        true
    }

    pub(super) fn fence_start(&self, line: usize) -> Option<FenceStart<'a>> {
        let text = self.text(line);
        let mark = *text.as_bytes().first()?;
        if self.is_code(line) || !matches!(mark, b'`' | b'~') {
            return None;
        }
        let info = text.trim_start_matches(char::from(mark));
        let length = text.len() - info.len();
        // If another backtick follows them, backticks are inline code (CommonMark, "Fenced code
        // blocks").
        let is_fence = length >= MARKS_MIN && !(mark == b'`' && info.contains('`'));
        is_fence.then_some(FenceStart { mark, length, info })
    }

    pub(super) fn fence(&mut self, start: usize, end: usize) -> bool {
        let Some(fence) = self.fence_start(start) else {
            return false;
        };
        let mut code_end = start + 1;
        let mut is_closed = false;
        while code_end < end {
            let line = &self.lines[code_end];
            // A line to the left of the list item ends the item, and the fence in it.
            if !line.is_empty() && line.indent < self.indent {
                break;
            }
            is_closed = !self.is_code(code_end) && fence.is_closed_by(line.text(self.source));
            if is_closed {
                break;
            }
            code_end += 1;
        }
        self.line = code_end + usize::from(is_closed);
        let indent = self.lines[start].indent;
        let code = lines::joined(self.source, &self.lines[start + 1..code_end], indent, true);
        self.blocks.push(Block::Fence {
            info: fence.info,
            code,
        });
        true
    }

    pub(super) fn is_rule(&self, line: usize) -> bool {
        let text = self.text(line).as_bytes();
        let Some(mark @ (b'*' | b'-' | b'_')) = text.first() else {
            return false;
        };
        !self.is_code(line)
            && text.iter().all(|byte| byte == mark || is_blank(*byte))
            && text.iter().filter(|byte| *byte == mark).count() >= MARKS_MIN
    }

    pub(super) fn rule(&mut self, line: usize) -> bool {
        let is_rule = self.is_rule(line);
        if is_rule {
            self.line = line + 1;
            self.blocks.push(Block::Rule);
        }
        is_rule
    }

    /// Returns the number of hashes of a heading. Where a heading ends a quote or a table, it may
    /// be indented by any number of columns.
    pub(super) fn heading_level(&self, line: usize) -> Option<usize> {
        let text = self.text(line);
        let hashes = text.len() - text.trim_start_matches('#').len();
        (1..=HASHES_MAX).contains(&hashes).then_some(hashes)
    }

    pub(super) fn heading(&mut self, line: usize) -> bool {
        let Some(level) = self.heading_level(line) else {
            return false;
        };
        let content = self.text(line)[level..].trim_end_matches(' ');
        let unclosed = content.trim_end_matches('#');
        // Hashes close a heading only after a space, not after a tab (recorded:
        // `heading/tab-at-end`).
        let content = if unclosed.ends_with(' ') {
            unclosed
        } else {
            content
        };
        self.line = line + 1;
        self.blocks.push(Block::Heading {
            level,
            text: Cow::Borrowed(content.trim_matches(heading_id::is_blank)),
        });
        true
    }

    /// Parses a heading with a line of `=` or `-` below it.
    pub(super) fn underlined_heading(&mut self, start: usize, end: usize) -> bool {
        if self.is_code(start) {
            return false;
        }
        let mut line = start + 1;
        while line < end && !self.lines[line].is_empty() {
            // A line indented as code continues the paragraph, whatever it contains.
            if !self.is_code(line) {
                if let Some(level) = self.underline_level(line) {
                    self.line = line + 1;
                    let text = self.trimmed_text(start, line);
                    self.blocks.push(Block::Heading { level, text });
                    return true;
                }
                if self.ends_paragraph(line, end) {
                    return false;
                }
            }
            line += 1;
        }
        false
    }

    fn underline_level(&self, line: usize) -> Option<usize> {
        let text = self.text(line);
        let level = match text.as_bytes().first()? {
            b'=' => 1,
            b'-' => 2,
            _ => return None,
        };
        let mark = if level == 1 { '=' } else { '-' };
        let is_underline = self.lines[line].indent >= self.indent
            && text.trim_start_matches(mark).bytes().all(is_blank);
        is_underline.then_some(level)
    }

    pub(super) fn paragraph(&mut self, start: usize, end: usize) {
        let mut line = start + 1;
        while line < end
            && !self.lines[line].is_empty()
            && (self.is_code(line) || !self.ends_paragraph(line, end))
        {
            line += 1;
        }
        self.line = line;
        let text = self.trimmed_text(start, line);
        self.blocks.push(Block::Paragraph {
            text,
            level: self.level,
            is_tight: false,
        });
    }

    /// Returns whether a line that is not indented as code ends a paragraph.
    fn ends_paragraph(&self, line: usize, end: usize) -> bool {
        // Lines without a quote marker have already been assigned to the quote.
        self.lines[line].indent >= 0 && self.ends(line, end, Ended::Paragraph)
    }

    fn trimmed_text(&self, start: usize, end: usize) -> Cow<'a, str> {
        let is_trimmed = |c| matches!(c, ' ' | '\t' | '\n' | '\r');
        match lines::joined(self.source, &self.lines[start..end], self.indent, false) {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim_matches(is_trimmed)),
            Cow::Owned(text) => Cow::Owned(text.trim_matches(is_trimmed).to_owned()),
        }
    }

    pub(super) fn html_start(&self, line: usize) -> Option<HtmlStart> {
        if self.is_code(line) {
            return None;
        }
        HtmlStart::of(self.text(line))
    }

    pub(super) fn html(&mut self, start: usize, end: usize) -> bool {
        let Some(html) = self.html_start(start) else {
            return false;
        };
        let mut line = start + 1;
        if !html.is_ended_by(self.text(start)) {
            while line < end {
                let is_outside = self.lines[line].indent < self.indent;
                if is_outside && (html.ends_at_empty_line() || !self.lines[line].is_empty()) {
                    break;
                }
                if html.is_ended_by(self.text(line)) {
                    line += usize::from(!self.lines[line].is_empty());
                    break;
                }
                line += 1;
            }
        }
        self.line = line;
        let html = lines::joined(self.source, &self.lines[start..line], self.indent, true);
        self.blocks.push(Block::Html(html));
        true
    }
}

impl FenceStart<'_> {
    fn is_closed_by(&self, text: &str) -> bool {
        let after = text.trim_start_matches(char::from(self.mark));
        text.len() - after.len() >= self.length && after.bytes().all(is_blank)
    }
}
