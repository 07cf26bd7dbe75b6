//! An expanded text, with remarks and source lines.

use serde_json::{Map, Value};

use crate::{content_text::LineMap, generators::syntax::remark::Remark};

/// An expanded text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpandedText {
    /// Markdown.
    pub text: String,
    /// Remarks about dropped or unsupported parts, in the order of lines.
    pub remarks: Vec<Remark>,
    /// The exported front matter of MDX: `export const meta = {…}`.
    pub meta: Map<String, Value>,
    /// The source line of each line of `text`.
    pub lines: LineMap,
}

impl ExpandedText {
    pub(super) fn unchanged(text: &str, first_line: usize) -> Self {
        Self {
            text: text.to_owned(),
            lines: LineMap::starting_with(first_line),
            ..Self::default()
        }
    }

    /// Applies a pass to the text. Line numbers of its remarks are relative to its input, from 1.
    pub(super) fn pass(&mut self, work: impl FnOnce(&str) -> Self) {
        let mut done = work(&self.text);
        // The lines of the remarks are those of the input of this pass, so they are
        // converted before its lines are added.
        for remark in &mut done.remarks {
            remark.line = self.lines.of_source(remark.line);
        }
        self.text = done.text;
        self.lines = done.lines.after(&self.lines);
        self.remarks.append(&mut done.remarks);
        // The sort is stable: remarks about one line stay in the order of the passes.
        self.remarks.sort_by_key(|remark| remark.line);
        self.meta.append(&mut done.meta);
    }
}
