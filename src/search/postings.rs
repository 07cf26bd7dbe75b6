//! The documents that have a term, as bytes: most terms are in one document or two.

use std::{slice, sync::Arc};

/// The frequency and the positions of a term in a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occurrences {
    /// In the body, up to [`BODY_MAX`](Self::BODY_MAX).
    pub body: u8,
    /// True if the title has it.
    pub title: bool,
    /// True if a tag has it.
    pub tag: bool,
    /// True if an author has it.
    pub author: bool,
    /// True if the custom excerpt has it.
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
    /// The most occurrences in the body that are counted: more change the rank little.
    pub const BODY_MAX: u8 = 15;

    /// Once in the body, as most terms.
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

/// The documents that have a term, by ascending number.
#[derive(Clone, Debug)]
pub enum Postings {
    /// One document.
    One(u32, Occurrences),
    /// Several documents.
    Several(Arc<PostingBytes>),
}

/// Most bytes of a document in postings.
const DOCUMENT_BYTES_MAX: usize = 6;

/// Documents in a varint each: the distance to the one before, doubled, plus one if the occurrences follow in a byte. They are
/// [`Occurrences::ONCE`] otherwise.
#[derive(Clone, Debug)]
pub struct PostingBytes {
    last: u32,
    bytes: Vec<u8>,
}

impl Postings {
    /// Adds a document, whose number is higher than all before.
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
            Self::Several(postings) => Arc::make_mut(postings).push(document, occurrences),
        }
    }

    /// Returns the bytes of memory in addition to the value itself.
    pub fn bytes(&self) -> usize {
        match self {
            Self::One(..) => 0,
            Self::Several(postings) => size_of::<PostingBytes>() + postings.bytes.capacity(),
        }
    }

    /// Returns the documents.
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

/// The documents that have a term.
pub struct PostingIter<'p> {
    one: Option<(u32, Occurrences)>,
    bytes: slice::Iter<'p, u8>,
    last: u32,
}

impl Iterator for PostingIter<'_> {
    type Item = (u32, Occurrences);

    fn next(&mut self) -> Option<Self::Item> {
        let Some(first) = self.bytes.next() else {
            return self.one.take();
        };
        let mut value = u64::from(first & 0x7f);
        let (mut byte, mut shift) = (*first, 7);
        while byte & 0x80 != 0 {
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
        // An eighth more, and not as much again: most of the index is postings.
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
