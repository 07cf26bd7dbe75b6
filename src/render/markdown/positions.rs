//! Where in the source the bytes of a text stand that was changed before it was read.

/// The stretches of a changed text, each with where it begins in the text and where in the source.
#[derive(Debug, Default)]
pub(super) struct Positions {
    stretches: Vec<(usize, usize)>,
}

impl Positions {
    /// Says that what begins at `changed` stands at `source`.
    pub(super) fn add(&mut self, changed: usize, source: usize) {
        self.stretches.push((changed, source));
    }

    /// Returns where in the source the byte at `position` of the changed text stands.
    pub(super) fn in_source(&self, position: usize) -> usize {
        let begun = self
            .stretches
            .partition_point(|(changed, _)| *changed <= position);
        begun.checked_sub(1).map_or(position, |index| {
            let (changed, source) = self.stretches[index];
            source + position - changed
        })
    }
}
