//! Fenced code in raw HTML, which Python-Markdown parses before HTML.

use std::ops::Range;

use crate::render::{
    html_escape::{push_attribute, push_text},
    markdown::{edit::Edit, language, survey::Survey},
};

/// A line break that does not end an HTML block.
const LINE_BREAK: &str = "&#10;";

/// The fenced code of a source, and the edits that make it code within HTML, too.
#[derive(Default)]
pub(super) struct FencedCode {
    fences: Vec<Fence>,
    /// The number of fences processed so far.
    processed: usize,
    /// The ranges whose Markdown becomes text in HTML, because their blank lines are removed.
    text: Vec<Range<usize>>,
    edits: Vec<Edit>,
}

/// A fenced code block.
struct Fence {
    range: Range<usize>,
    /// True if the block is in an HTML block by the rules of CommonMark.
    is_in_html: bool,
}

impl FencedCode {
    /// Creates the fenced code at `ranges`, without edits.
    pub(super) fn of(ranges: Vec<Range<usize>>, survey: &Survey) -> Self {
        let fences = ranges.into_iter().map(|range| Fence {
            is_in_html: survey.is_html(range.start),
            range,
        });
        Self {
            fences: fences.collect(),
            ..Self::default()
        }
    }

    /// Returns whether the byte offset `position` is in a fenced code block.
    pub(super) fn contains(&self, position: usize) -> bool {
        let index = self
            .fences
            .partition_point(|fence| fence.range.end <= position);
        let fence = self.fences.get(index);
        fence.is_some_and(|fence| fence.range.start <= position)
    }

    /// Adds a range whose Markdown becomes text in HTML.
    pub(super) fn add_text(&mut self, range: Range<usize>) {
        self.text.push(range);
    }

    /// Adds edits for the blocks before the byte offset `end` that are in HTML, unless the content
    /// there is Markdown.
    pub(super) fn write(&mut self, source: &str, end: usize, is_markdown: bool) {
        while let Some(fence) = self.fences.get(self.processed) {
            if fence.range.start >= end {
                return;
            }
            self.processed += 1;
            let start = fence.range.start;
            let is_text =
                fence.is_in_html || self.text.last().is_some_and(|range| range.contains(&start));
            // In Markdown, the parser reads the fence; only in HTML it would be text.
            if is_text && !is_markdown {
                let range = fence.range.clone();
                let text = html_of(&source[range.clone()]);
                self.edits.push(Edit {
                    range,
                    text: text.into(),
                });
            }
        }
    }
}

/// Merges the edits of fenced code into `edits`, in order. Edits that overlap others are dropped.
pub(super) fn merge(edits: &mut Vec<Edit>, fences: FencedCode) {
    let mut added = fences.edits;
    added.retain(|fence| {
        let next = edits.partition_point(|edit| edit.range.end <= fence.range.start);
        let next = edits.get(next);
        next.is_none_or(|edit| edit.range.start >= fence.range.end)
    });
    edits.append(&mut added);
    edits.sort_by_key(|edit| edit.range.start);
}

/// Returns the HTML of a fenced code block, without blank lines. The HTML of an indented block is a
/// single line, because further indented lines would be code.
fn html_of(block: &str) -> String {
    let (opening, rest) = block.split_once('\n').unwrap_or((block, ""));
    let code = rest.rsplit_once('\n').map_or("", |(code, _)| code);
    let marks = opening.trim_start();
    let (indentation, _) = opening.split_at(opening.len() - marks.len());
    let language = language::of(marks.trim_start_matches(['`', '~']).trim());
    let mut html = format!("{indentation}<pre><code");
    if !language.is_empty() {
        push_attribute(&mut html, "class", &format!("language-{language}"));
    }
    html.push('>');
    for line in code.lines() {
        let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
        push_text(&mut html, &line[blanks.min(indentation.len())..]);
        let is_plain = indentation.is_empty() && !line.trim().is_empty();
        html.push_str(if is_plain { "\n" } else { LINE_BREAK });
    }
    html.push_str("</code></pre>");
    html
}
