//! The lines of an included file that an inclusion selects.

use crate::generators::syntax::remark::Remark;

/// Selected lines of a file, each with its index in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SelectedLines<'t>(Vec<(usize, &'t str)>);

impl<'t> SelectedLines<'t> {
    /// Selects all lines of a file.
    pub(crate) fn all(text: &'t str) -> Self {
        text.lines().enumerate().collect()
    }

    /// Selects the lines `first` to `last` of these, from 1.
    pub(crate) fn numbered(self, first: usize, last: usize) -> Self {
        let lines = self.0.into_iter().take(last);
        lines.skip(first.saturating_sub(1)).collect()
    }

    /// Returns these lines without those that fulfil `is_excluded`.
    pub(crate) fn without(mut self, is_excluded: impl Fn(&str) -> bool) -> Self {
        self.0.retain(|(_, line)| !is_excluded(line));
        self
    }

    /// Returns these lines as a text, without the last line break.
    pub(crate) fn text(&self) -> String {
        let lines: Vec<&str> = self.0.iter().map(|(_, line)| *line).collect();
        lines.join("\n")
    }

    /// Returns remarks about [`text`](Self::text) with the line numbers of the file.
    pub(crate) fn in_file(&self, mut remarks: Vec<Remark>) -> Vec<Remark> {
        for remark in &mut remarks {
            if let Some((index, _)) = self.0.get(remark.line.saturating_sub(1)) {
                remark.line = index + 1;
            }
        }
        remarks
    }
}

impl<'t> FromIterator<(usize, &'t str)> for SelectedLines<'t> {
    fn from_iter<I: IntoIterator<Item = (usize, &'t str)>>(lines: I) -> Self {
        Self(lines.into_iter().collect())
    }
}
