//! What is to be said about places in a text.

/// Most remarks about one text that are kept; one with more is not meant for this.
const REMARKS_MAX: usize = 100;

/// A remark about what stands in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The line, from 1.
    pub line: usize,
    /// What is to be said.
    pub text: String,
}

/// Remarks about a text that is read from its start to its end.
pub struct Remarks<'t> {
    text: &'t str,
    line: usize,
    counted_to: usize,
    remarks: Vec<Remark>,
}

impl<'t> Remarks<'t> {
    /// No remarks yet about `text`, whose first line has this number.
    pub fn about(text: &'t str, first_line: usize) -> Self {
        Self {
            text,
            line: first_line,
            counted_to: 0,
            remarks: Vec::new(),
        }
    }

    /// Adds a remark about the byte `place`, which does not lie before that of an earlier remark.
    pub fn add(&mut self, place: usize, text: impl Into<String>) {
        if self.remarks.len() == REMARKS_MAX {
            return;
        }
        let passed = &self.text.as_bytes()[self.counted_to.min(place)..place];
        self.line += passed.iter().filter(|byte| **byte == b'\n').count();
        self.counted_to = place;
        self.remarks.push(Remark {
            line: self.line,
            text: text.into(),
        });
    }

    /// All of them.
    pub fn finish(self) -> Vec<Remark> {
        self.remarks
    }
}
