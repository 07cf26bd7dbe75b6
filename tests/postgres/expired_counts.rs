//! Tests of the deletion of expired counts.

use std::{thread, time::Duration};

use galley::store::{CountChange, SharedCount, SharedCounts};

use crate::{server::Server, stores::any};

#[test]
fn expired_counts_are_deleted() {
    let shared = any();
    let store = shared.replica();
    let schema = shared.url.rsplit_once("%3D").unwrap().1;
    for (key, lifetime) in [("a", 1), ("b", 3600)] {
        let count = SharedCount {
            state: b"1".to_vec(),
            wait: Duration::ZERO,
            lifetime: Duration::from_secs(lifetime),
        };
        let mut put = |_: Option<&[u8]>| CountChange::Put(count.clone());
        store.update("codes", key, &mut put).unwrap();
    }
    thread::sleep(Duration::from_secs(2));

    store.forget_deleted().unwrap();

    let left = format!("SELECT string_agg(key, ' ') FROM {schema}.galley_limits");
    assert_eq!(Server::shared().run(&left).unwrap(), "b");
}
