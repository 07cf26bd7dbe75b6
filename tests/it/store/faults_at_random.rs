//! Tests of a store on a disk that fails at random moments: acknowledged commits are stored, no commit is partial, and the store
//! can be opened.
//!
//! `tests/endurance/run disk` has many more rounds than the suite.

use std::{collections::BTreeMap, path::Path};

use galley::store::{Store, StoreError, redb::RedbStore};
use galley_tests::random::{TestRandom, rounds};

use super::{
    contents_of,
    crash::{numbered, same},
    volatile_disk::{Fault, VolatileDisk},
};

/// The default number of faults.
const ROUNDS: u64 = 40;

/// The maximum number of commits before a fault, during it, and after it.
const COMMITS_MAX: u64 = 4;

/// The maximum number of successful calls before a fault: more than a commit needs.
const CALLS_MAX: u64 = 40;

/// Temporary faults.
const PASSING: [Fault; 4] = [Fault::Full, Fault::Write, Fault::Flush, Fault::Read];

fn is_of(fault: Fault, error: &StoreError) -> bool {
    match (fault, error) {
        (Fault::Full, StoreError::Full { .. }) => true,
        (Fault::Full, _) => false,
        (_, error) => matches!(error, StoreError::Io { .. } | StoreError::InDoubt { .. }),
    }
}

/// The known commits of a store whose content is a function of its revision.
struct Witness<'w> {
    disk: &'w VolatileDisk,
    path: &'w Path,
    /// The newest revision that was acknowledged.
    acknowledged: u64,
    /// The newest revision that was read. If its commit returned an error, a power failure can still revert it.
    seen: u64,
    /// The newest revision that may be stored.
    attempted: u64,
    commits: u64,
}

impl Witness<'_> {
    fn open(&self) -> RedbStore {
        let opened = self.disk.open(self.path);
        opened.unwrap_or_else(|error| panic!("the store does not open: {error}"))
    }

    /// Commits up to `commits` times, and stops at the first failure.
    fn commit(&mut self, store: &impl Store, commits: u64) -> Result<(), StoreError> {
        for _ in 0..commits {
            self.attempted = self.seen + 1;
            let committed = store.commit(&numbered(self.attempted))?;
            assert_eq!(committed, self.attempted);
            self.acknowledged = committed;
            self.seen = committed;
            self.commits += 1;
        }
        Ok(())
    }

    /// Checks that the store is intact and has all acknowledged commits, and at most one more, which returned an error.
    fn check(&mut self, store: &impl Store) {
        let revision = store.snapshot().unwrap().revision();
        assert!(
            (self.acknowledged..=self.attempted).contains(&revision),
            "revision {revision}, but {} was acknowledged and {} attempted",
            self.acknowledged,
            self.attempted
        );
        assert_complete(store, revision);
        self.seen = revision;
        self.attempted = revision;
    }
}

fn assert_complete(store: &impl Store, revision: u64) {
    let contents = contents_of(store);
    if revision > 0 {
        assert!(
            same(&contents, &numbered(revision)),
            "revision {revision} has different contents"
        );
        let other = contents.values().find(|(written, _)| *written != revision);
        assert!(
            other.is_none(),
            "revision {revision} contains records of another one"
        );
    }
}

#[test]
fn random_disk_faults_lose_no_acknowledged_commit() {
    let mut chance = TestRandom::begin();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    drop(super::open(&path));
    let disk = VolatileDisk::with(&path, TestRandom::clone(&chance));
    let mut witness = Witness {
        disk: &disk,
        path: &path,
        acknowledged: 0,
        seen: 0,
        attempted: 0,
        commits: 0,
    };
    let mut failed = BTreeMap::<Fault, u64>::new();
    let rounds = rounds(ROUNDS);

    for _ in 0..rounds {
        let store = witness.open();
        witness.check(&store);
        witness.commit(&store, chance.below(COMMITS_MAX)).unwrap();

        let fault = chance.of(&PASSING);
        // A commit calls flush twice.
        let calls_max = if fault == Fault::Flush { 4 } else { CALLS_MAX };
        disk.begin(fault, chance.below(calls_max));
        if let Err(error) = witness.commit(&store, COMMITS_MAX) {
            assert!(is_of(fault, &error), "{fault:?}: {error}");
            *failed.entry(fault).or_default() += 1;
            let is_readable = fault == Fault::Full || fault == Fault::Write;
            if is_readable && !matches!(error, StoreError::InDoubt { .. }) {
                // During the fault, no part of the commit is stored.
                witness.attempted = witness.seen;
                witness.check(&store);
            }
        }
        disk.repair();
        witness.check(&store);
        witness.commit(&store, chance.below(COMMITS_MAX)).unwrap();

        disk.begin(Fault::PowerCut, chance.below(CALLS_MAX));
        if let Err(error) = witness.commit(&store, chance.below(COMMITS_MAX)) {
            assert!(is_of(Fault::PowerCut, &error), "{error}");
            *failed.entry(Fault::PowerCut).or_default() += 1;
        }
        drop(store);
        disk.lose_power();
    }
    let store = witness.open();
    witness.check(&store);
    println!(
        "{rounds} power cuts: {} commits acknowledged, none lost; commits that failed, by fault: {failed:?}",
        witness.commits
    );
}

#[test]
fn lost_flushes_leave_an_earlier_state_or_detected_damage() {
    let mut chance = TestRandom::begin();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    drop(super::open(&path));
    let disk = VolatileDisk::with(&path, TestRandom::clone(&chance));
    let (mut whole, mut damaged, mut lost) = (0, 0, 0);
    let rounds = rounds(ROUNDS);

    for _ in 0..rounds {
        let before = disk.image();
        let store = disk.open(&path).unwrap();
        let mut revision = store.snapshot().unwrap().revision();
        disk.begin(Fault::LyingFlush, chance.below(COMMITS_MAX));
        for _ in 0..=chance.below(COMMITS_MAX) {
            revision = store.commit(&numbered(revision + 1)).unwrap();
        }
        drop(store);
        disk.lose_power();

        let left = disk.image();
        match disk.open(&path) {
            Ok(store) => {
                let found = store.snapshot().unwrap().revision();
                assert!(found <= revision);
                assert_complete(&store, found);
                whole += 1;
                lost += revision - found;
            }
            Err(error) => {
                let is_detected = matches!(error, StoreError::Damaged { .. });
                assert!(is_detected, "the damage is reported as: {error}");
                assert!(disk.image() == left, "a damaged store was written to");
                disk.restore(before);
                damaged += 1;
            }
        }
    }
    println!(
        "{rounds} power cuts with lost flushes: {whole} times the state of a commit, {lost} commits lost in total; \
         {damaged} times rejected as damaged"
    );
}
