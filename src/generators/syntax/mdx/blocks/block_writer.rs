//! Writes the Markdown of elements and expressions, and the text between them.

use std::collections::HashSet;

use serde_json::Value;

use crate::{
    generators::syntax::{
        ExpandedText, ExpansionScope,
        code::line_end,
        escape::{inline_markdown, markdown_text},
        finder::MarkFinder,
        mdx::{
            blocks::frame::{ClosingAction, Frame},
            elements,
            statements::Module,
            tokens::{MdxTag, MdxToken, MdxTokenKind, TagSide},
        },
        setting_text::scalar_text,
        writer::ExpansionWriter,
    },
    render::block_elements,
};

/// Maximum number of bytes that inclusions may add to a text, beyond the length of the text itself.
pub(super) const GROWTH_BYTES_MAX: usize = 1 << 20;

/// Maximum nesting of elements with inline content.
pub(super) const ELEMENTS_OPEN_MAX: usize = 3;

/// Elements whose content spans several lines if it begins with a tag.
pub(super) const HOLDING_TAGS: [&str; 10] = [
    "details", "table", "tr", "thead", "tbody", "ul", "ol", "dl", "div", "figure",
];

/// Elements that are dropped with their content, because they belong in the head of a page or run code.
pub(super) const NOT_SHOWN: [&str; 6] = ["Head", "head", "script", "Script", "style", "Seo"];

/// The writer of a text.
pub struct Blocks<'t, 'e> {
    pub(super) text: &'t str,
    pub(super) tokens: &'t [MdxToken<'t>],
    pub(super) module: Module,
    pub(super) scope: ExpansionScope<'e>,
    pub(super) writer: ExpansionWriter<'t>,
    pub(super) frames: Vec<Frame>,
    is_in_list: bool,
    /// Components that have been reported.
    pub(super) reported: HashSet<&'t str>,
    pub(super) growth_left: usize,
    /// Number of open elements with inline content.
    elements_open: usize,
    blank_line: MarkFinder,
}

impl<'t, 'e> Blocks<'t, 'e> {
    /// Creates the writer.
    pub fn new(
        text: &'t str,
        tokens: &'t [MdxToken<'t>],
        module: Module,
        scope: ExpansionScope<'e>,
    ) -> Self {
        Self {
            text,
            tokens,
            module,
            scope,
            writer: ExpansionWriter::new(text),
            frames: Vec::new(),
            is_in_list: false,
            reported: HashSet::new(),
            growth_left: text.len() + GROWTH_BYTES_MAX,
            elements_open: 0,
            blank_line: MarkFinder::new("\n\n"),
        }
    }

    /// Writes the whole text.
    pub fn write(mut self) -> ExpandedText {
        for (start, name) in std::mem::take(&mut self.module.left_out) {
            self.writer
                .remark(start, format!("the export `{name}` is left out"));
        }
        for (number, token) in self.tokens.iter().enumerate() {
            // The token is in content that was dropped or shown as code.
            if token.start < self.writer.offset() {
                continue;
            }
            self.text_to(token.start);
            self.token(number, token);
        }
        self.text_to(self.text.len());
        while let Some(frame) = self.frames.pop() {
            self.close(frame);
        }
        self.writer.finish()
    }

    fn token(&mut self, number: usize, token: &'t MdxToken<'t>) {
        match &token.kind {
            MdxTokenKind::Statement => self.writer.skip_to(token.end),
            MdxTokenKind::Comment => self.drop_to(token.end),
            MdxTokenKind::Verbatim => self.verbatim(token.end),
            MdxTokenKind::Fence => self.verbatim(token.end),
            MdxTokenKind::Expression => self.expression(token),
            MdxTokenKind::Tag(tag) => match tag.side {
                TagSide::Closes => self.closing(number, token, tag),
                TagSide::Opens | TagSide::Alone => self.opening(token, tag),
            },
        }
    }

    /// Writes Markdown up to the byte `end`, line by line, without the indentation of enclosing elements.
    fn text_to(&mut self, end: usize) {
        while self.writer.offset() < end {
            let offset = self.writer.offset();
            let is_line_start = offset == 0 || self.text.as_bytes()[offset - 1] == b'\n';
            let line_end = line_end_within(self.text, offset, end);
            if is_line_start {
                self.indentation(offset, line_end);
            }
            self.writer.copy_to(line_end);
        }
    }

    /// Skips the indentation of the line at `offset` up to that of enclosing elements.
    fn indentation(&mut self, offset: usize, end: usize) {
        let line = &self.text[offset..end];
        let content = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - content.len();
        if content.trim().is_empty() && content.starts_with(['\n', '\r']) {
            self.writer.skip_to(offset + indent);
            return;
        }
        let removed = self.columns_removed_at(indent);
        let indent_left = indent - removed.min(indent);
        let is_item = is_list_item(content) || is_footnote(content);
        // MDX has no indented code, so deeper text outside of lists would become code only here.
        let removed = if indent_left >= 4 && !self.is_in_list {
            indent
        } else {
            removed.min(indent)
        };
        if is_item {
            self.is_in_list = true;
        } else if indent_left < 2 && !content.is_empty() {
            self.is_in_list = false;
        }
        self.writer.skip_to(offset + removed);
    }

    fn columns_removed_at(&mut self, indent: usize) -> usize {
        match self.frames.last_mut() {
            Some(frame) => {
                let further = indent.saturating_sub(frame.indent);
                (*frame.removed_columns.get_or_insert(further)).min(further)
            }
            None => 0,
        }
    }

    /// Copies code and other literal text, without the indentation that its enclosing element removes from each line.
    fn verbatim(&mut self, end: usize) {
        let removed = match self.frames.last() {
            Some(frame) => frame.removed_columns.unwrap_or(0),
            None => 0,
        };
        while self.writer.offset() < end {
            let offset = self.writer.offset();
            let line_end = line_end_within(self.text, offset, end);
            if offset > 0 && self.text.as_bytes()[offset - 1] == b'\n' {
                let line = &self.text[offset..line_end];
                let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
                self.writer.skip_to(offset + removed.min(indent));
            }
            self.writer.copy_to(line_end);
        }
    }

    fn expression(&mut self, token: &MdxToken<'_>) {
        let is_at_start = self.is_at_start();
        let written = self.writer.written().len();
        self.put_expression(token);
        // An expression without output, such as a comment, must not
        // leave its spaces before the text.
        if is_at_start && self.writer.written().len() == written {
            self.start_line();
            self.start_item();
        }
    }

    fn put_expression(&mut self, token: &MdxToken<'_>) {
        let inside = self.text[token.start + 1..token.end - 1].trim();
        self.writer.skip_to(token.end);
        if let Some(comment) = inside.strip_prefix("/*") {
            let comment = comment.strip_suffix("*/").unwrap_or_default().trim();
            if let Some(id) = self.heading_id(comment) {
                self.writer.put(&format!("{{#{id}}}"));
            }
            return;
        }
        if let Some(id) = inside.strip_prefix('#').and_then(|id| self.heading_id(id)) {
            self.writer.put(&format!("{{#{id}}}"));
            return;
        }
        match self.module.value(inside) {
            _ if inside.is_empty() || inside == "children" || inside == "props.children" => {}
            Some(Value::Bool(_) | Value::Null) => {}
            Some(value) => match scalar_text(&value) {
                Some(text) => self.writer.put(&markdown_text(&text)),
                None => self.unknown(token, inside),
            },
            None => self.unknown(token, inside),
        }
    }

    /// Returns the id in `word` if it is in braces at the end of a heading.
    fn heading_id<'w>(&self, word: &'w str) -> Option<&'w str> {
        let id = word.strip_prefix('#').unwrap_or(word);
        let is_id = |character: char| character.is_alphanumeric() || "-_.:".contains(character);
        let line = self.writer.written();
        let line = line.rsplit('\n').next().unwrap_or(line).trim_start();
        let is_heading = line.trim_start_matches('#').starts_with(' ') && line.starts_with('#');
        let is_last = self.is_before_break(self.writer.offset());
        let is_good = is_heading && is_last && !id.is_empty() && id.chars().all(is_id);
        is_good.then_some(id)
    }

    fn unknown(&mut self, token: &MdxToken<'_>, inside: &str) {
        let line = inside.lines().next().unwrap_or_default();
        let line = &line[..line.floor_char_boundary(80)];
        self.writer.remark(
            token.start,
            format!("the expression `{{{line}}}` is not evaluated and is left out"),
        );
    }

    fn opening(&mut self, token: &'t MdxToken<'t>, tag: &'t MdxTag<'t>) {
        let closing = token
            .partner
            .map(|closing| (closing, &self.tokens[closing]));
        if NOT_SHOWN.contains(&tag.name) {
            let end = closing.map_or(token.end, |(_, closing)| closing.end);
            self.writer.skip_to(end);
            return;
        }
        if elements::is_element(tag.name) {
            self.element(token, tag);
        } else if tag.name.is_empty() {
            self.drop_tag(token);
        } else if !self.include(token, tag) {
            self.component(token, tag);
        }
    }

    /// Returns the indentation of the current output line.
    pub(super) fn indent(&self) -> usize {
        self.writer.line_so_far().0.len()
    }

    /// Returns whether the current output line contains only container prefixes.
    pub(super) fn is_at_start(&self) -> bool {
        self.writer.line_so_far().1
    }

    /// Returns whether only spaces follow the byte `offset` on its line.
    fn is_before_break(&self, offset: usize) -> bool {
        let rest = self.text[offset..].trim_start_matches([' ', '\t', '\r']);
        rest.is_empty() || rest.starts_with('\n')
    }

    /// Replaces a tag and its content with HTML.
    pub(super) fn put_html(&mut self, token: &MdxToken<'_>, html: &str) {
        let end = token
            .partner
            .map_or(token.end, |closing| self.tokens[closing].end);
        self.writer.skip_to(end);
        if !self.is_at_start() {
            self.writer.put(html);
            return;
        }
        self.writer.separate();
        let (prefix, _) = self.writer.line_so_far();
        let html = html.replace('\n', &format!("\n{prefix}"));
        // Markdown is not parsed inside these elements.
        if html.starts_with("<pre") || html.starts_with("<div") {
            self.writer.put_block(&html)
        } else {
            self.writer.put_block(&format!("<div>{html}</div>"))
        }
    }

    fn element(&mut self, token: &MdxToken<'_>, tag: &MdxTag<'_>) {
        let (open, unknown) = elements::opening(tag, &self.module);
        for name in unknown {
            self.writer.remark(
                token.start,
                format!(
                    "the attribute `{name}` of `<{}>` is not evaluated and is left out",
                    tag.name
                ),
            );
        }
        let is_block = block_elements::is_block(tag.name);
        let indent = self.indent();
        let is_at_start = self.is_at_start();
        let is_line = is_at_start && self.is_before_break(token.end);
        let close = format!("</{}>", tag.name);
        if let Some(inner) = elements::inner_html(tag, &self.module) {
            let open = open.strip_suffix(&close).unwrap_or(&open);
            self.put_html(token, &format!("{open}{inner}{close}"));
            return;
        }
        let Some(closing) = token.partner else {
            self.writer.skip_to(token.end);
            if is_line || is_at_start && is_block {
                self.writer.separate();
                self.writer.put_block(&open);
            } else {
                self.writer.put(&open)
            }
            return;
        };
        let end = &self.tokens[closing];
        let is_followed_by_tag = self.text[token.end..]
            .trim_start_matches([' ', '\t'])
            .starts_with('<');
        let begins_tags = is_followed_by_tag && HOLDING_TAGS.contains(&tag.name);
        let blank_line = self.blank_line.find(self.text, token.end);
        let holds_line = !is_line
            && !begins_tags
            && self.elements_open < ELEMENTS_OPEN_MAX
            && blank_line.is_none_or(|blank_line| end.start <= blank_line);
        self.writer.skip_to(token.end);
        if is_at_start && is_block && holds_line {
            self.writer.separate();
            self.writer.hold();
            let action = ClosingAction::Element { open, close };
            self.elements_open += 1;
            self.push(closing, action, indent);
        } else if is_line || is_at_start && is_block {
            // A `<p>` element becomes a paragraph of Markdown.
            let is_paragraph = tag.name == "p";
            let (open, action) = match (is_paragraph, tag.attributes.is_empty()) {
                (true, true) => (None, ClosingAction::Line),
                (true, false) => (
                    Some(open.replacen("<p", "<div", 1)),
                    ClosingAction::Block("</div>".to_owned()),
                ),
                (false, _) => (Some(open), ClosingAction::Block(close)),
            };
            self.writer.separate();
            match open {
                Some(open) => self.writer.open_block(&open),
                None => self.start_line(),
            }
            self.push(closing, action, indent);
        } else {
            self.writer.put(&open);
            self.push(closing, ClosingAction::Text(close), indent);
        }
    }

    /// Drops a tag and retains its content.
    pub(super) fn drop_tag(&mut self, token: &MdxToken<'_>) {
        let indent = self.indent();
        let is_line = self.is_at_start() && self.is_before_break(token.end);
        self.drop_to(token.end);
        if is_line {
            self.writer.separate();
            self.start_line();
        }
        if let Some(closing) = token.partner {
            let action = if is_line {
                ClosingAction::Line
            } else {
                ClosingAction::Nothing
            };
            self.push(closing, action, indent);
        }
    }

    /// Drops the text up to `end`. At the beginning of a line or of a list item, the spaces after the text are also dropped.
    /// They would indent the item further, and its next lines would not belong to it.
    pub(super) fn drop_to(&mut self, end: usize) {
        let is_at_start = self.is_at_start();
        self.writer.skip_to(end);
        if is_at_start {
            self.start_line();
            self.start_item();
        }
    }

    /// Skips the line breaks after a list marker that is alone on its line, up to the item's next text. An item that begins
    /// with a blank line would end there.
    fn start_item(&mut self) {
        let offset = self.writer.offset();
        let line = self
            .writer
            .written()
            .rsplit('\n')
            .next()
            .unwrap_or_default();
        let indent = line.len();
        let rest = &self.text[offset..];
        let text = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        let breaks = &rest[..rest.len() - text.len()];
        let own_indent = breaks.rsplit('\n').next().unwrap_or_default().len();
        let is_continued = breaks.contains('\n') && !text.is_empty() && own_indent >= indent;
        if is_list_item(line.trim_start()) && is_continued {
            self.writer.skip_to(offset + breaks.len());
        }
    }

    /// Skips spaces at the start of a line.
    fn start_line(&mut self) {
        let rest = &self.text[self.writer.offset()..];
        let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        self.writer.skip_to(self.writer.offset() + spaces);
    }

    pub(super) fn push(&mut self, closing: usize, action: ClosingAction, indent: usize) {
        self.frames.push(Frame {
            closing,
            action,
            removed_columns: None,
            indent,
            was_in_list: self.is_in_list,
            labels: Vec::new(),
        });
        // An element at the margin is outside of the list before it.
        if indent == 0 {
            self.is_in_list = false;
        }
    }

    fn closing(&mut self, number: usize, token: &MdxToken<'_>, tag: &MdxTag<'_>) {
        self.writer.skip_to(token.end);
        let is_open = token.partner.is_some()
            && self
                .frames
                .iter()
                .rev()
                .any(|frame| frame.closing == number);
        if !is_open {
            if elements::is_element(tag.name) && token.partner.is_none() {
                self.writer.put(&format!("</{}>", tag.name));
            }
            return;
        }
        while let Some(frame) = self.frames.pop() {
            let is_last = frame.closing == number;
            self.close(frame);
            if is_last {
                break;
            }
        }
    }

    fn close(&mut self, frame: Frame) {
        self.is_in_list = frame.was_in_list;
        match frame.action {
            ClosingAction::Text(text) => self.writer.put(&text),
            ClosingAction::Block(html) => self.writer.close_block(&html),
            ClosingAction::Element { open, close } => {
                self.elements_open -= 1;
                let content = self.writer.take_held();
                let html = format!("{open}{}{close}", inline_markdown(&content));
                self.writer.put_block(&html);
            }
            ClosingAction::Line => {
                self.writer.separate();
                self.start_line();
            }
            ClosingAction::Nothing => {}
        }
    }
}

pub(super) fn line_end_within(text: &str, offset: usize, end: usize) -> usize {
    line_end(&text[..end], offset)
}

/// Returns whether a line begins the text of a footnote, whose further paragraphs are indented like those of items.
pub(super) fn is_footnote(content: &str) -> bool {
    let name = content.strip_prefix("[^");
    name.is_some_and(|name| {
        name.find("]:")
            .is_some_and(|end| !name[..end].contains(']'))
    })
}

pub(super) fn is_list_item(content: &str) -> bool {
    let rest = content.trim_start_matches(|character: char| character.is_ascii_digit());
    let mark = if rest.len() < content.len() {
        rest.strip_prefix(['.', ')'])
    } else {
        content.strip_prefix(['-', '*', '+'])
    };
    mark.is_some_and(|rest| rest.starts_with([' ', '\t', '\n']))
}
