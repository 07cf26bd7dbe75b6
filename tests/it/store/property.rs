//! Tests that both engines have equal contents after any batches, also after reopening.

use proptest::prelude::*;

use galley::store::memory::MemoryStore;
use galley::store::{Batch, Store, StoreError, Table};

#[derive(Clone, Debug)]
enum Step {
    Put(usize, Vec<u8>, Vec<u8>),
    Delete(usize, Vec<u8>),
}

/// Steps on few tables and keys, so that they affect the same records.
fn step() -> impl Strategy<Value = Step> {
    let table = 0..3usize;
    let key = prop::collection::vec(prop::sample::select(vec![0u8, 1, 0xff]), 0..3);
    let value = prop_oneof![
        9 => prop::collection::vec(any::<u8>(), 0..20),
        1 => (0..20_000usize).prop_map(|length| vec![7; length]),
    ];
    prop_oneof![
        6 => (table.clone(), key.clone(), value).prop_map(|(t, k, v)| Step::Put(t, k, v)),
        3 => (table, key).prop_map(|(t, k)| Step::Delete(t, k)),
    ]
}

fn batch(steps: &[Step]) -> Batch {
    let mut batch = Batch::new();
    for step in steps {
        match step {
            Step::Put(table, key, value) => {
                batch.put(Table::ALL[*table], key.clone(), value.clone())
            }
            Step::Delete(table, key) => batch.delete(Table::ALL[*table], key.clone()),
        };
    }
    batch
}

/// Returns the result of a commit in a comparable form.
fn outcome(result: Result<u64, StoreError>) -> Result<u64, String> {
    result.map_err(|error| error.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..Default::default() })]

    #[test]
    fn redb_and_memory_engines_agree(batches in prop::collection::vec(prop::collection::vec(step(), 0..12), 1..12)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("galley.redb");
        let memory = MemoryStore::new();
        let disk = super::open(&path);

        for steps in &batches {
            let batch = batch(steps);
            prop_assert_eq!(outcome(disk.commit(&batch)), outcome(memory.commit(&batch)));
            prop_assert_eq!(super::contents_of(&disk), super::contents_of(&memory));
        }
        prop_assert_eq!(disk.changes_since(0).unwrap(), memory.changes_since(0).unwrap());

        drop(disk);
        let reopened = super::open(&path);
        prop_assert_eq!(super::contents_of(&reopened), super::contents_of(&memory));
        prop_assert_eq!(
            reopened.snapshot().unwrap().revision(),
            memory.snapshot().unwrap().revision()
        );
    }
}
