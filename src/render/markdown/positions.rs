//! Maps positions in a text that was changed before parsing to its source.

use std::ops::Range;

/// The parts of a changed text, each with its byte offset in the text and its range in the source.
#[derive(Debug, Default)]
pub(super) struct Positions {
    parts: Vec<(usize, Range<usize>)>,
}

impl Positions {
    /// Records that the part at `changed` was copied from the range `source`. Text inserted after
    /// it maps to the end of that range.
    pub(super) fn add(&mut self, changed: usize, source: Range<usize>) {
        self.parts.push((changed, source));
    }

    /// Returns the byte offset in the source for a byte offset in the changed text.
    pub(super) fn in_source(&self, position: usize) -> usize {
        let started = self
            .parts
            .partition_point(|(changed, _)| *changed <= position);
        started.checked_sub(1).map_or(position, |index| {
            let (changed, source) = &self.parts[index];
            (source.start + position - changed).min(source.end)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_text_belongs_to_the_end_of_the_text_before() {
        let mut positions = Positions::default();
        positions.add(0, 0..4);
        positions.add(10, 5..8);
        let found = [0, 3, 4, 9, 10, 13, 20].map(|position| positions.in_source(position));
        assert_eq!(found, [0, 3, 4, 4, 5, 8, 8]);
    }
}
