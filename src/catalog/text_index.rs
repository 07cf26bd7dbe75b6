//! An index of records by a text, ignoring case.

use imbl::OrdSet;

use crate::{collation::TextHash, id::Id};

/// An index of records by the hash of a text, which is smaller than the text and faster to compare.
/// Cloning is cheap; a change copies only the path to the changed records.
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

    /// Returns the records whose text equals this one, by ascending identifier. The result may
    /// contain other records with the same hash, so callers must compare the texts.
    pub fn candidates(&self, text: &str) -> impl Iterator<Item = Id> {
        let hash = TextHash::of(text);
        let range = self.0.range((hash, Id::MIN)..=(hash, Id::MAX));
        range.map(|(_, id)| *id)
    }

    /// Returns the records that share their text with another record, in groups with the same text,
    /// each by ascending identifier. `find` returns a record, and `is_equal` compares the texts of
    /// two records with the same hash.
    pub fn duplicates<R>(
        &self,
        find: impl Fn(Id) -> Option<R>,
        is_equal: impl Fn(&R, &R) -> bool,
    ) -> Vec<Vec<R>> {
        let mut duplicates = Vec::new();
        for ids in self.with_one_hash() {
            let mut groups: Vec<Vec<R>> = Vec::new();
            for record in ids.into_iter().filter_map(&find) {
                match groups.iter_mut().find(|group| is_equal(&group[0], &record)) {
                    Some(group) => group.push(record),
                    None => groups.push(vec![record]),
                }
            }
            duplicates.extend(groups.into_iter().filter(|group| group.len() > 1));
        }
        duplicates
    }

    /// Returns the records that share their hash with another record, in groups with the same hash.
    fn with_one_hash(&self) -> Vec<Vec<Id>> {
        let mut groups: Vec<(TextHash, Vec<Id>)> = Vec::new();
        let mut previous: Option<(TextHash, Id)> = None;
        // The set is sorted by hash, so records with the same hash are neighbours.
        for &(hash, id) in &self.0 {
            if let Some((_, first)) = previous.filter(|(previous, _)| *previous == hash) {
                match groups.last_mut().filter(|(group, _)| *group == hash) {
                    Some((_, ids)) => ids.push(id),
                    None => groups.push((hash, vec![first, id])),
                }
            }
            previous = Some((hash, id));
        }
        groups.into_iter().map(|(_, ids)| ids).collect()
    }
}

impl<'t> FromIterator<(&'t str, Id)> for TextIndex {
    fn from_iter<I: IntoIterator<Item = (&'t str, Id)>>(records: I) -> Self {
        let hashed = records.into_iter();
        Self(hashed.map(|(text, id)| (TextHash::of(text), id)).collect())
    }
}
