//! The contract of counts that several processes share.

use std::{thread, time::Duration};

use galley::store::{CountChange, SharedCount, SharedCounts};

use crate::shared_store::SharedStore;

const LONG: Duration = Duration::from_secs(3600);

/// Short enough for a test to wait for.
const SHORT: Duration = Duration::from_millis(300);

fn count(state: &str) -> SharedCount {
    SharedCount {
        state: state.as_bytes().to_vec(),
        wait: Duration::ZERO,
        lifetime: LONG,
    }
}

fn put(counts: &dyn SharedCounts, name: &str, key: &str, count: SharedCount) {
    let mut change = |_: Option<&[u8]>| CountChange::Put(count.clone());
    counts.update(name, key, &mut change).unwrap();
}

fn state(counts: &dyn SharedCounts, name: &str, key: &str) -> Option<String> {
    let mut found = None;
    let mut read = |state: Option<&[u8]>| {
        found = state.map(|state| String::from_utf8(state.to_vec()).unwrap());
        CountChange::Keep
    };
    counts.update(name, key, &mut read).unwrap();
    found
}

pub fn a_count_is_what_it_was_last_changed_to_in_any_process(shared: &dyn SharedStore) {
    let (one, other) = (shared.open(), shared.open());
    let (one, other) = (one.shared_counts().unwrap(), other.shared_counts().unwrap());
    assert_eq!(state(one, "codes", "a"), None);

    put(one, "codes", "a", count("1"));
    assert_eq!(state(other, "codes", "a").as_deref(), Some("1"));
    put(other, "codes", "a", count("2"));
    assert_eq!(state(one, "codes", "a").as_deref(), Some("2"));

    one.update("codes", "a", &mut |_| CountChange::Remove)
        .unwrap();
    assert_eq!(state(other, "codes", "a"), None);
    one.update("codes", "a", &mut |_| CountChange::Remove)
        .unwrap();
}

pub fn counts_of_other_names_and_keys_are_other_counts(shared: &dyn SharedStore) {
    let store = shared.open();
    let counts = store.shared_counts().unwrap();
    put(counts, "codes", "a", count("1"));

    assert_eq!(state(counts, "codes", "A"), None);
    assert_eq!(state(counts, "links", "a"), None);
}

pub fn no_change_is_lost_of_those_that_are_made_at_the_same_time(shared: &dyn SharedStore) {
    let stores = [shared.open(), shared.open()];
    let mut add = |state: Option<&[u8]>| {
        let before = state.map_or(0, |state| {
            std::str::from_utf8(state).unwrap().parse::<u32>().unwrap()
        });
        CountChange::Put(count(&(before + 1).to_string()))
    };
    thread::scope(|scope| {
        for store in stores.iter().chain(&stores) {
            let mut add = add;
            scope.spawn(move || {
                let counts = store.shared_counts().unwrap();
                for _ in 0..25 {
                    counts.update("codes", "a", &mut add).unwrap();
                }
            });
        }
    });
    let counts = stores[0].shared_counts().unwrap();
    counts.update("codes", "b", &mut add).unwrap();

    assert_eq!(state(counts, "codes", "a").as_deref(), Some("100"));
    assert_eq!(state(counts, "codes", "b").as_deref(), Some("1"));
}

pub fn a_count_is_forgotten_after_its_lifetime(shared: &dyn SharedStore) {
    let store = shared.open();
    let counts = store.shared_counts().unwrap();
    let short = SharedCount {
        lifetime: SHORT,
        wait: LONG,
        ..count("1")
    };
    put(counts, "codes", "a", short);

    thread::sleep(SHORT * 2);

    assert_eq!(counts.waiting("codes").unwrap(), []);
    assert_eq!(state(counts, "codes", "a"), None);
    put(counts, "codes", "a", count("2"));
    assert_eq!(state(counts, "codes", "a").as_deref(), Some("2"));
}

pub fn those_that_have_to_wait_are_listed(shared: &dyn SharedStore) {
    let store = shared.open();
    let counts = store.shared_counts().unwrap();
    let waiting = |wait| SharedCount { wait, ..count("1") };
    put(counts, "keys", "a", waiting(LONG));
    put(counts, "keys", "b", waiting(Duration::ZERO));
    put(counts, "keys", "c", waiting(SHORT));
    put(counts, "links", "d", waiting(LONG));

    thread::sleep(SHORT * 2);

    let listed = counts.waiting("keys").unwrap();
    assert_eq!(listed, [("a".to_owned(), b"1".to_vec())]);
}

pub fn changing_a_count_is_not_a_commit(shared: &dyn SharedStore) {
    let store = shared.open();
    let before = store.snapshot().unwrap().revision();
    put(store.shared_counts().unwrap(), "codes", "a", count("1"));
    assert_eq!(store.snapshot().unwrap().revision(), before);
}

/// Calls the macro `$tests` with the rules of a store that several processes share.
#[macro_export]
macro_rules! shared_count_rules {
    ($tests:ident) => {
        $tests! { shared_counts
            a_count_is_what_it_was_last_changed_to_in_any_process
            counts_of_other_names_and_keys_are_other_counts
            no_change_is_lost_of_those_that_are_made_at_the_same_time
            a_count_is_forgotten_after_its_lifetime
            those_that_have_to_wait_are_listed
            changing_a_count_is_not_a_commit
        }
    };
}
