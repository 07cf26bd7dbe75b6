//! Lays out blocks and inline text as plain text: one pass, one buffer, one frame per open block.
//!
//! Line breaks around blocks merge: between two blocks stand as many as the larger of what one
//! wants behind it and the other in front. They are written only when text comes that needs them,
//! so a document neither begins nor ends with the breaks of its blocks. Blanks collapse, line
//! breaks in text stay, lines are never wrapped. These rules are those that Ghost 6.65 applies to
//! its posts (recorded).

use std::borrow::Cow;

/// Deepest indentation of a line, in columns; lists nested further stay there. It bounds the
/// output.
const INDENT_MAX: usize = 64;

/// A step through a document.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    /// Text as it is in the document, entities decoded.
    Text(Cow<'a, str>),
    LineBreak,
    Open(Block),
    /// Closes the block opened last.
    Close,
}

/// Text that stands on lines of its own.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// Line breaks wanted in front, at least 1.
    pub(crate) breaks_before: usize,
    /// Line breaks wanted behind, at least 1.
    pub(crate) breaks_after: usize,
    /// Blanks are kept, here and in all blocks inside.
    pub(crate) is_preformatted: bool,
    /// Stands before the first line; the lines below are indented by its width. ASCII.
    pub(crate) label: String,
}

impl Block {
    /// A block that wants as many line breaks in front as behind.
    pub(crate) fn with_breaks(breaks: usize) -> Block {
        Block {
            breaks_before: breaks,
            breaks_after: breaks,
            ..Block::default()
        }
    }
}

/// Returns the text of a document. Blocks still open at its end are closed; a `Close` too many is
/// ignored.
pub(crate) fn lay_out<'a>(steps: impl IntoIterator<Item = Step<'a>>) -> String {
    let mut layout = Layout {
        text: String::new(),
        root: Frame::default(),
        inner: Vec::new(),
    };
    for step in steps {
        match step {
            Step::Text(text) => layout.text(&text),
            Step::LineBreak => layout.break_lines(1),
            Step::Open(block) => layout.open(block),
            Step::Close => layout.close(),
        }
    }
    while !layout.inner.is_empty() {
        layout.close();
    }
    layout.text
}

struct Layout {
    text: String,
    root: Frame,
    /// The open blocks, outermost first.
    inner: Vec<Frame>,
}

/// An open block, or the document.
#[derive(Default)]
struct Frame {
    block: Block,
    indent: usize,
    /// Whether anything of it is in the text. Then so is something of all frames around it.
    has_text: bool,
    /// Line breaks owed to a block that was closed last in this one.
    breaks_owed: usize,
    /// Whether a word stands on the current line.
    line_has_words: bool,
    /// Whether a blank stands between the last word and what follows.
    blank_owed: bool,
}

impl Layout {
    fn frame(&mut self) -> &mut Frame {
        self.inner.last_mut().unwrap_or(&mut self.root)
    }

    fn open(&mut self, mut block: Block) {
        let parent = self.frame();
        block.is_preformatted |= parent.block.is_preformatted;
        let indent = (parent.indent + block.label.len()).min(INDENT_MAX);
        self.inner.push(Frame {
            block,
            indent,
            ..Frame::default()
        });
    }

    fn close(&mut self) {
        if self
            .inner
            .last()
            .is_some_and(|frame| !frame.block.label.is_empty())
        {
            self.begin_text();
        }
        let Some(closed) = self.inner.pop() else {
            return;
        };
        let breaks_before = closed.block.breaks_before.max(self.frame().breaks_owed);
        // What begins with an empty block wants the breaks of that block; what goes on with one
        // writes them.
        match (closed.has_text, self.frame().has_text) {
            (true, _) => {}
            (false, true) => self.push_line_breaks(breaks_before),
            (false, false) => self.frame().block.breaks_before = breaks_before,
        }
        let parent = self.frame();
        parent.breaks_owed = closed.block.breaks_after.max(closed.breaks_owed);
        parent.line_has_words = false;
    }

    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.frame().block.is_preformatted {
            self.begin_text();
            self.push_indented(text);
            return;
        }
        let has_words = text.contains(|character| !is_blank(character) && character != '\n');
        let line_breaks = text.matches('\n').count();
        if has_words {
            self.words(text);
        } else if line_breaks > 0 {
            self.break_lines(line_breaks);
        } else if self.frame().breaks_owed == 0 {
            self.frame().blank_owed = true;
        }
    }

    fn words(&mut self, text: &str) {
        let breaks_owed = std::mem::take(&mut self.frame().breaks_owed);
        self.break_lines(breaks_owed);
        self.begin_text();
        self.frame().blank_owed |= text.starts_with(is_blank);
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.break_lines(1);
            }
            for word in line.split(is_blank).filter(|word| !word.is_empty()) {
                self.word(word);
            }
        }
        self.frame().blank_owed = text.ends_with(is_blank);
    }

    fn word(&mut self, word: &str) {
        let frame = self.frame();
        let blank = frame.line_has_words && frame.blank_owed;
        frame.line_has_words = true;
        frame.blank_owed = true;
        if blank {
            self.text.push(' ');
        }
        self.text.push_str(word);
    }

    /// Ends `count` lines of the innermost block; the breaks it owes stay owed.
    fn break_lines(&mut self, count: usize) {
        if count > 0 {
            self.begin_text();
            self.push_line_breaks(count);
            self.frame().line_has_words = false;
        }
    }

    /// Writes what must stand before the innermost block's first character: the breaks wanted by
    /// the blocks that begin here, and their labels.
    fn begin_text(&mut self) {
        if self.frame().has_text {
            return;
        }
        let mut breaks = self.frame().block.breaks_before;
        let mut first = self.inner.len().saturating_sub(1);
        while first > 0 && !self.inner[first - 1].has_text {
            first -= 1;
            // A block that begins with another takes over the breaks that this one wants.
            breaks = breaks.max(self.inner[first].breaks_owed);
        }
        let around = first
            .checked_sub(1)
            .map_or(&self.root, |index| &self.inner[index]);
        if around.has_text {
            let breaks = breaks.max(around.breaks_owed);
            let indent = around.indent;
            self.push_line_breaks_at(breaks, indent);
        }
        self.root.has_text = true;
        for frame in &mut self.inner[first..] {
            frame.has_text = true;
            self.text.push_str(&frame.block.label);
        }
    }

    fn push_line_breaks(&mut self, count: usize) {
        let indent = self.frame().indent;
        self.push_line_breaks_at(count, indent);
    }

    fn push_line_breaks_at(&mut self, count: usize, indent: usize) {
        for _ in 0..count {
            self.text.push('\n');
            self.text.extend(std::iter::repeat_n(' ', indent));
        }
    }

    fn push_indented(&mut self, text: &str) {
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.push_line_breaks(1);
            }
            self.text.push_str(line);
        }
    }
}

/// Blanks that collapse. A non-breaking space is not one.
fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\x0c' | '\u{200b}')
}
