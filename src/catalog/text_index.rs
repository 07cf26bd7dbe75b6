//! Records found by a text in any letters.

use imbl::OrdSet;

use crate::{collation::TextHash, id::Id};

/// An index of records by the hash of a text, which is smaller than the text and quicker to compare. Cloning is cheap; a
/// change copies only the path to what changed.
#[derive(Clone, Default)]
pub struct TextIndex(OrdSet<(TextHash, Id)>);

impl TextIndex {
    /// Adds a record with this text.
    pub fn insert(&mut self, text: &str, id: Id) {
        self.0.insert((TextHash::of(text), id));
    }

    /// Removes a record with this text.
    pub fn remove(&mut self, text: &str, id: Id) {
        self.0.remove(&(TextHash::of(text), id));
    }

    /// Returns the records whose text equals this one, by ascending identifier. Among them may be others with the same
    /// hash: the texts are to be compared.
    pub fn candidates(&self, text: &str) -> impl Iterator<Item = Id> {
        let hash = TextHash::of(text);
        let range = self.0.range((hash, Id::MIN)..=(hash, Id::MAX));
        range.map(|(_, id)| *id)
    }
}

impl<'t> FromIterator<(&'t str, Id)> for TextIndex {
    fn from_iter<I: IntoIterator<Item = (&'t str, Id)>>(records: I) -> Self {
        let hashed = records.into_iter();
        Self(hashed.map(|(text, id)| (TextHash::of(text), id)).collect())
    }
}
