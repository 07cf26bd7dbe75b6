//! Positions in the source for a text that was changed before parsing.

/// The parts of a changed text, each with its start in the text and in the source.
#[derive(Debug, Default)]
pub(super) struct Positions {
    parts: Vec<(usize, usize)>,
}

impl Positions {
    /// Records that the part at `changed` is from `source`.
    pub(super) fn add(&mut self, changed: usize, source: usize) {
        self.parts.push((changed, source));
    }

    /// Returns the position in the source for a position in the changed text.
    pub(super) fn in_source(&self, position: usize) -> usize {
        let started = self
            .parts
            .partition_point(|(changed, _)| *changed <= position);
        started.checked_sub(1).map_or(position, |index| {
            let (changed, source) = self.parts[index];
            source + position - changed
        })
    }
}
