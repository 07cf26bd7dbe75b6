//! The blocks of a Markdown card (Ghost 6.65, recorded).
//!
//! Lines are parsed once, from top to bottom, for each container that contains them. A container locates its lines,
//! moves their starts past its markers, and parses the rest as blocks. The kind of a line may thus depend on the
//! container: a line that only continues the paragraph of a quote may still end a quote inside it.

mod containers;
mod definitions;
mod html_blocks;
mod leaves;
mod tables;

use std::borrow::Cow;

pub(super) use self::definitions::{Definitions, LinkTarget};
pub(super) use self::tables::Alignment;
use super::lines::{self, Line};
use crate::render::markdown::DEPTH_MAX;

/// Maximum indentation of a block that is not code, in columns.
const INDENT_MAX: isize = 3;

/// A block, or the beginning or the end of one.
pub(super) enum Block<'a> {
    Open(Container),
    Close(Container),
    Paragraph {
        text: Cow<'a, str>,
        level: usize,
        /// True if it is part of a list whose items are not paragraphs.
        is_tight: bool,
    },
    Heading {
        /// 1 to 6.
        level: usize,
        text: Cow<'a, str>,
    },
    Code(Cow<'a, str>),
    Fence {
        info: &'a str,
        code: Cow<'a, str>,
    },
    Html(Cow<'a, str>),
    Rule,
    Table(Vec<Alignment>),
    /// A row of a table; the first one is its header.
    Row(Vec<Cow<'a, str>>),
    TableEnd,
    /// The start of the footnote with this name.
    Footnote(&'a str),
    FootnoteEnd,
}

/// A block that contains other blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Quote,
    BulletList,
    /// A list whose numbers begin with this one.
    NumberedList(u32),
    Item,
}

/// The preceding block, which a line either ends or continues.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Paragraph,
    Definition,
    Quote,
    Table,
    List,
}

/// A document as blocks.
pub(super) struct Document<'a> {
    pub(super) blocks: Vec<Block<'a>>,
    pub(super) definitions: Definitions<'a>,
}

/// Parses `source`, whose lines end in line feeds.
pub(super) fn parse(source: &str) -> Document<'_> {
    let lines = lines::split(source);
    let end = lines.len() - 1;
    let mut parser = BlockParser {
        source,
        lines,
        lines_end: end,
        line: 0,
        indent: 0,
        list_indent: None,
        is_tight: false,
        level: 0,
        blocks: Vec::new(),
        definitions: Definitions::default(),
    };
    parser.parse_lines(0, end);
    Document {
        blocks: parser.blocks,
        definitions: parser.definitions,
    }
}

/// Parses lines as blocks.
struct BlockParser<'a> {
    source: &'a str,
    /// All lines, followed by an empty one.
    lines: Vec<Line>,
    /// The line before which a definition must end.
    lines_end: usize,
    /// The next line.
    line: usize,
    /// The column at which the content of the innermost list item or footnote begins.
    indent: isize,
    /// The column at which the innermost list begins.
    list_indent: Option<isize>,
    /// True if no empty line separates the last blocks.
    is_tight: bool,
    /// The number of open containers.
    level: usize,
    blocks: Vec<Block<'a>>,
    definitions: Definitions<'a>,
}

impl<'a> BlockParser<'a> {
    /// Parses the lines from `start` to before `end`, or to before the first line that is not part of the container.
    fn parse_lines(&mut self, start: usize, end: usize) {
        let mut has_empty_lines = false;
        let mut line = start;
        while line < end {
            line = self.skip_empty_lines(line);
            self.line = line;
            if line >= end || self.lines[line].indent < self.indent {
                return;
            }
            self.parse_block(line, end);
            // Every block takes at least its first line, which guarantees progress.
            self.line = self.line.max(line + 1);
            // Set before the last line is examined: an empty line at the end of a block counts only
            // if another block follows.
            self.is_tight = !has_empty_lines;
            has_empty_lines |= self.lines[self.line - 1].is_empty();
            line = self.line;
            if line < end && self.lines[line].is_empty() {
                has_empty_lines = true;
                line += 1;
                self.line = line;
            }
        }
    }

    fn parse_block(&mut self, line: usize, end: usize) {
        // Containers beyond this depth are text.
        let may_nest = self.level < DEPTH_MAX;
        // The order is that of the rules in Ghost's parser: the first one that matches takes the
        // line.
        let is_read = self.table(line, end)
            || self.indented_code(line, end)
            || self.fence(line, end)
            || may_nest && self.quote(line, end)
            || self.rule(line)
            || may_nest && self.list(line, end)
            || may_nest && self.footnote(line, end)
            || self.definition(line)
            || self.html(line, end)
            || self.heading(line)
            || self.underlined_heading(line, end);
        if !is_read {
            self.paragraph(line, end);
        }
    }

    fn skip_empty_lines(&self, from: usize) -> usize {
        let lines = self.lines[..self.lines_end].iter().skip(from);
        from + lines.take_while(|line| line.is_empty()).count()
    }

    /// Returns whether `line` begins a block that ends the preceding one, rather than continuing it.
    fn ends(&self, line: usize, end: usize, ended: Ended) -> bool {
        let first = self.source.as_bytes().get(self.lines[line].text);
        // Most lines begin with a letter and need no further check.
        let is_possible =
            first.is_some_and(|byte| byte.is_ascii_digit() || b"`~>*-_+#<[".contains(byte));
        let is_text = matches!(ended, Ended::Paragraph | Ended::Definition);
        if is_text && self.table_head(line, end).is_some() {
            return true;
        }
        if !is_possible {
            return false;
        }
        let begins_any = self.fence_start(line).is_some()
            || self.is_quote(line)
            || self.is_rule(line)
            || (ended != Ended::List
                && (self.list_start(line, ended).is_some()
                    || self.html_start(line).is_some_and(|html| html.ends_text())
                    || self.heading_level(line).is_some()));
        // In a table, a footnote or a definition is a row (recorded: `table/footnote-is-row`,
        // `table/definition-is-row`).
        begins_any || is_text && self.footnote_name(line).is_some()
    }

    /// Returns whether a line is indented as code.
    fn is_code(&self, line: usize) -> bool {
        self.lines[line].indent - self.indent > INDENT_MAX
    }

    /// Returns the text of a line, including white space at its end.
    fn text(&self, line: usize) -> &'a str {
        self.lines[line].text(self.source)
    }

    fn open(&mut self, container: Container) {
        self.blocks.push(Block::Open(container));
        self.level += 1;
    }

    fn close(&mut self, container: Container) {
        self.blocks.push(Block::Close(container));
        self.level -= 1;
    }
}
