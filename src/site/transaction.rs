//! A transaction: a copy of the catalog, and the batch that applies the same changes to the store.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
    sync::Arc,
};

use jiff::Timestamp;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    announcements::{Announcements, Announcer},
    commit_listeners::{CommitTopic, CommitTopics},
    commit_queue::{CommitResult, PreparedCommit, UncommittedTransactions},
    file_writer::{FileEditing, FileWriter},
    records,
};
use crate::{
    catalog::Catalog,
    clock::{Clock, STEP},
    domain::secret::Digest,
    error::{Error, Result},
    id::Id,
    store::{Audience, Batch, Keys, Snapshot, Table},
};

/// A transaction in progress. Operations see the effects of earlier operations in the same
/// transaction.
pub struct Transaction {
    snapshot: Box<dyn Snapshot>,
    uncommitted: UncommittedTransactions,
    before: Catalog,
    catalog: Catalog,
    batch: Batch,
    clock: Arc<dyn Clock>,
    now: Timestamp,
    topics: CommitTopics,
    reaches_readers: bool,
    /// The announcements to webhooks.
    pub(super) announcements: Announcements,
    /// The writer and the editor of content files.
    pub(super) files: FileEditing,
    /// The session that continues if all others of its user end.
    pub(super) excepted_session: Option<Digest>,
}

impl Transaction {
    pub(super) fn begin(
        snapshot: Box<dyn Snapshot>,
        uncommitted: UncommittedTransactions,
        catalog: Catalog,
        batch: Batch,
        clock: Arc<dyn Clock>,
        announcer: Option<Arc<dyn Announcer>>,
        file_writer: Option<Arc<dyn FileWriter>>,
    ) -> Self {
        Self {
            snapshot,
            uncommitted,
            // Cheap: a catalog consists of shared parts, which are copied when they are changed.
            before: catalog.clone(),
            catalog,
            batch,
            now: clock.now(),
            clock,
            topics: CommitTopics::default(),
            reaches_readers: false,
            announcements: Announcements::by(announcer),
            files: FileEditing::by(file_writer),
            excepted_session: None,
        }
    }

    /// Returns the result of the uncommitted changes that this transaction started from, if there
    /// are any.
    pub(super) fn uncommitted_result(&self) -> Option<Arc<CommitResult>> {
        self.uncommitted.commit_result.clone()
    }

    /// Returns the batch to commit, or `None` if nothing changed.
    pub(super) fn finish(self) -> Option<PreparedCommit> {
        (!self.batch.is_empty()).then_some(PreparedCommit {
            base: self.before.revision,
            batch: self.batch,
            catalog: self.catalog,
            reaches_readers: self.reaches_readers,
        })
    }

    /// Runs a part of the transaction that no reader sees, such as a change of a draft, regardless
    /// of the tables it changes.
    pub(super) fn hidden_from_readers<T>(
        &mut self,
        part: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        // Restored rather than cleared: an earlier part of the transaction may reach readers.
        let reaches_readers = self.reaches_readers;
        let outcome = part(self);
        self.reaches_readers = reaches_readers;
        outcome
    }

    /// Returns whether there is nothing to write yet.
    pub fn is_empty(&self) -> bool {
        self.batch.is_empty()
    }

    /// Returns the topics to notify after the commit.
    pub(super) fn topics(&self) -> CommitTopics {
        self.topics
    }

    /// Notifies the listener of this topic after the commit.
    pub(super) fn notify_listener(&mut self, topic: CommitTopic) {
        self.topics.add(topic);
    }

    /// Returns the catalog from before this transaction.
    pub(super) fn before(&self) -> &Catalog {
        &self.before
    }

    /// Returns whether a record of a table has been put or deleted.
    pub(super) fn touches(&self, table: Table) -> bool {
        self.batch
            .changed_keys(table, &Keys::all())
            .next()
            .is_some()
    }

    /// Returns the keys of the records of a table that have been put or deleted, ascending.
    pub(super) fn touched(&self, table: Table) -> Vec<Vec<u8>> {
        let all = Keys::all();
        let keys = self.batch.changed_keys(table, &all);
        keys.map(<[u8]>::to_vec).collect()
    }

    /// Returns the identifiers that those keys begin with, ascending.
    pub(super) fn touched_ids(&self, table: Table) -> BTreeSet<Id> {
        let keys = self.touched(table);
        keys.iter().filter_map(|key| id_in(key)).collect()
    }

    /// Returns the catalog with the changes of this transaction so far.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Returns the time of the transaction, which is the same for all its changes.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Returns the date of a change of a record last changed at `before`: never an earlier one,
    /// even if the clock was set back.
    pub fn now_after(&self, before: Timestamp) -> Timestamp {
        self.now.max(before)
    }

    /// Returns the date of a change of a post last changed at `before`: now, in whole seconds, or a
    /// millisecond after `before` if that is not earlier than this second. So every state of a post
    /// has a different date, which identifies clients that have read an earlier state.
    ///
    /// The date is not ahead of the clock unless `before` already is: if another change was made
    /// within this millisecond, this function waits for the clock. If `before` is ahead, because
    /// the clock was set back or `before` comes from another clock, the order of the changes takes
    /// precedence over the clock.
    pub fn changed_after(&self, before: Timestamp) -> Timestamp {
        if before < self.now {
            return self.now;
        }
        let next = before.saturating_add(STEP).unwrap_or(before);
        // At most a millisecond, under the lock for changes. If two changes of a post had the same
        // date, a late client could overwrite the first one unnoticed.
        self.clock.wait_for(next);
        next
    }

    pub(super) fn catalog_mut(&mut self) -> &mut Catalog {
        &mut self.catalog
    }

    /// Returns the record under `key` after the changes of this transaction.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn read<R: DeserializeOwned>(&self, table: Table, key: &[u8]) -> Result<Option<R>> {
        self.bytes(table, key)?
            .map(|bytes| records::decode(table, &bytes))
            .transpose()
    }

    /// Returns the bytes under `key` after the changes of this transaction.
    pub(super) fn bytes(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let change = self.batch.change_of(table, key).map_err(Error::internal)?;
        Ok(match change {
            Some(change) => change.map(Cow::into_owned),
            None => self.found(table, key)?,
        })
    }

    /// Visits the records of `table` within `keys`, with the changes of this transaction, in
    /// ascending order of the keys' bytes.
    ///
    /// # Errors
    ///
    /// If the store cannot be read. The records visited until then are correct.
    pub(super) fn scan(
        &self,
        table: Table,
        keys: &Keys,
        mut visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<()> {
        let earlier = self.uncommitted.batches.iter().map(AsRef::as_ref);
        let mut changed: BTreeMap<&[u8], &Batch> = BTreeMap::new();
        // In this order: of several changes of a key, the last one counts.
        for batch in earlier.chain([&self.batch]) {
            changed.extend(batch.changed_keys(table, keys).map(|key| (key, batch)));
        }
        let mut changed = changed.into_iter().peekable();
        // Visits the changes up to a stored record, and then the record unless it was changed
        // itself.
        let mut step = |stored: Option<(&[u8], &[u8])>| -> Result<ControlFlow<()>> {
            let is_next = |key: &[u8]| stored.is_none_or(|(stored, _)| key <= stored);
            while let Some((key, batch)) = changed.next_if(|(key, _)| is_next(key)) {
                let changed = batch.change_of(table, key).map_err(Error::internal)?;
                if changed
                    .flatten()
                    .is_some_and(|bytes| visit(key, &bytes).is_break())
                {
                    return Ok(ControlFlow::Break(()));
                }
                // The change replaces the stored record, or deletes it.
                if stored.is_some_and(|(stored, _)| stored == key) {
                    return Ok(ControlFlow::Continue(()));
                }
            }
            Ok(stored.map_or(ControlFlow::Continue(()), |(key, bytes)| visit(key, bytes)))
        };
        let mut outcome = Ok(ControlFlow::Continue(()));
        self.snapshot
            .scan(table, keys, &mut |key, _revision, bytes| {
                outcome = step(Some((key, bytes)));
                outcome
                    .as_ref()
                    .map_or(ControlFlow::Break(()), |flow| *flow)
            })?;
        match outcome? {
            // The remaining changes are those of keys after the last stored record.
            ControlFlow::Continue(()) => step(None).map(|_| ()),
            ControlFlow::Break(()) => Ok(()),
        }
    }

    /// Returns all records of a small table after the changes of this transaction, in ascending
    /// order of their keys, each converted by `make`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn all<R: DeserializeOwned, T>(
        &self,
        table: Table,
        mut make: impl FnMut(R) -> T,
    ) -> Result<Vec<T>> {
        let mut records = Vec::new();
        self.visit_within(table, &Keys::all(), |record| {
            records.push(make(record));
            ControlFlow::Continue(())
        })?;
        Ok(records)
    }

    /// Visits the records of `table` within `keys` as [`scan`](Self::scan) does, until `visitor`
    /// breaks.
    pub(super) fn visit_within<R: DeserializeOwned>(
        &self,
        table: Table,
        keys: &Keys,
        visitor: impl FnMut(R) -> ControlFlow<()>,
    ) -> Result<()> {
        records::visit(table, visitor, |visit| {
            self.scan(table, keys, |_, bytes| visit(bytes))
        })
    }

    /// Returns the record under `key` from before this transaction: from the latest uncommitted
    /// change of the record, or from the store.
    pub(super) fn found(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>> {
        // From the latest to the earliest: several transactions of a group may have written the record.
        for earlier in self.uncommitted.batches.iter().rev() {
            let change = earlier.change_of(table, key).map_err(Error::internal)?;
            if let Some(changed) = change {
                return Ok(changed.map(Cow::into_owned));
            }
        }
        let record = self.snapshot.get(table, key)?;
        Ok(record.map(|record| record.bytes))
    }

    /// Writes a record.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn put(&mut self, table: Table, key: &[u8], record: &impl Serialize) -> Result<()> {
        let bytes = records::encode(record)?;
        self.put_bytes(table, key, bytes)
    }

    pub(super) fn put_bytes(&mut self, table: Table, key: &[u8], bytes: Vec<u8>) -> Result<()> {
        self.reaches_readers |= table.audience() == Audience::Readers;
        self.batch.put_spilling(table, key, bytes)?;
        Ok(())
    }

    /// Deletes a record, if it exists.
    pub fn delete(&mut self, table: Table, key: &[u8]) {
        // Even if the record is absent or unchanged: cached responses are then renewed without
        // need, which does no harm.
        self.reaches_readers |= table.audience() == Audience::Readers;
        self.batch.delete(table, key);
    }

    /// Returns whether this transaction has put or deleted the record already.
    pub(super) fn has_touched(&self, table: Table, key: &[u8]) -> bool {
        self.batch.changes(table, key)
    }
}

/// Returns the identifier that a key begins with.
pub(super) fn id_in(key: &[u8]) -> Option<Id> {
    key.first_chunk().map(|bytes| Id::from_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{clock::SystemClock, site::Site, store::memory::MemoryStore};

    #[test]
    fn a_scan_visits_stored_and_changed_records() {
        let site = Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock)).unwrap();
        let visited = |change: &Transaction, keys: Keys, at_most: usize| {
            let mut found = Vec::new();
            let scanned = change.scan(Table::UsedTokens, &keys, |key, bytes| {
                let key = String::from_utf8_lossy(key).into_owned();
                found.push((
                    key,
                    records::decode::<u8>(Table::UsedTokens, bytes).unwrap(),
                ));
                if found.len() < at_most {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
            scanned.unwrap();
            found
        };
        let pairs = |pairs: &[(&str, u8)]| -> Vec<(String, u8)> {
            pairs
                .iter()
                .map(|(key, value)| ((*key).to_owned(), *value))
                .collect()
        };
        site.write(|change| {
            ["b", "d", "f"]
                .iter()
                .try_for_each(|key| change.put(Table::UsedTokens, key.as_bytes(), &0))
        })
        .unwrap();

        site.write(|change| {
            change.put(Table::UsedTokens, b"a", &1)?;
            change.put(Table::UsedTokens, b"d", &1)?;
            change.delete(Table::UsedTokens, b"b");
            change.delete(Table::UsedTokens, b"c");
            change.put(Table::UsedTokens, b"g", &1)?;

            let all = pairs(&[("a", 1), ("d", 1), ("f", 0), ("g", 1)]);
            for at_most in 1..=all.len() {
                assert_eq!(visited(change, Keys::all(), at_most), all[..at_most]);
            }
            assert_eq!(visited(change, Keys::prefix(b"d"), 9), all[1..2]);
            assert_eq!(visited(change, Keys::range("e".."z"), 9), all[2..]);
            Ok(())
        })
        .unwrap();
        site.write(|change| {
            assert_eq!(visited(change, Keys::all(), 9).len(), 4);
            Ok(())
        })
        .unwrap();
    }
}
