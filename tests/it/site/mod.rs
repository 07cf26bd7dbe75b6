//! Tests of the guarantees of concurrent transactions.

mod concurrency;
mod groups;
mod readers;

use std::{
    path::Path,
    sync::{Arc, Condvar, Mutex},
};

use galley::{
    clock::SystemClock,
    site::Site,
    store::{
        Batch, ChangedKeys, Snapshot, Store, StoreError, Writer,
        redb::{DEFAULT_CACHE_BYTES, RedbStore},
    },
};
use galley_tests::site_records::{post, tags};

/// Opens the site in `store`.
fn open(store: impl Store + 'static) -> Site {
    Site::open(Box::new(store), Arc::new(SystemClock)).unwrap()
}

/// Opens the site in the file at `path`.
fn open_file(path: &Path) -> Site {
    open(RedbStore::open(path, DEFAULT_CACHE_BYTES).unwrap())
}

/// A store whose commits wait while a test blocks them.
struct HeldStore<S> {
    store: S,
    gate: Arc<Gate>,
}

#[derive(Default)]
struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    is_held: bool,
    panics: bool,
    /// The number of batches in each started commit.
    sizes: Vec<usize>,
}

impl Gate {
    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap());
        self.changed.notify_all();
    }

    /// Blocks commits from now on.
    fn hold(&self) {
        self.change(|state| state.is_held = true);
    }

    fn release(&self) {
        self.change(|state| state.is_held = false);
    }

    /// Makes the next commit panic.
    fn panic_once(&self) {
        self.change(|state| state.panics = true);
    }

    /// Waits until `count` commits were started.
    fn wait_for_commits(&self, count: usize) {
        let state = self.state.lock().unwrap();
        drop(
            self.changed
                .wait_while(state, |state| state.sizes.len() < count),
        );
    }

    fn sizes(&self) -> Vec<usize> {
        self.state.lock().unwrap().sizes.clone()
    }

    fn pass(&self, size: usize) {
        self.change(|state| state.sizes.push(size));
        let state = self.state.lock().unwrap();
        let mut state = self
            .changed
            .wait_while(state, |state| state.is_held)
            .unwrap();
        let panics = std::mem::take(&mut state.panics);
        drop(state);
        assert!(!panics, "the test causes this panic");
    }
}

impl<S: Store> Store for HeldStore<S> {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        self.store.snapshot()
    }

    fn batch(&self) -> Batch {
        self.store.batch()
    }

    fn writer(&self) -> Result<Box<dyn Writer + '_>, StoreError> {
        Ok(Box::new(HeldWriter {
            writer: self.store.writer()?,
            gate: &self.gate,
        }))
    }

    fn changes_since(&self, revision: u64) -> Result<Option<Vec<ChangedKeys>>, StoreError> {
        self.store.changes_since(revision)
    }

    fn size_bytes(&self) -> Result<u64, StoreError> {
        self.store.size_bytes()
    }
}

struct HeldWriter<'s> {
    writer: Box<dyn Writer + 's>,
    gate: &'s Gate,
}

impl Writer for HeldWriter<'_> {
    fn revision(&self) -> u64 {
        self.writer.revision()
    }

    fn commit(self: Box<Self>, batches: &[&Batch]) -> Result<u64, StoreError> {
        self.gate.pass(batches.len());
        self.writer.commit(batches)
    }
}
