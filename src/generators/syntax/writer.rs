//! Writes expanded text while the source is read from start to end.

use crate::{
    content_text::LineMap,
    generators::syntax::{
        ExpandedText, Remark,
        code::{container_length, is_item},
        remark::REMARKS_MAX,
    },
};

/// Number of spaces that begin indented code.
const CODE_INDENTATION: usize = 4;

/// Maximum length of container prefixes of a line, in bytes.
const PREFIX_BYTES_MAX: usize = 200;

/// Maximum number of lines that are searched backwards for the start of an HTML block. Further lines count as Markdown.
const BLOCK_LINES_MAX: usize = 200;

/// The elements whose tags start an HTML block.
const HTML_BLOCKS: [&str; 42] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
];

/// The output of an expansion, and its source.
pub struct ExpansionWriter<'t> {
    /// The source.
    pub source: &'t str,
    /// The byte offset up to which the source is read.
    offset: usize,
    /// The line of the source that contains the byte `counted_to`.
    line: usize,
    counted_to: usize,
    out: String,
    /// The byte offset of the current output line in `out`.
    line_start: usize,
    /// Byte offsets in `out`, each with the source line of the output from there on.
    marks: Vec<(usize, usize)>,
    remarks: Vec<Remark>,
    /// The byte offsets in `out` from which output is held: [`take_held`](Self::take_held) removes it again.
    held: Vec<usize>,
}

impl<'t> ExpansionWriter<'t> {
    /// Creates a writer at the beginning of `source`.
    pub fn new(source: &'t str) -> Self {
        Self {
            source,
            offset: 0,
            line: 1,
            counted_to: 0,
            out: String::with_capacity(source.len()),
            line_start: 0,
            marks: Vec::new(),
            remarks: Vec::new(),
            held: Vec::new(),
        }
    }

    /// Copies the rest of the source, and returns the output.
    pub fn finish(mut self) -> ExpandedText {
        self.copy_to(self.source.len());
        let mut lines = LineMap::default();
        let (mut line, mut counted_to) = (1, 0);
        for (byte, source_line) in self.marks {
            line += breaks(&self.out[counted_to..byte]);
            counted_to = byte;
            lines.add(line, source_line);
        }
        ExpandedText {
            text: self.out,
            remarks: self.remarks,
            lines,
            ..ExpandedText::default()
        }
    }

    /// Returns the output so far.
    pub fn written(&self) -> &str {
        &self.out
    }

    /// Returns the byte offset up to which the source is read.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Copies the source up to the byte `end`.
    pub fn copy_to(&mut self, end: usize) {
        if end <= self.offset {
            return;
        }
        let source = self.source;
        self.put(&source[self.offset..end]);
        self.offset = end;
    }

    /// Skips the source up to the byte `end`.
    pub fn skip_to(&mut self, end: usize) {
        self.offset = self.offset.max(end);
    }

    /// Writes text that is not in the source.
    pub fn put(&mut self, text: &str) {
        self.mark();
        if let Some(found) = text.rfind('\n') {
            self.line_start = self.out.len() + found + 1;
        }
        self.out.push_str(text);
    }

    /// Removes the output after the byte `length` and returns it.
    pub fn take_back(&mut self, length: usize) -> String {
        let length = self.out.floor_char_boundary(length);
        // Marks behind the end would give later output the wrong source lines.
        while self.marks.pop_if(|(byte, _)| *byte > length).is_some() {}
        let taken = self.out.split_off(length);
        if self.line_start > length {
            self.line_start = self.out.rfind('\n').map_or(0, |offset| offset + 1);
        }
        taken
    }

    /// Starts output that [`take_held`](Self::take_held) removes again.
    pub fn hold(&mut self) {
        self.held.push(self.out.len());
    }

    /// Removes the output since the last call of [`hold`](Self::hold) and returns it.
    pub fn take_held(&mut self) -> String {
        let length = self.held.pop().unwrap_or(self.out.len());
        self.take_back(length)
    }

    /// Removes trailing spaces and line breaks.
    pub fn trim(&mut self) {
        // Output before a capture belongs to the text outside of it and stays.
        let first = self.held.last().copied().unwrap_or(0);
        self.take_back(self.out.trim_end().len().max(first));
    }

    /// Adds a remark about the byte `offset` of the source.
    pub fn remark(&mut self, offset: usize, text: impl Into<String>) {
        // The line is counted only for remarks that are shown.
        if self.remarks.len() < REMARKS_MAX {
            let line = self.line_of(offset);
            let text = text.into();
            self.remarks.push(Remark { line, text });
        }
    }

    fn line_of(&self, offset: usize) -> usize {
        // Lines are counted from the last position and not from the beginning, so
        // that all remarks together take linear time.
        if offset >= self.counted_to {
            self.line + breaks(&self.source[self.counted_to..offset])
        } else {
            self.line - breaks(&self.source[offset..self.counted_to])
        }
    }

    /// Adds remarks about the file included at the byte `offset`.
    pub fn remark_all(&mut self, offset: usize, path: &str, remarks: Vec<Remark>) {
        for remark in remarks {
            self.remark(
                offset,
                format!("in {path}:{}: {}", remark.line, remark.text),
            );
        }
    }

    /// Returns the container prefix for the next lines of the current paragraph, item or quote, and whether the current line
    /// consists of a prefix only.
    pub fn line_so_far(&self) -> (String, bool) {
        let line = &self.out[self.line_start..];
        let length = container_length(line);
        if length > PREFIX_BYTES_MAX {
            return (String::new(), false);
        }
        let prefix = line[..length]
            .chars()
            // Further lines of an item have spaces instead of its marker.
            .map(|character| match character {
                '>' | '\t' => character,
                _ => ' ',
            })
            .collect();
        (prefix, length == line.len())
    }

    /// Returns whether the current line belongs to a table, which cannot contain blocks.
    fn is_in_table(&self) -> bool {
        self.out[self.line_start..].trim_start().starts_with('|')
    }

    /// Returns whether the current line is in an HTML block, in which Markdown is not parsed until a blank line.
    pub fn is_in_html_block(&self) -> bool {
        let lines = self.out.rsplit('\n').enumerate().take(BLOCK_LINES_MAX);
        // The current line may still be empty. A blank line before it ends the block.
        let mut block = lines.take_while(|(index, line)| *index == 0 || !line.trim().is_empty());
        block.any(|(_, line)| starts_html_block(line))
    }

    /// Writes HTML, as a block if it is alone on its line.
    pub fn put_block(&mut self, html: &str) {
        let (prefix, is_alone) = self.line_so_far();
        self.put(html);
        if is_alone {
            self.blank_line_next(&prefix);
        }
    }

    /// Writes the start of a block whose content is Markdown.
    pub fn open_block(&mut self, html: &str) {
        if self.is_in_table() {
            return;
        }
        let (prefix, is_alone) = self.line_so_far();
        if !is_alone {
            self.break_line(&prefix);
        }
        // The blank line after the tag ends the HTML block, so that
        // the content is parsed as Markdown.
        self.put(html);
        self.put("\n");
        self.put(prefix.trim_end());
        if let Some(spaces) = self.spaces_before_more() {
            self.put("\n");
            self.put(&prefix);
            self.skip_to(self.offset + spaces);
        }
    }

    /// Writes the end of a block whose content is Markdown.
    pub fn close_block(&mut self, html: &str) {
        if self.is_in_table() {
            return;
        }
        self.separate();
        let (prefix, _) = self.line_so_far();
        self.put(html);
        self.blank_line_next(&prefix);
    }

    /// Begins a new line after a blank line, if the output is not already there.
    pub fn separate(&mut self) {
        let (prefix, is_alone) = self.line_so_far();
        if !is_alone {
            self.break_line(&prefix);
        } else if self.held.last().is_some_and(|held| self.line_start < *held) {
            self.put("\n");
        } else if !self.is_after_blank_line()
            && prefix.len() == prefix.trim_end().len() + self.written_spaces()
        {
            let line = self.take_back(self.line_start);
            self.put(prefix.trim_end());
            self.put("\n");
            self.put(&line);
        }
    }

    /// Returns the number of trailing spaces of the current line.
    fn written_spaces(&self) -> usize {
        let line = &self.out[self.line_start..];
        line.len() - line.trim_end().len()
    }

    /// Writes fenced code. `start` is its byte offset in the source.
    pub fn put_fence(&mut self, start: usize, language: &str, code: &str) {
        let (mut prefix, is_alone) = self.line_so_far();
        if !is_alone {
            self.break_line(&prefix);
        } else if self.is_after_html() {
            // In an HTML block, which ends at a blank line, a fence is text.
            self.separate();
            if prefix.trim().is_empty() && prefix.len() >= CODE_INDENTATION {
                self.take_back(self.line_start);
                prefix.clear();
            }
        } else if prefix.is_empty() && self.is_after_item() {
            self.separate();
        }
        // `put` would give the code the line of its closing tag, up to
        // which the source is already read.
        let line = self.line_of(start);
        self.marks.push((self.out.len(), line));
        let fence = fence_for(code);
        let mut block = format!("{fence}{language}\n");
        let code = code.trim_start_matches([' ', '\t', '\r']);
        let code = code.strip_prefix('\n').unwrap_or(code);
        for line in code.trim_end().lines() {
            let inside = stripped(line, &prefix);
            if inside.is_empty() {
                block.push_str(prefix.trim_end())
            } else {
                block.extend([&prefix, inside])
            }
            block.push('\n');
        }
        self.line_start = self.out.len() + block.len();
        self.out.push_str(&block);
        self.out.push_str(&prefix);
        self.out.push_str(&fence);
        if let Some(spaces) = self.spaces_before_more() {
            self.put("\n");
            self.put(&prefix);
            self.skip_to(self.offset + spaces);
        }
    }

    /// Returns the number of spaces before further text on the current source line; `None` at the end of the line.
    fn spaces_before_more(&self) -> Option<usize> {
        let rest = &self.source[self.offset..];
        let more = rest.trim_start_matches([' ', '\t', '\r']);
        let is_more = !more.is_empty() && !more.starts_with('\n');
        is_more.then(|| rest.len() - more.len())
    }

    /// Ends the line and ensures that the next line is blank.
    fn blank_line_next(&mut self, prefix: &str) {
        if self.spaces_before_more().is_some() {
            self.break_line(prefix);
        } else if !self.is_before_blank_line() {
            self.put("\n");
            self.put(prefix.trim_end());
        }
    }

    fn is_before_blank_line(&self) -> bool {
        let rest = self.source[self.offset..].trim_start_matches([' ', '\t', '\r']);
        let next = rest.strip_prefix('\n').unwrap_or(rest);
        let next = next.trim_start_matches([' ', '\t', '\r', '>']);
        next.is_empty() || next.starts_with('\n')
    }

    fn break_line(&mut self, prefix: &str) {
        self.put("\n");
        self.put(prefix.trim_end());
        self.put("\n");
        self.put(prefix);
    }

    /// Returns the line before the current one, without quote markers; `None` at the beginning.
    fn line_before(&self) -> Option<&str> {
        let end = self.line_start.checked_sub(1)?;
        let start = self.out[..end].rfind('\n').map_or(0, |offset| offset + 1);
        let line = &self.out[start..end];
        Some(line.trim_start_matches([' ', '\t', '>']))
    }

    /// Returns whether the line before the current one is blank.
    fn is_after_blank_line(&self) -> bool {
        self.line_before().is_none_or(|line| line.trim().is_empty())
    }

    /// Returns whether the line before the current one is an HTML tag.
    fn is_after_html(&self) -> bool {
        self.line_before().is_some_and(|line| line.starts_with('<'))
    }

    /// Returns whether the line before the current one is a list item.
    fn is_after_item(&self) -> bool {
        self.line_before().is_some_and(is_item)
    }

    /// Records the source line of the following output.
    fn mark(&mut self) {
        self.line += breaks(&self.source[self.counted_to.min(self.offset)..self.offset]);
        self.counted_to = self.offset;
        if self.marks.last().is_none_or(|(byte, line)| {
            // Only a jump in the source or the output is new information.
            self.line != *line || self.out.len() != *byte
        }) {
            self.marks.push((self.out.len(), self.line));
        }
    }
}

/// Returns whether a line starts an HTML block (CommonMark 0.31, section 4.6), with the tag of a block element.
fn starts_html_block(line: &str) -> bool {
    let line = line.trim_start();
    let tag = line.strip_prefix("</").or_else(|| line.strip_prefix('<'));
    let tag = tag.unwrap_or_default();
    let end = tag.find(|character: char| !character.is_ascii_alphanumeric());
    let name = tag[..end.unwrap_or(tag.len())].to_ascii_lowercase();
    HTML_BLOCKS.contains(&name.as_str())
}

/// Returns a fence of backticks that does not occur in the code.
pub fn fence_for(code: &str) -> String {
    let longest = code
        .split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// Removes the indentation and quote markers of a line, at most as many bytes as `prefix` has.
fn stripped<'l>(line: &'l str, prefix: &str) -> &'l str {
    let spaces = line.len() - line.trim_start_matches([' ', '\t', '>']).len();
    &line[spaces.min(prefix.len())..]
}

fn breaks(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}
