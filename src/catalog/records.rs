//! Records of one kind, indexed by identifier, by slug and by name.

use std::sync::Arc;

use imbl::OrdMap;
use serde::Serialize;

use super::{reference_counts::ReferenceCounts, text_index::TextIndex};
use crate::{
    collation,
    domain::{file_reference::FileReference, record::Slugged},
    id::Id,
};

/// An index of the records of one kind. Cloning is cheap; a change copies only the path to the
/// changed records.
#[derive(Clone)]
pub struct Records<R> {
    by_id: OrdMap<Id, Arc<R>>,
    by_slug: OrdMap<Box<str>, Id>,
    slugs: TextIndex,
    titles: TextIndex,
    uses_of_files: ReferenceCounts<FileReference>,
}

impl<R> Default for Records<R> {
    fn default() -> Self {
        Self {
            by_id: OrdMap::new(),
            by_slug: OrdMap::new(),
            slugs: TextIndex::default(),
            titles: TextIndex::default(),
            uses_of_files: ReferenceCounts::default(),
        }
    }
}

/// Returns the files that a record refers to in any of its fields.
fn files_of(record: &impl Serialize) -> Box<[FileReference]> {
    // A record that cannot be serialised cannot be stored either, so the error is ignored.
    FileReference::in_texts(serde_json::to_vec(record))
}

impl<R: Slugged> Records<R> {
    /// Returns the record with this identifier.
    pub fn get(&self, id: Id) -> Option<&Arc<R>> {
        self.by_id.get(&id)
    }

    /// Returns the record with this slug.
    pub fn by_slug(&self, slug: &str) -> Option<&Arc<R>> {
        self.by_slug.get(slug).and_then(|id| self.by_id.get(id))
    }

    /// Returns the records with this slug, ignoring case, by ascending identifier.
    pub fn with_slug<'c>(&'c self, slug: &str) -> impl Iterator<Item = &'c Arc<R>> {
        let records = self.slugs.candidates(slug).filter_map(|id| self.get(id));
        records.filter(move |record| collation::is_equal(record.slug(), slug))
    }

    /// Returns the record with this name: an exact match, or else the first one that matches
    /// ignoring case.
    pub fn named(&self, name: &str) -> Option<&Arc<R>> {
        let exact = self.all_named(name).find(|record| record.title() == name);
        exact.or_else(|| self.all_named(name).next())
    }

    /// Returns the records with this name, ignoring case, by ascending identifier.
    fn all_named<'c>(&'c self, name: &str) -> impl Iterator<Item = &'c Arc<R>> {
        let records = self.titles.candidates(name).filter_map(|id| self.get(id));
        records.filter(move |record| collation::is_equal(record.title(), name))
    }

    /// Returns whether `record` is new or renamed, and another record already has its name,
    /// ignoring case. Stores of earlier versions may contain names that differ only in case; an
    /// unchanged name is not checked, so that such records remain editable.
    pub fn is_name_taken(&self, record: &R) -> bool {
        let known = self.get(record.id());
        known.is_none_or(|known| known.title() != record.title())
            && self
                .all_named(record.title())
                .any(|other| other.id() != record.id())
    }

    /// Returns the records that share a name with another record, ignoring case, grouped and
    /// ordered by name. Stores of earlier versions may contain such records even of kinds with
    /// unique names.
    pub fn duplicates(&self) -> Vec<Vec<&Arc<R>>> {
        let is_equal =
            |one: &&Arc<R>, other: &&Arc<R>| collation::is_equal(one.title(), other.title());
        let mut duplicates = self.titles.duplicates(|id| self.get(id), is_equal);
        duplicates.sort_by(|one, other| collation::compare(one[0].title(), other[0].title()));
        duplicates
    }

    /// Returns the records with these identifiers, in order; missing ones are ignored.
    pub fn all(&self, ids: &[Id]) -> Vec<&R> {
        ids.iter()
            .filter_map(|id| self.get(*id))
            .map(AsRef::as_ref)
            .collect()
    }

    /// Returns all records, by ascending identifier.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<R>> {
        self.by_id.values()
    }

    /// Returns the records from this identifier on, by ascending identifier.
    pub fn from(&self, id: Id) -> impl Iterator<Item = &Arc<R>> {
        self.by_id.range(id..).map(|(_, record)| record)
    }

    /// Returns whether a record refers to this file.
    pub fn refers_to_file(&self, file: FileReference) -> bool {
        self.uses_of_files.to(file) > 0
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Returns whether the index is empty.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Adds a record or replaces the one with the same identifier.
    pub fn put(&mut self, record: R) {
        // The index entries of the old record can only be found by its old values, so they are
        // removed first.
        self.remove(record.id());
        self.uses_of_files.add(&files_of(&record));
        self.by_slug.insert(record.slug().into(), record.id());
        self.slugs.insert(record.slug(), record.id());
        self.titles.insert(record.title(), record.id());
        self.by_id.insert(record.id(), Arc::new(record));
    }

    /// Removes a record.
    pub fn remove(&mut self, id: Id) -> Option<Arc<R>> {
        let old = self.by_id.remove(&id)?;
        self.by_slug.remove(old.slug());
        self.slugs.remove(old.slug(), id);
        self.titles.remove(old.title(), id);
        self.uses_of_files.take(&files_of(&*old));
        Some(old)
    }
}
