//! A block of raw HTML, which the parser returns line by line.

/// The raw HTML block being read, line by line.
#[derive(Default)]
pub(super) struct HtmlBlock {
    /// Its HTML so far.
    pub(super) html: String,
    lines: Vec<HtmlLine>,
}

/// A line of an HTML block, without the markers of quotes and lists before it.
struct HtmlLine {
    start: usize,
    position: usize,
}

impl HtmlBlock {
    /// Adds a line, which is at `position` in the source.
    pub(super) fn push(&mut self, line: &str, position: usize) {
        self.lines.push(HtmlLine {
            start: self.html.len(),
            position,
        });
        self.html.push_str(line);
    }

    /// Returns the position in the source of the byte at `start`.
    pub(super) fn position(&self, start: usize) -> usize {
        let lines_begun = self.lines.partition_point(|line| line.start <= start);
        lines_begun.checked_sub(1).map_or(0, |line| {
            self.lines[line].position + start - self.lines[line].start
        })
    }
}
