//! Joins the parts of a body, with the text between its blocks.

use std::ops::Range;

use super::read::BodyBlock;

/// A block of the body to be composed.
pub struct ComposedBlock<'p> {
    /// Its text.
    pub text: &'p str,
    /// The index of this block in the old body, if it was there.
    pub block: Option<usize>,
    /// True if that block was not moved.
    pub is_unmoved: bool,
    /// True if it is a list, which Markdown would merge with a list before it.
    pub is_list: bool,
}

/// Separates two lists.
const BETWEEN_LISTS: &str = "<!-- -->\n\n";

/// Returns the body of `parts`, and the byte range of each part. Blank lines, comments and definitions between the `blocks`
/// of the `old` body are preserved.
pub fn composed(
    old: &str,
    blocks: &[BodyBlock],
    parts: &[ComposedBlock<'_>],
) -> (String, Vec<Range<usize>>) {
    let mut composer = Composer {
        old,
        gaps: gaps(old, blocks),
        next_gap: 0,
        text: String::with_capacity(old.len()),
    };
    let mut ranges = Vec::with_capacity(parts.len());
    let mut before: Option<&ComposedBlock<'_>> = None;
    for part in parts {
        composer.write_gap(before, part);
        let start = composer.text.len();
        composer.text.push_str(part.text);
        ranges.push(start..composer.text.len());
        before = Some(part);
    }
    composer.write_end(before);
    (composer.text, ranges)
}

/// Returns the byte ranges before each block, and the range after the last.
fn gaps(old: &str, blocks: &[BodyBlock]) -> Vec<Range<usize>> {
    let mut end = 0;
    let mut gaps = Vec::with_capacity(blocks.len() + 1);
    // Blocks without a range come last, so each other block has the index of the gap before it.
    for block in blocks.iter().filter(|block| !block.range.is_empty()) {
        gaps.push(end..block.range.start.max(end));
        end = block.range.end.max(end);
    }
    gaps.push(end..old.len());
    gaps
}

/// Writes the new body.
struct Composer<'o> {
    old: &'o str,
    gaps: Vec<Range<usize>>,
    /// The first gap that is not written yet.
    next_gap: usize,
    text: String,
}

impl Composer<'_> {
    /// Writes the text between the block `before`, if there is one, and `part`.
    fn write_gap(&mut self, before: Option<&ComposedBlock<'_>>, part: &ComposedBlock<'_>) {
        let block_before = before.and_then(|before| before.block);
        let is_first = before.is_none() && part.block == Some(0);
        let follows = is_first
            || part
                .block
                .is_some_and(|block| block > 0 && block_before == Some(block - 1));
        // The same two blocks are adjacent as before, so the bytes between them are copied.
        if let Some(block) = part.block
            && follows
            && self.next_gap <= block
        {
            self.write_skipped(self.next_gap..block);
            let gap = self.gaps[block].clone();
            self.text.push_str(&self.old[gap]);
            self.next_gap = block + 1;
            return;
        }
        if let Some(block) = part.block.filter(|_| part.is_unmoved) {
            self.write_skipped(self.next_gap..block + 1);
        }
        match before {
            None if self.text.is_empty() => self.write_leading_line_breaks(),
            None => {}
            Some(before) => {
                self.write_blank_line();
                if before.is_list && part.is_list {
                    self.text.push_str(BETWEEN_LISTS);
                }
            }
        }
    }

    /// Writes the text of the gaps around removed and moved blocks: comments, and link definitions, which other blocks need.
    fn write_skipped(&mut self, gaps: Range<usize>) {
        for gap in gaps.clone() {
            let text = self.old[self.gaps[gap].clone()].trim_matches('\n');
            if text.trim().is_empty() {
                continue;
            }
            if self.text.is_empty() {
                self.write_leading_line_breaks();
            } else {
                self.write_blank_line();
            }
            self.text.push_str(text.trim_end());
            self.write_blank_line();
        }
        self.next_gap = self.next_gap.max(gaps.end);
    }

    /// Writes the line breaks at the beginning of the old body.
    fn write_leading_line_breaks(&mut self) {
        let gap = &self.old[self.gaps[0].clone()];
        let length = gap.len() - gap.trim_start_matches('\n').len();
        self.text.push_str(&gap[..length]);
    }

    /// Ends the current line, and adds a blank one, unless there is one or no text.
    fn write_blank_line(&mut self) {
        if self.text.trim_matches('\n').is_empty() {
            return;
        }
        let breaks = self.text.len() - self.text.trim_end_matches('\n').len();
        for _ in breaks..2 {
            self.text.push('\n');
        }
    }

    /// Writes the bytes after the last block.
    fn write_end(&mut self, before: Option<&ComposedBlock<'_>>) {
        let last = self.gaps.len() - 1;
        let gap = &self.old[self.gaps[last].clone()];
        if self.next_gap == last
            && before.and_then(|before| before.block) == last.checked_sub(1)
            && last > 0
        {
            self.text.push_str(gap);
            return;
        }
        // A body without blocks ends with one line break.
        let trail = match last {
            0 => "\n",
            _ => &gap[gap.trim_end().len()..],
        };
        self.write_skipped(self.next_gap..last + 1);
        let written = self.text.trim_end_matches('\n').len();
        if before.is_none() && written == 0 {
            return;
        }
        self.text.truncate(written);
        self.text.push_str(trail);
    }
}
