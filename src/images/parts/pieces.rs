//! Pieces of a file, joined without copying where they adjoin.

use std::{borrow::Cow, ops::Range};

/// Ranges of a file, in its order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pieces(Vec<Range<usize>>);

impl Pieces {
    /// Adds a range. One that follows the last directly becomes a part of it.
    pub fn add(&mut self, range: Range<usize>) {
        match self.0.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => self.0.push(range),
        }
    }

    /// Returns the number of bytes in all of them.
    pub fn byte_count(&self) -> usize {
        self.0.iter().map(ExactSizeIterator::len).sum()
    }

    /// Returns how many bytes [`of`](Self::of) copies.
    pub fn copied_bytes(&self) -> usize {
        match &self.0[..] {
            [] | [_] => 0,
            _ => self.byte_count(),
        }
    }

    /// Returns the pieces of `file` in one, copied if they are several.
    ///
    /// # Panics
    ///
    /// If the ranges are of a longer file.
    pub fn of<'a>(&self, file: &'a [u8]) -> Cow<'a, [u8]> {
        match &self.0[..] {
            [] => Cow::Borrowed(&[]),
            [range] => Cow::Borrowed(&file[range.clone()]),
            ranges => {
                let mut joined = Vec::with_capacity(self.byte_count());
                for range in ranges {
                    joined.extend_from_slice(&file[range.clone()]);
                }
                Cow::Owned(joined)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjoining_pieces_are_not_copied() {
        let mut pieces = Pieces::default();
        pieces.add(1..3);
        pieces.add(3..4);
        assert!(matches!(pieces.of(b"abcdef"), Cow::Borrowed(b"bcd")));
        assert_eq!(pieces.copied_bytes(), 0);
        pieces.add(5..6);
        assert_eq!(&pieces.of(b"abcdef")[..], b"bcdf");
        assert_eq!(pieces.copied_bytes(), 4);
    }
}
