//! Pieces of a file. Adjacent pieces are joined without copying.

use std::{borrow::Cow, ops::Range};

/// Ranges of a file, in ascending order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pieces(Vec<Range<usize>>);

impl Pieces {
    /// Adds a range. If it directly follows the last one, the two are merged.
    pub fn add(&mut self, range: Range<usize>) {
        match self.0.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => self.0.push(range),
        }
    }

    /// Returns the number of bytes in all pieces.
    pub fn byte_count(&self) -> usize {
        self.0.iter().map(ExactSizeIterator::len).sum()
    }

    /// Returns the number of bytes that [`of`](Self::of) copies.
    pub fn copied_bytes(&self) -> usize {
        match &self.0[..] {
            [] | [_] => 0,
            _ => self.byte_count(),
        }
    }

    /// Returns the concatenated pieces of `file`. They are copied only if there are several.
    ///
    /// # Panics
    ///
    /// If a range exceeds the file.
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
