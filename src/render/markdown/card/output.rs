//! The HTML of a card that has been written so far.

use super::footnotes::FootnoteContent;

/// The end of a paragraph.
const PARAGRAPH_END: &str = "</p>\n";

/// HTML output in which each block has separate lines.
#[derive(Default)]
pub(super) struct Output {
    pub(super) html: String,
    last: LastOutput,
    /// The byte offset of the end of the last paragraph's content.
    paragraph_end: Option<usize>,
}

/// The kind of the last output.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum LastOutput {
    /// The end of a line.
    #[default]
    Line,
    /// A start tag, which text may follow.
    Start,
    /// Text outside of paragraphs.
    Text,
}

impl Output {
    /// Writes the start tag of a block that contains blocks.
    pub(super) fn start_tag(&mut self, tag: &str) {
        self.block(tag);
        self.last = LastOutput::Start;
    }

    /// Writes the end tag of a block that contains blocks.
    pub(super) fn end_tag(&mut self, tag: &str) {
        self.html.push_str(tag);
        self.last = LastOutput::Line;
    }

    /// Writes one or more complete blocks.
    pub(super) fn block(&mut self, html: &str) {
        if self.last != LastOutput::Line {
            self.html.push('\n');
        }
        self.html.push_str(html);
        self.last = LastOutput::Line;
    }

    /// Writes raw HTML or code, which begins no new line after text.
    pub(super) fn raw(&mut self, html: &str) {
        if self.last == LastOutput::Start {
            self.html.push('\n');
        }
        self.html.push_str(html);
        self.last = LastOutput::Line;
    }

    /// Writes a paragraph.
    pub(super) fn paragraph(&mut self, content: &str) {
        self.block("<p>");
        self.html.push_str(content);
        self.paragraph_end = Some(self.html.len());
        self.html.push_str(PARAGRAPH_END);
    }

    /// Writes text outside of paragraphs, as in a tight list.
    pub(super) fn text(&mut self, html: &str) {
        self.html.push_str(html);
        self.last = LastOutput::Text;
    }

    /// Returns the output as the content of a footnote.
    pub(super) fn into_content(self) -> FootnoteContent {
        let html_end = self.html.len().checked_sub(PARAGRAPH_END.len());
        FootnoteContent {
            paragraph_end: self.paragraph_end.filter(|end| Some(*end) == html_end),
            html: self.html,
        }
    }
}
