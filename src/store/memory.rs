//! A store in memory for tests, with the same behaviour as the store on disk and with injected
//! failures.
//!
//! Its content is lost when it is dropped. The contract tests run against this store and the engine
//! on disk, so code that passes a test on this store also works on the other. `galley check` and
//! `galley build` read content files into such a store, and `galley exec` serves one.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::batch::BatchValue;
use super::memory_counts::MemoryCounts;
use super::memory_nodes::{MemoryNodes, STORE_NAME};
use super::recent_commits::RecentCommits;
use super::{
    Batch, ChangedKeys, Keys, Nodes, Record, SharedCounts, Snapshot, Store, StoreError, Table,
    Visit, Writer,
};

/// A store that exists as long as its value.
#[derive(Debug, Default)]
pub struct MemoryStore {
    contents: Mutex<Contents>,
    recent: Mutex<RecentCommits>,
    /// Locked by the writer.
    turn: Mutex<()>,
    commit_faults: Mutex<FaultPlan<CommitFault>>,
    read_faults: Arc<Mutex<FaultPlan<()>>>,
    /// The processes that share the store, if it is a shared one.
    nodes: Option<MemoryNodes>,
    /// The counts that they share.
    counts: MemoryCounts,
}

/// How a commit fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitFault {
    /// With `Io`; nothing is written.
    NotWritten,
    /// With `Full`; nothing is written.
    DiskFull,
    /// With `InDoubt`; nothing is written.
    LostInDoubt,
    /// With `InDoubt`; everything is written.
    WrittenInDoubt,
}

impl MemoryStore {
    /// Returns an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an empty store whose users are nodes, like processes that share a store.
    pub fn shared() -> Self {
        Self {
            nodes: Some(MemoryNodes::default()),
            ..Self::default()
        }
    }

    /// Makes the `nth` commit from now fail, 1 being the next.
    pub fn fail_commit(&self, nth: u64, fault: CommitFault) {
        lock(&self.commit_faults).add(nth, fault);
    }

    /// Makes the `nth` read from now fail with `Io`, 1 being the next. Every `get` and every `scan`
    /// is a read, on any snapshot.
    pub fn fail_read(&self, nth: u64) {
        lock(&self.read_faults).add(nth, ());
    }
}

impl Store for MemoryStore {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        Ok(Box::new(MemorySnapshot {
            contents: lock(&self.contents).clone(),
            faults: Arc::clone(&self.read_faults),
        }))
    }

    fn writer(&self) -> Result<Box<dyn Writer + '_>, StoreError> {
        // Locked before the revision is read, which then cannot change until this writer is
        // dropped.
        let turn = lock(&self.turn);
        Ok(Box::new(MemoryWriter {
            store: self,
            revision: lock(&self.contents).revision,
            _turn: turn,
        }))
    }

    fn changes_since(&self, revision: u64) -> Result<Option<Vec<ChangedKeys>>, StoreError> {
        let contents = lock(&self.contents);
        // `recent` is locked while `contents` is, as in `commit`: the other order could deadlock.
        Ok(lock(&self.recent).since(revision, contents.revision))
    }

    fn size_bytes(&self) -> Result<u64, StoreError> {
        let contents = lock(&self.contents);
        let records = contents.tables.values().flat_map(|records| records.iter());
        Ok(records
            .map(|(key, record)| (key.len() + record.bytes.len()) as u64)
            .sum())
    }

    fn nodes(&self) -> Option<&dyn Nodes> {
        self.nodes.as_ref().map(|nodes| nodes as &dyn Nodes)
    }

    fn shared_counts(&self) -> Option<&dyn SharedCounts> {
        self.nodes
            .as_ref()
            .map(|_| &self.counts as &dyn SharedCounts)
    }
}

struct MemoryWriter<'s> {
    store: &'s MemoryStore,
    revision: u64,
    _turn: MutexGuard<'s, ()>,
}

impl Writer for MemoryWriter<'_> {
    fn revision(&self) -> u64 {
        self.revision
    }

    fn commit(self: Box<Self>, batches: &[&Batch]) -> Result<u64, StoreError> {
        let fault = lock(&self.store.commit_faults).next();
        // Locked until the keys are in `recent`, so that no reader sees the commit without them.
        let mut contents = lock(&self.store.contents);
        // A copy, so that a batch that cannot be read leaves the contents unchanged. The tables are
        // shared.
        let mut next = contents.clone();
        next.revision += 1;
        for batch in batches {
            next.apply(values_of(batch)?);
        }
        let revision = next.revision;
        match fault {
            Some(CommitFault::NotWritten) => return Err(injected_failure()),
            Some(CommitFault::DiskFull) => {
                return Err(StoreError::Full {
                    store: STORE_NAME.into(),
                });
            }
            Some(CommitFault::LostInDoubt) => return Err(in_doubt(revision)),
            Some(CommitFault::WrittenInDoubt) | None => *contents = next,
        }
        lock(&self.store.recent).add(revision, batches);
        match fault {
            Some(_) => Err(in_doubt(revision)),
            None => Ok(revision),
        }
    }
}

type Records = BTreeMap<Vec<u8>, Arc<Record>>;

/// The records after a commit. A clone shares the tables until one of them changes.
#[derive(Clone, Debug, Default)]
struct Contents {
    revision: u64,
    tables: BTreeMap<Table, Arc<Records>>,
}

impl Contents {
    fn get(&self, table: Table, key: &[u8]) -> Option<&Record> {
        self.tables.get(&table)?.get(key).map(Arc::as_ref)
    }

    /// Writes the values with the revision of these contents.
    fn apply(&mut self, values: Values<'_>) {
        for (table, key, value) in values {
            let records = Arc::make_mut(self.tables.entry(table).or_default());
            match value {
                Some(value) => {
                    let record = Record {
                        revision: self.revision,
                        bytes: value,
                    };
                    records.insert(key.to_vec(), Arc::new(record));
                }
                None => {
                    records.remove(key);
                }
            }
        }
    }
}

/// The puts and deletes of a batch.
type Values<'b> = Vec<(Table, &'b [u8], Option<Vec<u8>>)>;

/// Reads all values of a batch before any of it is written.
fn values_of(batch: &Batch) -> Result<Values<'_>, StoreError> {
    let read = |(table, key, value): (Table, _, Option<BatchValue<'_>>)| {
        let mut bytes = value.map(|_| Vec::new());
        if let (Some(value), Some(bytes)) = (value, &mut bytes) {
            value.append_to(bytes)?;
        }
        Ok((table, key, bytes))
    };
    let values: io::Result<Values<'_>> = batch.operations().map(read).collect();
    values.map_err(|source| StoreError::Io {
        store: STORE_NAME.into(),
        source,
    })
}

struct MemorySnapshot {
    contents: Contents,
    faults: Arc<Mutex<FaultPlan<()>>>,
}

impl MemorySnapshot {
    fn fail_if_planned(&self) -> Result<(), StoreError> {
        match lock(&self.faults).next() {
            Some(()) => Err(injected_failure()),
            None => Ok(()),
        }
    }
}

impl Snapshot for MemorySnapshot {
    fn revision(&self) -> u64 {
        self.contents.revision
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Record>, StoreError> {
        self.fail_if_planned()?;
        Ok(self.contents.get(table, key).cloned())
    }

    fn scan(&self, table: Table, keys: &Keys, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        self.fail_if_planned()?;
        if let (Some(records), Some(bounds)) = (self.contents.tables.get(&table), keys.bounds()) {
            for (key, record) in records.range::<[u8], _>(bounds) {
                if visit(key, record.revision, &record.bytes).is_break() {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// The future calls that fail, and how.
#[derive(Debug)]
struct FaultPlan<F> {
    calls: u64,
    faults: BTreeMap<u64, F>,
}

impl<F> Default for FaultPlan<F> {
    fn default() -> Self {
        Self {
            calls: 0,
            faults: BTreeMap::new(),
        }
    }
}

impl<F> FaultPlan<F> {
    fn add(&mut self, nth: u64, fault: F) {
        self.faults.insert(self.calls + nth, fault);
    }

    /// Counts a call and returns its fault, if this call fails.
    fn next(&mut self) -> Option<F> {
        self.calls += 1;
        self.faults.remove(&self.calls)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn injected_failure() -> StoreError {
    StoreError::Io {
        store: STORE_NAME.into(),
        source: io::Error::other("a test requested this failure"),
    }
}

fn in_doubt(revision: u64) -> StoreError {
    StoreError::InDoubt {
        revision,
        cause: Box::new(injected_failure()),
    }
}
