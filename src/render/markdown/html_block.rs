//! A block of raw HTML, which the parser returns line by line.

/// The raw HTML block that is being read.
#[derive(Default)]
pub(super) struct HtmlBlock {
    /// The HTML read so far.
    pub(super) html: String,
    lines: Vec<HtmlLine>,
}

/// A line of an HTML block, without the quote and list marks before it.
struct HtmlLine {
    start: usize,
    position: usize,
}

impl HtmlBlock {
    /// Adds a line, which begins at the byte offset `position` in the source.
    pub(super) fn push(&mut self, line: &str, position: usize) {
        self.lines.push(HtmlLine {
            start: self.html.len(),
            position,
        });
        self.html.push_str(line);
    }

    /// Returns the byte offset in the source that corresponds to the byte offset `start` in the
    /// HTML.
    pub(super) fn position(&self, start: usize) -> usize {
        let lines_begun = self.lines.partition_point(|line| line.start <= start);
        lines_begun.checked_sub(1).map_or(0, |line| {
            self.lines[line].position + start - self.lines[line].start
        })
    }
}
