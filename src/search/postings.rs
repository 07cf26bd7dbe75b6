//! The documents that contain a term, in a compact form, as most terms are in only one or two documents.

use std::{slice, sync::Arc};

/// The number of occurrences of a term in a document's body, and the other fields that contain it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occurrences {
    /// The number of occurrences in the body, up to [`BODY_MAX`](Self::BODY_MAX).
    pub body: u8,
    /// Whether the title contains the term.
    pub title: bool,
    /// Whether a tag contains the term.
    pub tag: bool,
    /// Whether an author's name contains the term.
    pub author: bool,
    /// Whether the custom excerpt contains the term.
    pub excerpt: bool,
}

/// A part of a document.
#[derive(Clone, Copy, Debug)]
pub enum Field {
    /// The title.
    Title,
    /// The name of a tag.
    Tag,
    /// The name of an author.
    Author,
    /// The custom excerpt.
    Excerpt,
    /// The body.
    Body,
}

impl Occurrences {
    /// Maximum number of counted occurrences in the body. Further ones would hardly change the rank.
    pub const BODY_MAX: u8 = 15;

    /// A single occurrence in the body, as for most terms.
    const ONCE: Self = Self {
        body: 1,
        title: false,
        tag: false,
        author: false,
        excerpt: false,
    };

    /// Adds an occurrence.
    pub fn add(&mut self, field: Field) {
        match field {
            Field::Title => self.title = true,
            Field::Tag => self.tag = true,
            Field::Author => self.author = true,
            Field::Excerpt => self.excerpt = true,
            Field::Body => self.body = (self.body + 1).min(Self::BODY_MAX),
        }
    }

    fn byte(self) -> u8 {
        let flags = [self.title, self.tag, self.author, self.excerpt];
        let flags = flags
            .iter()
            .rev()
            .fold(0, |bits, flag| bits << 1 | u8::from(*flag));
        // `BODY_MAX` is the largest number of four bits.
        flags << 4 | self.body.min(Self::BODY_MAX)
    }

    fn of_byte(bits: u8) -> Self {
        Self {
            body: bits & 0xf,
            title: bits & 0x10 != 0,
            tag: bits & 0x20 != 0,
            author: bits & 0x40 != 0,
            excerpt: bits & 0x80 != 0,
        }
    }
}

/// The documents that contain a term, by ascending number.
#[derive(Clone, Debug)]
pub enum Postings {
    /// One document.
    One(u32, Occurrences),
    /// Several documents.
    Several(Arc<PostingBytes>),
}

/// Maximum size of a document in postings, in bytes.
const DOCUMENT_BYTES_MAX: usize = 6;

/// Documents, each in a varint: the difference from the previous number, doubled, plus one if the occurrences follow in a byte.
/// Otherwise, they are [`Occurrences::ONCE`].
#[derive(Clone, Debug)]
pub struct PostingBytes {
    last: u32,
    bytes: Vec<u8>,
}

impl Postings {
    /// Adds a document, whose number must be higher than all previous ones.
    pub fn push(&mut self, document: u32, occurrences: Occurrences) {
        match self {
            Self::One(first, of_first) => {
                let mut postings = PostingBytes {
                    last: 0,
                    bytes: Vec::new(),
                };
                postings.push(*first, *of_first);
                postings.push(document, occurrences);
                *self = Self::Several(Arc::new(postings));
            }
            // Copies the bytes only if the published index still shares them, once per update.
            Self::Several(postings) => Arc::make_mut(postings).push(document, occurrences),
        }
    }

    /// Returns the memory used in addition to the value itself, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::One(..) => 0,
            Self::Several(postings) => size_of::<PostingBytes>() + postings.bytes.capacity(),
        }
    }

    /// Iterates over the documents.
    pub fn iter(&self) -> PostingIter<'_> {
        match self {
            Self::One(document, occurrences) => PostingIter {
                one: Some((*document, *occurrences)),
                bytes: [].iter(),
                last: 0,
            },
            Self::Several(postings) => PostingIter {
                one: None,
                bytes: postings.bytes.iter(),
                last: 0,
            },
        }
    }
}

/// Iterator over the documents that contain a term.
pub struct PostingIter<'p> {
    one: Option<(u32, Occurrences)>,
    bytes: slice::Iter<'p, u8>,
    last: u32,
}

impl Iterator for PostingIter<'_> {
    type Item = (u32, Occurrences);

    fn next(&mut self) -> Option<Self::Item> {
        // `one` and `bytes` are never both set.
        let Some(first) = self.bytes.next() else {
            return self.one.take();
        };
        let mut value = u64::from(first & 0x7f);
        let (mut byte, mut shift) = (*first, 7);
        while byte & 0x80 != 0 {
            // Only `push` writes these bytes, so none is missing.
            byte = self.bytes.next().copied().unwrap_or_default();
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
        }
        let occurrences = match value & 1 {
            0 => Occurrences::ONCE,
            _ => Occurrences::of_byte(self.bytes.next().copied().unwrap_or_default()),
        };
        self.last += (value >> 1) as u32;
        Some((self.last, occurrences))
    }
}

impl PostingBytes {
    fn push(&mut self, document: u32, occurrences: Occurrences) {
        debug_assert!(self.bytes.is_empty() || document > self.last);
        // Grow by an eighth instead of doubling, because postings are most of the index.
        if self.bytes.capacity() - self.bytes.len() < DOCUMENT_BYTES_MAX {
            let more = DOCUMENT_BYTES_MAX + self.bytes.len() / 8;
            self.bytes.reserve_exact(more);
        }
        let has_byte = occurrences != Occurrences::ONCE;
        let mut value = u64::from(document - self.last) << 1 | u64::from(has_byte);
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
        if has_byte {
            self.bytes.push(occurrences.byte());
        }
        self.last = document;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postings_are_read_as_they_were_added() {
        let of_title = Occurrences {
            body: 3,
            title: true,
            excerpt: true,
            ..Occurrences::default()
        };
        let added = [
            (0, Occurrences::ONCE),
            (1, of_title),
            (70_000, Occurrences::ONCE),
            (u32::MAX, of_title),
        ];
        let mut postings = Postings::One(added[0].0, added[0].1);
        for (document, occurrences) in &added[1..] {
            postings.push(*document, *occurrences);
        }
        let read: Vec<_> = postings.iter().collect();
        assert_eq!(read, added);
    }
}
