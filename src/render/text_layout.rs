//! Layout of blocks and inline text as plain text, in one pass over one buffer with a frame per
//! open block.
//!
//! Line breaks around blocks merge: between two blocks, there are as many as the trailing breaks of
//! the first one or the leading breaks of the second one, whichever are more. They are written only
//! when text follows, so a document neither begins nor ends with the breaks of its blocks. Spaces
//! collapse, line breaks in text remain, and lines are never wrapped. These are the rules that
//! Ghost 6.65 applies to its posts (recorded).

use std::borrow::Cow;

/// Deepest indentation of a line, in columns. Lists that are nested more deeply are not indented
/// further. This bounds the length of the output.
const INDENT_MAX: usize = 64;

/// A step of the layout.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    /// Text with entities decoded.
    Text(Cow<'a, str>),
    LineBreak,
    Open(Block),
    /// Closes the block that was opened last.
    Close,
}

/// Text on separate lines.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// Line breaks before the block, at least 1.
    pub(crate) breaks_before: usize,
    /// Line breaks after the block, at least 1.
    pub(crate) breaks_after: usize,
    /// True if white space is preserved in this block and all nested blocks.
    pub(crate) is_preformatted: bool,
    /// The label before the first line, in ASCII. Further lines are indented by its width.
    pub(crate) label: String,
}

impl Block {
    /// Returns a block with the same number of line breaks before and after it.
    pub(crate) fn with_breaks(breaks: usize) -> Block {
        Block {
            breaks_before: breaks,
            breaks_after: breaks,
            ..Block::default()
        }
    }
}

/// Returns the text of a document. Blocks still open at its end are closed; surplus `Close` steps
/// are ignored.
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
    /// The open blocks, from the outermost on.
    inner: Vec<Frame>,
}

/// An open block, or the document.
#[derive(Default)]
struct Frame {
    block: Block,
    indent: usize,
    /// True if the frame has text. All enclosing frames then have text, too.
    has_text: bool,
    /// Pending line breaks of the nested block that was closed last.
    pending_breaks: usize,
    /// True if the current line has words.
    line_has_words: bool,
    /// True if a space is pending after the last word.
    pending_space: bool,
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
            // An item without text shows its label all the same.
            self.begin_text();
        }
        let Some(closed) = self.inner.pop() else {
            return;
        };
        let breaks_before = closed.block.breaks_before.max(self.frame().pending_breaks);
        // A frame that begins with an empty block takes over its breaks. A frame with text writes
        // them.
        match (closed.has_text, self.frame().has_text) {
            (true, _) => {}
            (false, true) => self.push_line_breaks(breaks_before),
            (false, false) => self.frame().block.breaks_before = breaks_before,
        }
        let parent = self.frame();
        parent.pending_breaks = closed.block.breaks_after.max(closed.pending_breaks);
        // Text after a block begins a line of the parent.
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
        } else if self.frame().pending_breaks == 0 {
            self.frame().pending_space = true;
        }
    }

    fn words(&mut self, text: &str) {
        let pending_breaks = std::mem::take(&mut self.frame().pending_breaks);
        self.break_lines(pending_breaks);
        self.begin_text();
        self.frame().pending_space |= text.starts_with(is_blank);
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.break_lines(1);
            }
            for word in line.split(is_blank).filter(|word| !word.is_empty()) {
                self.word(word);
            }
        }
        // `word` has set it after the last word, too, where only white space in the text counts.
        self.frame().pending_space = text.ends_with(is_blank);
    }

    fn word(&mut self, word: &str) {
        let frame = self.frame();
        let blank = frame.line_has_words && frame.pending_space;
        frame.line_has_words = true;
        frame.pending_space = true;
        if blank {
            self.text.push(' ');
        }
        self.text.push_str(word);
    }

    /// Ends `count` lines of the innermost block; its pending breaks remain.
    fn break_lines(&mut self, count: usize) {
        if count > 0 {
            self.begin_text();
            self.push_line_breaks(count);
            self.frame().line_has_words = false;
        }
    }

    /// Writes everything that precedes the first text of the innermost block: the breaks of the
    /// blocks that begin here, and their labels.
    fn begin_text(&mut self) {
        if self.frame().has_text {
            return;
        }
        let mut breaks = self.frame().block.breaks_before;
        let mut first = self.inner.len().saturating_sub(1);
        while first > 0 && !self.inner[first - 1].has_text {
            first -= 1;
            // A block that begins with another one takes over its breaks.
            breaks = breaks.max(self.inner[first].pending_breaks);
        }
        let around = first
            .checked_sub(1)
            .map_or(&self.root, |index| &self.inner[index]);
        if around.has_text {
            let breaks = breaks.max(around.pending_breaks);
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

/// Returns whether runs of the character collapse. A non-breaking space does not.
fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\x0c' | '\u{200b}')
}
