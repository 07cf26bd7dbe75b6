//! Tests that a process killed by SIGKILL during commits loses no acknowledged commit.

use std::collections::BTreeSet;
use std::io::Write;
use std::thread;
use std::time::Duration;

use galley::store::{Batch, Store, Table};

use super::other_process::{self, OtherProcess};

const ROUNDS: u64 = 20;
const KEYS: u64 = 25;

/// Returns the batch of commit `number`. It writes the number to the same keys as every batch, with values of varying length,
/// and replaces the only key of the table `Slugs`.
pub(super) fn numbered(number: u64) -> Batch {
    let mut batch = Batch::new();
    for key in 0..KEYS {
        let mut value = number.to_be_bytes().to_vec();
        value.resize(8 + (number * 977 % 9_000) as usize, 0xAA);
        let table = Table::ALL[(key % 3) as usize];
        batch.put(table, format!("key {key}"), value);
    }
    batch.delete(Table::Slugs, (number - 1).to_be_bytes()).put(
        Table::Slugs,
        number.to_be_bytes(),
        "",
    );
    batch
}

#[test]
#[ignore = "runs as the other process of kill_9_loses_no_acknowledged_commit_and_leaves_none_partial"]
fn commit_until_killed() {
    let store = super::open(&other_process::given_path());
    let mut number = store.snapshot().unwrap().revision();
    loop {
        number += 1;
        assert_eq!(store.commit(&numbered(number)).unwrap(), number);
        println!("acknowledged {number}");
        std::io::stdout().flush().unwrap();
    }
}

#[test]
fn kill_9_loses_no_acknowledged_commit_and_leaves_none_partial() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    let mut acknowledged = 0;

    for round in 0..ROUNDS {
        let mut process = OtherProcess::start(module_path!(), "commit_until_killed", &path);
        let first = process.next_said("acknowledged ").unwrap();
        acknowledged = first.parse().unwrap();
        thread::sleep(Duration::from_millis(round * 13 % 89));
        process.kill();
        while let Some(number) = process.next_said("acknowledged ") {
            acknowledged = number.parse().unwrap();
        }

        let store = super::open(&path);
        let revision = store.snapshot().unwrap().revision();
        assert!(
            revision == acknowledged || revision == acknowledged + 1,
            "revision {revision}, but {acknowledged} was acknowledged"
        );
        let contents = super::contents_of(&store);
        let expected = numbered(revision);
        let revisions: BTreeSet<u64> = contents.values().map(|(revision, _)| *revision).collect();
        assert_eq!(revisions, BTreeSet::from([revision]));
        assert_eq!(contents.len() as u64, KEYS + 1);
        assert!(same(&contents, &expected));
    }
    assert!(acknowledged > ROUNDS);
}

/// Returns whether `contents` equals the result of `batch` on an empty store, except for revisions.
pub(super) fn same(contents: &super::Contents, batch: &Batch) -> bool {
    let fresh = galley::store::memory::MemoryStore::new();
    fresh.commit(batch).unwrap();
    let fresh = super::contents_of(&fresh);
    let values = |contents: &super::Contents| -> Vec<_> {
        contents
            .iter()
            .map(|(key, (_, value))| (key.clone(), value.clone()))
            .collect()
    };
    values(contents) == values(&fresh)
}
